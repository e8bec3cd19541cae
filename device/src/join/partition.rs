//! Partitioning: rows of the same class come to stand together.
//!
//! Computes  counts[class] = how many rows have a key of the class; then tuples, by class
//! Layout    segments of the source, each cut into tiles; classes are numbered by segment
//! Launch    `count`, `partition`: 1-D, any number of blocks, `count_words`, `partition_words`; `starts`: one block, `SUM_WORDS`
//! Cost      keys are read once to count and once to place, rows once, tuples written once
//! Next      `light` and `heavy`, or a second, finer pass in which each partition of the first is a segment
//!
//! A tile's rows are ranked within their class by an atomic in shared memory, and brought together there; room for them is
//! asked for with one atomic a class in device memory. So neighbours write next to each other.

use super::classes::Classes;
use super::{key_of, row_of, tuple};
use crate::block::Block;
use crate::memory::Words;
use crate::primitives::owners;
use crate::primitives::sums::block_sums;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::join::{ITEMS, MISSING, SUM_WORDS, count_words, partition_words};

/// Rows that a thread loads at once when it only counts.
const AT_ONCE: usize = 8;

/// Where rows come from.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// A side as it was loaded. Without rows, the place is the row.
    Side {
        /// By place.
        keys: &'a [u32],
        /// By place, or none.
        rows: &'a [u32],
    },
    /// What an earlier pass wrote, or who listed the records.
    Tuples(&'a [u64]),
}

impl Source<'_> {
    #[inline(always)]
    fn key(&self, ix: u32) -> u32 {
        match self {
            Self::Side { keys, .. } => keys[ix as usize],
            Self::Tuples(tuples) => key_of(tuples[ix as usize]),
        }
    }

    /// A key and its row.
    #[inline(always)]
    pub(crate) fn both(&self, ix: u32) -> (u32, u32) {
        match self {
            Self::Side { keys, rows: [] } => (keys[ix as usize], ix),
            Self::Side { keys, rows } => (keys[ix as usize], rows[ix as usize]),
            Self::Tuples(tuples) => {
                let tuple = tuples[ix as usize];
                (key_of(tuple), row_of(tuple))
            }
        }
    }
}

/// A pass over a side.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// What is partitioned.
    pub source: Source<'a>,
    /// By segment: where its rows start; and at the end, how many there are.
    pub segments: &'a [u32],
    /// By segment: the number of its first tile; and at the end, how many there are.
    pub tiles: &'a [u32],
    /// The classes of each segment.
    pub classes: Classes<'a>,
}

/// Rows of one segment.
struct Tile {
    segment: u32,
    from: u32,
    upto: u32,
}

impl Pass<'_> {
    #[inline(always)]
    fn n_tiles(&self) -> u32 {
        self.tiles[self.tiles.len() - 1]
    }

    #[inline(always)]
    fn tile(&self, block: &impl Block, tile: u32) -> Tile {
        let segment = owners::alone(self.tiles, tile);
        let n_rows = ITEMS * block.n_threads();
        let from = self.segments[segment as usize] + (tile - self.tiles[segment as usize]) * n_rows;
        let upto = self.segments[segment as usize + 1].min(from.saturating_add(n_rows));
        Tile { segment, from, upto }
    }
}

