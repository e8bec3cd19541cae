//! Budgets: however little memory a job may use, it finds what it finds with all of it, or is refused with a number.

use crate::bench::{Bench, CPU, EVERYWHERE, Registered, trials};
use crate::jobs::{Drawn, drawn};
use crate::sheets::name_sheet;
use hyperblock::base::budget::Budget;
use hyperblock::base::kept::Kept;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::{Schedule, Several};
use hyperblock::entities::cluster::ClusterMethod;
use hyperblock::operators::Backend;
use hyperblock::resolve::{Entities, PreparedResolve, Resolved};
use hyperblock::{Control, Error, Job, Resolve, Result};
use hyperblock_tests::case::{Case, is_no_rule};
use hyperblock_tests::generate::zipf_sheet;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [random_jobs_within_budgets],
    // What comes after the candidates no device has a part in; and places are as good as any.
    CPU => [
        places_within_budgets,
        kept_runs_within_budgets,
        refused_at_any_moment,
        entities_within_budgets,
        entities_refused_at_any_moment,
        a_curve_needs_all_pairs,
        a_component_that_does_not_fit,
        nowhere_to_spill,
    ],
];

/// Bytes for one candidate at a time, for some, and for many.
const BUDGETS: [u64; 4] = [150, 1_500, 15_000, 150_000];

/// Over a job that may use so many bytes, and tells whether it spilled.
fn within(n_bytes: u64) -> Control {
    Control::watching().with_budget(Budget::small(n_bytes))
}

/// How often something went to a file.
fn n_spilled(control: &Control) -> usize {
    control.latencies().timeline.spans().iter().filter(|span| span.name == "spill").count()
}

fn random_jobs_within_budgets(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let (n_jobs, most_rows) = (bench.by(40, 4, 20), bench.by(40, 16, 40));
    // Where kernels run on threads of the CPU, each few candidates take long.
    let budgets: &[u64] = bench.by(&BUDGETS, &[4_000], &BUDGETS[1..]);
    let (mut n_checked, mut n_files) = (0, 0);
    for seed in 7_000..7_000 + n_jobs {
        let job: Drawn = drawn(seed, most_rows);
        let plain = match job.case.prepare() {
            Ok(paper) => paper,
            Err(error) if is_no_rule(&error) => continue,
            Err(error) => panic!("{error}\n{:?}", job.case),
        };
        let wanted = plain.run(&Cpu::new());
        let paper = plain.again(&|unplanned| job.apply(unplanned));
        let all = Control::default();
        paper.run_controlled(&*device, &all).unwrap_or_else(|error| panic!("{error}"));
        // One candidate at a time is slow.
        let is_large = wanted.len() > 200;
        for &n_bytes in budgets.iter().filter(|n_bytes| !is_large || **n_bytes > BUDGETS[0]) {
            let control = within(n_bytes);
            let found = paper.run_controlled(&*device, &control).unwrap_or_else(|error| panic!("{error}"));
            paper.assert_same(&format!("job {seed} within {n_bytes} bytes"), &wanted, &found);
            assert_eq!(control.n_compared(), all.n_compared(), "job {seed} within {n_bytes} bytes");
            n_files += n_spilled(&control);
        }
        n_checked += 1;
    }
    assert!(n_checked > n_jobs / 2, "only {n_checked} jobs had rules");
    assert!(n_files >= bench.by(40, 1, 20), "only {n_files} runs were spilled");
}

/// Rules of all access paths.
fn case(n_rows: usize) -> Case {
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 1",
        "jaccard(qgrams(l.name, 2), qgrams(r.name, 2)) >= 0.5 AND l.state = r.state",
        "abs(l.n - r.n) <= 1 AND l.work = r.home",
    ];
    Case { left: zipf_sheet(n_rows, 7), right: None, whens: whens.map(str::to_owned).to_vec() }
}

fn places(n: usize, schedule: Schedule, partitions: usize) -> Several {
    let places = (0..n).map(|_| (Box::new(Cpu::new()) as Box<_>, Some(1))).collect();
    Several::new(places, schedule, Some(partitions)).unwrap_or_else(|error| panic!("{error}"))
}

fn places_within_budgets(_: Bench) {
    let case = case(150);
    let paper = case.prepare().unwrap_or_else(|error| panic!("{error}"));
    let wanted = paper.run(&Cpu::new());
    let mut n_files = 0;
    for schedule in [Schedule::BoundedHash, Schedule::EvenSplit, Schedule::RoundRobin, Schedule::Steal] {
        for (n_places, partitions) in [(1, 1), (2, 7), (3, 60)] {
            for n_bytes in [6_000, 15_000, 150_000] {
                let control = within(n_bytes);
                let found = paper.run_controlled(&places(n_places, schedule, partitions), &control);
                let name = format!("{n_places} places by {schedule} within {n_bytes} bytes");
                paper.assert_same(&name, &wanted, &found.unwrap_or_else(|error| panic!("{name}: {error}")));
                assert_eq!(control.n_compared(), paper.prepared.n_to_compare(), "{name}");
                n_files += n_spilled(&control);
            }
        }
    }
    assert!(n_files > 10, "only {n_files} runs were spilled");
}

