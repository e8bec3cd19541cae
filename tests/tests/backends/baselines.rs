//! Baselines against the same naive answers as the engine's own operators.

use crate::bench::{Bench, CPU, Device, GPU, KERNELS, Registered, trials};
use crate::joins::many_keys;
use hyperblock::Result;
use hyperblock::baselines::joins::{Baseline, Detection};
use hyperblock::device::cuda::{Cuda, GpuBaseline};
use hyperblock::operators::join::{Join, JoinOperator, Joined, Output};
use hyperblock::plan::join::{JoinMethod, KeyColumn};
use hyperblock_tests::generate::for_all;
use hyperblock_tests::joins::{JoinCase, cases};
use hyperblock_tests::threads::ThreadBaseline;
use proptest::collection::vec;

pub(crate) const TRIALS: &[Registered] = trials![
    // They are of CPUs.
    CPU => [joins_of_all_kinds, random_joins],
    // And these of GPUs.
    KERNELS => [joins_by_kernels, random_joins_by_kernels, large_partitions, one_side],
    // More rows than the others join in minutes.
    GPU => [many_rows],
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
