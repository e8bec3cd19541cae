//! Rows, brought to the partition of their key: a light partition by the upper bits of the hash, or one of
//! its own if the key is heavy.
//!
//! A side is cut into chunks, and each chunk is partitioned on its own: its rows are counted, and then
//! written to where the counts say. So no thread waits for another, and a partition is a list of segments,
//! one of each chunk.

use super::Sizes;
use super::sample::Heavy;
use crate::base::gather::Gather;
use crate::plan::join::KeyColumn;
use hyperblock_shared::join::{MISSING, hash, upper};
use multiversion::multiversion;
use rayon::prelude::*;
use std::ops::Range;

/// The scatter writes to as many places at once as there are partitions, and with more of them the places
/// leave the cache.
const MOST_BITS: u32 = 12;
/// Keys that are hashed together, as vectors.
const BLOCK: usize = 1 << 10;
/// Rows a chunk: it is scattered within the cache,
const CHUNK: usize = 1 << 17;
/// but so many rows a partition make a segment that is worth going to.
const LEAST_SEGMENT: usize = 1 << 8;

/// What stays of a row. The hash stands for the key: different keys have different ones.
pub(super) trait Tuple: Copy + Default + Send + Sync {
    fn new(hash: u32, row: u32) -> Self;
    fn hash(self) -> u32;
}

/// Where only numbers of rows are wanted, the hash alone.
impl Tuple for u32 {
    fn new(hash: u32, _: u32) -> Self {
        hash
    }

    fn hash(self) -> u32 {
        self
    }
}

/// The hash, and the row in the lower half.
impl Tuple for u64 {
    fn new(hash: u32, row: u32) -> Self {
        u64::from(hash) << 32 | u64::from(row)
    }

    fn hash(self) -> u32 {
        (self >> 32) as u32
    }
}

/// Which partition a key belongs to: light ones come first.
pub(super) struct Division {
    /// Upper bits of the hash that number light partitions.
    pub(super) bits: u32,
    pub(super) heavy: Heavy,
}

impl Division {
    pub(super) fn new(n_rows: usize, heavy: Heavy, sizes: &Sizes) -> Self {
        let bits = n_rows.div_ceil(sizes.light).next_power_of_two().trailing_zeros().min(MOST_BITS);
        Self { bits, heavy }
    }

    pub(super) fn n_light(&self) -> usize {
        1 << self.bits
    }

    fn n_partitions(&self) -> usize {
        self.n_light() + self.heavy.n_keys() as usize
    }

    /// The partitions of heavy keys.
    pub(super) fn heavy_partitions(&self) -> Range<usize> {
        self.n_light()..self.n_partitions()
    }

    /// Light partitions that have rows on both sides, or on the one there is: how many, and which. The
    /// largest come first, so that none of them is begun when the others are done.
    pub(super) fn order<T: Tuple>(
        &self,
        left: &Partitioned<T>,
        right: Option<&Partitioned<T>>,
    ) -> Vec<(usize, usize)> {
        let n_rows = |partition| match (left.len(partition), right.map_or(1, |right| right.len(partition))) {
            (0, _) | (_, 0) => 0,
            (n_left, n_right) => n_left + n_right,
        };
        let sized = (0..self.n_light()).map(|partition| (n_rows(partition), partition));
        let mut order: Vec<_> = sized.filter(|&(n_rows, _)| n_rows > 0).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        order
    }

