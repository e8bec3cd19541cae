//! Light partitions: a block joins one at a time, in shared memory.
//!
//! Computes  all pairs of rows of a partition with the same key, handed to a consumer
//! Layout    tuples of both sides, by partition; of one side with itself, both are the same
//! Launch    1-D, any number of blocks, `light_words` for `n_slots` slots
//! Cost      the side with fewer rows is read once, the other once for each chunk of it
//! Next      the host knows the number of pairs, and where they are
//!
//! The smaller side is *built*, a chunk at a time, of which each thread keeps [`BUILT`] rows in registers: each key gets
//! a slot in a table, its rows are counted there, and brought together by slot. Then the rows of the other side are looked
//! up: a thread has for each of its rows a range of built rows, all with the same key. A range may be long and its
//! neighbour's empty; where that is so the ranges of a warp are numbered through, and each lane takes every 32nd of their
//! pairs.

use super::{key_of, row_of};
use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::of_lane;
use crate::primitives::owners;
use crate::primitives::sums::{warp_sums, warp_total};
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::join::{BUILT, LIGHT_OWN_WORDS, MISSING, hash, light_words};
use hyperblock_shared::layout::WARP;

/// Rows that a thread looks up at once.
const LOOKS: usize = 2;
const CHUNK: usize = BUILT as usize;
/// A lane does so many pairs of a match by itself.
const FEW: u32 = 4;

/// Two sides, partitioned alike; or one twice.
#[derive(Clone, Copy)]
pub struct LightSides<'a> {
    /// The tuples of each side.
    pub tuples: [&'a [u64]; 2],
    /// By partition: where its tuples start; and the next one's.
    pub starts: [&'a [u32]; 2],
}

/// What the blocks work on together.
#[derive(Clone, Copy)]
pub struct Light<'a> {
    /// What is joined.
    pub sides: LightSides<'a>,
    /// How many partitions there are.
    pub n_partitions: u32,
    /// Bits of the hash that all keys of a partition share.
    pub used: u32,
    /// Slots of the table: more than rows that are built at once, fewer than 65,536, and a multiple of 4.
    pub n_slots: u32,
}

/// What is done with pairs.
pub trait Consumer {
    /// Whether it wants to see them, not only how many they are.
    const SEES_PAIRS: bool;
    /// Whether it is large, and so must stand in one place only; and is called once more when all is done.
    const IS_LARGE: bool;

    /// Whether more pairs are of no use. One thread asks for its block.
    fn is_full(&self) -> bool;
    /// The warp comes with so many pairs next; where the first of them goes. All lanes come here together.
    fn begin(&self, block: &impl Block, n_pairs: u32) -> u64;
    /// A lane's pair, if it has one; where the warp's first one goes, and how many are before this one. All lanes come here
    /// together; when nothing `is_left`, for the last time.
    fn pair(&mut self, block: &impl Block, place: (u64, u32), pair: Option<(u32, u32)>, is_left: bool);
    /// The lane's pairs, if it was not to see them. All lanes come here together.
    fn end(&self, block: &impl Block, n_pairs: u64);
}

/// Counts pairs.
#[derive(Clone, Copy)]
pub struct Count<'a>(pub &'a AtomicU64);

impl Consumer for Count<'_> {
    const SEES_PAIRS: bool = false;
    const IS_LARGE: bool = false;

    #[inline(always)]
    fn is_full(&self) -> bool {
        false
    }

    #[inline(always)]
    fn begin(&self, _: &impl Block, _: u32) -> u64 {
        0
    }

    #[inline(always)]
    fn pair(&mut self, _: &impl Block, _: (u64, u32), _: Option<(u32, u32)>, _: bool) {}

    #[inline(always)]
    fn end(&self, block: &impl Block, n_pairs: u64) {
        let n_pairs = warp_total(block, n_pairs);
        if block.lane() == 0 && n_pairs > 0 {
            self.0.fetch_add(n_pairs, Relaxed);
        }
    }
}

/// Writes pairs, the left row in the lower half of a word, round and round.
#[derive(Clone, Copy)]
pub struct Pairs<'a, W> {
    /// How many there are.
    pub n_pairs: &'a AtomicU64,
    /// Room for at least one.
    pub pairs: &'a W,
}

