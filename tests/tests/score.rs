//! Scores: the CPU backend and the kernel on CPU threads, against a naive program in fractions.

use hyperblock::device::cpu::Cpu;
use hyperblock::{Candidate, Control};
use hyperblock_tests::scores::{ScoreCase, cases, long, very_wide};
use hyperblock_tests::small::SmallCpu;
use hyperblock_tests::threads::KernelOnThreads;
use proptest::test_runner::{Config, TestRunner};

fn for_random_cases(n_cases: u32, most_rows: usize, check: impl Fn(&ScoreCase)) {
    let config =
        Config { cases: n_cases, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    let ran = TestRunner::new(config).run(&cases(most_rows), |case| {
        check(&case);
        Ok(())
    });
    ran.unwrap();
}

#[test]
fn random_cases_on_the_cpu() {
    for_random_cases(150, 9, |case| case.assert_exact(&Cpu::new()));
}

#[test]
fn random_cases_on_threads() {
    let device = KernelOnThreads::new(64, 2, 16);
    for_random_cases(15, 7, |case| case.assert_exact(&device));
}

#[test]
fn long_texts_on_the_cpu() {
    for case in long() {
        case.assert_exact(&Cpu::new());
    }
    very_wide().assert_exact(&Cpu::new());
}

#[test]
fn long_texts_on_threads() {
    let device = KernelOnThreads::new(32, 1, 16);
    very_wide().assert_exact(&device);
    for mut case in long() {
        // What the oracle takes long for was seen to on the CPU.
        case.left.rows.truncate(10);
        case.left.ids.truncate(10);
        case.assert_exact(&device);
    }
}

/// What does not fit on a device is scored without it.
#[test]
fn a_device_without_memory() {
    for case in long().iter().take(1) {
        ScoreCase { without: (8..20).collect(), ..case.clone() }.assert_exact(&SmallCpu(10));
    }
}

#[test]
fn records_that_are_not_there() {
    let case = very_wide();
    let prepared = case.prepare().unwrap();
    let cpu = Cpu::new();
    let mut scores = prepared.scoring().unwrap().load(&cpu).unwrap();
    let error = scores.score(&[Candidate { left: 3, right: 12, rule: 0 }], &Control::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no pair of records 3 and 12: there are 12 and 12");
    assert!(scores.patterns(&[[12, 3]], &Control::default()).is_err());
    assert!(scores.patterns(&[[11, 11]], &Control::default()).is_ok());
}

#[test]
fn nothing_is_asked() {
    let case = very_wide();
    let prepared = case.prepare().unwrap();
    for device in [&Cpu::new() as &dyn hyperblock::operators::Backend, &KernelOnThreads::new(32, 1, 16)] {
        let mut scores = prepared.scoring().unwrap().load(device).unwrap();
        assert!(scores.score(&[], &Control::default()).unwrap().is_empty());
    }
}
