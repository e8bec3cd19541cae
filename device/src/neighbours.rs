//! Sorted neighbourhoods: the pairs of left records with those near them, sorted, each once.
//!
//! Computes  by left record: its neighbours in all orders, ascending, and of which order each is, the first if of several
//! Layout    orders one after the other; pairs as lists of right records, with where each left record's begin
//! Launch    1-D, a warp a left record in turn, `warp_words` words of shared memory a warp; `count`, then `write`
//! Cost      each neighbour is read once, and compared with all others of the record where they are nearest
//! Next      the host, which sums counts up between the two, and puts left and right together
//!
//! What a record sees is little: a warp sorts it by counting for each neighbour how many are less, and that is its place. So
//! pairs are never sorted as a whole, and never in memory.

use crate::block::Block;
use crate::primitives::lanes::{below, warp_of_launch};
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::neighbours::{NOWHERE, Order, warp_words};

/// The orders, and which left records are to be done.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// The records of all orders, one order after the other.
    pub records: &'a [u32],
    /// By order, where its records begin; and one more.
    pub starts: &'a [u32],
    /// By order.
    pub windows: &'a [u32],
    /// By order, the places of all left records.
    pub places: &'a [u32],
    /// Left records of all.
    pub n_left: u32,
    /// The first left record to be done.
    pub first: u32,
    /// How many are.
    pub n_lefts: u32,
    /// The most neighbours that a record has, rounded up to a multiple of four.
    pub room: u32,
    /// Whether pairs are of one table.
    pub is_one_table: bool,
}

/// How many pairs each left record has.
#[inline(always)]
pub fn count(block: &impl Block, near: &Near<'_>, counts: &[AtomicU32]) {
    near.for_each_left(block, |seen, nth| {
        if let Some(count) = counts.get(nth as usize).filter(|_| block.lane() == 0) {
            count.store(seen.n_distinct, Relaxed);
        }
    });
}

/// The pairs, where `starts` says that those of each left record begin.
#[inline(always)]
pub fn write(
    block: &impl Block,
    near: &Near<'_>,
    starts: &[u32],
    rights: &[AtomicU32],
    witnesses: &[AtomicU32],
) {
    near.for_each_left(block, |seen, nth| {
        let start = starts.get(nth as usize).copied().unwrap_or(0);
        let mut ix = block.lane();
        while ix < seen.n {
            let right = block.shared(seen.at + ix);
            if right != NOWHERE {
                let place = (start + seen.n_below(block, right)) as usize;
                if let Some(slot) = rights.get(place) {
                    slot.store(right, Relaxed);
                }
                if let Some(slot) = witnesses.get(place) {
                    slot.store(block.shared(seen.at + near.room + ix), Relaxed);
                }
            }
            ix += WARP;
        }
    });
}

/// What a warp sees of a left record's neighbours, in shared memory.
struct Seen {
    /// Where they begin.
    at: u32,
    /// How many there are; up to the next multiple of four they are followed by `NOWHERE`.
    n: u32,
    /// How many there are without those that are `NOWHERE` because they were seen before.
    n_distinct: u32,
}

impl Near<'_> {
    /// For each left record that is this warp's, once its neighbours are in shared memory.
    #[inline(always)]
    fn for_each_left<B: Block>(&self, block: &B, mut done: impl FnMut(&Seen, u32)) {
        let (warp, n_warps) = warp_of_launch(block);
        let mut nth = warp;
        while nth < self.n_lefts {
            let seen = self.look(block, self.first + nth);
            done(&seen, nth);
            // The next one's neighbours take their place.
            block.warp_barrier();
            nth += n_warps;
        }
    }

    fn n_orders(&self) -> u32 {
        self.windows.len() as u32
    }

    #[inline(always)]
    fn order(&self, ix: u32) -> Option<Order<'_>> {
        let ix = ix as usize;
        let (from, upto) = (*self.starts.get(ix)? as usize, *self.starts.get(ix + 1)? as usize);
        let (n_left, window) = (self.n_left as usize, *self.windows.get(ix)?);
        let places = self.places.get(ix * n_left..(ix + 1) * n_left)?;
        Some(Order { records: self.records.get(from..upto)?, places, window })
    }

    /// Brings a left record's neighbours into shared memory, order by order.
    #[inline(always)]
    fn look(&self, block: &impl Block, left: u32) -> Seen {
        let at = block.warp_ix() * warp_words(self.room, self.n_orders());
        let mut n = 0;
        let mut ix = 0;
        while let Some(order) = self.order(ix) {
            let near = order.near(left);
            let mut place = near.start;
            while place < near.end {
                let own = place + block.lane();
                let neighbour = match own < near.end {
                    true => order.neighbour(left, own, self.n_left, self.is_one_table),
                    false => None,
                };
                let votes = block.ballot(neighbour.is_some());
                if let Some(right) = neighbour {
                    let slot = at + n + below(block, votes);
                    block.set_shared(slot, right);
                    if self.n_orders() > 1 {
                        block.set_shared(slot + self.room, ix);
                    }
                }
                n += votes.count_ones();
                place += WARP;
            }
            ix += 1;
        }
        if block.lane() < n.next_multiple_of(4) - n {
            block.set_shared(at + n + block.lane(), NOWHERE);
        }
        block.warp_barrier();
        let seen = Seen { at, n, n_distinct: n };
        if self.n_orders() > 1 { seen.distinct(block) } else { seen }
    }
}

impl Seen {
    /// Without those that an earlier order has too. One order has nobody twice.
    #[inline(always)]
    fn distinct(self, block: &impl Block) -> Self {
        let mut n_distinct = 0;
        let mut first = 0;
        while first < self.n {
            let ix = first + block.lane();
            let own = if ix < self.n { block.shared(self.at + ix) } else { NOWHERE };
            let mut is_new = own != NOWHERE;
            let mut other = 0;
            while other < ix.min(self.n) {
                let four = block.shared_quad(self.at + other);
                is_new &= !(four[0] == own && other < ix);
                is_new &= !(four[1] == own && other + 1 < ix);
                is_new &= !(four[2] == own && other + 2 < ix);
                is_new &= !(four[3] == own && other + 3 < ix);
                other += 4;
            }
            n_distinct += block.ballot(is_new).count_ones();
            // All have looked before anyone is struck out.
            block.warp_barrier();
            // Whoever is struck out here was seen before, and by all who come later.
            if !is_new && ix < self.n {
                block.set_shared(self.at + ix, NOWHERE);
            }
            block.warp_barrier();
            first += WARP;
        }
        Self { n_distinct, ..self }
    }

    /// How many are below `right`.
    #[inline(always)]
    fn n_below(&self, block: &impl Block, right: u32) -> u32 {
        let mut n_below = 0;
        let mut ix = 0;
        while ix < self.n {
            let four = block.shared_quad(self.at + ix);
            n_below += u32::from(four[0] < right) + u32::from(four[1] < right);
            n_below += u32::from(four[2] < right) + u32::from(four[3] < right);
            ix += 4;
        }
        n_below
    }
}
