//! Values that are made of others: of several columns, lists, tokens of all kinds; and words that count as missing.

use crate::bench::{Bench, EVERYWHERE, Registered, trials};
use crate::papers::assert_exact;
use hyperblock::plan::{JoinChoice, ScanOptions, SimilarityChoice};
use hyperblock_tests::generate::{for_cases, value_cases};

pub(crate) const TRIALS: &[Registered] = trials![EVERYWHERE => [random_values, joined_lists]];

fn random_values(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((500, 40), (24, 24), (150, 40));
    for_cases(n_cases, &value_cases(most_rows), |paper| assert_exact(paper, &device));
}

/// Lists and tokens are found by what they have in common, alone and within keys.
fn joined_lists(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((200, 40), (12, 24), (80, 40));
    for_cases(n_cases, &value_cases(most_rows), |paper| {
        let choices =
            [(SimilarityChoice::Join, JoinChoice::None), (SimilarityChoice::Dense, JoinChoice::Plain)];
        for (similarity, join) in choices {
            let options = ScanOptions { similarity, join, ..ScanOptions::default() };
            assert_exact(&paper.again(&|job| job.scan_options(options)), &device);
        }
    });
}
