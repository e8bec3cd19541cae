//! Baselines against the same naive answers as the engine's own operators.

use crate::bench::{Bench, CPU, Device, EVERYWHERE, GPU, KERNELS, Registered, trials};
use crate::joins::many_keys;
use crate::sheets::name_sheet;
use hyperblock::baselines::by_attribute;
use hyperblock::baselines::joins::{Baseline, Detection};
use hyperblock::baselines::sets::BySize;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda::{Cuda, GpuBaseline, MemoryKind, PaperClosure};
use hyperblock::entities::score::Scoring;
use hyperblock::operators::join::{Join, JoinOperator, Joined, Output};
use hyperblock::operators::neighbours::Orders;
use hyperblock::operators::relations::LoadFactor;
use hyperblock::plan::join::{JoinMethod, KeyColumn};
use hyperblock::{Candidate, Control, Job, Prepared, Result};
use hyperblock_tests::generate::for_all;
use hyperblock_tests::joins::{JoinCase, cases};
use hyperblock_tests::overlaps::{self, Asked, OverlapCase};
use hyperblock_tests::relations;
use hyperblock_tests::threads::ThreadBaseline;
use proptest::collection::{btree_set, vec};

pub(crate) const TRIALS: &[Registered] = trials![
    // They are of CPUs.
    CPU => [joins_of_all_kinds, random_joins, sets_of_all_kinds, few_and_equal_sets, random_sets],
    // And these of GPUs.
    KERNELS => [joins_by_kernels, random_joins_by_kernels, large_partitions, one_side, sets_by_kernels, unfused],
    // More rows than the others join in minutes.
    GPU => [many_rows],
    EVERYWHERE => [attribute_by_attribute],
];

/// All of them: the paper's detection, and one that finds heavy keys among few rows.
const JOINS: [Baseline; 4] = [
    Baseline::Cbase,
    Baseline::CbaseNpj,
    Baseline::Csh(Detection { one_of: 100, at_least: 2 }),
    Baseline::Csh(Detection { one_of: 2, at_least: 3 }),
];

fn joins_of_all_kinds(_: Bench) {
    for case in [0, 1, 40, 700].into_iter().flat_map(cases) {
        JOINS.iter().for_each(|baseline| case.assert_baseline(&baseline.to_string(), baseline));
    }
}

fn random_joins(_: Bench) {
    let keys = (vec(0u32..50, 0..400), vec(0u32..60, 0..400));
    for_all(64, &keys, |(left, right)| {
        let case = JoinCase::new("random", left, right);
        JOINS.iter().for_each(|baseline| case.assert_baseline(&baseline.to_string(), baseline));
    });
}

/// All of them: GSH as in the paper, and with one key of a partition apart.
const KERNEL_JOINS: [GpuBaseline; 3] =
    [GpuBaseline::Gbase, GpuBaseline::Gsh { top: 3 }, GpuBaseline::Gsh { top: 1 }];

/// A baseline on a GPU.
struct OnGpu<'a>(&'a Cuda, GpuBaseline);

impl JoinOperator for OnGpu<'_> {
    fn load_join<'a>(
        &'a self,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Result<Box<dyn Join + 'a>> {
        self.0.load_baseline(self.1, left, right)
    }
}

/// Has every baseline of kernels do something.
fn for_each_on(device: &Device, check: impl Fn(&str, &dyn JoinOperator)) {
    for baseline in KERNEL_JOINS {
        let name = format!("{baseline:?} on {}", device.name());
        if let Some(gpu) = device.gpu() {
            check(&name, &OnGpu(gpu, baseline));
        }
        if let Some(threads) = device.threads() {
            check(&name, &ThreadBaseline { device: threads, baseline });
        }
    }
}

fn joins_by_kernels(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    for &n_rows in bench.by(&[][..], &[135], &[0, 1, 33, 1500]) {
        for case in cases(n_rows) {
            for_each_on(&device, |name, baseline| case.assert_baseline(name, baseline));
        }
    }
}

fn random_joins_by_kernels(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((0, 1), (2, 60), (64, 400));
    let keys = (vec(0u32..50, 0..most_rows), vec(0u32..60, 0..most_rows));
    for_all(n_cases, &keys, |(left, right)| {
        let case = JoinCase::new("random", left, right);
        for_each_on(&device, |name, baseline| case.assert_baseline(name, baseline));
    });
}

/// Keys that fill several buckets of a side, and what they are divided from.
fn large_partitions(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let n = bench.by(0, 30, 5000);
    let keys = |n_sevens: u32, n_nines: u32| -> Vec<u32> {
        [vec![7; n_sevens as usize], vec![9; n_nines as usize], (0..n).collect()].concat()
    };
    let (left, right) = (keys(2 * n, 5), keys(n / 10, 2 * n));
    let case = JoinCase::new("large partitions", left.clone(), right.clone());
    for_each_on(&device, |name, baseline| case.assert_baseline(name, baseline));
    let side = |keys| KeyColumn { keys, rows: None };
    for_each_on(&device, |name, baseline| {
        let mut join = baseline.load_join(side(&left), Some(side(&right))).expect("a join loads");
        let Joined { n_heavy, .. } = join.run(JoinMethod::Plain, Output::Count).expect("a join counts");
        assert_eq!(n_heavy > 0, name.starts_with("Gsh"), "{name}: {n_heavy} keys were joined apart");
    });
}

