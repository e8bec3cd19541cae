//! Scores, against a naive program in fractions.

use crate::bench::{Bench, EVERYWHERE, GPU, On, Registered, trials};
use hyperblock::device::cpu::Cpu;
use hyperblock::{Candidate, Control};
use hyperblock_tests::generate::for_all;
use hyperblock_tests::scores::{self, ScoreCase, cases, long, many, scores, very_wide};

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [
        random_cases,
        compound_cases,
        weighted_cases,
        long_texts,
        a_device_without_memory,
        records_that_are_not_there,
        nothing_is_asked,
    ],
    // Too many for the others.
    GPU => [many_pairs],
];

fn random_cases(bench: Bench) {
    let device = bench.shape(64, 2, 16).open();
    let (n_cases, most_rows) = bench.by((150, 9), (15, 7), (100, 20));
    for_all(n_cases, &cases(most_rows), |case| case.assert_exact(&*device));
}

/// Comparisons that come to several predicates, on their own and beside others.
fn compound_cases(bench: Bench) {
    let device = bench.shape(64, 2, 16).open();
    let (n_cases, most_rows) = bench.by((100, 9), (15, 7), (20, 9));
    for_all(n_cases, &scores::compound_cases(most_rows), |case| case.assert_exact(&*device));
}

/// Weights, to the last millionth: levels by thresholds and by conditions, and frequencies of values.
fn weighted_cases(bench: Bench) {
    let device = bench.shape(64, 2, 16).open();
    let (n_cases, most_rows) = bench.by((400, 9), (30, 7), (100, 20));
    for_all(n_cases, &scores::weighted_cases(most_rows), |case| case.assert_weights(&*device));
}

fn long_texts(bench: Bench) {
    let device = bench.shape(32, 1, 16).open();
    very_wide().assert_exact(&*device);
    for mut case in long() {
        if bench.on == On::Threads {
            // What the oracle takes long for is seen to on the CPU.
            case.left.rows.truncate(10);
            case.left.ids.truncate(10);
        }
        case.assert_exact(&*device);
    }
}

/// What does not fit on a device is scored without it.
fn a_device_without_memory(bench: Bench) {
    let device = bench.memory(10).open();
    for case in long().iter().take(1) {
        ScoreCase { without: (8..20).collect(), ..case.clone() }.assert_exact(&*device);
    }
}

fn records_that_are_not_there(bench: Bench) {
    let case = very_wide();
    let prepared = case.prepare().unwrap();
    let device = bench.open();
    let mut scores = prepared.scoring().unwrap().load(&*device).unwrap();
    let error = scores.score(&[Candidate { left: 3, right: 12, rule: 0 }], &Control::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no pair of records 3 and 12: there are 12 and 12");
    assert!(scores.patterns(&[[12, 3]], &Control::default()).is_err());
    assert!(scores.patterns(&[[11, 11]], &Control::default()).is_ok());
}

fn nothing_is_asked(bench: Bench) {
    let case = very_wide();
    let prepared = case.prepare().unwrap();
    let device = bench.shape(32, 1, 16).open();
    let mut scores = prepared.scoring().unwrap().load(&*device).unwrap();
    assert!(scores.score(&[], &Control::default()).unwrap().is_empty());
}

/// More than are scored at once, as the CPU scores them.
fn many_pairs(bench: Bench) {
    let (case, pairs) = many(5000, 5_000_000);
    let prepared = case.prepare().unwrap();
    let (means, patterns) = scores(&prepared, &*bench.open(), &pairs);
    let (wanted_means, wanted_patterns) = scores(&prepared, &Cpu::new(), &pairs);
    let differing = means.iter().zip(&wanted_means).position(|(got, wanted)| got != wanted);
    if let Some(ix) = differing {
        panic!("pair {:?}: {} and not {}", pairs[ix], means[ix], wanted_means[ix]);
    }
    assert!(patterns == wanted_patterns, "patterns differ");
}
