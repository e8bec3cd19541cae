//! Scored jobs: what is kept of the candidates is what the CPU keeps of all of them, wherever they are scored.

use crate::bench::{Bench, EVERYWHERE, GPU, KERNELS, Registered, trials};
use crate::sheets::name_sheet;
use hyperblock::device::cpu::Cpu;
use hyperblock::entities::score::Kept;
use hyperblock::job::Guards;
use hyperblock::operators::Backend;
use hyperblock::plan::sweep::LIST_BYTES_PER_RECORD;
use hyperblock::run::loaded::Loaded;
use hyperblock::tell::report::Summary;
use hyperblock::{Control, Job, Prepared, Result};
use hyperblock_tests::case::Sheet;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [scored_jobs, too_many_pairs, no_room_for_scores],
    // Buffers that get full.
    KERNELS => [in_halves],
    // Too many for the others.
    GPU => [many_candidates],
];

const SCORE: &str = "
[score]
threshold = 0.7
[[score.attributes]]
measure = \"jaro_winkler(l.name, r.name)\"
weight = 3
[[score.attributes]]
measure = \"jaccard(words(l.name), words(r.name))\"
[[score.attributes]]
measure = \"abs(l.year - r.year) <= 3\"
";

/// Rules that share a key: about all records, about some of either side, about some of one side.
fn rules(key: &str) -> [Vec<String>; 3] {
    let when = |of_one: &str, other: &str| format!("{of_one}{key} AND {other}");
    let of = |of_one: &str| {
        let others = ["l.year = r.year", "levenshtein(l.name, r.name) <= 6", "l.name <> r.name"];
        others.map(|other| when(of_one, other)).to_vec()
    };
    [of(""), of("l.year < 1980 AND r.year < 1990 AND "), of("l.year > 1970 AND ")]
}

/// Rules over small tables, and over large ones.
const FEW: &str = "substr(l.zip, 1, 1) = substr(r.zip, 1, 1)";
const MANY: &str = "l.zip = r.zip";

fn prepared(left: &Sheet, right: Option<&Sheet>, whens: &[String], guards: Guards) -> Prepared {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let whens: String = whens.iter().map(|when| format!("[[rules]]\nwhen = \"{when}\"\n")).collect();
    let (left, rules) = (write("left.csv", &left.csv()), write("rules.toml", &(whens + SCORE)));
    let job = match right {
        None => Job::dedupe(&left, &rules),
        Some(right) => Job::link(&left, write("right.csv", &right.csv()), &rules),
    };
    job.guards(guards).prepare(&Cpu::new(), &Control::default()).unwrap()
}

fn kept(prepared: &Prepared, device: &dyn Backend) -> (Vec<Kept>, Result<Summary>) {
    let mut all = Vec::new();
    let summary = prepared.run_scored(device, &Control::default(), &mut |kept| {
        all.extend_from_slice(kept);
        Ok(())
    });
    (all, summary)
}

/// That a device keeps what the CPU keeps of all candidates, and counts them; how many there are.
#[track_caller]
fn assert_same(prepared: &Prepared, device: &dyn Backend) -> u64 {
    let (mut candidates, control) = (Vec::new(), Control::default());
    let found = prepared.run(&Cpu::new(), &control, &mut |found| {
        candidates.extend_from_slice(found);
        Ok(())
    });
    let (scoring, found) = (prepared.scoring().unwrap(), found.unwrap());
    let scores = scoring.load(&Cpu::new()).unwrap().score(&candidates, &control).unwrap();
    let wanted = candidates.iter().copied().zip(scores).filter(|(_, score)| *score >= scoring.threshold());
    let wanted: Vec<Kept> = wanted.collect();
    let (got, summary) = kept(prepared, device);
    let summary = summary.unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    let parted = wanted.iter().zip(&got).position(|(wanted, got)| wanted != got);
    assert_eq!((parted, wanted.len()), (None, got.len()), "{}: where they part, and all", device.name());
    assert_eq!(summary.by_rule, found.by_rule);
    let tally = summary.scored.unwrap();
    assert_eq!((tally.n_scored, tally.n_kept), (candidates.len() as u64, wanted.len() as u64));
    assert!(!wanted.is_empty() && wanted.len() < candidates.len(), "some are kept, and some are not");
    tally.n_scored
}