fn one_side(bench: Bench) {
    let device = bench.open();
    for_each_on(&device, |name, baseline| {
        let side = KeyColumn { keys: &[1, 1], rows: None };
        assert!(baseline.load_join(side, None).is_err(), "{name} joins one side with itself");
    });
}

/// Two passes, many partitions: counted, and written through a buffer that is overwritten.
fn many_rows(bench: Bench) {
    let device = bench.open();
    let (left, right) = many_keys();
    let side = |keys| KeyColumn { keys, rows: None };
    let mut ours = device.load_join(side(&left), Some(side(&right))).expect("a join loads");
    let expected = ours.run(JoinMethod::Skew, Output::Count).expect("a join runs").n_pairs;
    for_each_on(&device, |name, baseline| {
        let mut join = baseline.load_join(side(&left), Some(side(&right))).expect("a join loads");
        // Over and over: the second run finds everything as the first one did.
        for output in [Output::Count, Output::Pairs { capacity: 1 << 20 }, Output::Count] {
            let joined = join.run(JoinMethod::Plain, output).expect("a join runs");
            assert_eq!(joined.n_pairs, expected, "{name}, {output:?}");
            let pairs = join.pairs().expect("pairs are read");
            assert_eq!(pairs.is_empty(), output == Output::Count, "{name}, {output:?}");
            let is_pair = |&(l, r): &(u32, u32)| left[l as usize] == right[r as usize];
            assert!(pairs.iter().all(is_pair), "{name}: pairs with different keys");
        }
    });
}

/// Relations joined first, and projected then; on a GPU as the closure does it, in all kinds of memory.
fn unfused(bench: Bench) {
    let device = bench.open();
    if let Some(threads) = device.threads() {
        for n in [0, 1, 33, bench.by(0, 60, 700)] {
            relations::assert_joins_by(&device.name(), n, &relations::loads(), |outer, inner, load| {
                threads.unfused_join(outer, inner, load)
            });
        }
    }
    let Some(gpu) = device.gpu() else { return };
    let ways = [(true, MemoryKind::Pinned), (false, MemoryKind::Pinned), (true, MemoryKind::Pageable)];
    let ways = ways.into_iter().chain([(true, MemoryKind::Unified), (false, MemoryKind::Unified)]);
    for (is_fused, memory) in ways {
        for n in [2, 33, 300] {
            for (name, graph) in relations::graphs(n) {
                let expected = relations::reachable(&graph, 0..graph.n_nodes);
                let closure = PaperClosure { is_fused, memory, load: LoadFactor::default() };
                let mut found = Vec::new();
                let times = gpu.close_as_in_paper(&graph, closure, &mut |tuples| found = tuples.to_vec());
                let times = times.expect("a closure is found");
                assert!(found == expected, "{name} of {n} nodes, {closure:?}");
                assert_eq!(times.n_tuples, expected.len() as u64);
            }
        }
    }
}

/// What papers ask of sets, from 0.5 on.
fn similarities() -> Vec<Asked> {
    let of = |hundredths| [Asked::Jaccard(hundredths), Asked::Dice(hundredths), Asked::Cosine(hundredths)];
    (50..=100).step_by(10).chain([67, 75, 95]).flat_map(of).collect()
}

/// The cases of the engine's own overlap joins.
fn sets_of_all_kinds(_: Bench) {
    for case in [0, 1, 33, 80].into_iter().flat_map(overlaps::cases) {
        case.with_asked(&similarities()).assert_baselines();
    }
    for case in [overlaps::long(), overlaps::parts()] {
        case.with_asked(&similarities()).assert_baselines();
    }
}

/// gSSJoin, which has kernels.
fn sets_by_kernels(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let asked = bench.by(vec![], vec![Asked::Jaccard(60), Asked::Cosine(80)], similarities());
    let sizes: &[u32] = bench.by(&[], &[0, 1, 40], &[0, 1, 33, 80]);
    for case in sizes.iter().flat_map(|&n| overlaps::cases(n)).chain(few_and_equal()) {
        let case = case.with_asked(&asked);
        if let Some(gpu) = device.gpu() {
            // So few that it has to be done again, and enough.
            for expected in [2, 100_000] {
                case.assert_baseline(&device.name(), |sets, measure| {
                    let by_size = BySize::new(sets, measure).expect("sets are compared");
                    let places = gpu.gssjoin_pairs(by_size.lists(), expected);
                    by_size.records(places.expect("pairs are found"))
                });
            }
        }
        if let Some(threads) = device.threads() {
            case.assert_baseline(&device.name(), |sets, measure| {
                let by_size = BySize::new(sets, measure).expect("sets are compared");
                by_size.records(threads.gssjoin(by_size.lists()))
            });
        }
    }
}

