//! Baselines against the same naive answers as the engine's own operators.

use crate::bench::{Bench, CPU, Registered, trials};
use hyperblock::baselines::joins::{Baseline, Detection};
use hyperblock_tests::generate::for_all;
use hyperblock_tests::joins::{JoinCase, cases};
use hyperblock_tests::overlaps::{self, Asked, OverlapCase};
use proptest::collection::{btree_set, vec};

pub(crate) const TRIALS: &[Registered] = trials![
    // They are of CPUs.
    CPU => [joins_of_all_kinds, random_joins, sets_of_all_kinds, few_and_equal_sets, random_sets],
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

fn few_and_equal_sets(_: Bench) {
    let of_one = |name, sets| OverlapCase::of_one(name, sets, similarities());
    let ones = (0..60).map(|ix| vec![ix % 7]).collect();
    let beside_empty = (0..40).map(|ix| if ix % 3 == 0 { vec![] } else { vec![4, 9, 11] }).collect();
    // Sizes from one element to thirty, each set within the next.
    let nested = (0..30).map(|ix| (29 - ix..30).collect()).collect();
    let cases = [
        of_one("no set", vec![]),
        of_one("one set", vec![vec![3, 4]]),
        of_one("empty sets alone", vec![vec![]; 5]),
        of_one("sets of one element", ones),
        of_one("equal sets beside empty ones", beside_empty),
        of_one("nested sets", nested),
    ];
    cases.iter().for_each(OverlapCase::assert_baselines);
}

fn random_sets(_: Bench) {
    let strategy = (vec(btree_set(0u32..40, 0..14), 0..120), 50u32..=100);
    for_all(64, &strategy, |(sets, hundredths)| {
        let sets = sets.into_iter().map(|set| set.into_iter().collect()).collect();
        let asked = [Asked::Jaccard(hundredths), Asked::Dice(hundredths), Asked::Cosine(hundredths)];
        OverlapCase::of_one("random", sets, asked.to_vec()).assert_baselines();
    });
}
