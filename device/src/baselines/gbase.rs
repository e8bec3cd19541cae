//! Gbase: the join of 'Hardware-Conscious Hash-Joins on GPUs' (Sioulas, Chrysogelos, Karpathiotakis, Appuswamy and Ailamaki,
//! ICDE 2019), as 'CPU and GPU Hash Joins on Skewed Data' (2025) describes it.
//!
//! Computes  tuples by partition, in lists of buckets; then all pairs of rows with the same key, counted or written
//! Layout    a bucket is so many tuples in a row. The first one of partition p is bucket p; further ones are taken from a
//!           counter, and linked to the one before
//! Launch    `begin`: 1-D, any; `partition`: 1-D, any number of blocks, `bucket_words`; `gbase`: likewise, `chained_words`
//! Cost      a side is read once and written once a pass; the right one once more for each left bucket of a partition
//! Next      a second, finer pass over the buckets of the first; then the host knows the number of pairs, and where they are
//!
//! Nothing is counted before it is placed: a partition's last bucket and how full it is are one word. Whoever finds that
//! what it adds does not fit takes new buckets and links them, while others wait.
//!
//! Of skew it knows one thing: the list of a left partition is cut into sub-lists, which are joined by a block each with
//! the whole list of the right one. Here a sub-list is a bucket, as much as a table holds.

use super::NONE;
use super::chained::{Sink, Table};
use crate::block::Block;
use crate::join::{Source, tuple};
use crate::memory::Words;
use crate::primitives::lanes::for_each;
use crate::primitives::sums::block_sums;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::baselines::{BATCH, bucket_words};
use hyperblock_shared::join::{MISSING, SUM_WORDS, hash, upper};

const ITEMS: usize = BATCH as usize;

/// Lists that are complete.
#[derive(Clone, Copy)]
pub struct Lists<'a> {
    /// By bucket: its tuples.
    pub tuples: &'a [u64],
    /// By partition: its last bucket, and in the upper half how many tuples that has.
    pub tails: &'a [u64],
    /// By bucket: the next one of its partition, or [`NONE`].
    pub next: &'a [u32],
    /// By bucket: whose it is.
    pub owners: &'a [u32],
    /// How many buckets are used.
    pub n_used: u32,
    /// Tuples that a bucket holds.
    pub n_rows: u32,
}

impl<'a> Lists<'a> {
    /// The first tuples of a bucket.
    #[inline(always)]
    fn first(&self, bucket: u32, n: u32) -> &'a [u64] {
        let from = bucket * self.n_rows;
        &self.tuples[from as usize..(from + n) as usize]
    }

    /// What a partition has in one of its buckets: all but the last one are full.
    #[inline(always)]
    fn rows(&self, partition: u32, bucket: u32) -> &'a [u64] {
        let tail = self.tails[partition as usize];
        self.first(bucket, if tail as u32 == bucket { (tail >> 32) as u32 } else { self.n_rows })
    }
}

/// Lists that grow. Of all arrays there is as much as of [`Lists`].
#[derive(Clone, Copy)]
pub struct Growing<'a> {
    /// By partition.
    pub tails: &'a [AtomicU64],
    /// By bucket.
    pub next: &'a [AtomicU32],
    /// By bucket.
    pub owners: &'a [AtomicU32],
    /// How many buckets are used.
    pub n_used: &'a AtomicU32,
    /// Tuples that a bucket holds.
    pub n_rows: u32,
}

/// Lists of one empty bucket each.
#[inline(always)]
pub fn begin(block: &impl Block, lists: &Growing<'_>) {
    let n_partitions = lists.tails.len();
    for_each(block, lists.next.len(), |bucket| {
        lists.next[bucket].store(NONE, Relaxed);
        if bucket < n_partitions {
            lists.owners[bucket].store(bucket as u32, Relaxed);
            lists.tails[bucket].store(bucket as u64, Relaxed);
        }
        if bucket == 0 {
            lists.n_used.store(n_partitions as u32, Relaxed);
        }
    });
}

/// Room for some tuples of a partition: so many places from one on, and if those are not enough, the others from another.
#[derive(Clone, Copy, Default)]
struct Room {
    first: u32,
    n_first: u32,
    others: u32,
}

