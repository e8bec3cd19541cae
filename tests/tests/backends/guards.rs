//! Guards: large blocks are left out whatever the plan, and what is told of them is what was left out.

use crate::bench::{Bench, EVERYWHERE, Registered, hashed, trials};
use crate::papers::{by_pairs, prepare};
use hyperblock::Job;
use hyperblock::job::Guards;
use hyperblock::plan::{AccessChoice, ScanOptions, Variant};
use hyperblock_tests::case::{Case, Paper};
use hyperblock_tests::generate::{cases, for_cases, keyed_cases, zipf_sheet};

pub(crate) const TRIALS: &[Registered] = trials![EVERYWHERE => [random_blocks, skewed_blocks]];

fn guarded(most: u32) -> impl Fn(Job) -> Job {
    move |job| job.guards(Guards { most_in_block: Some(most), ..Guards::default() })
}

fn random_blocks(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let swept = ScanOptions { access: AccessChoice::Sweep, ..ScanOptions::default() };
    let (n_cases, most_rows) = bench.by((60, 40), (6, 20), (40, 40));
    let check = |paper: &Paper<'_>| {
        for most in [1, 3] {
            let wanted = paper.oracle_without_large_blocks(most as usize);
            for options in [hashed(), swept] {
                let again = paper.again(&|job| guarded(most)(job).scan_options(options).cost(by_pairs()));
                let name = format!("{} without blocks of more than {most}, {options:?}", device.name());
                paper.assert_same(&name, &wanted, &again.run(&*device));
            }
        }
    };
    for_cases(n_cases, &keyed_cases(most_rows), check);
    for_cases(n_cases, &cases(most_rows), check);
}

/// Rules that share equalities, have several, or none; one table, or two.
fn skewed_blocks(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 3",
        "l.home = r.home AND l.state = r.state",
        "l.work = r.home AND l.n < r.n",
        "levenshtein(l.name, r.name) <= 0",
    ];
    let n_rows = bench.by(300, 60, 300);
    for right in [None, Some(zipf_sheet(n_rows / 2, 9))] {
        let case = Case { left: zipf_sheet(n_rows, 0), right, whens: whens.map(str::to_owned).to_vec() };
        let paper = prepare(&case);
        let all = paper.run(&*device);
        for variants in [vec![], vec![Variant::NoDictionary], vec![Variant::NoEpg]] {
            let again = paper.again(&|job| guarded(8)(job).variants(variants.clone()));
            let wanted = paper.oracle_without_large_blocks(8);
            assert!(wanted.len() < all.len() && !wanted.is_empty(), "{} of {}", wanted.len(), all.len());
            let name = format!("{} as {variants:?}", device.name());
            paper.assert_same(&name, &wanted, &again.run(&*device));
            let told = &again.prepared.left_out;
            assert!(told.iter().any(|it| it.rule == "rule 1"), "{told:?}");
            assert!(told.iter().all(|it| it.rule != "rule 4"), "{told:?}");
            assert!(told.iter().flat_map(|it| &it.blocks).all(|&(_, n_records)| n_records > 8), "{told:?}");
        }
        // Larger than any block: nothing is left out.
        let again = paper.again(&guarded(1 << 20));
        assert!(again.prepared.left_out.is_empty());
        paper.assert_same(&device.name(), &all, &again.run(&*device));
    }
}