    /// By hash: the number of its partition. Missing keys have one too, after all others, that nobody asks
    /// for.
    fn number(&self, hashes: &[u32], numbers: &mut [u16]) {
        number_light(hashes, self.bits, numbers);
        if self.heavy.n_keys() > 0 {
            self.heavy.number(hashes, self.n_light() as u16, numbers);
        }
        number_missing(hashes, self.n_partitions() as u16, numbers);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn hash_all(keys: &[u32], hashes: &mut [u32]) {
    for (&key, hashed) in keys.iter().zip(hashes) {
        *hashed = hash(key);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn number_light(hashes: &[u32], bits: u32, numbers: &mut [u16]) {
    for (&hash, number) in hashes.iter().zip(numbers) {
        *number = upper(hash, bits) as u16;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn number_missing(hashes: &[u32], missing: u16, numbers: &mut [u16]) {
    let none = hash(MISSING);
    for (&hash, number) in hashes.iter().zip(numbers) {
        *number = if hash == none { missing } else { *number };
    }
}

/// A part of a side, partitioned.
pub(super) struct Chunk<T> {
    tuples: Vec<T>,
    /// By partition: where it starts. The last one is of missing keys, so all others end where the next one
    /// starts.
    starts: Vec<u32>,
}

impl<T: Tuple> Chunk<T> {
    fn new(part: KeyColumn<'_>, first_row: u32, division: &Division) -> Self {
        let mut numbers = vec![0u16; part.keys.len()];
        let mut hashes = [0; BLOCK];
        // From the beginning: how many, by partition. Then: where the next tuple goes.
        let mut nexts = vec![0u32; division.n_partitions() + 1];
        for (keys, numbers) in part.keys.chunks(BLOCK).zip(numbers.chunks_mut(BLOCK)) {
            let hashes = &mut hashes[..keys.len()];
            hash_all(keys, hashes);
            division.number(hashes, numbers);
            for &number in &*numbers {
                nexts[usize::from(number)] += 1;
            }
        }
        let mut starts = Vec::with_capacity(nexts.len());
        let mut n_tuples = 0;
        for next in &mut nexts {
            starts.push(n_tuples);
            n_tuples += std::mem::replace(next, n_tuples);
        }
        let mut tuples = vec![T::default(); n_tuples as usize];
        let blocks = part.keys.chunks(BLOCK).zip(numbers.chunks(BLOCK));
        for ((keys, numbers), first) in blocks.zip((0..).step_by(BLOCK)) {
            let hashes = &mut hashes[..keys.len()];
            hash_all(keys, hashes);
            let tuples = &mut tuples[..];
            match part.rows.and_then(|rows| rows.get(first..)) {
                Some(rows) => scatter(hashes, rows.iter().copied(), numbers, &mut nexts, tuples),
                None => scatter(hashes, first_row + first as u32.., numbers, &mut nexts, tuples),
            }
        }
        Self { tuples, starts }
    }

    /// The chunk's tuples of a partition.
    pub(super) fn segment(&self, partition: usize) -> &[T] {
        &self.tuples[self.starts[partition] as usize..self.starts[partition + 1] as usize]
    }

    /// The chunk's tuples of all heavy keys.
    pub(super) fn heavy(&self, division: &Division) -> &[T] {
        let ends = division.heavy_partitions();
        &self.tuples[self.starts[ends.start] as usize..self.starts[ends.end] as usize]
    }

    /// By heavy key: where among them its tuples start; and where the last one's end.
    pub(super) fn heavy_starts(&self, division: &Division) -> Vec<u32> {
        let starts = &self.starts[division.n_light()..];
        starts.iter().map(|start| start - starts[0]).collect()
    }
}

/// Writes tuples to where their partitions go on.
fn scatter<T: Tuple>(
    hashes: &[u32],
    rows: impl Iterator<Item = u32>,
    numbers: &[u16],
    nexts: &mut [u32],
    tuples: &mut [T],
) {
    for ((&hash, row), &number) in hashes.iter().zip(rows).zip(numbers) {
        let next = &mut nexts[usize::from(number)];
        tuples[*next as usize] = T::new(hash, row);
        *next += 1;
    }
}

/// A side, partitioned.
pub(super) struct Partitioned<T> {
    pub(super) chunks: Vec<Chunk<T>>,
}

impl<T: Tuple> Partitioned<T> {
    /// The tuples of a partition.
    pub(super) fn segments(&self, partition: usize) -> impl Iterator<Item = &[T]> {
        self.chunks.iter().map(move |chunk| chunk.segment(partition))
    }

    /// How many tuples a partition has.
    pub(super) fn len(&self, partition: usize) -> usize {
        self.segments(partition).map(<[T]>::len).sum()
    }
}

/// Partitions both sides, or the one there is.
pub(super) fn partition<T: Tuple>(
    left: KeyColumn<'_>,
    right: Option<KeyColumn<'_>>,
    division: &Division,
    sizes: &Sizes,
) -> (Partitioned<T>, Option<Partitioned<T>>) {
    let n_rows = left.keys.len() + right.map_or(0, |side| side.keys.len());
    let n_threads = sizes.n_threads(n_rows as u64);
    let len = CHUNK.max(division.n_light() * LEAST_SEGMENT).min(n_rows.div_ceil(n_threads)).max(1);
    let lefts = cut(left, len);
    let n_left = lefts.len();
    let parts: Vec<(u32, KeyColumn<'_>)> =
        lefts.into_iter().chain(right.into_iter().flat_map(|side| cut(side, len))).collect();
    let chunk = |&(first_row, part): &(u32, KeyColumn<'_>)| Chunk::new(part, first_row, division);
    let mut lefts: Vec<Chunk<T>> = match n_threads {
        1 => parts.iter().map(chunk).collect(),
        _ => parts.par_iter().with_max_len(1).map(chunk).gather(),
    };
    let rights = lefts.split_off(n_left);
    (Partitioned { chunks: lefts }, right.map(|_| Partitioned { chunks: rights }))
}

/// Cuts a side into parts of at most `len` rows, each with the place of its first row.
fn cut(side: KeyColumn<'_>, len: usize) -> Vec<(u32, KeyColumn<'_>)> {
    let part = |(ix, keys): (usize, _)| {
        let rows = side.rows.map(|rows| &rows[ix * len..(ix * len + len).min(rows.len())]);
        ((ix * len) as u32, KeyColumn { keys, rows })
    };
    side.keys.chunks(len).enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZES: Sizes = Sizes { light: 16, heavy: 40, piece: 16, per_thread: 100, of_pairs: 0 };

    proptest! {
        #[test]
        fn every_row_with_a_key_is_in_its_partition(
            keys in prop::collection::vec(prop_oneof![0..20u32, any::<u32>(), Just(MISSING)], 0..500),
            first in 0..1000u32,
        ) {
            let rows: Vec<u32> = (first..first + keys.len() as u32).collect();
            let side = KeyColumn { keys: &keys, rows: Some(&rows) };
            let division = Division::new(keys.len(), Heavy::sample(&[side], &SIZES), &SIZES);
            let other = KeyColumn { keys: &keys, rows: None };
            let (left, right) = partition::<u64>(side, Some(other), &division, &SIZES);
            let right = right.unwrap();
            let mut seen = Vec::new();
            for partition in 0..division.n_partitions() {
                let tuples: Vec<u64> = left.segments(partition).flatten().copied().collect();
                let others = right.segments(partition).flatten().map(|&tuple| tuple + u64::from(first));
                prop_assert!(tuples.iter().copied().eq(others));
                prop_assert_eq!(left.len(partition), tuples.len());
                for tuple in tuples {
                    let mut number = [0];
                    division.number(&[tuple.hash()], &mut number);
                    prop_assert_eq!(usize::from(number[0]), partition);
                    seen.push((tuple as u32, tuple.hash()));
                }
            }
            seen.sort_unstable();
            let wanted = rows.iter().zip(&keys).filter(|&(_, &key)| key != MISSING);
            prop_assert!(seen.into_iter().eq(wanted.map(|(&row, &key)| (row, hash(key)))));
        }
    }
}
