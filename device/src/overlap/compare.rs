//! The last step of finding pairs: values that passed all filters are compared, and the pairs that hold are
//! written.
//!
//! A lane compares two values, by merging them; two long ones are compared by all lanes together, one pair
//! after the other.

use super::holds_together;
use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::below;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::measure::sets::share;
use hyperblock_shared::overlap::{Overlap, holds};

/// Which of the words of `OverlapCounters` is how many pairs there are.
pub(super) const N_PAIRS: usize = 2;

/// Elements of two values that are better compared by a whole warp.
const LONG: usize = 512;

/// Where pairs go, and as what.
#[derive(Clone, Copy)]
pub struct Pairs<'a, W> {
    /// The words of `OverlapCounters`.
    pub counters: &'a [AtomicU64],
    /// Room for pairs.
    pub words: &'a W,
    /// What their places in the blocks are as items, of the indexed side and of the probing one.
    pub firsts: [u32; 2],
    /// Whether the indexed side is the left one.
    pub is_left_indexed: bool,
}

/// Two values that may hold.
#[derive(Clone, Copy)]
pub(super) struct Hit {
    pub(super) probing: u32,
    pub(super) indexed: u32,
    /// Which element of the probing one is to be the first in common, if it matters.
    pub(super) nth: Option<u32>,
}

impl<W: Words> Pairs<'_, W> {
    /// Whether none was left out yet.
    #[inline(always)]
    pub(super) fn has_room(&self) -> bool {
        self.counters[N_PAIRS].load(Relaxed) <= self.words.len()
    }

    /// Compares the values of the lanes whose hit counts, and writes the pairs that hold. All lanes come here
    /// together, and all with some hit.
    #[inline(always)]
    pub(super) fn compare(&self, block: &impl Block, overlap: &Overlap<'_>, hit: Hit, counts: bool) {
        let Overlap { indexed, probing, .. } = overlap;
        let least = |hit: &Hit| {
            let x = probing.values[hit.probing as usize].class;
            overlap.least(x, indexed.values[hit.indexed as usize].class)
        };
        let (a, b) = (probing.elements(hit.probing), indexed.elements(hit.indexed));
        let is_long = a.len() + b.len() > LONG;
        let mut is_pair = false;
        if counts && !is_long {
            is_pair = match hit.nth {
                Some(nth) => holds(a, b, nth, least(&hit)),
                None => share(a, b, least(&hit)),
            };
        }
        block.warp_barrier();
        let mut long = block.ballot(counts && is_long);
        while long != 0 {
            let lane = long.trailing_zeros();
            let of_lane = |word: u32| block.broadcast(word, lane);
            let long_hit = Hit {
                probing: of_lane(hit.probing),
                indexed: of_lane(hit.indexed),
                nth: hit.nth.map(of_lane),
            };
            let (a, b) = (probing.elements(long_hit.probing), indexed.elements(long_hit.indexed));
            let holds = holds_together(block, a, b, long_hit.nth, least(&long_hit));
            if block.lane() == lane {
                is_pair = holds;
            }
            long &= long - 1;
        }
        self.emit(block, is_pair.then_some((hit.probing, hit.indexed)));
    }

    /// Writes the pairs of the lanes that have one. Places past the end are only counted.
    #[inline(always)]
    fn emit(&self, block: &impl Block, pair: Option<(u32, u32)>) {
        let found = block.ballot(pair.is_some());
        if found == 0 {
            return;
        }
        let mut first = 0;
        if block.lane() == 0 {
            let place = self.counters[N_PAIRS].fetch_add(u64::from(found.count_ones()), Relaxed);
            first = place.min(self.words.len()) as u32;
        }
        let place = u64::from(block.broadcast(first, 0)) + u64::from(below(block, found));
        if let Some((item, other)) = pair
            && place < self.words.len()
        {
            let (indexed, probing) = (self.firsts[0] + other, self.firsts[1] + item);
            let (left, right) = if self.is_left_indexed { (indexed, probing) } else { (probing, indexed) };
            self.words.set(place, u64::from(left) | u64::from(right) << 32);
        }
    }
}
