//! GSH: the join of 'CPU and GPU Hash Joins on Skewed Data' (2025), behind the engine's passes over both sides.
//!
//! Computes  the keys that come up most in partitions that are too large for a table; those partitions, divided; all pairs of
//!           what is left, and of those keys
//! Layout    tuples of both sides, by partition. Of large ones tuples by class: all skewed keys, `top` for each large
//!           partition, then what is left of each
//! Launch    `list`, `products`: 1-D, any; `detect`, `measure`, `divide`, `normal`, `skewed`: 1-D, any number of blocks,
//!           `DETECT_WORDS`, `DIVIDE_WORDS` twice, `chained_words`, `SKEWED_WORDS`; `starts` of `crate::join` in between
//! Cost      one row of `one_of` is sampled; large partitions are read twice and written once; right rows of a skewed key are
//!           read once for each left one
//! Next      the host knows the number of pairs, and where they are
//!
//! What the paper leaves open is done so: a partition is large if either side has more rows than a table holds; both of its
//! sides are sampled together; and where pairs are only counted, the rows of a skewed key are multiplied.

use super::NONE;
use super::chained::{Sink, Table};
use crate::block::Block;
use crate::join::{LightSides, Pairs, key_of, row_of};
use crate::memory::Words;
use crate::primitives::lanes::{below, for_each};
use crate::primitives::owners;
use crate::primitives::sums::warp_total;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::baselines::{BATCH, DETECT_WORDS, DIVIDE_WORDS, MOST_TOP, SAMPLE_SLOTS, SKEWED_WORDS};
use hyperblock_shared::join::{MISSING, SUM_WORDS, hash};
use hyperblock_shared::layout::WARP;

const ITEMS: usize = BATCH as usize;

/// What a class has of a side's tuples.
#[inline(always)]
fn rows<'a>(tuples: &'a [u64], starts: &[u32], class: u32) -> &'a [u64] {
    &tuples[starts[class as usize] as usize..starts[class as usize + 1] as usize]
}

/// Where large partitions are listed, in any order.
#[derive(Clone, Copy)]
pub struct Large<'a> {
    /// By partition: which large one it is, or [`NONE`].
    pub numbers: &'a [AtomicU32],
    /// By large partition: which partition it is.
    pub partitions: &'a [AtomicU32],
    /// By large partition: its rows of each side.
    pub n_rows: [&'a [AtomicU32]; 2],
    /// How many there are.
    pub n_large: &'a AtomicU32,
}

/// Lists the partitions that have more than so many rows on a side.
#[inline(always)]
pub fn list(block: &impl Block, sides: &LightSides<'_>, most_rows: u32, large: &Large<'_>) {
    for_each(block, large.numbers.len(), |partition| {
        let n_rows = |side: usize| sides.starts[side][partition + 1] - sides.starts[side][partition];
        let (n_left, n_right) = (n_rows(0), n_rows(1));
        let mut number = NONE;
        if n_left.max(n_right) > most_rows {
            number = large.n_large.fetch_add(1, Relaxed);
            large.partitions[number as usize].store(partition as u32, Relaxed);
            large.n_rows[0][number as usize].store(n_left, Relaxed);
            large.n_rows[1][number as usize].store(n_right, Relaxed);
        }
        large.numbers[partition].store(number, Relaxed);
    });
}

/// What is looked for in large partitions.
#[derive(Clone, Copy)]
pub struct Detect<'a> {
    /// One row of so many is looked at.
    pub one_of: u32,
    /// So many keys are skewed, at most [`MOST_TOP`].
    pub top: u32,
    /// By large partition: those, or [`MISSING`] where there are fewer.
    pub keys: &'a [AtomicU32],
    /// How many there are.
    pub n_skewed: &'a AtomicU32,
}

// Words of shared memory: for each warp one, then keys by slot, and how often they came up.
const SLOTS: u32 = SUM_WORDS;
const COUNTS: u32 = SLOTS + SAMPLE_SLOTS;
const _: () = assert!(DETECT_WORDS == COUNTS + SAMPLE_SLOTS);
/// Slots that are looked at for a key: one that finds no room among them is not counted.
const MOST_LOOKS: u32 = 32;
/// Counts above this are all the same: a count and a slot share a word.
const MOST_COUNT: u32 = u32::MAX / SAMPLE_SLOTS;