/// What was kept within one budget is gone on with within another one.
fn kept_runs_within_budgets(_: Bench) {
    let case = case(300);
    let paper = case.prepare().unwrap_or_else(|error| panic!("{error}"));
    let wanted = paper.run(&Cpu::new());
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let mut n_found = 0;
    for (nth, budgets) in [[1_500, 150_000, 1_500], [150_000, 15_000, 1_500]].iter().enumerate() {
        let at = folder.path().join(nth.to_string());
        for (nth, (n_bytes, ends_at)) in budgets.iter().zip([Some(9), Some(30), None]).enumerate() {
            let ends = move |_, task| (Some(task) == ends_at).then_some(Error::Interrupted);
            let several = places(2, Schedule::Steal, 40).with_fault(Box::new(ends));
            let control = within(*n_bytes);
            let kept = Kept::open(&at, "a job", nth > 0);
            control.keep_runs(kept.unwrap_or_else(|error| panic!("{error}")));
            match paper.run_controlled(&several, &control) {
                Ok(found) => paper.assert_same(&format!("resumed within {n_bytes} bytes"), &wanted, &found),
                Err(Error::Interrupted) => assert!(ends_at.is_some()),
                Err(error) => panic!("{error}"),
            }
            n_found += control.kept().map_or(0, |kept| kept.counts().0);
        }
    }
    assert!(n_found > 10, "only {n_found} runs were taken from before");
}

/// Runs something that may use so much memory, with each of its reservations refused once, until none is.
fn refused_once_each<T>(n_bytes: u64, run: impl Fn(&Control) -> Result<T>) -> (T, u64) {
    for n in 0.. {
        let control = Control::default().with_budget(Budget::small(n_bytes).refusing_after(n));
        match run(&control) {
            Ok(done) => return (done, n),
            Err(Error::Memory { .. }) => {
                assert_eq!(control.budget().room(), n_bytes, "something was not given back")
            }
            Err(error) => panic!("reservation {n}: {error}"),
        }
        assert!(n < 10_000, "it never ends");
    }
    unreachable!("numbers do not end")
}

fn refused_at_any_moment(_: Bench) {
    let case = case(100);
    let paper = case.prepare().unwrap_or_else(|error| panic!("{error}"));
    let wanted = paper.run(&Cpu::new());
    let several = places(2, Schedule::Steal, 12);
    for device in [&Cpu::new() as &dyn Backend, &several] {
        let (found, n) = refused_once_each(3_000, |control| paper.run_controlled(device, control));
        paper.assert_same("refused, then not", &wanted, &found);
        assert!(n > 0, "nothing is ever reserved");
    }
}

const SCORE: &str = "
[score]
threshold = 0.6
[[score.attributes]]
measure = \"jaro_winkler(l.name, r.name)\"
weight = 3
[[score.attributes]]
measure = \"abs(l.year - r.year) <= 3\"
";

/// People of some first digits, and who of them are the same.
fn resolve(
    two: bool,
    is_scored: bool,
    method: ClusterMethod,
    change: impl Fn(Resolve) -> Resolve,
) -> PreparedResolve {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{error}"));
        path
    };
    let rules = "[[rules]]\nname = \"digit\"\nwhen = \"substr(l.zip, 1, 1) = substr(r.zip, 1, 1)\"\n";
    let rules = write("rules.toml", &format!("{rules}{}", if is_scored { SCORE } else { "" }));
    let left = write("left.csv", &name_sheet(250, 0).csv());
    let job = match two {
        false => Job::dedupe(&left, &rules),
        true => Job::link(&left, write("right.csv", &name_sheet(200, 5).csv()), &rules),
    };
    let truth = match two {
        false => (1..=250).fold("id,entity_id\n".to_owned(), |all, id| format!("{all}{id},{}\n", id / 3)),
        true => (1..=200).fold("id_a,id_b\n".to_owned(), |all, id| format!("{all}{id},{id}\n")),
    };
    let resolve = change(Resolve::new(job).method(method).truth(write("truth.csv", &truth)));
    let prepared = resolve.prepare(&Cpu::new(), &Control::default());
    prepared.unwrap_or_else(|error| panic!("{error}"))
}

/// All that is told of a run, but for times.
fn told(resolved: &Resolved) -> String {
    let Resolved { pairs, entities, curve, summary, .. } = resolved;
    let steps: Vec<String> = summary
        .steps
        .iter()
        .map(|it| format!("{} {} {:?}", it.name, it.n_pairs, it.quality.pairwise))
        .collect();
    let (tally, curve) = (summary.found.scored, curve.as_ref().map(|curve| curve.csv()));
    let ends = (summary.n_entities, &summary.apart);
    format!("{pairs:?}\n{entities:?}\n{steps:?}\n{tally:?}\n{curve:?}\n{ends:?}")
}

/// Runs it within a budget, with the pairs taken as they come.
fn resolved(prepared: &PreparedResolve, control: &Control) -> Result<Resolved> {
    let mut pairs = Vec::new();
    let found = prepared.run_with(&Cpu::new(), control, &mut |kept| {
        pairs.extend_from_slice(kept);
        Ok(())
    })?;
    let Entities { entities, survival, curve, summary } = found;
    Ok(Resolved { pairs, entities, survival, curve, summary })
}

