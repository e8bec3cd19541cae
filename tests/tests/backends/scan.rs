//! Exactness: every backend finds what the oracle finds, no more, no less, in the same order.

use crate::bench::{Bench, EVERYWHERE, KERNELS, On, Registered, trials};
use crate::papers::{assert_exact, for_random_cases, prepare};
use hyperblock_tests::case::{Case, Sheet};
use hyperblock_tests::generate::{nothing_to_compare, regular_rules, regular_sheet};

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [
        random_cases,
        tasks_done_again_in_halves,
        pieces,
        warp_edges,
        every_pair_is_a_candidate,
        columns_without_values,
        heavy_values,
    ],
    // The CPU has no buffer that gets full.
    KERNELS => [a_full_buffer],
];

fn random_cases(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((800, 60), (40, 40), (200, 60));
    for_random_cases(n_cases, most_rows, |paper| assert_exact(paper, &device));
}

/// What has more candidates than is allowed is done again in halves.
fn tasks_done_again_in_halves(bench: Bench) {
    let device = bench.shape(32, 2, 32).open();
    let (n_cases, most_rows) = bench.by((100, 60), (6, 30), (40, 60));
    for_random_cases(n_cases, most_rows, |paper| {
        for &most in bench.by(&[0, 5][..], &[40], &[5]) {
            let found = paper.run_in_halves(&*device, most);
            paper.assert_same(&format!("{}, in halves", device.name()), &paper.oracle(), &found);
        }
    });
}

/// Memory for a part of the columns at a time.
fn pieces(bench: Bench) {
    let (n_cases, most_rows) = bench.by((100, 60), (10, 20), (20, 60));
    let memories = bench.by(&[400, 3000][..], &[1500], &[4000]).iter();
    let devices: Vec<_> = memories.map(|&memory| bench.shape(32, 1, 1 << 12).memory(memory).open()).collect();
    for_random_cases(n_cases, most_rows, |paper| {
        devices.iter().for_each(|device| assert_exact(paper, device));
    });
}

fn a_full_buffer(bench: Bench) {
    let device = bench.shape(32, 3, 32).results(32).open();
    let (n_cases, most_rows) = bench.by((60, 60), (40, 40), (60, 60));
    for_random_cases(n_cases, most_rows, |paper| assert_exact(paper, &device));
    if let Some(threads) = device.threads() {
        assert!(threads.n_too_many() > 0, "no buffer was ever full: the test tests nothing");
    }
}

/// Sizes around a warp's and a block's.
fn warp_edges(bench: Bench) {
    let roomy = bench.shape(32, 2, 1 << 12).open();
    let narrow = bench.shape(64, 2, 32).results(32).open();
    let all = &[1, 31, 32, 33, 65, 255, 256, 257];
    for &n_rows in bench.by(&all[..5], &all[..5], all) {
        for right in [None, Some(regular_sheet(n_rows, 3)), Some(regular_sheet(2, 1))] {
            let case = Case { left: regular_sheet(n_rows, 0), right, whens: regular_rules() };
            let paper = prepare(&case);
            let wanted = paper.oracle();
            assert!(n_rows == 1 || !wanted.is_empty(), "a case without candidates tests little");
            paper.assert_same(&roomy.name(), &wanted, &paper.run(&*roomy));
            // A full buffer means a launch for each few candidates: enough is enough.
            if n_rows <= 65 && bench.on != On::Cpu {
                let name = format!("{} with a small buffer", narrow.name());
                paper.assert_same(&name, &wanted, &paper.run(&*narrow));
            }
        }
    }
    if let Some(threads) = narrow.threads() {
        assert!(threads.n_too_many() > 0);
    }
}

/// The result buffer is far too small for any task, which is done in ever smaller parts.
fn every_pair_is_a_candidate(bench: Bench) {
    let whens = vec!["l.code <> ''".to_owned()];
    for right in [None, Some(regular_sheet(40, 5))] {
        let case = Case { left: regular_sheet(70, 0), right, whens: whens.clone() };
        let device = bench.shape(64, 2, 32).results(32).open();
        assert_exact(&prepare(&case), &device);
        if let Some(threads) = device.threads() {
            assert!(threads.n_too_many() >= 70);
        }
    }
}

fn columns_without_values(bench: Bench) {
    let case = nothing_to_compare();
    let paper = prepare(&case);
    assert_eq!(paper.oracle().len(), 3, "all that is there is equal");
    assert_exact(&paper, &bench.shape(32, 1, 32).open());
}

/// Values that many records have: pairs of them are handed on, or expanded in place where there is no room for that.
fn heavy_values(bench: Bench) {
    let names = [("ann smith", 75), ("anne smith", 60), ("bob", 3), ("rob", 2), ("zoe", 1)];
    let row = |name: &str, ix: usize| vec![Some(name.to_owned()), Some((ix % 7).to_string())];
    let rows = names.iter().flat_map(|&(name, n)| (0..n).map(move |ix| row(name, ix))).collect();
    let left = Sheet::new(&["name", "n"], rows);
    let whens = vec!["levenshtein(l.name, r.name) <= 1 AND l.n <> r.n".to_owned()];
    for right in [None, Some(left.clone())] {
        let case = Case { left: left.clone(), right, whens: whens.clone() };
        let paper = prepare(&case);
        let wanted = paper.oracle();
        assert!(wanted.len() > 4096, "nothing is heavy");
        let bench = bench.shape(64, 2, 1 << 16);
        let (roomy, full) = (bench.open(), bench.heavies(0).open());
        paper.assert_same(&roomy.name(), &wanted, &paper.run(&*roomy));
        if let (Some(roomy), Some(full)) = (roomy.threads(), full.threads()) {
            paper.assert_same("without room for heavy values", &wanted, &paper.run(full));
            assert!(roomy.n_heavies() > 0 && full.n_heavies() == 0, "nothing was handed on");
        }
    }
}