/// Adds the rows of each class, by segment, to `counts`.
#[inline(always)]
pub fn count(block: &impl Block, pass: &Pass<'_>, counts: &[AtomicU32]) {
    let (thread, n_threads, n_classes) = (block.thread_ix(), block.n_threads(), pass.classes.n());
    let seen = Classes::WORDS;
    pass.classes.load(block, 0);
    clear(block, seen, n_classes);
    block.barrier();
    let mut segment = 0;
    let mut tile = block.block_ix();
    while tile < pass.n_tiles() {
        let part = pass.tile(block, tile);
        if part.segment != segment {
            flush(block, seen, n_classes, counts, segment);
            segment = part.segment;
        }
        let mut from = part.from;
        while from < part.upto {
            let mut keys = [MISSING; AT_ONCE];
            unrolled::<AT_ONCE>(|nth| {
                let ix = from + nth as u32 * n_threads + thread;
                if ix < part.upto {
                    keys[nth] = pass.source.key(ix);
                }
            });
            unrolled::<AT_ONCE>(|nth| {
                if keys[nth] != MISSING {
                    block.shared_add(seen + pass.classes.of(block, 0, keys[nth]), 1);
                }
                // Looks for heavy keys are of different lengths: from here on all lanes go together again.
                block.warp_barrier();
            });
            from += AT_ONCE as u32 * n_threads;
        }
        tile += block.n_blocks();
    }
    flush(block, seen, n_classes, counts, segment);
}

/// Adds what was seen of a segment to the counts, and begins anew.
#[inline(always)]
fn flush(block: &impl Block, seen: u32, n_classes: u32, counts: &[AtomicU32], segment: u32) {
    block.barrier();
    let mut class = block.thread_ix();
    while class < n_classes {
        let n = block.shared(seen + class);
        if n > 0 {
            counts[(segment * n_classes + class) as usize].fetch_add(n, Relaxed);
            block.set_shared(seen + class, 0);
        }
        class += block.n_threads();
    }
    block.barrier();
}

#[inline(always)]
fn clear(block: &impl Block, words: u32, n: u32) {
    let mut ix = block.thread_ix();
    while ix < n {
        block.set_shared(words + ix, 0);
        ix += block.n_threads();
    }
}

/// What follows from how many rows each class has.
#[derive(Clone, Copy)]
pub struct Counts<'a> {
    /// By class, over all segments.
    pub counts: &'a [u32],
    /// By class: where its rows start; and at the end, how many there are.
    pub starts: &'a [AtomicU32],
    /// By class: where its next row goes; at first, where the first does.
    pub cursors: &'a [AtomicU32],
    /// By class: the number of its first tile in the next pass; and at the end, how many there are. As many classes as it has room for.
    pub tiles: &'a [AtomicU32],
    /// Rows of a tile in the next pass.
    pub tile_rows: u32,
}

/// Where the rows of each class start. One block, which takes a class a thread at a time.
#[inline(always)]
pub fn starts(block: &impl Block, counts: &Counts<'_>) {
    let n = counts.counts.len() as u32;
    let n_cut = (counts.tiles.len() as u32).saturating_sub(1);
    let (mut start, mut tile) = (0, 0);
    let mut from = 0;
    while from < n {
        let class = from + block.thread_ix();
        let count = if class < n { counts.counts[class as usize] } else { 0 };
        let (before, rows) = block_sums(block, count, 0);
        if class < n {
            counts.starts[class as usize].store(start + before, Relaxed);
            counts.cursors[class as usize].store(start + before, Relaxed);
        }
        start += rows;
        if from < n_cut {
            let n_tiles = if class < n_cut { count.div_ceil(counts.tile_rows) } else { 0 };
            let (before, tiles) = block_sums(block, n_tiles, 0);
            if class < n_cut {
                counts.tiles[class as usize].store(tile + before, Relaxed);
            }
            tile += tiles;
        }
        from += block.n_threads();
    }
    if block.thread_ix() == 0 {
        counts.starts[n as usize].store(start, Relaxed);
        if !counts.tiles.is_empty() {
            counts.tiles[n_cut as usize].store(tile, Relaxed);
        }
    }
}

/// Where in shared memory what a block needs begins, behind the words for sums, and where it ends: heavy keys; by class the
/// rows of the tile, and then where they start in it; what is to be added to that to have their places in device memory; and
/// the tile's keys and rows, by class.
const fn places(n_classes: u32, n_threads: u32) -> [u32; 6] {
    let firsts = SUM_WORDS + Classes::WORDS;
    let staged = firsts + 2 * n_classes;
    let rows = ITEMS * n_threads;
    [SUM_WORDS, firsts, firsts + n_classes, staged, staged + rows, staged + 2 * rows]
}