/// Finds the keys that come up most in a sample of each large partition, both sides together. Blocks take partitions in turns.
#[inline(always)]
pub fn detect(block: &impl Block, sides: &LightSides<'_>, large: &[u32], detect: &Detect<'_>) {
    let mut number = block.block_ix();
    while let Some(&partition) = large.get(number as usize) {
        let mut slot = block.thread_ix();
        while slot < SAMPLE_SLOTS {
            block.set_shared(SLOTS + slot, MISSING);
            block.set_shared(COUNTS + slot, 0);
            slot += block.n_threads();
        }
        block.barrier();
        sample(block, rows(sides.tuples[0], sides.starts[0], partition), detect.one_of);
        sample(block, rows(sides.tuples[1], sides.starts[1], partition), detect.one_of);
        block.barrier();
        for nth in 0..detect.top {
            let key = most_frequent(block);
            if block.thread_ix() == 0 {
                detect.keys[(number * detect.top + nth) as usize].store(key, Relaxed);
                if key != MISSING {
                    detect.n_skewed.fetch_add(1, Relaxed);
                }
            }
        }
        number += block.n_blocks();
    }
}

/// Counts some keys.
#[inline(always)]
fn sample(block: &impl Block, tuples: &[u64], one_of: u32) {
    let mut nth = block.thread_ix();
    loop {
        // Somewhere in the step: rows may come in a rhythm.
        let ix = u64::from(nth) * u64::from(one_of) + u64::from(hash(nth) % one_of);
        let Some(&tuple) = tuples.get(ix as usize) else { break };
        add(block, key_of(tuple));
        nth += block.n_threads();
    }
}

#[inline(always)]
fn add(block: &impl Block, key: u32) {
    let mut slot = hash(key) & (SAMPLE_SLOTS - 1);
    for _ in 0..MOST_LOOKS {
        let mut seen = block.shared(SLOTS + slot);
        if seen == MISSING {
            seen = block.shared_swap(SLOTS + slot, MISSING, key);
        }
        if seen == MISSING || seen == key {
            block.shared_add(COUNTS + slot, 1);
            return;
        }
        slot = (slot + 1) & (SAMPLE_SLOTS - 1);
    }
}

/// The key that came up most, or none; from now on it came up never. All threads come here together.
#[inline(always)]
fn most_frequent(block: &impl Block) -> u32 {
    let (thread, n_threads) = (block.thread_ix(), block.n_threads());
    let mut most = 0;
    let mut slot = thread;
    while slot < SAMPLE_SLOTS {
        let count = block.shared(COUNTS + slot).min(MOST_COUNT);
        most = most.max(count * SAMPLE_SLOTS + slot);
        slot += n_threads;
    }
    most = most_of_warp(block, most);
    if block.lane() == 0 {
        block.set_shared(block.warp_ix(), most);
    }
    block.barrier();
    let own = if block.lane() < n_threads / WARP { block.shared(block.lane()) } else { 0 };
    most = most_of_warp(block, own);
    let slot = most % SAMPLE_SLOTS;
    let key = if most / SAMPLE_SLOTS > 0 { block.shared(SLOTS + slot) } else { MISSING };
    if thread == 0 {
        block.set_shared(COUNTS + slot, 0);
    }
    // The words may be used again.
    block.barrier();
    key
}

/// The greatest number that a lane brings. All lanes come here together.
#[inline(always)]
fn most_of_warp(block: &impl Block, own: u32) -> u32 {
    let mut most = own;
    let mut distance = WARP / 2;
    while distance > 0 {
        most = most.max(block.broadcast(most, block.lane() ^ distance));
        distance /= 2;
    }
    most
}

/// Large partitions of a side, and what they are divided by.
#[derive(Clone, Copy)]
pub struct Division<'a> {
    /// The side's tuples.
    pub tuples: &'a [u64],
    /// By partition: where its tuples start; and the next one's.
    pub starts: &'a [u32],
    /// By large partition: which partition it is.
    pub large: &'a [u32],
    /// By large partition: the number of its first tile; and at the end, how many there are.
    pub tiles: &'a [u32],
    /// By large partition: `top` keys.
    pub keys: &'a [u32],
    /// How many that are.
    pub top: u32,
}

/// Rows of a large partition.
struct Tile<'a> {
    number: u32,
    tuples: &'a [u64],
}

