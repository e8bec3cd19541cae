//! The hash table of a light partition: how many of its left rows have a key, and which.
//!
//! A bucket is a cache line: eight hashes, and how many rows each of them has. A key's bucket follows from
//! the bits of the hash after those that chose the partition. Hashes fill a bucket from its beginning, so the
//! place of a key is the first that holds it or is empty. All eight are compared at once, without a branch.
//! Keys that find their bucket full are in a map beside it: few, with random keys, and many only where keys
//! were chosen to collide.

use super::partition::Tuple;
use hashbrown::HashMap;
use hyperblock_shared::join::{MISSING, hash, upper};
use multiversion::multiversion;
use std::ops::Range;

const LANES: usize = 8;
/// Rows a bucket, if there are as many buckets as there may be; half as many if there are few.
const ROWS_PER_BUCKET: usize = 3;
/// Slots have numbers of 32 bits.
const MOST_BUCKETS: usize = 1 << 28;
/// No slot: the key is not there.
const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket {
    /// Empty places have the hash of a missing key, which is in no table.
    hashes: [u32; LANES],
    counts: [u32; LANES],
}

/// A table, which may be filled over and over.
#[derive(Default)]
pub(super) struct Table {
    /// Bits of the hash that chose the partition.
    skip: u32,
    /// Bits that choose the bucket.
    bits: u32,
    buckets: Vec<Bucket>,
    /// By hash: the place in `more_counts`.
    more: HashMap<u32, u32>,
    more_counts: Vec<u32>,
    /// By tuple, in the order of filling: its slot.
    slots: Vec<u32>,
    /// By slot: where its rows end, among all.
    ends: Vec<u32>,
    rows: Vec<u32>,
    /// By tuple that was looked for: its slot.
    found: Vec<u32>,
}

impl Table {
    /// Empties it, for so many rows whose hashes agree in the first `skip` bits.
    pub(super) fn reset(&mut self, n_rows: usize, skip: u32) {
        // However many rows a partition has, there are only so many hashes.
        let most = MOST_BUCKETS.min(1 << (u32::BITS - skip));
        let n_buckets = n_rows.div_ceil(ROWS_PER_BUCKET).next_power_of_two().min(most);
        self.skip = skip;
        self.bits = n_buckets.trailing_zeros();
        self.buckets.clear();
        self.buckets.resize(n_buckets, Bucket { hashes: [hash(MISSING); LANES], counts: [0; LANES] });
        self.more.clear();
        self.more_counts.clear();
        self.slots.clear();
    }

    /// Counts rows by key.
    pub(super) fn count(&mut self, tuples: &[u32]) {
        fill::<_, false>(self, tuples);
    }

    /// Counts rows by key, and remembers where each one belongs.
    pub(super) fn fill(&mut self, tuples: &[u64]) {
        fill::<_, true>(self, tuples);
    }

    /// Brings the rows of a key together, when all are filled in: the same tuples, in the same order.
    pub(super) fn group<'a>(&mut self, segments: impl Iterator<Item = &'a [u64]>) {
        self.ends.clear();
        let mut at = 0;
        let counts = self.buckets.iter().flat_map(|bucket| &bucket.counts).chain(&self.more_counts);
        self.ends.extend(counts.map(|&count| {
            at += count;
            at - count
        }));
        self.rows.clear();
        self.rows.resize(self.slots.len(), 0);
        for (&tuple, &slot) in segments.flatten().zip(&self.slots) {
            let end = &mut self.ends[slot as usize];
            self.rows[*end as usize] = tuple as u32;
            *end += 1;
        }
    }

    /// Hands each tuple on whose key is in the table, as a row, with all rows of the key; they must be
    /// grouped.
    pub(super) fn probe(&mut self, tuples: &[u64], mut found: impl FnMut(&[u32], u32)) {
        let mut slots = std::mem::take(&mut self.found);
        slots.resize(tuples.len(), NOWHERE);
        find(self, tuples, &mut slots);
        for (&tuple, &slot) in tuples.iter().zip(&slots) {
            if slot != NOWHERE {
                found(&self.rows[self.rows_of(slot as usize)], tuple as u32);
            }
        }
        self.found = slots;
    }

    /// All groups of several rows.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends
            .iter()
            .map(move |&end| &self.rows[std::mem::replace(&mut start, end as usize)..end as usize])
            .filter(|rows| rows.len() > 1)
    }

    /// How many pairs tuples make with the rows of the table.
    pub(super) fn n_pairs(&self, tuples: &[u32]) -> u64 {
        n_pairs(self, tuples)
    }

    /// How many pairs of different rows the groups have.
    pub(super) fn n_pairs_within(&self) -> u64 {
        let counts = self.buckets.iter().flat_map(|bucket| &bucket.counts).chain(&self.more_counts);
        counts.map(|&count| u64::from(count) * u64::from(count).saturating_sub(1) / 2).sum()
    }

    #[inline]
    fn bucket_of(&self, hash: u32) -> usize {
        upper(hash << self.skip, self.bits) as usize
    }

    fn rows_of(&self, slot: usize) -> Range<usize> {
        let start = if slot == 0 { 0 } else { self.ends[slot - 1] as usize };
        start..self.ends[slot] as usize
    }

    /// One more row of a key whose bucket is full: its slot, which is after all those in buckets.
    #[cold]
    fn count_more(&mut self, hash: u32) -> u32 {
        let at = *self.more.entry(hash).or_insert_with(|| {
            self.more_counts.push(0);
            self.more_counts.len() as u32 - 1
        });
        self.more_counts[at as usize] += 1;
        (self.buckets.len() * LANES) as u32 + at
    }

    #[cold]
    fn find_more(&self, hash: u32) -> Option<u32> {
        self.more.get(&hash).copied()
    }
}