fn entities_within_budgets(_: Bench) {
    let mut n_files = 0;
    for two in [false, true] {
        let links = ClusterMethod::LINKS.into_iter().filter(|_| two);
        for method in ClusterMethod::ALL.into_iter().chain(links) {
            for (is_scored, source) in
                [(true, None), (false, None), (true, Some("year")), (false, Some("year"))]
            {
                let change = |resolve: Resolve| source.iter().fold(resolve, |it, source| it.source(source));
                let prepared = resolve(two, is_scored, method, change);
                let wanted = prepared.run(&Cpu::new(), &Control::default());
                let wanted = wanted.unwrap_or_else(|error| panic!("{error}"));
                assert!(!wanted.pairs.is_empty());
                let n_refused = wanted.summary.apart.as_ref().map(|apart| apart.n_refused);
                assert_eq!(n_refused.is_some_and(|n| n > 0), source.is_some(), "{method}");
                let mut n_done = 0;
                for n_bytes in [40_000, 80_000, 400_000, 4_000_000] {
                    let control = within(n_bytes);
                    match resolved(&prepared, &control) {
                        Ok(found) => {
                            assert_eq!(told(&found), told(&wanted), "{method} within {n_bytes} bytes");
                            n_done += 1;
                        }
                        // All pairs must fit, or those of one component.
                        Err(Error::Memory { need, .. }) => {
                            let reads = method.reads_scores() || source.is_some();
                            assert!(reads || method == ClusterMethod::TiledFw, "{method}");
                            assert!(need > n_bytes, "{method}: {need} of {n_bytes}");
                        }
                        Err(error) => panic!("{method}: {error}"),
                    }
                    n_files += n_spilled(&control);
                }
                assert!(n_done > 0, "{method}");
            }
        }
    }
    assert!(n_files > 100, "only {n_files} runs were spilled");
}

fn entities_refused_at_any_moment(_: Bench) {
    for (method, with_curve) in
        [(ClusterMethod::Components, false), (ClusterMethod::Center, false), (ClusterMethod::Complete, true)]
    {
        let change = |resolve: Resolve| if with_curve { resolve.with_curve() } else { resolve };
        let prepared = resolve(false, true, method, change);
        let wanted = prepared.run(&Cpu::new(), &Control::default()).unwrap_or_else(|error| panic!("{error}"));
        let n_bytes = if with_curve { 8_000_000 } else { 300_000 };
        let (found, n) = refused_once_each(n_bytes, |control| resolved(&prepared, control));
        assert_eq!(told(&found), told(&wanted), "{method}");
        assert!(n >= 3, "{method}: only {n} reservations");
        let (found, n_held) = refused_once_each(10 * n_bytes, |control| prepared.run(&Cpu::new(), control));
        assert_eq!(told(&found), told(&wanted), "{method}");
        assert!(n_held > 3, "{method}: pairs that are held are reserved, too");
    }
}

/// With as much as it is said to need, it fits.
fn a_curve_needs_all_pairs(_: Bench) {
    let prepared = resolve(false, true, ClusterMethod::Components, Resolve::with_curve);
    let wanted = prepared.run(&Cpu::new(), &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    let need = match resolved(&prepared, &within(40_000)) {
        Err(Error::Memory { what, need, .. }) => {
            assert_eq!(what, "all pairs with their scores, for a curve");
            need
        }
        other => panic!("{other:?}"),
    };
    let found = resolved(&prepared, &within(need)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(told(&found), told(&wanted));
}

/// All records of a first digit are.
fn a_component_that_does_not_fit(_: Bench) {
    let prepared = resolve(false, false, ClusterMethod::Center, |resolve| resolve);
    let wanted = prepared.run(&Cpu::new(), &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut n_refused = 0;
    for n_bytes in (14_000..).step_by(2_000) {
        match resolved(&prepared, &within(n_bytes)) {
            Err(Error::Memory { what: "the pairs of the largest component", need, .. }) => {
                n_refused += 1;
                let found = resolved(&prepared, &within(need + 1)).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(told(&found), told(&wanted));
            }
            Err(Error::Memory { need, .. }) => assert!(need > n_bytes),
            Err(error) => panic!("{error}"),
            Ok(found) => {
                assert_eq!(told(&found), told(&wanted));
                break;
            }
        }
    }
    assert!(n_refused > 0, "no component was ever too large");
}

fn nowhere_to_spill(_: Bench) {
    let case = case(300);
    let paper = case.prepare().unwrap_or_else(|error| panic!("{error}"));
    for device in [&Cpu::new() as &dyn Backend, &places(2, Schedule::Steal, 12)] {
        let budget = Budget::small(3_000).with_folder(Some("/nowhere/at/all".into()));
        let control = Control::default().with_budget(budget);
        match paper.run_controlled(device, &control) {
            Err(error @ Error::Io { .. }) => {
                assert!(
                    error.to_string().starts_with("/nowhere/at/all: what does not fit into memory"),
                    "{error}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}