/// Whether a device scores candidates where it finds them.
fn keeps(prepared: &Prepared, device: &dyn Backend) -> bool {
    Loaded::new(device, &prepared.encoded, prepared.plan.program()).unwrap().keeps()
}

fn scored_jobs(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let n_rows = bench.by(300, 60, 600);
    let (left, right) = (name_sheet(n_rows, 5), name_sheet(n_rows / 2, 70_000));
    for right in [None, Some(&right)] {
        for whens in rules(FEW) {
            let prepared = prepared(&left, right, &whens, Guards::default());
            assert_same(&prepared, &*device);
            assert_eq!(keeps(&prepared, &*device), bench.by(false, true, true));
        }
    }
    assert_eq!(device.threads().map_or(6, |threads| threads.n_kept_there()), 6);
}

/// More than are allowed: nothing is handed on. As many as are allowed: everything is.
fn too_many_pairs(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let left = name_sheet(bench.by(200, 50, 200), 9);
    let [all, some, _] = rules(FEW);
    for whens in [all, some] {
        let n = assert_same(&prepared(&left, None, &whens, Guards::default()), &*device);
        assert_same(&prepared(&left, None, &whens, at_most(n)), &*device);
        assert_too_many(&prepared(&left, None, &whens, at_most(n - 1)), &*device);
    }
}

fn at_most(n: u64) -> Guards {
    Guards { most_pairs: Some(n), ..Guards::default() }
}

#[track_caller]
fn assert_too_many(prepared: &Prepared, device: &dyn Backend) {
    let (kept, ended) = kept(prepared, device);
    let error = ended.map(drop).unwrap_err().to_string();
    assert!(kept.is_empty() && error.contains("there are more than"), "{error}");
}

/// The job fits, and what its score reads does not: then candidates are brought to the CPU, which scores them.
fn no_room_for_scores(bench: Bench) {
    let left = name_sheet(bench.by(200, 40, 200), 3);
    let prepared = prepared(&left, None, &[FEW.to_owned()], Guards::default());
    let lists = LIST_BYTES_PER_RECORD * 2 * left.rows.len() as u64;
    // Columns may take half of what a GPU has.
    let memory = (prepared.encoded.n_bytes() + lists) * bench.by(1, 1, 2);
    let device = bench.shape(32, 2, 1 << 12).memory(memory).open();
    assert_same(&prepared, &*device);
    assert_eq!(keeps(&prepared, &*device), bench.by(false, true, true), "the job fits");
    assert!(device.threads().is_none_or(|threads| threads.n_kept_there() == 0), "the score does not");
}

fn in_halves(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).results(64).open();
    let left = name_sheet(bench.by(0, 40, 300), 3);
    for whens in rules(FEW) {
        assert_same(&prepared(&left, None, &whens, Guards::default()), &*device);
    }
    assert!(device.threads().is_none_or(|threads| threads.n_too_many() > 0 && threads.n_kept_there() > 3));
}

/// So many that they are scored in several pieces.
fn many_candidates(bench: Bench) {
    let device = bench.open();
    let (left, right) = (name_sheet(150_000, 5), name_sheet(60_000, 70_000));
    let mut most = 0;
    for right in [None, Some(&right)] {
        for whens in rules(MANY) {
            let all = prepared(&left, right, &whens, Guards::default());
            assert!(keeps(&all, &*device));
            let n = assert_same(&all, &*device);
            assert_too_many(&prepared(&left, right, &whens, at_most(n - 1)), &*device);
            most = most.max(n);
        }
    }
    assert!(most > 1 << 23, "{most} candidates are one piece, or two");
}