/// The first lane that holds a hash or is empty; 8 if there is none. It is written so that compilers find
/// vectors in it.
#[inline(always)]
fn lane_of(hashes: [u32; LANES], hash: u32, empty: u32) -> usize {
    let mut bits = [0; LANES];
    for (lane, (bit, other)) in bits.iter_mut().zip(hashes).enumerate() {
        *bit = mask((other == hash) | (other == empty)) & (2 << lane);
    }
    let mut any = 2 << LANES;
    for bit in bits {
        any |= bit;
    }
    any.trailing_zeros() as usize - 1
}

/// All ones, or none.
#[inline(always)]
fn mask(is: bool) -> u32 {
    u32::from(is).wrapping_neg()
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+bmi1+bmi2+lzcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt"
))]
fn fill<T: Tuple, const SLOTS: bool>(table: &mut Table, tuples: &[T]) {
    let empty = hash(MISSING);
    let mut slots = std::mem::take(&mut table.slots);
    let first = slots.len();
    if SLOTS {
        slots.resize(first + tuples.len(), NOWHERE);
    }
    for (ix, tuple) in tuples.iter().enumerate() {
        let hash = tuple.hash();
        let at = table.bucket_of(hash);
        let bucket = &mut table.buckets[at];
        let lane = lane_of(bucket.hashes, hash, empty);
        let slot = if lane < LANES {
            bucket.hashes[lane] = hash;
            bucket.counts[lane] += 1;
            (at * LANES + lane) as u32
        } else {
            table.count_more(hash)
        };
        if SLOTS {
            slots[first + ix] = slot;
        }
    }
    table.slots = slots;
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+bmi1+bmi2+lzcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt"
))]
fn find(table: &Table, tuples: &[u64], slots: &mut [u32]) {
    let empty = hash(MISSING);
    for (tuple, slot) in tuples.iter().zip(slots) {
        let hash = tuple.hash();
        let at = table.bucket_of(hash);
        let bucket = &table.buckets[at];
        let lane = lane_of(bucket.hashes, hash, empty);
        *slot = if lane < LANES {
            if bucket.hashes[lane] == hash { (at * LANES + lane) as u32 } else { NOWHERE }
        } else {
            table.find_more(hash).map_or(NOWHERE, |more| (table.buckets.len() * LANES) as u32 + more)
        };
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+bmi1+bmi2+lzcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt"
))]
fn n_pairs(table: &Table, hashes: &[u32]) -> u64 {
    let empty = hash(MISSING);
    let mut n_more = 0;
    let mut sums = [0u64; LANES];
    for &hash in hashes {
        let Bucket { hashes, counts } = table.buckets[table.bucket_of(hash)];
        for ((sum, other), count) in sums.iter_mut().zip(hashes).zip(counts) {
            *sum += u64::from(mask(other == hash) & count);
        }
        // A key that is in the bucket is not in the map.
        if hashes[LANES - 1] != empty {
            n_more += table.find_more(hash).map_or(0, |more| u64::from(table.more_counts[more as usize]));
        }
    }
    sums.iter().sum::<u64>() + n_more
}
