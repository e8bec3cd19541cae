//! Rules one by one: each as if it were the only one, whatever the plan made of all of them.

use crate::bench::{Bench, EVERYWHERE, Registered, trials};
use hyperblock::plan::{PlanChoice, ScanOptions, WitnessChoice};
use hyperblock_tests::each_rule::assert_each_rule;
use hyperblock_tests::generate::for_all;
use hyperblock_tests::neighbours::{NearCase, near_cases};
use proptest::strategy::Strategy;
use std::cell::Cell;

pub(crate) const TRIALS: &[Registered] = trials![EVERYWHERE => [random_rules, without_large_blocks]];

/// Plans that name witnesses, that do not, and that are one tree without leads.
fn random_rules(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((120, 40), (6, 20), (40, 40));
    let usual = ScanOptions::default();
    let any = ScanOptions { witness: WitnessChoice::Any, ..usual };
    let paper = ScanOptions { plan: PlanChoice::Paper, ..usual };
    let near_cases = near_cases(most_rows).prop_filter("no rule", NearCase::is_well_formed);
    let seen = Cell::new([false; 2]);
    for_all(n_cases, &near_cases, |near: NearCase| {
        for scan in [usual, any, paper] {
            let [alone, together] = assert_each_rule(&near, &*device, None, &|job| job.scan_options(scan));
            seen.set([seen.get()[0] || alone, seen.get()[1] || together]);
        }
    });
    assert!(
        seen.get() == [true; 2] || n_cases < 10,
        "no pair was found by one rule alone, or none by several"
    );
}

/// A rule's own blocks are left out of what it finds by itself.
fn without_large_blocks(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((60, 40), (4, 20), (20, 40));
    let near_cases = near_cases(most_rows).prop_filter("no rule", NearCase::is_well_formed);
    for_all(n_cases, &near_cases, |near: NearCase| {
        for most in [1, 3] {
            assert_each_rule(&near, &*device, Some(most), &|job| job);
        }
    });
}