const _: () =
    assert!(places(7, 96)[5] == partition_words(7, 96) && places(512, 1024)[5] == partition_words(512, 1024));
const _: () = assert!(count_words(7) == Classes::WORDS + 7);

/// Nothing is placed.
const NONE: u32 = u32::MAX;

/// Writes the tuples of each class, by segment, where its cursor says.
#[inline(always)]
pub fn partition(block: &impl Block, pass: &Pass<'_>, cursors: &[AtomicU32], tuples: &impl Words) {
    let (thread, n_threads, n_classes) = (block.thread_ix(), block.n_threads(), pass.classes.n());
    let [slots, firsts, shifts, staged_keys, staged_rows, _] = places(n_classes, n_threads);
    pass.classes.load(block, slots);
    clear(block, firsts, n_classes);
    let mut tile = block.block_ix();
    while tile < pass.n_tiles() {
        let part = pass.tile(block, tile);
        block.barrier();
        let place = |nth: usize| part.from + nth as u32 * n_threads + thread;
        let (mut keys, mut rows) = ([MISSING; ITEMS as usize], [0; ITEMS as usize]);
        unrolled::<{ ITEMS as usize }>(|nth| {
            if place(nth) < part.upto {
                (keys[nth], rows[nth]) = pass.source.both(place(nth));
            }
        });
        // A class, and a rank in it.
        let mut ranked = [NONE; ITEMS as usize];
        unrolled::<{ ITEMS as usize }>(|nth| {
            if keys[nth] != MISSING {
                let class = pass.classes.of(block, slots, keys[nth]);
                ranked[nth] = class << 16 | block.shared_add(firsts + class, 1);
            }
            block.warp_barrier();
        });
        block.barrier();
        let n_rows = reserve(block, part.segment, cursors, [firsts, shifts], n_classes);
        unrolled::<{ ITEMS as usize }>(|nth| {
            if ranked[nth] != NONE {
                let staged = block.shared(firsts + (ranked[nth] >> 16)) + (ranked[nth] & 0xffff);
                block.set_shared(staged_keys + staged, keys[nth]);
                block.set_shared(staged_rows + staged, rows[nth]);
            }
        });
        block.barrier();
        clear(block, firsts, n_classes);
        unrolled::<{ ITEMS as usize }>(|nth| {
            let staged = nth as u32 * n_threads + thread;
            if staged < n_rows {
                let (key, row) = (block.shared(staged_keys + staged), block.shared(staged_rows + staged));
                let shift = block.shared(shifts + pass.classes.of(block, slots, key));
                tuples.set(u64::from(shift.wrapping_add(staged)), tuple(key, row));
            }
            block.warp_barrier();
        });
        tile += block.n_blocks();
    }
}

/// Asks for room for a tile's rows of each class; how many rows there are. All threads come here together.
#[inline(always)]
fn reserve(
    block: &impl Block,
    segment: u32,
    cursors: &[AtomicU32],
    [firsts, shifts]: [u32; 2],
    n_classes: u32,
) -> u32 {
    let n_each = n_classes.div_ceil(block.n_threads());
    let from = (block.thread_ix() * n_each).min(n_classes);
    let upto = (from + n_each).min(n_classes);
    let mut n = 0;
    for class in from..upto {
        n += block.shared(firsts + class);
    }
    let (mut first, n_rows) = block_sums(block, n, 0);
    for class in from..upto {
        let n = block.shared(firsts + class);
        if n > 0 {
            let place = cursors[(segment * n_classes + class) as usize].fetch_add(n, Relaxed);
            block.set_shared(firsts + class, first);
            block.set_shared(shifts + class, place.wrapping_sub(first));
        }
        first += n;
    }
    block.barrier();
    n_rows
}
