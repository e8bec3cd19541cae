//! Plans and ways to walk: the paper's own plan, any witness instead of the first, walks by recursion on every access path,
//! and walks that are counted.

use crate::bench::{Bench, CPU, EVERYWHERE, KERNELS, Registered, hashed, trials};
use crate::papers::{by_pairs, for_random_cases};
use hyperblock::inspect::analyze::Counted;
use hyperblock::plan::cost::BackendKind;
use hyperblock::plan::statistics::SelectivitySource;
use hyperblock::plan::{
    AccessChoice, PlanChoice, Program, ScanOptions, SimilarityChoice, Variant, WitnessChoice,
};
use hyperblock::run::measured::{self, Effort};
use hyperblock::{Control, Job, Prepared};
use hyperblock_shared::path::{Branch, Observer, UNKNOWN};
use hyperblock_shared::text::scratch_words;
use hyperblock_tests::case::{Case, Paper, Sheet};
use hyperblock_tests::oracle::Found;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [without_names, by_descent, pinned_to_sweeps, counted_steps],
    // Only they are timed like this.
    KERNELS => [every_predicate_is_timed],
    // It asks no device: what a kernel's glance lets through is the same everywhere.
    CPU => [what_is_timed_is_walked]
];

/// Access paths of every kind, also on small tables.
fn of_every_kind() -> Vec<ScanOptions> {
    use SimilarityChoice::{Cheapest, Dense, Join};
    [Cheapest, Join, Dense].map(|similarity| ScanOptions { similarity, ..hashed() }).to_vec()
}

fn assert_found(paper: &Paper<'_>, bench: Bench, wanted: &[Found], what: &str, change: &dyn Fn(Job) -> Job) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let again = paper.again(change);
    paper.assert_same(&format!("{} {what}", device.name()), wanted, &again.run(&*device));
}

/// The paper's plan, and any other where nobody is named: the same pairs, whatever the tree looks like.
fn without_names(bench: Bench) {
    let (n_cases, most_rows) = bench.by((40, 40), (6, 20), (60, 60));
    for_random_cases(n_cases, most_rows, |paper| {
        let wanted: Vec<Found> =
            paper.oracle().into_iter().map(|(left, right, _)| (left, right, 0)).collect();
        let any = |options: ScanOptions| ScanOptions { witness: WitnessChoice::Any, ..options };
        let as_in_paper = ScanOptions { plan: PlanChoice::Paper, ..ScanOptions::default() };
        let evenness = |buckets| SelectivitySource::Evenness { buckets };
        for options in of_every_kind().into_iter().map(any).chain([any(as_in_paper), as_in_paper]) {
            assert_found(paper, bench, &wanted, &format!("with {options:?}"), &|job| {
                job.scan_options(options)
            });
        }
        for set in [vec![Variant::NoEpg], vec![Variant::NoSeq], vec![Variant::NoFilter, Variant::NoPo]] {
            assert_found(paper, bench, &wanted, &format!("as in the paper, {set:?}"), &|job| {
                job.scan_options(as_in_paper).variants(set.clone()).selectivity(evenness(64))
            });
        }
        assert_found(paper, bench, &paper.oracle(), "by evenness", &|job| job.selectivity(evenness(2)));
    });
}

/// What walks by recursion takes the same access paths, and parts of branches too.
fn by_descent(bench: Bench) {
    let (n_cases, most_rows) = bench.by((40, 40), (6, 20), (40, 60));
    for_random_cases(n_cases, most_rows, |paper| {
        let wanted = paper.oracle();
        for options in of_every_kind() {
            let with = |set: &[Variant]| {
                let job = |job: Job| job.scan_options(options).cost(by_pairs()).variants(set.to_vec());
                assert_found(paper, bench, &wanted, &format!("{set:?} with {options:?}"), &job);
                paths(&paper.again(&job).prepared)
            };
            assert_eq!(with(&[Variant::NoSeq]), with(&[]), "{options:?}");
        }
    });
}

fn paths(job: &Prepared) -> Vec<String> {
    job.plan.program().paths().iter().map(|path| format!("{path:?}")).collect()
}

/// Sweeps alone, whatever the other options would have.
fn pinned_to_sweeps(bench: Bench) {
    let (n_cases, most_rows) = bench.by((30, 40), (4, 20), (40, 60));
    for_random_cases(n_cases, most_rows, |paper| {
        let options = ScanOptions { access: AccessChoice::Sweep, ..ScanOptions::default() };
        assert_found(paper, bench, &paper.oracle(), "by sweeps", &|job| job.scan_options(options));
        let paths = paths(&paper.again(&|job| job.scan_options(options).cost(by_pairs())).prepared);
        assert!(!paths.iter().any(|path| path.contains("Hash") || path.contains("Overlap")), "{paths:?}");
    });
}

