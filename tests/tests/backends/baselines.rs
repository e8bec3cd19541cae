//! Baselines against the same naive answers as the engine's own operators.

use crate::bench::{Bench, CPU, Registered, trials};
use hyperblock::baselines::joins::{Baseline, Detection};
use hyperblock_tests::generate::for_all;
use hyperblock_tests::joins::{JoinCase, cases};
use proptest::collection::vec;

pub(crate) const TRIALS: &[Registered] = trials![
    // They are of CPUs.
    CPU => [joins_of_all_kinds, random_joins],
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
        JOINS.iter().for_each(|baseline| case.assert_baseline(*baseline));
    }
}

fn random_joins(_: Bench) {
    let keys = (vec(0u32..50, 0..400), vec(0u32..60, 0..400));
    for_all(64, &keys, |(left, right)| {
        let case = JoinCase::new("random", left, right);
        JOINS.iter().for_each(|baseline| case.assert_baseline(*baseline));
    });
}