impl<W: Words> Pairs<'_, W> {
    /// Takes room for some pairs: the place of the first.
    #[inline(always)]
    pub(crate) fn take(&self, n_pairs: u64) -> u64 {
        let place = self.n_pairs.fetch_add(n_pairs, Relaxed);
        // Dividing takes its time, and mostly there is room for all.
        if place < self.pairs.len() { place } else { place % self.pairs.len() }
    }

    /// Writes a pair, some places after one that was taken.
    #[inline(always)]
    pub(crate) fn set(&self, mut place: u64, (left, right): (u32, u32)) {
        // Once around at most, unless there is hardly any room; a division would take more registers than all the rest.
        while place >= self.pairs.len() {
            place -= self.pairs.len();
        }
        self.pairs.set(place, u64::from(left) | u64::from(right) << 32);
    }
}

impl<W: Words> Consumer for Pairs<'_, W> {
    const SEES_PAIRS: bool = true;
    const IS_LARGE: bool = false;

    #[inline(always)]
    fn is_full(&self) -> bool {
        false
    }

    #[inline(always)]
    fn begin(&self, block: &impl Block, n_pairs: u32) -> u64 {
        let first = if block.lane() == 0 { self.take(u64::from(n_pairs)) } else { 0 };
        of_lane(block, first, 0)
    }

    #[inline(always)]
    fn pair(&mut self, _: &impl Block, (first, nth): (u64, u32), pair: Option<(u32, u32)>, _: bool) {
        if let Some(pair) = pair {
            self.set(first + u64::from(nth), pair);
        }
    }

    #[inline(always)]
    fn end(&self, _: &impl Block, _: u64) {}
}

/// Tuples of one side.
#[derive(Clone, Copy)]
struct Rows<'a> {
    tuples: &'a [u64],
    from: u32,
    upto: u32,
}

/// A row, and the built ones with the same key: a range of their places.
#[derive(Clone, Copy, Default)]
struct Match {
    row: u32,
    start: u32,
    len: u32,
}

/// The kernel's body. With `SELF`, both sides are one, of which each pair of different rows is wanted once, the smaller row
/// left.
#[inline(always)]
pub fn light<const SELF: bool, C: Consumer>(block: &impl Block, light: &Light<'_>, consumer: &mut C) {
    let mut n_pairs = 0;
    let mut partition = block.block_ix();
    loop {
        let mut is_left = partition < light.n_partitions;
        if C::IS_LARGE {
            is_left = is_left && !is_full(block, consumer);
        }
        if !is_left && !C::IS_LARGE {
            break;
        }
        n_pairs += join::<SELF, C>(block, light, consumer, partition, is_left);
        if !is_left {
            break;
        }
        partition += block.n_blocks();
    }
    consumer.end(block, n_pairs);
}

/// Whether the consumer is full, the same for all threads of the block, which come here together.
#[inline(always)]
fn is_full(block: &impl Block, consumer: &impl Consumer) -> bool {
    block.barrier();
    if block.thread_ix() == 0 {
        block.set_shared(IS_FULL, u32::from(consumer.is_full()));
    }
    block.barrier();
    block.shared(IS_FULL) == 1
}