// Words of shared memory, by class of a partition: its key, its rows in a tile, and where they go.
const KEYS: u32 = 0;
const SEEN: u32 = MOST_TOP + 1;
const FIRSTS: u32 = 2 * (MOST_TOP + 1);
const _: () = assert!(DIVIDE_WORDS == FIRSTS + MOST_TOP + 1);
// A warp has a thread for each.
const _: () = assert!(MOST_TOP < WARP);

impl<'a> Division<'a> {
    #[inline(always)]
    fn n_tiles(&self) -> u32 {
        self.tiles[self.large.len()]
    }

    #[inline(always)]
    fn tile(&self, block: &impl Block, tile: u32) -> Tile<'a> {
        let number = owners::alone(self.tiles, tile);
        let tuples = rows(self.tuples, self.starts, self.large[number as usize]);
        let n_rows = (BATCH * block.n_threads()) as usize;
        let from = (tile - self.tiles[number as usize]) as usize * n_rows;
        Tile { number, tuples: &tuples[from..tuples.len().min(from + n_rows)] }
    }

    /// Which class that of a large partition is among those of all.
    #[inline(always)]
    fn class(&self, number: u32, of_partition: u32) -> usize {
        let n_large = self.large.len() as u32;
        let class = match of_partition < self.top {
            true => number * self.top + of_partition,
            false => n_large * self.top + number,
        };
        class as usize
    }

    /// A tile's tuples; of each that is one its class, and in the lower half its rank in that. Then shared memory has how many
    /// each class has. All threads come here together.
    #[inline(always)]
    fn ranked(&self, block: &impl Block, Tile { number, tuples }: &Tile<'_>) -> [(u64, u32); ITEMS] {
        let (thread, n_threads) = (block.thread_ix(), block.n_threads());
        // Nobody reads the last tile's any more.
        block.barrier();
        if thread <= self.top {
            let nth = (number * self.top + thread) as usize;
            block.set_shared(KEYS + thread, if thread < self.top { self.keys[nth] } else { MISSING });
            block.set_shared(SEEN + thread, 0);
        }
        block.barrier();
        let mut ranked = [(u64::from(MISSING), NONE); ITEMS];
        unrolled::<ITEMS>(|nth| {
            if let Some(&tuple) = tuples.get((nth as u32 * n_threads + thread) as usize) {
                ranked[nth].0 = tuple;
            }
        });
        unrolled::<ITEMS>(|nth| {
            let key = key_of(ranked[nth].0);
            let mut own = if key == MISSING { NONE } else { self.top };
            for class in 0..self.top {
                if key != MISSING && block.shared(KEYS + class) == key {
                    own = class;
                }
            }
            for class in 0..=self.top {
                let having = block.ballot(own == class);
                let mut first = 0;
                if block.lane() == 0 && having != 0 {
                    first = block.shared_add(SEEN + class, having.count_ones());
                }
                first = block.broadcast(first, 0);
                if own == class {
                    ranked[nth].1 = class << 16 | (first + below(block, having));
                }
            }
        });
        block.barrier();
        ranked
    }
}

/// Adds the tuples of each class to `counts`.
#[inline(always)]
pub fn measure(block: &impl Block, division: &Division<'_>, counts: &[AtomicU32]) {
    let mut tile = block.block_ix();
    while tile < division.n_tiles() {
        let part = division.tile(block, tile);
        division.ranked(block, &part);
        let class = block.thread_ix();
        if class <= division.top {
            counts[division.class(part.number, class)].fetch_add(block.shared(SEEN + class), Relaxed);
        }
        tile += block.n_blocks();
    }
}

/// Writes the tuples of each class where its cursor says.
#[inline(always)]
pub fn divide(block: &impl Block, division: &Division<'_>, cursors: &[AtomicU32], divided: &impl Words) {
    let mut tile = block.block_ix();
    while tile < division.n_tiles() {
        let part = division.tile(block, tile);
        let ranked = division.ranked(block, &part);
        let class = block.thread_ix();
        if class <= division.top {
            let cursor = &cursors[division.class(part.number, class)];
            block.set_shared(FIRSTS + class, cursor.fetch_add(block.shared(SEEN + class), Relaxed));
        }
        block.barrier();
        unrolled::<ITEMS>(|nth| {
            let (tuple, rank) = ranked[nth];
            if rank != NONE {
                let place = block.shared(FIRSTS + (rank >> 16)) + (rank & 0xffff);
                divided.set(u64::from(place), tuple);
            }
        });
        tile += block.n_blocks();
    }
}

