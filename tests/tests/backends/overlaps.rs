//! Overlap joins of two blocks, by the kernels, against a naive one.

use crate::bench::{Bench, Device, KERNELS, Registered, THREADS, trials};
use hyperblock_shared::join::hash;
use hyperblock_shared::measure::sets::share;
use hyperblock_shared::overlap::holds;
use hyperblock_tests::overlaps::{Manner, OverlapCase, cases, long, manners, parts, segments};
use hyperblock_tests::threads::holds_together;
use std::collections::BTreeSet;

pub(crate) const TRIALS: &[Registered] = trials![
    // The CPU looks up one value at a time and has no blocks to join: see `similar`.
    KERNELS => [sets_of_all_kinds, several_parts, long_sets, several_segments],
    // A block's shape, and what the lanes of a warp say.
    THREADS => [two_warps_of_a_block, long_sets_by_a_warp],
];

fn assert_exact(case: &OverlapCase, manner: &Manner, device: &Device) {
    case.assert_exact(manner, |block, manner| match device {
        Device::Threads(threads) => threads.overlapping(block, manner),
        Device::Gpu(gpu) => {
            let found = gpu.overlapping(block, manner.method, manner.capacity);
            found.expect("a join finds its pairs")
        }
        Device::Cpu(_) | Device::Small(_) => unreachable!("there are no blocks on the CPU"),
    });
}

/// All manners; on threads the usual one, with an index and without.
fn quick_manners(bench: Bench) -> Vec<Manner> {
    bench.by(manners(), vec![manners()[0], manners()[5]], manners())
}

fn sets_of_all_kinds(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    for &n in bench.by(&[][..], &[16], &[0, 1, 33, 300]) {
        for case in cases(n) {
            manners().iter().for_each(|manner| assert_exact(&case, manner, &device));
        }
    }
}

fn several_parts(bench: Bench) {
    let device = bench.shape(64, 1, 1 << 12).open();
    quick_manners(bench).iter().for_each(|manner| assert_exact(&parts(), manner, &device));
}

fn long_sets(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    quick_manners(bench).iter().for_each(|manner| assert_exact(&long(), manner, &device));
}

/// With room for all of them, and for some.
fn several_segments(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    for manner in quick_manners(bench) {
        for capacity in bench.by(vec![], vec![1 << 14, 1 << 12], vec![manner.capacity, 1 << 14]) {
            assert_exact(&segments(), &Manner { capacity, ..manner }, &device);
        }
    }
}

fn two_warps_of_a_block(bench: Bench) {
    let device = bench.shape(64, 1, 1 << 12).open();
    for case in cases(34) {
        quick_manners(bench).iter().for_each(|manner| assert_exact(&case, manner, &device));
    }
}

/// A whole warp says what one thread says.
fn long_sets_by_a_warp(_: Bench) {
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
    assert_eq!(holds_together(&compared), expected);
}
