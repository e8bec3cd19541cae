//! Sorted neighbourhoods against a naive sort: with and without rules, of one table and of two.

use crate::bench::{Bench, EVERYWHERE, GPU, On, Registered, trials};
use crate::sheets::name_sheet;
use hyperblock_tests::case::{Case, Sheet};
use hyperblock_tests::generate::{for_all, regular_rules, regular_sheet};
use hyperblock_tests::neighbours::{NearCase, near_cases};
use proptest::strategy::Strategy;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [random_cases, many_neighbours, nobody_has_a_key],
    // So little memory that orders stay on the host, which is the GPU's own; and too many records for the others.
    GPU => [little_memory, many_records],
];

fn for_random_cases(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((150, 50), (6, 30), (60, 60));
    let near_cases = near_cases(most_rows).prop_filter("no rule", NearCase::is_well_formed);
    for_all(n_cases, &near_cases, |near| near.assert_same(&*device));
}

fn random_cases(bench: Bench) {
    for_random_cases(bench);
}

/// So little that pairs come in parts, or orders stay on the host.
fn little_memory(bench: Bench) {
    for memory in [100_000, 400] {
        for_random_cases(bench.memory(memory));
    }
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

fn many_neighbours(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    if bench.on == On::Threads {
        for (window, is_one_table) in [(2, true), (17, false), (40, true)] {
            let near = regular(40, window, is_one_table);
            // What the rules find is not what is tested here, and takes long.
            NearCase { case: Case { whens: Vec::new(), ..near.case }, ..near }.assert_same(&*device);
        }
        return;
    }
    for is_one_table in [true, false] {
        for window in [2, 3, 17, 33, 5000] {
            regular(90, window, is_one_table).assert_same(&*device);
        }
    }
}

/// All keys missing: there are no neighbours.
fn nobody_has_a_key(bench: Bench) {
    let near = regular(5, 3, true);
    let left = near.case.left.clone();
    let rows = left.rows.iter().map(|row| vec![None; row.len()]).collect();
    let case = Case { left: Sheet { rows, ..left }, whens: Vec::new(), ..near.case };
    let near = NearCase { case, neighbourhoods: vec![("'name'".into(), 3)] };
    assert_eq!(near.run(&*bench.open()), (Vec::new(), Vec::new()));
}

/// So many that they come in several parts, of one table and of two, of one order and of several.
fn many_records(bench: Bench) {
    let device = bench.open();
    for (right, keys, window) in [
        (None, &["'name'"][..], 200),
        (None, &["'name'", "'zip'", "'left(name, 3)'"], 20),
        (Some(name_sheet(30_000, 70_000)), &["'name'", "'year'"], 60),
    ] {
        let case = Case { left: name_sheet(60_000, 5), right, whens: Vec::new() };
        let near =
            NearCase { case, neighbourhoods: keys.iter().map(|key| ((*key).into(), window)).collect() };
        near.assert_as_on_the_cpu(&*device);
    }
}
