//! Chained tables in shared memory, and what becomes of the pairs that they find: both baselines join partitions so.
//!
//! Computes  all pairs of rows that are built with rows that are looked up and have the same key, handed to a sink
//! Layout    by slot the entry that its chain begins with; by entry its key and the entry after it; its row, if pairs are wanted
//! Launch    `chained_words`
//! Cost      two words of shared memory a step of a chain, one after the other; three where the keys are the same
//!
//! Threads look different rows up, and compare keys at every step. Where pairs are written, the lanes of a warp take each step
//! together: a vote says who has a pair, and so where each goes. The paper has a bitmap in shared memory for that and
//! a barrier of the block; the code of Gbase's authors votes, as this does.

use crate::block::Block;
use crate::join::{Pairs, key_of, row_of};
use crate::memory::Words;
use crate::primitives::lanes::below;
use crate::primitives::sums::warp_total;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::baselines::{NO_PAIR, chained_words};
use hyperblock_shared::join::{MISSING, hash, upper};
use hyperblock_shared::layout::WARP;

/// Rows that a thread loads at once to build, and to look up: as many as there are registers for.
const BUILT: usize = 3;
const COUNTED: usize = 4;
const WRITTEN: usize = 2;
/// Where a chain ends.
const END: u32 = u32::MAX;

/// What becomes of pairs.
pub trait Sink {
    /// Whether it wants to see them, not only how many they are.
    const SEES_PAIRS: bool;

    /// So many pairs that nobody wants to see.
    fn count(&mut self, n_pairs: u32);
    /// A lane's pair of one step, if it has one. All lanes come here together.
    fn pair(&mut self, block: &impl Block, pair: Option<(u32, u32)>);
    /// There are no more. All lanes come here together.
    fn end(&mut self, block: &impl Block);
}

/// Counts pairs, a sum a thread.
pub struct Counted<'a> {
    n_pairs: &'a AtomicU64,
    own: u64,
}

impl<'a> Counted<'a> {
    /// Adds them to a counter in the end.
    #[inline(always)]
    pub fn new(n_pairs: &'a AtomicU64) -> Self {
        Self { n_pairs, own: 0 }
    }
}

impl Sink for Counted<'_> {
    const SEES_PAIRS: bool = false;

    #[inline(always)]
    fn count(&mut self, n_pairs: u32) {
        self.own += u64::from(n_pairs);
    }

    #[inline(always)]
    fn pair(&mut self, _: &impl Block, _: Option<(u32, u32)>) {}

    #[inline(always)]
    fn end(&mut self, block: &impl Block) {
        let n_pairs = warp_total(block, self.own);
        if block.lane() == 0 && n_pairs > 0 {
            self.n_pairs.fetch_add(n_pairs, Relaxed);
        }
    }
}

/// Writes pairs. A warp has a piece of the buffer to itself, and takes the next one when that is full.
pub struct Written<'a, W> {
    n_pairs: &'a AtomicU64,
    /// Its counter says how many places were taken, of fewer than 2^32 that there are.
    buffer: Pairs<'a, W>,
    /// Places of a piece, and pieces that the warp took.
    piece: u32,
    n_pieces: u32,
    /// The warp's next place, and how many are left of its piece.
    place: u32,
    left: u32,
}

impl<'a, W> Written<'a, W> {
    /// Into pieces of so many places, at least one for each lane; the number of pairs is added to a counter in the end.
    #[inline(always)]
    pub fn new(n_pairs: &'a AtomicU64, buffer: Pairs<'a, W>, piece: u32) -> Self {
        Self { n_pairs, buffer, piece, n_pieces: 0, place: 0, left: 0 }
    }
}

impl<W: Words> Written<'_, W> {
    /// Writes a pair to a place of a piece, which may go around.
    #[inline(always)]
    fn set(&self, place: u32, (left, right): (u32, u32)) {
        let n_places = self.buffer.pairs.len() as u32;
        let place = if place < n_places { place } else { place - n_places };
        self.buffer.pairs.set(u64::from(place), u64::from(left) | u64::from(right) << 32);
    }
}

impl<W: Words> Sink for Written<'_, W> {
    const SEES_PAIRS: bool = true;

    #[inline(always)]
    fn count(&mut self, _: u32) {}

    #[inline(always)]
    fn pair(&mut self, block: &impl Block, pair: Option<(u32, u32)>) {
        let having = block.ballot(pair.is_some());
        let (nth, n) = (below(block, having), having.count_ones());
        // A place less the number of the pair: that of the piece that the warp has, and that of the next one.
        let (mut offset, left) = (self.place, self.left);
        if n > left {
            let next = if block.lane() == 0 { self.buffer.take(u64::from(self.piece)) as u32 } else { 0 };
            self.place = block.broadcast(next, 0).wrapping_sub(left);
            self.left += self.piece;
            self.n_pieces += 1;
        }
        if nth >= left {
            offset = self.place;
        }
        if let Some(pair) = pair {
            self.set(offset.wrapping_add(nth), pair);
        }
        self.place = self.place.wrapping_add(n);
        self.left -= n;
    }

    #[inline(always)]
    fn end(&mut self, block: &impl Block) {
        let mut nth = block.lane();
        while nth < self.left {
            self.set(self.place + nth, NO_PAIR);
            nth += WARP;
        }
        let n_pairs = u64::from(self.n_pieces) * u64::from(self.piece) - u64::from(self.left);
        if block.lane() == 0 && n_pairs > 0 {
            self.n_pairs.fetch_add(n_pairs, Relaxed);
        }
    }
}

