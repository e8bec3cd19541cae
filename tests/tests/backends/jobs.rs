//! Jobs drawn at random, tables, rules and options alike: a backend finds what the CPU finds, byte for byte, and what the
//! oracle finds where that is not too slow.
//!
//! `HYPERBLOCK_JOBS=1000 backends 'jobs:: [gpu]'` draws so many. A job that fails is named by its seed, the others go on, and
//! `HYPERBLOCK_JOB=SEED` runs it alone.

use crate::bench::{Bench, Device, EVERYWHERE, Registered, trials};
use crate::papers::by_pairs;
use hyperblock::Job;
use hyperblock::device::cpu::Cpu;
use hyperblock::plan::cost::CostSource;
use hyperblock::plan::{JoinChoice, ScanOptions, SimilarityChoice, Variant};
use hyperblock_tests::case::{Case, is_no_rule};
use hyperblock_tests::generate::{cases, keyed_cases, similar_cases, similar_keyed_cases, zipf_sheet};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) const TRIALS: &[Registered] = trials![EVERYWHERE => [random_jobs]];

/// How many jobs, and which one alone.
const JOBS: &str = "HYPERBLOCK_JOBS";
const JOB: &str = "HYPERBLOCK_JOB";
/// Jobs, if nothing else is said.
const FEW: u64 = 24;
/// Records up to which the oracle is asked, and memory is made small.
const SMALL: usize = 60;
/// Candidates up to which a buffer may be too small for them: each few of them are a launch.
const NARROW: usize = 300;

/// A job, and how a device is set up for it.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) case: Case,
    options: ScanOptions,
    variants: Vec<Variant>,
    /// Whether paths are chosen by their pairs alone, so that small tables take paths of all kinds.
    is_by_pairs: bool,
    room: Room,
}

impl Drawn {
    /// The job, with its options.
    pub(crate) fn apply(&self, job: Job) -> Job {
        let cost = if self.is_by_pairs { by_pairs() } else { CostSource::default() };
        job.cost(cost).scan_options(self.options).variants(self.variants.clone())
    }
}

/// What a device has room for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Room {
    Usual,
    FewResults,
    LittleMemory,
}

fn random_jobs(bench: Bench) {
    let devices = |room: Room| {
        let bench = bench.shape(32, 2, 1 << 12);
        match room {
            Room::Usual => bench.open(),
            Room::FewResults => bench.results(32).open(),
            Room::LittleMemory => bench.memory(4000).open(),
        }
    };
    let devices = [Room::Usual, Room::FewResults, Room::LittleMemory].map(|room| (room, devices(room)));
    let most_rows = bench.by(SMALL, 24, SMALL);
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    if let Some(seed) = number(JOB) {
        let drawn = drawn(seed, most_rows);
        eprintln!("{:?} as {:?}, {:?}", drawn.options, drawn.variants, drawn.room);
        assert!(is_checked(&drawn, &devices), "the rules of job {seed} can never hold");
        return;
    }
    let (wanted, mut n_done, mut failed) =
        (number(JOBS).unwrap_or(bench.by(FEW, FEW / 3, FEW)), 0, Vec::new());
    for seed in 1.. {
        if n_done == wanted {
            break;
        }
        match catch_unwind(AssertUnwindSafe(|| is_checked(&drawn(seed, most_rows), &devices))) {
            Ok(is_job) => n_done += u64::from(is_job),
            Err(_) => {
                eprintln!("job {seed} failed");
                n_done += 1;
                failed.push(seed);
            }
        }
    }
    assert!(failed.is_empty(), "of {wanted} jobs these failed: {failed:?}; {JOB}=SEED runs one alone");
}

