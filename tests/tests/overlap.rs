//! Overlap joins: the kernels on CPU threads, against a naive one, and where all similarities are joined, against the oracle.

use hyperblock::plan::{ScanOptions, SimilarityChoice};
use hyperblock_shared::join::hash;
use hyperblock_shared::measure::sets::share;
use hyperblock_shared::overlap::holds;
use hyperblock_tests::case::{Case, Sheet, is_no_rule};
use hyperblock_tests::generate::cases as random_cases;
use hyperblock_tests::overlaps::{cases, long, manners, parts, segments};
use hyperblock_tests::threads::KernelOnThreads;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::collections::BTreeSet;

#[test]
fn kernels_on_threads() {
    let device = KernelOnThreads::new(32, 2, 1 << 12);
    for manner in manners() {
        for case in cases(16) {
            case.assert_exact(&manner, |block, manner| device.overlapping(block, manner));
        }
    }
}

#[test]
fn two_warps_of_a_block_on_threads() {
    let device = KernelOnThreads::new(64, 1, 1 << 12);
    for case in cases(34).into_iter().chain([parts()]) {
        for manner in [manners()[0], manners()[5]] {
            case.assert_exact(&manner, |block, manner| device.overlapping(block, manner));
        }
    }
}

#[test]
fn long_sets_on_threads() {
    let device = KernelOnThreads::new(32, 2, 1 << 12);
    for manner in [manners()[0], manners()[5]] {
        long().assert_exact(&manner, |block, manner| device.overlapping(block, manner));
    }
}

/// A whole warp says what one thread says.
#[test]
fn long_sets_by_a_warp() {
    let random = |seed: u32, below: u32| hash(seed) % below;
    let mut compared = Vec::new();
    for seed in 0..400 {
        let below = [40, 90, 300][seed as usize % 3];
        let set = |salt: u32| -> Vec<u32> {
            let n = 1 + random(seed + salt, 120);
            let drawn = (0..n).map(|nth| random(seed * 1000 + nth + salt, below));
            drawn.collect::<BTreeSet<u32>>().into_iter().collect()
        };
        let (a, b) = (set(0), set(77_777));
        let common: Vec<usize> = (0..a.len()).filter(|&ix| b.contains(&a[ix])).collect();
        let first = common.first().map_or(0, |&ix| ix as u32);
        for nth in [first, first + 1, random(seed, a.len() as u32)] {
            for least in [1, common.len() as u32, common.len() as u32 + 1, 1 + random(seed + 1, 40)] {
                compared.push((a.clone(), b.clone(), Some(nth.min(a.len() as u32 - 1)), least));
            }
        }
    }
    compared.extend(compared.clone().into_iter().map(|(a, b, _, least)| (a, b, None, least)));
    let expected: Vec<bool> = compared
        .iter()
        .map(|(a, b, nth, least)| match nth {
            Some(nth) => holds(a, b, *nth, *least),
            None => share(a, b, *least),
        })
        .collect();
    assert_eq!(hyperblock_tests::threads::holds_together(&compared), expected);
}

#[test]
fn several_segments_on_threads() {
    let device = KernelOnThreads::new(32, 2, 1 << 12);
    for mut manner in [manners()[0], manners()[5]] {
        // Once as it is, and once with room for some of them.
        for capacity in [1 << 14, 1 << 12] {
            manner.capacity = capacity;
            segments().assert_exact(&manner, |block, manner| device.overlapping(block, manner));
        }
    }
}

fn joined(similarity: SimilarityChoice) -> ScanOptions {
    ScanOptions { similarity, ..ScanOptions::default() }
}

#[test]
fn random_cases_on_threads() {
    let device = KernelOnThreads::new(32, 2, 1 << 12);
    let config = Config { cases: 20, failure_persistence: None, ..Config::default() };
    let ran = TestRunner::new(config).run(&random_cases(20), |case| {
        let paper = match case.prepare() {
            Ok(paper) => paper,
            Err(error) if is_no_rule(&error) => return Err(TestCaseError::reject("no rule")),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let wanted = paper.oracle();
        for similarity in [SimilarityChoice::Join, SimilarityChoice::Dense] {
            let again = paper.again(&|job| job.scan_options(joined(similarity)));
            paper.assert_same("the kernels on threads", &wanted, &again.run(&device));
        }
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}

/// Pairs of values that very many records have are handed on, as far as there is room; and expanded, where there is none.
#[test]
fn heavy_values_on_threads() {
    let row = |ix: usize| vec![Some(["maria garcia lopez", "maria garcia", "ann lee"][ix % 3].to_owned())];
    let left = Sheet::new(&["name"], (0..220).map(row).collect());
    let whens = ["jaccard(words(l.name), words(r.name)) >= 0.6".to_owned()];
    let case = Case { left, right: None, whens: whens.to_vec() };
    let paper = case
        .prepare_with(&|job| job.scan_options(joined(SimilarityChoice::Join)))
        .expect("the case is sound");
    let wanted = paper.oracle();
    for most_heavies in [16, 0] {
        let device = KernelOnThreads::new(32, 2, 1 << 14).with_room_for_heavies(most_heavies);
        paper.assert_same("the kernels on threads", &wanted, &paper.run(&device));
        assert_eq!(device.n_heavies() > 0, most_heavies > 0);
    }
}