/// Some of a side's tuples, each so far from the one before; those that are none have no key.
#[inline(always)]
fn some<const N: usize>(tuples: &[u64], first: u32, distance: u32) -> [u64; N] {
    let mut some = [u64::from(MISSING); N];
    unrolled::<N>(|nth| {
        if let Some(&tuple) = tuples.get((first + nth as u32 * distance) as usize) {
            some[nth] = tuple;
        }
    });
    some
}

/// A table of rows of one partition.
#[derive(Clone, Copy)]
pub struct Table {
    /// Bits of the hash that all keys of the partition share.
    pub used: u32,
    /// Bits after those, which tell slots apart; at least 2.
    pub slot_bits: u32,
    /// Rows that it holds.
    pub n_rows: u32,
}

// Slots are set four at a time.
const SLOTS: u32 = 0;
const _: () = assert!(chained_words(3, 5, false) == 8 + 2 * 5 && chained_words(3, 5, true) == 8 + 3 * 5);

impl Table {
    /// The first word of the keys, of what comes after them, and of the rows.
    #[inline(always)]
    fn keys(&self) -> u32 {
        SLOTS + (1 << self.slot_bits)
    }

    #[inline(always)]
    fn nexts(&self) -> u32 {
        self.keys() + self.n_rows
    }

    #[inline(always)]
    fn rows(&self) -> u32 {
        self.nexts() + self.n_rows
    }

    #[inline(always)]
    fn slot(&self, key: u32) -> u32 {
        SLOTS + upper(hash(key) << self.used, self.slot_bits)
    }

    /// Builds it of tuples, at most as many as it holds. All threads come here together.
    #[inline(always)]
    pub(super) fn build<S: Sink>(&self, block: &impl Block, tuples: &[u64]) {
        let (thread, n_threads) = (block.thread_ix(), block.n_threads());
        let mut held = some::<BUILT>(tuples, thread, n_threads);
        // Nobody looks at the last table any more.
        block.barrier();
        let mut slot = 4 * thread;
        while slot < 1 << self.slot_bits {
            block.set_shared_quad(SLOTS + slot, [END; 4]);
            slot += 4 * n_threads;
        }
        block.barrier();
        let mut first = 0;
        while first < tuples.len() as u32 {
            unrolled::<BUILT>(|nth| {
                let key = key_of(held[nth]);
                if key != MISSING {
                    let entry = first + nth as u32 * n_threads + thread;
                    block.set_shared(self.keys() + entry, key);
                    if S::SEES_PAIRS {
                        block.set_shared(self.rows() + entry, row_of(held[nth]));
                    }
                    let next = block.shared_exchange(self.slot(key), entry);
                    block.set_shared(self.nexts() + entry, next);
                }
            });
            first += BUILT as u32 * n_threads;
            held = some(tuples, first + thread, n_threads);
        }
        block.barrier();
    }

    /// Looks tuples up, each by one thread. Those of a warp come here together.
    #[inline(always)]
    pub(super) fn look_up<S: Sink>(&self, block: &impl Block, tuples: &[u64], sink: &mut S) {
        match S::SEES_PAIRS {
            true => self.look_up_some::<S, WRITTEN>(block, tuples, sink),
            false => self.look_up_some::<S, COUNTED>(block, tuples, sink),
        }
    }

    #[inline(always)]
    fn look_up_some<S: Sink, const N: usize>(&self, block: &impl Block, tuples: &[u64], sink: &mut S) {
        let mut first = block.warp_ix() * WARP * N as u32;
        while first < tuples.len() as u32 {
            let held = some::<N>(tuples, first + block.lane(), WARP);
            unrolled::<N>(|nth| {
                if S::SEES_PAIRS {
                    self.write(block, held[nth], sink);
                } else {
                    self.count(block, key_of(held[nth]), sink);
                }
            });
            first += N as u32 * block.n_threads();
        }
    }

    /// The entry that a key's chain begins with; no key has none.
    #[inline(always)]
    fn begin(&self, block: &impl Block, key: u32) -> u32 {
        if key == MISSING { END } else { block.shared(self.slot(key)) }
    }

    #[inline(always)]
    fn count<S: Sink>(&self, block: &impl Block, key: u32, sink: &mut S) {
        let mut n_pairs = 0;
        let mut entry = self.begin(block, key);
        while entry != END {
            let seen = block.shared(self.keys() + entry);
            entry = block.shared(self.nexts() + entry);
            n_pairs += u32::from(seen == key);
        }
        sink.count(n_pairs);
        // Chains are of different lengths: from here on all lanes go together again.
        block.warp_barrier();
    }

    #[inline(always)]
    fn write<S: Sink>(&self, block: &impl Block, tuple: u64, sink: &mut S) {
        let key = key_of(tuple);
        let mut entry = self.begin(block, key);
        while block.ballot(entry != END) != 0 {
            let mut pair = None;
            if entry != END {
                let seen = block.shared(self.keys() + entry);
                if seen == key {
                    pair = Some((block.shared(self.rows() + entry), row_of(tuple)));
                }
                entry = block.shared(self.nexts() + entry);
            }
            sink.pair(block, pair);
        }
    }
}