/// What tables join.
#[derive(Clone, Copy)]
pub struct Normal<'a> {
    /// Both sides, by partition.
    pub sides: LightSides<'a>,
    /// By partition: which large one it is, or [`NONE`].
    pub numbers: &'a [u32],
    /// What is left of both sides, by large partition.
    pub rests: LightSides<'a>,
    /// The table of a block.
    pub table: Table,
}

/// Joins partitions, or what is left of them: left rows are built, as many at a time as a table holds, and right ones looked
/// up. Blocks take partitions in turns.
#[inline(always)]
pub fn normal<S: Sink>(block: &impl Block, normal: &Normal<'_>, sink: &mut S) {
    let mut partition = block.block_ix();
    while let Some(&number) = normal.numbers.get(partition as usize) {
        let (sides, ix) = if number == NONE { (&normal.sides, partition) } else { (&normal.rests, number) };
        let mut left = rows(sides.tuples[0], sides.starts[0], ix);
        let right = rows(sides.tuples[1], sides.starts[1], ix);
        while !left.is_empty() && !right.is_empty() {
            let (built, rest) = left.split_at(left.len().min(normal.table.n_rows as usize));
            normal.table.build::<S>(block, built);
            normal.table.look_up(block, right, sink);
            left = rest;
        }
        partition += block.n_blocks();
    }
    sink.end(block);
}

/// The rows of skewed keys.
#[derive(Clone, Copy)]
pub struct Skewed<'a> {
    /// The tuples of each side.
    pub tuples: [&'a [u64]; 2],
    /// By skewed key: where its tuples start; and at the end, how many there are.
    pub starts: [&'a [u32]; 2],
}

/// Adds the number of pairs that skewed keys have.
#[inline(always)]
pub fn products(block: &impl Block, skewed: &Skewed<'_>, n_pairs: &AtomicU64) {
    let mut own = 0;
    for_each(block, skewed.starts[0].len() - 1, |key| {
        let [left, right] = skewed.starts.map(|starts| starts[key + 1] - starts[key]);
        own += u64::from(left) * u64::from(right);
    });
    let all = warp_total(block, own);
    if block.lane() == 0 && all > 0 {
        n_pairs.fetch_add(all, Relaxed);
    }
}

/// Right rows that a thread loads at once.
const AT_ONCE: usize = 4;

/// Writes the pairs of skewed keys: a block has a left row, and its threads go through the right ones.
#[inline(always)]
pub fn skewed(block: &impl Block, skewed: &Skewed<'_>, n_pairs: &AtomicU64, pairs: &Pairs<'_, impl Words>) {
    const { assert!(SKEWED_WORDS == 2) };
    let Skewed { tuples, starts } = *skewed;
    let n_lefts = starts[0][starts[0].len() - 1];
    let mut own = 0;
    let mut left = block.block_ix();
    while left < n_lefts {
        let key = owners::in_array(block, starts[0], left);
        let rights = rows(tuples[1], starts[1], key);
        if !rights.is_empty() {
            // All know where the last row's pairs went.
            block.barrier();
            if block.thread_ix() == 0 {
                let first = pairs.take(rights.len() as u64);
                block.set_shared(0, first as u32);
                block.set_shared(1, (first >> 32) as u32);
                own += rights.len() as u64;
            }
            block.barrier();
            let first = u64::from(block.shared(0)) | u64::from(block.shared(1)) << 32;
            let row = row_of(tuples[0][left as usize]);
            let mut right = block.thread_ix() as usize;
            while right < rights.len() {
                let place = |nth: usize| right + nth * block.n_threads() as usize;
                let mut held = [0; AT_ONCE];
                unrolled::<AT_ONCE>(|nth| {
                    if let Some(&tuple) = rights.get(place(nth)) {
                        held[nth] = row_of(tuple);
                    }
                });
                unrolled::<AT_ONCE>(|nth| {
                    if place(nth) < rights.len() {
                        pairs.set(first + place(nth) as u64, (row, held[nth]));
                    }
                });
                right += AT_ONCE * block.n_threads() as usize;
            }
        }
        left += block.n_blocks();
    }
    if own > 0 {
        n_pairs.fetch_add(own, Relaxed);
    }
}