/// Joins a partition, or if nothing `is_left`, lets the consumer come to its end; how many pairs the thread found, if nobody
/// wants to see them.
#[inline(always)]
fn join<const SELF: bool, C: Consumer>(
    block: &impl Block,
    light: &Light<'_>,
    consumer: &mut C,
    partition: u32,
    is_left: bool,
) -> u64 {
    let LightSides { tuples, starts } = light.sides;
    let rows = |side: usize| {
        let (mut from, mut upto) = (0, 0);
        if is_left {
            (from, upto) = (starts[side][partition as usize], starts[side][partition as usize + 1]);
        }
        Rows { tuples: tuples[side], from, upto }
    };
    let (left, right) = (rows(0), rows(1));
    let is_right_built = right.upto - right.from < left.upto - left.from;
    let (built, looked_up) = if is_right_built { (right, left) } else { (left, right) };
    if is_left && (built.from == built.upto || looked_up.from == looked_up.upto) {
        return 0;
    }
    let mut n_pairs = 0;
    let mut from = built.from;
    loop {
        let upto = built.upto.min(from.saturating_add(BUILT * block.n_threads()));
        let table = Table::<SELF> { light, is_right_built, n_slots: n_slots(light, upto - from) };
        let mut own = [Match::default(); CHUNK];
        if is_left {
            own = table.build::<C>(block, &Rows { from, upto, ..built });
        }
        // Of one side, a chunk meets itself, and what comes after it.
        let mut n_own = if SELF { 0 } else { CHUNK };
        let others = if SELF { Rows { from: upto, ..looked_up } } else { looked_up };
        let mut other = others.from + block.warp_ix() * WARP * LOOKS as u32;
        while n_own < CHUNK || other < others.upto || !is_left {
            let mut matches = [Match::default(); LOOKS];
            if n_own < CHUNK {
                unrolled::<CHUNK>(|nth| {
                    if nth / LOOKS * LOOKS == n_own {
                        matches[nth % LOOKS] = own[nth];
                    }
                });
                n_own += LOOKS;
            } else if is_left {
                matches = table.look_up(block, &others, other);
                other += block.n_threads() * LOOKS as u32;
            }
            n_pairs += table.hand_over(block, &matches, consumer, is_left);
            if !is_left {
                break;
            }
        }
        from = upto;
        if from >= built.upto {
            return n_pairs;
        }
    }
}

/// Slots for so many rows: four for each, as far as there are.
#[inline(always)]
fn n_slots(light: &Light<'_>, n_rows: u32) -> u32 {
    light.n_slots.min(4 * n_rows)
}

/// The rows that are built. Words of shared memory: how many rows were given places; whether there is no room; by slot, keys; by slot, where its rows
/// end in the upper half, and how many they are in the lower; then the rows.
struct Table<'a, const SELF: bool> {
    light: &'a Light<'a>,
    is_right_built: bool,
    n_slots: u32,
}

const N_PLACED: u32 = 0;
const IS_FULL: u32 = 1;
const SLOTS: u32 = LIGHT_OWN_WORDS;
const _: () = assert!(SLOTS.is_multiple_of(4));
// Keys and ends by slot, and the rows that are built.
const _: () = assert!(light_words(40, 96, true) == SLOTS + 2 * 40 + BUILT * 96);
const _: () = assert!(light_words(40, 96, false) == SLOTS + 2 * 40);

/// How much one more row adds to where a slot's rows end.
const ONE_PLACE: u32 = 1 << 16;
const COUNT: u32 = ONE_PLACE - 1;