/// As many pairs pass a step as a walk over all pairs says, if what the path looks for is among what they passed; and all
/// candidates are of some path.
fn counted_steps(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((20, 30), (3, 15), (40, 60));
    for_random_cases(n_cases, most_rows, |paper| {
        let as_in_paper = ScanOptions { plan: PlanChoice::Paper, ..ScanOptions::default() };
        for options in of_every_kind().into_iter().chain([as_in_paper]) {
            let job = paper.again(&|job| job.scan_options(options).cost(by_pairs())).prepared;
            let analysis =
                job.analyze(&*device, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
            let of_paths: u64 = analysis.paths.iter().map(|path| path.n_candidates).sum();
            assert_eq!(of_paths, analysis.n_candidates, "{options:?}");
            let walked = passed(&job, job.plan.program());
            for (step, (counted, walked)) in analysis.steps.iter().zip(walked).enumerate() {
                let Some(Counted { tested, passed, .. }) = counted else { continue };
                assert!(passed <= tested, "step {step} with {options:?}");
                if let Some(walked) = walked {
                    assert_eq!(*passed, walked, "step {step} with {options:?}: {:?}", job.plan.steps());
                }
            }
        }
    });
}

/// By step: how many pairs pass it, of all that there are, if its branch has one path, whose predicates come before it.
fn passed(job: &Prepared, program: &Program) -> Vec<Option<u64>> {
    struct Passed(Vec<u64>);
    impl Observer for Passed {
        fn probed(&mut self, _: u32) {}
        fn tested(&mut self, step: u32, holds: bool, _: bool) {
            self.0[step as usize] += u64::from(holds);
        }
        fn reached(&mut self, step: u32) {
            self.0[step as usize] += 1;
        }
    }
    let n_steps = job.plan.steps().len();
    let mut scratch = vec![0; scratch_words(job.encoded.longest()) as usize];
    let mut all = vec![None; n_steps];
    let walk = program.walk().unwrap_or_else(|error| panic!("{error}"));
    for (steps, path) in program.paths() {
        let looked_for = path.predicates();
        if !program.branches().iter().any(|branch| branch.steps == *steps) {
            continue;
        }
        let branch = Branch { from: steps.start, upto: steps.end, known: UNKNOWN };
        let mut passed = Passed(vec![0; n_steps]);
        let area = job.area();
        for left in 0..area.left_upto {
            for right in (0..area.right_upto).filter(|&right| area.holds(left, right)) {
                walk.witness(branch, &job.encoded, left, right, &mut scratch[..], &mut passed);
            }
        }
        for step in steps.clone() {
            let prefix = &job.plan.prefixes()[step as usize];
            let is_all = looked_for.iter().all(|predicate| prefix.contains(predicate));
            all[step as usize] = is_all.then_some(passed.0[step as usize]);
        }
    }
    all
}

/// A program that a predicate is timed by finds nothing, and yet kernels walk it for all pairs that lengths do not tell apart.
fn what_is_timed_is_walked(_: Bench) {
    let whens =
        ["levenshtein_similarity(l.name, r.name) >= 0.5", "jaro_winkler_similarity(l.name, r.name) >= 0.9"];
    let names = ["maria garcia", "mario garcia", "peter miller", "petra müller", "anna schmid"];
    let rows = names.map(|name| vec![Some(name.to_owned())]).to_vec();
    let left = Sheet::new(&["name"], rows);
    let case = Case { left, right: None, whens: whens.map(str::to_owned).to_vec() };
    let paper = case.prepare_with(&|job| job.variants(vec![Variant::NoFilter]));
    let job = paper.unwrap_or_else(|error| panic!("{error}")).prepared;
    let mut scratch = vec![0; scratch_words(job.encoded.longest()) as usize];
    for predicate in 0..job.encoded.predicates.len() as u32 {
        let program = Program::of_one(&job.encoded, predicate).unwrap_or_else(|error| panic!("{error}"));
        let walk = program.walk().unwrap_or_else(|error| panic!("{error}"));
        for (left, right) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
            assert!(
                walk.may_have_witness(Branch::WHOLE, &job.encoded, left, right),
                "{predicate}: {left} {right}"
            );
            let witness = walk.witness(Branch::WHOLE, &job.encoded, left, right, &mut scratch[..], &mut ());
            assert_eq!(witness, None, "{predicate}: {left} {right}");
        }
    }
}

/// Columns of few and of many values, which both sides use: what is timed reads each in its own.
fn every_predicate_is_timed(bench: Bench) {
    let n_rows = bench.by(0, 40, 500);
    let row = |nth: usize| {
        let city = ["Bonn", "Lyon", "Rome"][nth % 3].to_owned();
        vec![Some(city), Some(format!("street of house {nth}")), Some(format!("{}", nth % 7))]
    };
    let left = Sheet::new(&["city", "street", "floor"], (0..n_rows).map(row).collect());
    let whens = [
        "levenshtein(l.street, r.street) <= 2",
        "jaccard(words(l.street), words(r.street)) >= 0.5",
        "levenshtein(l.city, r.city) <= 1 AND l.street = r.street",
        "jaro_winkler(l.city, r.city) >= 0.9",
        "abs(l.floor - r.floor) <= 1",
    ];
    let case = Case { left, right: None, whens: whens.map(str::to_owned).to_vec() };
    let paper = case.prepare_with(&|job| job).unwrap_or_else(|error| panic!("{error}"));
    let device = bench.open();
    let encoded = &paper.prepared.encoded;
    for predicate in 0..encoded.predicates.len() {
        let timing = measured::walked(&*device, encoded, predicate, Effort::quick(BackendKind::Cuda));
        let timing = timing.unwrap_or_else(|error| panic!("{predicate}: {error}"));
        assert!(timing.nanoseconds > 0.0 && timing.n_pairs > 0, "{predicate}: {timing:?}");
    }
}
