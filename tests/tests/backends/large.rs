//! Long texts, wide alphabets and many records: too much for the oracle, so the CPU backend stands in for it.

use crate::bench::{Bench, GPU, KERNELS, Registered, trials};
use crate::papers::assert_as_on_the_cpu;
use crate::sheets::{long_sheet, name_rules, name_sheet, relative, text_rules};
use hyperblock_tests::case::Case;
use hyperblock_tests::generate::regular_sheet;

pub(crate) const TRIALS: &[Registered] = trials![
    KERNELS => [long_strings, wide_alphabets],
    // Sizes that only a GPU makes light work of.
    GPU => [every_pair_of_many_is_a_candidate, seventy_thousand_by_three_hundred, one_table_of_nine_thousand],
];

fn long_strings(bench: Bench) {
    let alphabet: Vec<char> = "abcdeé ".chars().collect();
    let left = long_sheet(24, 0, &alphabet);
    for right in [None, Some(long_sheet(12, 1000, &alphabet))] {
        let case = Case { left: left.clone(), right, whens: text_rules() };
        assert_as_on_the_cpu(&case, &bench.open());
        assert_as_on_the_cpu(&case, &bench.results(32).open());
    }
}

/// 16 bits a symbol, and on the GPU 32.
fn wide_alphabets(bench: Bench) {
    for &n_characters in bench.by(&[][..], &[600u32], &[600, 70_000]) {
        let alphabet: Vec<char> = (0x4e00..0x4e00 + n_characters).filter_map(char::from_u32).collect();
        let mut left = long_sheet(30, 0, &alphabet);
        // All of the alphabet stands in one value, so that the column really needs that many symbols.
        left.rows[0][0] = Some(alphabet.iter().collect());
        // Among so many characters, random ones rarely agree: these few do.
        for (ix, row) in left.rows.iter_mut().enumerate().skip(20) {
            row[0] = Some(relative(1, ix, 20 + 30 * (ix % 4), 9, &alphabet[..4]));
        }
        let case = Case { left, right: None, whens: text_rules() };
        assert_as_on_the_cpu(&case, &bench.open());
    }
}

/// The result buffer is far too small: tasks are done in ever smaller parts.
fn every_pair_of_many_is_a_candidate(bench: Bench) {
    let case = Case {
        left: regular_sheet(700, 0),
        right: Some(regular_sheet(90, 5)),
        whens: vec!["l.code <> ''".to_owned()],
    };
    assert_as_on_the_cpu(&case, &bench.results(32).open());
    let dedupe = Case { right: None, ..case };
    assert_as_on_the_cpu(&dedupe, &bench.results(1000).open());
}

fn seventy_thousand_by_three_hundred(bench: Bench) {
    let case =
        Case { left: name_sheet(70_000, 0), right: Some(name_sheet(300, 90_000)), whens: name_rules() };
    assert_as_on_the_cpu(&case, &bench.open());
    assert_as_on_the_cpu(&case, &bench.results(5000).open());
    // The other way round: many right records, few left ones.
    let (left, right) = (name_sheet(300, 90_000), Some(name_sheet(70_000, 0)));
    assert_as_on_the_cpu(&Case { left, right, ..case }, &bench.open());
}

fn one_table_of_nine_thousand(bench: Bench) {
    let case = Case { left: name_sheet(9_000, 5), right: None, whens: name_rules() };
    assert_as_on_the_cpu(&case, &bench.open());
}