impl<const SELF: bool> Table<'_, SELF> {
    /// The first word of the counts and ends, and of the rows.
    #[inline(always)]
    fn ends(&self) -> u32 {
        SLOTS + self.light.n_slots
    }

    #[inline(always)]
    fn rows(&self) -> u32 {
        self.ends() + self.light.n_slots
    }

    /// The slot where a look for a key begins: by the bits of its hash that tell keys of a partition apart.
    #[inline(always)]
    fn first_slot(&self, key: u32) -> u32 {
        let bits = hash(key) << self.light.used;
        ((u64::from(bits) * u64::from(self.n_slots)) >> 32) as u32
    }

    #[inline(always)]
    fn next_slot(&self, slot: u32) -> u32 {
        if slot + 1 == self.n_slots { 0 } else { slot + 1 }
    }

    /// Builds a chunk; of one side with itself, the matches within it, of the thread's own rows.
    #[inline(always)]
    fn build<C: Consumer>(&self, block: &impl Block, chunk: &Rows<'_>) -> [Match; CHUNK] {
        let (thread, n_threads) = (block.thread_ix(), block.n_threads());
        let mut tuples = [u64::from(MISSING); CHUNK];
        unrolled::<CHUNK>(|nth| {
            let ix = chunk.from + nth as u32 * n_threads + thread;
            if ix < chunk.upto {
                tuples[nth] = chunk.tuples[ix as usize];
            }
        });
        // Nobody looks at the last chunk any more.
        block.barrier();
        let mut slot = 4 * thread;
        while slot < self.n_slots {
            block.set_shared_quad(SLOTS + slot, [MISSING; 4]);
            block.set_shared_quad(self.ends() + slot, [0; 4]);
            slot += 4 * n_threads;
        }
        if thread == 0 {
            block.set_shared(N_PLACED, 0);
        }
        block.barrier();
        // How many rows each key has.
        let mut slots = [0; CHUNK];
        unrolled::<CHUNK>(|nth| {
            let key = key_of(tuples[nth]);
            if key != MISSING {
                slots[nth] = self.enter(block, key);
                block.shared_add(self.ends() + slots[nth], 1);
            }
            // Looks are of different lengths: from here on all lanes go together again.
            block.warp_barrier();
        });
        block.barrier();
        let mut matches = [Match::default(); CHUNK];
        if !C::SEES_PAIRS && !SELF {
            return matches;
        }
        self.give_places(block);
        unrolled::<CHUNK>(|nth| {
            if key_of(tuples[nth]) != MISSING {
                let place = block.shared_add(self.ends() + slots[nth], ONE_PLACE) / ONE_PLACE;
                if C::SEES_PAIRS {
                    block.set_shared(self.rows() + place, row_of(tuples[nth]));
                }
                if SELF {
                    matches[nth] = Match { row: row_of(tuples[nth]), start: place, len: 0 };
                }
            }
        });
        block.barrier();
        if SELF {
            // Each row with those of its key that were placed before it.
            unrolled::<CHUNK>(|nth| {
                if key_of(tuples[nth]) != MISSING {
                    let place = matches[nth].start;
                    let (start, _) = self.places(block, slots[nth]);
                    (matches[nth].start, matches[nth].len) = (start, place - start);
                }
            });
        }
        matches
    }

    /// A key's slot, which it gets now if it has none yet.
    #[inline(always)]
    fn enter(&self, block: &impl Block, key: u32) -> u32 {
        let mut slot = self.first_slot(key);
        loop {
            let mut seen = block.shared(SLOTS + slot);
            if seen == MISSING {
                seen = block.shared_swap(SLOTS + slot, MISSING, key);
            }
            if seen == MISSING || seen == key {
                return slot;
            }
            slot = self.next_slot(slot);
        }
    }

    /// Says where the rows of each slot start: from now on the upper half, to which each row that is placed adds one.
    #[inline(always)]
    fn give_places(&self, block: &impl Block) {
        let first = block.warp_ix() * WARP;
        let mut from = first;
        while from < self.n_slots {
            let slot = from + block.lane();
            let n = if slot < self.n_slots { block.shared(self.ends() + slot) } else { 0 };
            let upto_here = warp_sums(block, n);
            let mut start = 0;
            if block.lane() == WARP - 1 && upto_here > 0 {
                start = block.shared_add(N_PLACED, upto_here);
            }
            start = block.broadcast(start, WARP - 1) + upto_here - n;
            if n > 0 {
                block.set_shared(self.ends() + slot, start * ONE_PLACE + n);
            }
            from += block.n_threads();
        }
        block.barrier();
    }

    /// A key's slot, if it has one.
    #[inline(always)]
    fn find(&self, block: &impl Block, key: u32) -> Option<u32> {
        let mut slot = self.first_slot(key);
        loop {
            let seen = block.shared(SLOTS + slot);
            if seen == key {
                return Some(slot);
            }
            if seen == MISSING {
                return None;
            }
            slot = self.next_slot(slot);
        }
    }

    /// Where a slot's rows start, and how many they are, when all are placed.
    #[inline(always)]
    fn places(&self, block: &impl Block, slot: u32) -> (u32, u32) {
        let word = block.shared(self.ends() + slot);
        ((word / ONE_PLACE).wrapping_sub(word & COUNT), word & COUNT)
    }

    /// The matches of other rows, from one on, with the built ones.
    #[inline(always)]
    fn look_up(&self, block: &impl Block, others: &Rows<'_>, from: u32) -> [Match; LOOKS] {
        let mut tuples = [u64::from(MISSING); LOOKS];
        unrolled::<LOOKS>(|nth| {
            let ix = from + nth as u32 * WARP + block.lane();
            if ix < others.upto {
                tuples[nth] = others.tuples[ix as usize];
            }
        });
        let mut matches = [Match::default(); LOOKS];
        unrolled::<LOOKS>(|nth| {
            let key = key_of(tuples[nth]);
            if key != MISSING
                && let Some(slot) = self.find(block, key)
            {
                let (start, len) = self.places(block, slot);
                matches[nth] = Match { row: row_of(tuples[nth]), start, len };
            }
            block.warp_barrier();
        });
        matches
    }

    /// Hands the pairs that the warp's lanes have found to the consumer; or how many the lane found.
    #[inline(always)]
    fn hand_over<C: Consumer>(
        &self,
        block: &impl Block,
        matches: &[Match; LOOKS],
        consumer: &mut C,
        is_left: bool,
    ) -> u64 {
        let own: u32 = matches.iter().map(|it| it.len).sum();
        if !C::SEES_PAIRS {
            return u64::from(own);
        }
        let upto_here = warp_sums(block, own);
        let n_pairs = block.broadcast(upto_here, WARP - 1);
        if n_pairs == 0 && is_left {
            return 0;
        }
        let first = consumer.begin(block, n_pairs);
        if C::IS_LARGE {
            let mut nth = 0;
            while nth < LOOKS {
                let mut it = Match::default();
                unrolled::<LOOKS>(|other| {
                    if other == nth {
                        it = matches[other];
                    }
                });
                self.together(block, &it, (first, 0), consumer, is_left);
                nth += 1;
            }
            return 0;
        }
        let most = matches.iter().map(|it| it.len).max().unwrap_or(0);
        if block.ballot(most > FEW) == 0 {
            self.one_by_one(block, matches, (first, upto_here - own), consumer);
            return 0;
        }
        let mut n_before = 0;
        unrolled::<LOOKS>(|nth| {
            n_before += self.together(block, &matches[nth], (first, n_before), consumer, true);
        });
        0
    }

    /// Each lane does the pairs of its own matches, all of them short.
    #[inline(always)]
    fn one_by_one<C: Consumer>(
        &self,
        block: &impl Block,
        matches: &[Match; LOOKS],
        (first, n_before): (u64, u32),
        consumer: &mut C,
    ) {
        let mut nth_pair = n_before;
        unrolled::<LOOKS>(|nth| {
            let it = matches[nth];
            let mut ix = 0;
            while block.ballot(ix < it.len) != 0 {
                let pair = (ix < it.len).then(|| self.pair(block, it.start + ix, it.row));
                consumer.pair(block, (first, nth_pair), pair, true);
                nth_pair += u32::from(pair.is_some());
                ix += 1;
            }
        });
    }

    /// The pairs of one match a lane, done by all lanes; how many they are.
    #[inline(always)]
    fn together<C: Consumer>(
        &self,
        block: &impl Block,
        own: &Match,
        (first, n_before): (u64, u32),
        consumer: &mut C,
        is_left: bool,
    ) -> u32 {
        let upto_here = warp_sums(block, own.len);
        let n_pairs = block.broadcast(upto_here, WARP - 1);
        let before = upto_here - own.len;
        // A place less the number of the pair is the same for all pairs of a match.
        let offset = own.start.wrapping_sub(before);
        let mut nth = block.lane();
        let mut is_first = !is_left;
        while nth - block.lane() < n_pairs || is_first {
            is_first = false;
            let lane = owners::of_warp(block, before, nth);
            let built = block.broadcast(offset, lane).wrapping_add(nth);
            let other = block.broadcast(own.row, lane);
            let pair = (nth < n_pairs).then(|| self.pair(block, built, other));
            consumer.pair(block, (first, n_before + nth), pair, is_left);
            nth += WARP;
        }
        n_pairs
    }

    /// A pair of a built row and another, the way round that is wanted.
    #[inline(always)]
    fn pair(&self, block: &impl Block, place: u32, other: u32) -> (u32, u32) {
        let built = block.shared(self.rows() + place);
        let (left, right) = if self.is_right_built { (other, built) } else { (built, other) };
        let is_turned = SELF && left > right;
        if is_turned { (right, left) } else { (left, right) }
    }
}

const _: () = assert!(CHUNK.is_multiple_of(LOOKS));