fn few_and_equal_sets(_: Bench) {
    few_and_equal().iter().for_each(OverlapCase::assert_baselines);
}

fn few_and_equal() -> Vec<OverlapCase> {
    let of_one = |name, sets| OverlapCase::of_one(name, sets, similarities());
    let ones = (0..60).map(|ix| vec![ix % 7]).collect();
    let beside_empty = (0..40).map(|ix| if ix % 3 == 0 { vec![] } else { vec![4, 9, 11] }).collect();
    // Sizes from one element to thirty, each set within the next.
    let nested = (0..30).map(|ix| (29 - ix..30).collect()).collect();
    vec![
        of_one("no set", vec![]),
        of_one("one set", vec![vec![3, 4]]),
        of_one("empty sets alone", vec![vec![]; 5]),
        of_one("sets of one element", ones),
        of_one("equal sets beside empty ones", beside_empty),
        of_one("nested sets", nested),
    ]
}

fn random_sets(_: Bench) {
    let strategy = (vec(btree_set(0u32..40, 0..14), 0..120), 50u32..=100);
    for_all(64, &strategy, |(sets, hundredths)| {
        let sets = sets.into_iter().map(|set| set.into_iter().collect()).collect();
        let asked = [Asked::Jaccard(hundredths), Asked::Dice(hundredths), Asked::Cosine(hundredths)];
        OverlapCase::of_one("random", sets, asked.to_vec()).assert_baselines();
    });
}

/// A score of two attributes, with an order for each.
const BY_ATTRIBUTE: &str = r#"
[[neighbourhoods]]
key = "soundex(name)"
window = 30

[[neighbourhoods]]
key = "year"
window = 8

[score]
threshold = 0.38
missing = "zero"

[[score.attributes]]
measure = "jaro_winkler(l.name, r.name)"
weight = 3
threshold = 0.6

[[score.attributes]]
measure = "l.year = r.year"
weight = 2
"#;

fn attribute_by_attribute(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let n_rows = bench.by(300, 40, 1000);
    for right in [None, Some(name_sheet(n_rows / 2, 9))] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file can be written");
            path
        };
        let (left, rules) =
            (write("left.csv", &name_sheet(n_rows, 0).csv()), write("rules.toml", BY_ATTRIBUTE));
        let job = match &right {
            None => Job::dedupe(&left, &rules),
            Some(right) => Job::link(&left, write("right.csv", &right.csv()), &rules),
        };
        let control = Control::default();
        let prepared = job.prepare(&Cpu::new(), &control).expect("a job is prepared");
        let found = by_attribute(&prepared, &*device, &control).expect("pairs are scored");
        let expected = scored_by_attribute(&prepared);
        assert!(!expected.is_empty() && found == expected, "{}", device.name());
        // Pairs that both orders have, and pairs that one has.
        assert!(expected.iter().any(|(_, score)| *score > 600_000_000));
        assert!(expected.iter().any(|(_, score)| *score <= 600_000_000));
    }
}

/// The same of all pairs, with each attribute counted where its order has them near each other.
fn scored_by_attribute(prepared: &Prepared) -> Vec<(Candidate, u32)> {
    let (cpu, control) = (Cpu::new(), Control::default());
    let (left, right) = (&prepared.left, prepared.second());
    let orders = Orders::new(left, right, &prepared.neighbourhoods, &control).expect("orders are made");
    let score = prepared.scoring().expect("there is a score").score();
    let mut pairs = Vec::new();
    for first in 0..left.n_records() {
        let others = right.map_or(first + 1..left.n_records(), |right| 0..right.n_records());
        pairs.extend(others.map(|other| Candidate { left: first, right: other, rule: 0 }));
    }
    let mut sums = vec![0u64; pairs.len()];
    for (nth, attribute) in score.attributes.iter().enumerate() {
        let mut alone = score.clone();
        alone.attributes = vec![attribute.clone()];
        let scoring = Scoring::new(alone, left, right, &control).expect("it is encoded");
        let scores = scoring.load(&cpu).expect("it loads").score(&pairs, &control).expect("pairs are scored");
        let window = prepared.neighbourhoods[nth].window;
        for ((pair, similarity), sum) in pairs.iter().zip(scores).zip(&mut sums) {
            let distance = orders.distance(nth, pair.left, pair.right);
            if similarity >= attribute.threshold && distance.is_some_and(|distance| distance < window) {
                *sum += u64::from(attribute.weight) * u64::from(similarity);
            }
        }
    }
    let means = pairs.into_iter().zip(sums.into_iter().map(|sum| ((2 * sum + 5) / 10) as u32));
    means.filter(|(_, mean)| *mean >= 380_000_000).collect()
}
