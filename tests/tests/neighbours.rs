//! Sorted neighbourhoods against a naive sort, on all backends: with and without rules, of one table and of
//! two.

use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock_tests::case::Case;
use hyperblock_tests::generate::{regular_rules, regular_sheet};
use hyperblock_tests::neighbours::{NearCase, near_cases};
use hyperblock_tests::threads::KernelOnThreads;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

fn for_random_cases(n_cases: u32, most_rows: usize, device: &dyn Backend) {
    let config = Config { cases: n_cases, failure_persistence: None, ..Config::default() };
    let ran = TestRunner::new(config).run(&near_cases(most_rows), |near| {
        prop_assume!(near.is_well_formed());
        near.assert_same(device);
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}

#[test]
fn cpu() {
    for_random_cases(150, 50, &Cpu::new());
}

#[test]
fn kernels_on_threads() {
    for_random_cases(6, 30, &KernelOnThreads::new(64, 2, 1 << 12));
}

/// Few distinct keys, many neighbours, several orders that have the same pairs; windows around a warp's size.
fn regular(n_rows: usize, window: u32, is_one_table: bool) -> NearCase {
    let right = (!is_one_table).then(|| regular_sheet(n_rows / 2 + 1, 3));
    let keys = ["'name'", "'soundex(name)'", "['n', 'n']"];
    let neighbourhoods = keys.iter().map(|key| ((*key).to_owned(), window));
    let neighbourhoods = neighbourhoods.filter(|(key, _)| !is_one_table || !key.starts_with('['));
    NearCase {
        case: Case { left: regular_sheet(n_rows, 0), right, whens: regular_rules() },
        neighbourhoods: neighbourhoods.collect(),
    }
}

#[test]
fn many_neighbours_on_the_cpu() {
    for is_one_table in [true, false] {
        for window in [2, 3, 17, 33, 5000] {
            regular(90, window, is_one_table).assert_same(&Cpu::new());
        }
    }
}

#[test]
fn many_neighbours_on_threads() {
    let device = KernelOnThreads::new(32, 2, 1 << 12);
    for (window, is_one_table) in [(2, true), (17, false), (40, true)] {
        let near = regular(40, window, is_one_table);
        // What the rules find is not what is tested here, and takes long.
        NearCase { case: Case { whens: Vec::new(), ..near.case }, ..near }.assert_same(&device);
    }
}

/// All keys missing: there are no neighbours.
#[test]
fn nobody_has_a_key() {
    let near = regular(5, 3, true);
    let left = near.case.left.clone();
    let rows = left.rows.iter().map(|row| vec![None; row.len()]).collect();
    let case = Case { left: hyperblock_tests::case::Sheet { rows, ..left }, whens: Vec::new(), ..near.case };
    let near = NearCase { case, neighbourhoods: vec![("'name'".into(), 3)] };
    assert_eq!(near.run(&Cpu::new()), (Vec::new(), Vec::new()));
}