impl Growing<'_> {
    /// Takes room for some tuples, or for none. All lanes come here together, each with a partition of its own.
    #[inline(always)]
    fn take(&self, block: &impl Block, partition: u32, n: u32) -> Room {
        let mut room = Room::default();
        // A bucket that seems to have more tuples than it holds is about to be followed by another. Who has made it so sees
        // to that before any lane of its warp goes on: so nobody waits for one that waits.
        let (mut is_left, mut waits) = (n > 0, false);
        while block.ballot(is_left) != 0 {
            if is_left {
                let added = if waits { 0 } else { n };
                let seen = self.tails[partition as usize].fetch_add(u64::from(added) << 32, Relaxed);
                let (bucket, n_before) = (seen as u32, (seen >> 32) as u32);
                // What was added in vain is lost when the next bucket comes.
                let is_next = n_before <= self.n_rows;
                if is_next && !waits {
                    let n_first = n.min(self.n_rows - n_before);
                    room = Room { first: bucket * self.n_rows + n_before, n_first, others: 0 };
                    if n_first < n {
                        room.others = self.link(partition, bucket, n - n_first);
                    }
                    is_left = false;
                }
                waits = !is_next;
            }
        }
        room
    }

    /// Links as many buckets to a partition's last one as some tuples take, and puts them there; the place of the first.
    #[inline(always)]
    fn link(&self, partition: u32, last: u32, n: u32) -> u32 {
        let n_new = n.div_ceil(self.n_rows);
        let new = self.n_used.fetch_add(n_new, Relaxed);
        let mut before = last;
        for bucket in new..new + n_new {
            self.owners[bucket as usize].store(partition, Relaxed);
            self.next[before as usize].store(bucket, Relaxed);
            before = bucket;
        }
        let n_last = n - (n_new - 1) * self.n_rows;
        self.tails[partition as usize].store(u64::from(before) | u64::from(n_last) << 32, Relaxed);
        new * self.n_rows
    }
}

/// A pass over a side.
#[derive(Clone, Copy)]
pub struct BucketPass<'a> {
    /// The side as it was loaded, if this is the first pass.
    pub side: Source<'a>,
    /// What the first pass left, if this is the second.
    pub lists: Option<Lists<'a>>,
    /// Rows of the side.
    pub n_rows: u32,
    /// Bits of the hash that were used before.
    pub used: u32,
    /// Bits of the hash that tell partitions apart, of each one that there was before.
    pub bits: u32,
}

/// Rows of one partition of the first pass; in the first pass, of the side.
struct Tile<'a> {
    source: Source<'a>,
    partition: u32,
    from: u32,
    upto: u32,
}

impl<'a> BucketPass<'a> {
    /// Tiles of a bucket, or of the side.
    #[inline(always)]
    fn n_each(&self, block: &impl Block) -> u32 {
        let n_rows = match &self.lists {
            Some(lists) => lists.n_rows,
            None => self.n_rows,
        };
        n_rows.div_ceil(BATCH * block.n_threads())
    }

    #[inline(always)]
    fn n_tiles(&self, block: &impl Block) -> u32 {
        let n_buckets = match &self.lists {
            Some(lists) => lists.n_used,
            None => 1,
        };
        n_buckets * self.n_each(block)
    }

    #[inline(always)]
    fn tile(&self, block: &impl Block, tile: u32) -> Tile<'a> {
        let tile_rows = BATCH * block.n_threads();
        let (source, partition, n_rows, nth) = match &self.lists {
            Some(lists) => {
                let n_each = self.n_each(block);
                let bucket = tile / n_each;
                let partition = lists.owners[bucket as usize];
                let tuples = lists.rows(partition, bucket);
                (Source::Tuples(tuples), partition, tuples.len() as u32, tile % n_each)
            }
            None => (self.side, 0, self.n_rows, tile),
        };
        let from = nth * tile_rows;
        Tile { source, partition, from, upto: n_rows.min(from.saturating_add(tile_rows)) }
    }

    /// Which partition a key belongs to, of those that become of one.
    #[inline(always)]
    fn class(&self, key: u32) -> u32 {
        upper(hash(key) << self.used, self.bits)
    }
}

/// Where in shared memory what a block needs begins, behind the words for sums, and where it ends: by class the rows of the
/// tile, and then where they start in it; what is to be added to that to have their places in device memory; how far that
/// holds, and what is to be added behind it; and the tile's keys and rows, by class.
const fn places(n_classes: u32, n_threads: u32) -> [u32; 7] {
    let shifts = SUM_WORDS + n_classes;
    let staged = SUM_WORDS + 4 * n_classes;
    let rows = BATCH * n_threads;
    [SUM_WORDS, shifts, shifts + n_classes, shifts + 2 * n_classes, staged, staged + rows, staged + 2 * rows]
}

const _: () =
    assert!(places(7, 96)[6] == bucket_words(7, 96) && places(512, 1024)[6] == bucket_words(512, 1024));

/// Nothing is placed.
const UNPLACED: u32 = u32::MAX;

