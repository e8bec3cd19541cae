//! Connected components by a forest in an array: each record has a parent, and the root of a tree is its own.
//!
//! Two trees become one when the larger of their roots is *hooked* to the smaller one by compare-and-swap. A parent is so
//! never larger than its child: there are no cycles, and the last root of a component is its smallest record, whoever
//! came first. Threads need no locks and no order. A parent only ever changes to one of its own ancestors, or, if it is a
//! root, by a compare-and-swap that expects it to be one; whoever reads an older parent reads an ancestor all the same.
//!
//! The steps are those of ECL-CC (Jaiganesh and Burtscher, *A high-performance connected components implementation for
//! GPUs*, HPDC 2018), with the halved paths of its 'intermediate pointer jumping', over a list of pairs instead of
//! neighbours; hooking to the smaller root is Shiloach and Vishkin's (*An O(log n) parallel connectivity algorithm*,
//! J. Algorithms 1982). That a part of the pairs makes nearly all of a giant component, and that the others are then
//! settled by a glance, is Afforest's (Sutton, Ben-Nun and Barak, *Optimizing parallel graph connectivity computation via
//! subgraph sampling*, IPDPS 2018); `device::components` does so.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// What no record has for a number.
pub const NO_RECORD: u32 = u32::MAX;

/// The parent of a record.
#[inline(always)]
pub fn parent(parents: &[AtomicU32], record: u32) -> u32 {
    parents[record as usize].load(Relaxed)
}

/// The root of a record's tree, or what was it a moment ago; or `known`, if the way there leads past that. Paths are halved:
/// each record that is passed gets its grandparent for a parent.
#[inline(always)]
fn find(parents: &[AtomicU32], record: u32, known: u32) -> u32 {
    let mut child = record;
    if child == known {
        return known;
    }
    let mut own = parent(parents, child);
    while own != known {
        let grand = parent(parents, own);
        if grand == own {
            break;
        }
        parents[child as usize].store(grand, Relaxed);
        (child, own) = (own, grand);
    }
    own
}

/// The root of a record's tree, found without a change to the way there.
#[inline(always)]
pub fn root(parents: &[AtomicU32], record: u32) -> u32 {
    let mut own = record;
    loop {
        let above = parent(parents, own);
        if above == own {
            return own;
        }
        own = above;
    }
}

/// Makes one tree of those that two records are in.
#[inline(always)]
pub fn unite(parents: &[AtomicU32], a: u32, b: u32) {
    unite_knowing(parents, a, b, NO_RECORD);
}

/// The same where very many ways lead past one record, `known`: nobody looks further, which would be at one and the same
/// place of memory for all. What another root is hooked to need not be a root itself, as long as it is smaller: were it in
/// the tree of that root, it would be larger.
#[inline(always)]
pub fn unite_knowing(parents: &[AtomicU32], a: u32, b: u32, known: u32) {
    if a == b {
        return;
    }
    let (mut a, mut b) = (find(parents, a, known), find(parents, b, known));
    while a != b {
        let (small, large) = if a < b { (a, b) } else { (b, a) };
        match parents[large as usize].compare_exchange(large, small, Relaxed, Relaxed) {
            Ok(_) => return,
            // It is no root, or no more: its parent's root is the one to go on with.
            Err(above) => (a, b) = (small, find(parents, above, known)),
        }
    }
}

/// The shares in which pairs are hooked: each is every `step`-th tile of them, from tile `first` on, and all together are all
/// tiles, each once. Where there are many pairs for each record, the first share is about half a pair to one for each, from
/// which a giant component begins to grow, and each later one is as large as all before it.
pub fn shares(n_pairs: u64, n_records: u32) -> impl Iterator<Item = Share> {
    let ratio = 2 * n_pairs / u64::from(n_records).max(1);
    let n_doublings = ratio.max(1).ilog2().min(6);
    let later = (0..n_doublings).rev().map(|power| Share { first: 1 << power, step: 2 << power });
    core::iter::once(Share { first: 0, step: 1 << n_doublings }).chain(later)
}

/// A share of the tiles of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The first.
    pub first: u32,
    /// Every how many-th.
    pub step: u32,
}

#[cfg(test)]
mod tests {
    use super::{NO_RECORD, Share, find, root, shares, unite, unite_knowing};
    use std::sync::atomic::AtomicU32;
    use std::sync::atomic::Ordering::Relaxed;
    use std::thread;
    use std::vec::Vec;

    fn singles(n: u32) -> Vec<AtomicU32> {
        (0..n).map(AtomicU32::new).collect()
    }

    #[test]
    fn the_smallest_record_is_the_root() {
        let parents = singles(8);
        for (a, b) in [(7, 5), (5, 3), (3, 3), (6, 7), (1, 2), (3, 7)] {
            unite(&parents, a, b);
        }
        let roots: Vec<u32> = (0..8).map(|record| root(&parents, record)).collect();
        assert_eq!(roots, [0, 1, 1, 3, 4, 3, 3, 3]);
        assert!((0..8).all(|record| find(&parents, record, NO_RECORD) == roots[record as usize]));
    }

    #[test]
    fn paths_are_halved() {
        let parents: Vec<AtomicU32> = (0..9u32).map(|ix| AtomicU32::new(ix.saturating_sub(1))).collect();
        assert_eq!(find(&parents, 8, NO_RECORD), 0);
        let after: Vec<u32> = parents.iter().map(|parent| parent.load(Relaxed)).collect();
        assert_eq!(after, [0, 0, 0, 1, 2, 3, 4, 5, 6]);
    }

    /// What is known may have been hooked meanwhile, and may be the larger one or the smaller one.
    #[test]
    fn what_is_known_need_not_be_a_root() {
        for known in [0, 2, 3, 5] {
            let parents = singles(9);
            for (a, b) in [(5, 3), (3, 2), (7, 6), (6, 5), (8, 0), (7, 8), (4, 7), (3, 4)] {
                unite_knowing(&parents, a, b, known);
            }
            let roots: Vec<u32> = (0..9).map(|record| root(&parents, record)).collect();
            assert_eq!(roots, [0, 1, 0, 0, 0, 0, 0, 0, 0], "{known}");
        }
    }

    #[test]
    fn shares_are_all_tiles() {
        for (n_pairs, n_records, n_shares) in
            [(0, 0, 1), (5, 100, 1), (99, 100, 1), (100, 100, 2), (1000, 200, 4), (1 << 40, 3, 7)]
        {
            let all: Vec<Share> = shares(n_pairs, n_records).collect();
            assert_eq!(all.len(), n_shares);
            let mut taken = [0; 300];
            for share in all {
                (share.first..300).step_by(share.step as usize).for_each(|tile| taken[tile as usize] += 1);
            }
            assert_eq!(taken, [1; 300]);
        }
    }

    /// Many threads hook the links of one chain, in orders of their own, again and again.
    #[test]
    fn threads_race_over_one_component() {
        const N: u32 = 5_000;
        for round in 0..8 {
            let parents = singles(N);
            thread::scope(|scope| {
                for thread in 0..8u32 {
                    let parents = &parents;
                    scope.spawn(move || {
                        for step in 0..N - 1 {
                            // 7,919 is prime: each thread goes over all links, from a place of its own on.
                            let link = (step * 7_919 + thread * 611 + round * 97) % (N - 1);
                            match thread % 2 {
                                0 => unite(parents, link, link + 1),
                                _ => unite(parents, N - 1 - link, N - 2 - link),
                            }
                        }
                    });
                }
            });
            assert!((0..N).all(|record| root(&parents, record) == 0), "round {round}");
        }
    }
}