/// Holds the device to the CPU, and both to the oracle; whether there was anything to hold them to.
fn is_checked(drawn: &Drawn, devices: &[(Room, Device)]) -> bool {
    let Drawn { case, options, variants, room, .. } = drawn;
    let plain = match case.prepare() {
        Ok(paper) => paper,
        Err(error) if is_no_rule(&error) => return false,
        Err(error) => panic!("{error}\n{case:?}"),
    };
    let wanted = plain.run(&Cpu::new());
    let is_small = [Some(&case.left), case.right.as_ref()].iter().flatten().all(|it| it.rows.len() <= SMALL);
    if is_small {
        plain.assert_same("the CPU", &plain.oracle(), &wanted);
    }
    let fits = match room {
        Room::Usual => true,
        Room::FewResults => wanted.len() <= NARROW,
        Room::LittleMemory => is_small,
    };
    let room = if fits { *room } else { Room::Usual };
    let paper = plain.again(&|job| drawn.apply(job));
    let device = devices.iter().find(|(of, _)| *of == room).map(|(_, device)| device);
    let device = device.expect("there is one for each");
    let name = format!("{} with {room:?}, {options:?} as {variants:?}", device.name());
    paper.assert_same(&name, &wanted, &paper.run(&**device));
    true
}

/// The job of a seed.
pub(crate) fn drawn(seed: u64, most_rows: usize) -> Drawn {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let jobs = (any_case(most_rows), any_options(), any_variants(), any::<bool>(), any_room());
    let tree = jobs.new_tree(&mut TestRunner::new_with_rng(config, rng));
    let (case, options, variants, is_by_pairs, room) = tree.expect("nothing is filtered out").current();
    Drawn { case, options, variants, is_by_pairs, room }
}

fn any_case(most_rows: usize) -> impl Strategy<Value = Case> {
    prop_oneof![
        3 => cases(most_rows),
        2 => keyed_cases(most_rows),
        2 => similar_cases(most_rows),
        1 => similar_keyed_cases(most_rows),
        1 => places(10 * most_rows),
    ]
}

/// Some keys that very many records have, too many for the oracle.
fn places(most_rows: usize) -> impl Strategy<Value = Case> {
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 1 AND abs(l.n - r.n) <= 20",
        "l.work = r.work AND l.state = r.state AND l.n = r.n",
        "l.work = r.home AND jaro_winkler_similarity(l.name, r.name) >= 0.9 AND l.n < r.n",
        "jaccard(qgrams(l.home, 2), qgrams(r.work, 2)) >= 0.5 AND l.state <> r.state AND l.n = r.n",
    ];
    let whens = subsequence(whens.map(str::to_owned).to_vec(), 1..=whens.len());
    let sheet = move || (1..=most_rows, 0..99usize).prop_map(|(n_rows, salt)| zipf_sheet(n_rows, salt));
    (sheet(), prop::option::of(sheet()), whens).prop_map(|(left, right, whens)| Case { left, right, whens })
}

fn any_options() -> impl Strategy<Value = ScanOptions> {
    let join = select(vec![JoinChoice::Cheapest, JoinChoice::Skew, JoinChoice::Plain, JoinChoice::None]);
    let similarity = select(vec![
        SimilarityChoice::Cheapest,
        SimilarityChoice::Sweep,
        SimilarityChoice::Join,
        SimilarityChoice::Dense,
    ]);
    let sizes = (
        (1u32..=16).prop_map(|n| 32 * n),
        select(vec![1, 3, 7, 64, 1024]),
        (1u32..=16).prop_map(|n| 32 * n),
        select(vec![0, 3, 1 << 12]),
        select(vec![1, 7, 1 << 20]),
        select(vec![0, 20, 1 << 12]),
    );
    (join, similarity, sizes).prop_map(
        |(join, similarity, (interval, window, stretch, heavy, indexed, unlisted))| {
            let usual = ScanOptions::default();
            ScanOptions { interval, window, stretch, join, heavy, similarity, indexed, unlisted, ..usual }
        },
    )
}

/// None, one, or some together.
fn any_variants() -> impl Strategy<Value = Vec<Variant>> {
    let all = Variant::ALL.to_vec();
    prop_oneof![
        1 => Just(Vec::new()),
        2 => select(all.clone()).prop_map(|variant| vec![variant]),
        1 => subsequence(all.clone(), 2..=all.len()),
    ]
}

fn any_room() -> impl Strategy<Value = Room> {
    prop_oneof![4 => Just(Room::Usual), 1 => Just(Room::FewResults), 1 => Just(Room::LittleMemory)]
}