/// Writes a side's tuples to the lists of their partitions. A block brings those of a tile together by partition, so that
/// neighbours write next to each other.
#[inline(always)]
pub fn partition(block: &impl Block, pass: &BucketPass<'_>, lists: &Growing<'_>, tuples: &impl Words) {
    let (thread, n_threads) = (block.thread_ix(), block.n_threads());
    let n_classes = 1 << pass.bits;
    let [firsts, shifts, ends, others, staged_keys, staged_rows, _] = places(n_classes, n_threads);
    clear(block, firsts, n_classes);
    let n_tiles = pass.n_tiles(block);
    let mut tile = block.block_ix();
    while tile < n_tiles {
        let part = pass.tile(block, tile);
        block.barrier();
        let place = |nth: usize| part.from + nth as u32 * n_threads + thread;
        let (mut keys, mut rows) = ([MISSING; ITEMS], [0; ITEMS]);
        unrolled::<ITEMS>(|nth| {
            if place(nth) < part.upto {
                (keys[nth], rows[nth]) = part.source.both(place(nth));
            }
        });
        // A class, and a rank in it.
        let mut ranked = [UNPLACED; ITEMS];
        unrolled::<ITEMS>(|nth| {
            if keys[nth] != MISSING {
                let class = pass.class(keys[nth]);
                ranked[nth] = class << 16 | block.shared_add(firsts + class, 1);
            }
        });
        block.barrier();
        let n_rows = number(block, n_classes);
        unrolled::<ITEMS>(|nth| {
            if ranked[nth] != UNPLACED {
                let staged = block.shared(firsts + (ranked[nth] >> 16)) + (ranked[nth] & 0xffff);
                block.set_shared(staged_keys + staged, keys[nth]);
                block.set_shared(staged_rows + staged, rows[nth]);
            }
        });
        reserve(block, lists, part.partition << pass.bits, (n_classes, n_rows));
        clear(block, firsts, n_classes);
        unrolled::<ITEMS>(|nth| {
            let staged = nth as u32 * n_threads + thread;
            if staged < n_rows {
                let (key, row) = (block.shared(staged_keys + staged), block.shared(staged_rows + staged));
                let class = pass.class(key);
                let is_first = staged < block.shared(ends + class);
                let shift = block.shared(class + if is_first { shifts } else { others });
                tuples.set(u64::from(shift.wrapping_add(staged)), tuple(key, row));
            }
        });
        tile += block.n_blocks();
    }
}

#[inline(always)]
fn clear(block: &impl Block, words: u32, n: u32) {
    let mut ix = block.thread_ix();
    while ix < n {
        block.set_shared(words + ix, 0);
        ix += block.n_threads();
    }
}

/// The classes that are a thread's, and how many each thread has at most.
#[inline(always)]
fn own_classes(block: &impl Block, n_classes: u32) -> ([u32; 2], u32) {
    let n_each = n_classes.div_ceil(block.n_threads());
    let from = (block.thread_ix() * n_each).min(n_classes);
    ([from, (from + n_each).min(n_classes)], n_each)
}

/// From how many rows of a tile each class has to where they start in it; how many there are. All threads come here together.
#[inline(always)]
fn number(block: &impl Block, n_classes: u32) -> u32 {
    let [firsts, ..] = places(n_classes, block.n_threads());
    let ([from, upto], _) = own_classes(block, n_classes);
    let mut n = 0;
    for class in from..upto {
        n += block.shared(firsts + class);
    }
    let (mut start, n_rows) = block_sums(block, n, 0);
    for class in from..upto {
        let n = block.shared(firsts + class);
        block.set_shared(firsts + class, start);
        start += n;
    }
    block.barrier();
    n_rows
}

/// Takes room for a tile's rows of each partition from `first` on. All threads come here together.
#[inline(always)]
fn reserve(block: &impl Block, lists: &Growing<'_>, first: u32, (n_classes, n_rows): (u32, u32)) {
    let [firsts, shifts, ends, others, ..] = places(n_classes, block.n_threads());
    let ([from, upto], n_each) = own_classes(block, n_classes);
    for nth in 0..n_each {
        let class = from + nth;
        let (mut start, mut end) = (0, 0);
        if class < upto {
            start = block.shared(firsts + class);
            end = if class + 1 < n_classes { block.shared(firsts + class + 1) } else { n_rows };
        }
        let room = lists.take(block, first + class, end - start);
        if start < end {
            let end = start + room.n_first;
            block.set_shared(shifts + class, room.first.wrapping_sub(start));
            block.set_shared(ends + class, end);
            block.set_shared(others + class, room.others.wrapping_sub(end));
        }
    }
    block.barrier();
}

/// Two sides as lists, partitioned alike.
#[derive(Clone, Copy)]
pub struct Gbase<'a> {
    /// Left and right.
    pub sides: [Lists<'a>; 2],
    /// The table of a block, which holds a bucket of the left side.
    pub table: Table,
}

/// Joins each left bucket with the right list of its partition. Blocks take buckets in turns.
#[inline(always)]
pub fn gbase<S: Sink>(block: &impl Block, join: &Gbase<'_>, sink: &mut S) {
    let [left, right] = &join.sides;
    let mut bucket = block.block_ix();
    while bucket < left.n_used {
        let partition = left.owners[bucket as usize];
        let built = left.rows(partition, bucket);
        let n_last = (right.tails[partition as usize] >> 32) as u32;
        // Only the first bucket of a list may be empty.
        if !built.is_empty() && n_last > 0 {
            join.table.build::<S>(block, built);
            let mut other = partition;
            while other != NONE {
                let next = right.next[other as usize];
                let n = if next == NONE { n_last } else { right.n_rows };
                join.table.look_up(block, right.first(other, n), sink);
                other = next;
            }
        }
        bucket += block.n_blocks();
    }
    sink.end(block);
}
