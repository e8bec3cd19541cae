//! Distinct values, numbered in the order they are first seen, by all threads.
//!
//! 1. Each *chunk* of values is numbered by itself. Its table stays in a thread's cache, and what stands often is put
//!    together at once, however skewed a column is.
//! 2. The distinct values of all chunks are put together. Hashes deal them out to *shares*, each put together alone.
//! 3. Chunk by chunk, values that were never seen before get the next codes, the others have the code of the first one
//!    like them. So neither chunks nor hashes nor threads show in the codes.

use crate::base::control::Control;
use crate::base::gather::Gather;
use hashbrown::{DefaultHashBuilder, HashTable};
use hyperblock_shared::columns::MISSING;
use rayon::prelude::*;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;

/// Values of a chunk.
const PER_CHUNK: usize = 1 << 16;
/// Shares at most: each chunk has a list for every one.
const MOST_SHARES: usize = 1 << 8;
/// Which bits of a hash say the share. Tables look at the lowest and the highest.
const SHARE_SHIFT: u32 = 24;

/// Distinct values by code.
#[derive(Debug)]
pub(crate) struct Dictionary<V> {
    /// By code.
    pub(crate) values: Vec<V>,
    /// By value that was numbered: its code, or `MISSING`.
    pub(crate) codes: Vec<u32>,
}

impl<V: Eq + Hash + Send + Sync> Dictionary<V> {
    /// Numbers `n` values, `None` for what is missing.
    pub(crate) fn new(n: usize, value: impl Fn(usize) -> Option<V> + Sync, control: &Control) -> Self {
        Self::by_chunks(PER_CHUNK, n, value, control)
    }

    fn by_chunks(
        per_chunk: usize,
        n: usize,
        value: impl Fn(usize) -> Option<V> + Sync,
        control: &Control,
    ) -> Self {
        let n_shares = n.div_ceil(per_chunk).clamp(1, MOST_SHARES);
        let hasher = DefaultHashBuilder::default();
        let mut codes = vec![MISSING; n];
        let mut chunks: Vec<Chunk<V>> = codes
            .par_chunks_mut(per_chunk)
            .enumerate()
            .map(|(ix, codes)| {
                let first = ix * per_chunk;
                Chunk::new(codes, |ix| value(first + ix), &hasher, n_shares, control)
            })
            .gather();
        if chunks.len() < 2 {
            return Self { values: chunks.pop().map(|chunk| chunk.values).unwrap_or_default(), codes };
        }
        let mut n_entries = 0;
        for chunk in &mut chunks {
            chunk.first_entry = n_entries;
            n_entries += chunk.values.len() as u32;
        }
        let shares: Vec<Vec<u32>> =
            (0..n_shares).into_par_iter().map(|share| entries(&chunks, share, control)).gather();
        // By entry: the first one like it, and then its code.
        let mut firsts = vec![0; n_entries as usize];
        let mut of_chunks = Vec::with_capacity(chunks.len());
        let (mut rest, mut places) = (&mut firsts[..], vec![0; n_shares]);
        for chunk in &chunks {
            let (own, more) = rest.split_at_mut(chunk.values.len());
            rest = more;
            let begun = places.clone();
            for (share, place) in places.iter_mut().enumerate() {
                *place += chunk.of_share(share).len();
            }
            of_chunks.push((chunk, own, begun));
        }
        let n_new: Vec<u32> = of_chunks
            .into_par_iter()
            .map(|(chunk, firsts, places)| {
                for (share, place) in places.into_iter().enumerate() {
                    let numbers = &chunk.by_share[chunk.of_share(share)];
                    for (&number, &entry) in numbers.iter().zip(&shares[share][place..]) {
                        firsts[number as usize] = entry;
                    }
                }
                (chunk.first_entry..).zip(firsts).filter(|(own, first)| own == *first).count() as u32
            })
            .gather();
        drop(shares);
        Self::put_together(per_chunk, chunks, &firsts, &n_new, codes)
    }

    /// The values that are first, and the codes that all have by them.
    fn put_together(
        per_chunk: usize,
        chunks: Vec<Chunk<V>>,
        firsts: &[u32],
        n_new: &[u32],
        mut codes: Vec<u32>,
    ) -> Self {
        let n_values = n_new.iter().sum::<u32>() as usize;
        // By entry that is first: its code.
        let mut code_of = vec![0; firsts.len()];
        let (mut parts, mut rest, mut next) = (Vec::with_capacity(chunks.len()), &mut code_of[..], 0);
        let ranges: Vec<Range<usize>> = chunks.iter().map(Chunk::entries).collect();
        for (chunk, n_new) in chunks.into_iter().zip(n_new) {
            let (own, more) = rest.split_at_mut(chunk.values.len());
            rest = more;
            parts.push((chunk, own, next));
            next += n_new;
        }
        let new: Vec<Vec<V>> = parts
            .into_par_iter()
            .map(|(chunk, code_of, mut next)| {
                let firsts = &firsts[chunk.entries()];
                let entries = (chunk.first_entry..).zip(firsts).zip(code_of).zip(chunk.values);
                let mut new = Vec::new();
                for (((own, first), code), value) in entries {
                    if own == *first {
                        *code = next;
                        next += 1;
                        new.push(value);
                    }
                }
                new
            })
            .gather();
        let mut values = Vec::with_capacity(n_values);
        for mut new in new {
            values.append(&mut new);
        }
        codes.par_chunks_mut(per_chunk).zip(ranges).for_each(|(codes, range)| {
            let firsts = &firsts[range];
            for code in codes.iter_mut().filter(|code| **code != MISSING) {
                *code = code_of[firsts[*code as usize] as usize];
            }
        });
        Self { values, codes }
    }
}

/// Some values that follow each other, numbered apart from all others.
struct Chunk<V> {
    /// Distinct ones, in the order they came up.
    values: Vec<V>,
    /// Their hashes. Whoever puts them together would otherwise read all of them again.
    hashes: Vec<u64>,
    /// Their numbers, share by share, ascending in each.
    by_share: Vec<u32>,
    /// By share, and one past the last: where its numbers begin.
    starts: Vec<u32>,
    /// The first number among those of all chunks.
    first_entry: u32,
}

impl<V: Eq + Hash> Chunk<V> {
    fn new(
        codes: &mut [u32],
        value: impl Fn(usize) -> Option<V>,
        hasher: &DefaultHashBuilder,
        n_shares: usize,
        control: &Control,
    ) -> Self {
        let (mut values, mut hashes): (Vec<V>, Vec<u64>) = (Vec::new(), Vec::new());
        let mut table: HashTable<u32> = HashTable::new();
        for (ix, code) in codes.iter_mut().enumerate() {
            control.pass();
            let Some(value) = value(ix) else { continue };
            let hash = hasher.hash_one(&value);
            let is_same = |&known: &u32| hashes[known as usize] == hash && values[known as usize] == value;
            *code = match table.find(hash, is_same) {
                Some(&known) => known,
                None => {
                    let number = values.len() as u32;
                    values.push(value);
                    hashes.push(hash);
                    table.insert_unique(hash, number, |&known| hashes[known as usize]);
                    number
                }
            };
        }
        let share = |hash: &u64| (hash >> SHARE_SHIFT) as usize % n_shares;
        let mut starts = vec![0; n_shares + 1];
        hashes.iter().for_each(|hash| starts[share(hash) + 1] += 1);
        for ix in 0..n_shares {
            starts[ix + 1] += starts[ix];
        }
        let (mut next, mut by_share) = (starts.clone(), vec![0; hashes.len()]);
        for (number, hash) in (0..).zip(&hashes) {
            let place = &mut next[share(hash)];
            by_share[*place as usize] = number;
            *place += 1;
        }
        Self { values, hashes, by_share, starts, first_entry: 0 }
    }

    /// Where in `by_share` those of a share stand.
    fn of_share(&self, share: usize) -> Range<usize> {
        self.starts[share] as usize..self.starts[share + 1] as usize
    }

    /// Its numbers among those of all chunks.
    fn entries(&self) -> Range<usize> {
        let first = self.first_entry as usize;
        first..first + self.hashes.len()
    }
}

/// A value of some chunk.
struct Known {
    hash: u64,
    chunk: u32,
    number: u32,
}

/// For each value of a share, chunk by chunk: the first one like it, numbered through all chunks.
fn entries<V: Eq + Hash>(chunks: &[Chunk<V>], share: usize, control: &Control) -> Vec<u32> {
    let n = chunks.iter().map(|chunk| chunk.of_share(share).len()).sum();
    let (mut firsts, mut table) = (Vec::with_capacity(n), HashTable::<Known>::new());
    for (ix, chunk) in (0..).zip(chunks) {
        for &number in &chunk.by_share[chunk.of_share(share)] {
            control.pass();
            let (hash, value) = (chunk.hashes[number as usize], &chunk.values[number as usize]);
            let is_same = |known: &Known| {
                known.hash == hash && chunks[known.chunk as usize].values[known.number as usize] == *value
            };
            let Known { chunk, number, .. } = *table
                .entry(hash, is_same, |known| known.hash)
                .or_insert(Known { hash, chunk: ix, number })
                .get();
            firsts.push(chunks[chunk as usize].first_entry + number);
        }
    }
    firsts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_are_by_first_appearance(
            texts in proptest::collection::vec(proptest::option::of("[abc]{0,3}"), 0..200),
            per_chunk in 1usize..90,
        ) {
            let text = |ix: usize| texts[ix].as_deref();
            let got = Dictionary::by_chunks(per_chunk, texts.len(), text, &Control::default());
            let mut values: Vec<&str> = Vec::new();
            prop_assert_eq!(got.codes.len(), texts.len());
            for (text, code) in texts.iter().zip(got.codes) {
                let Some(text) = text else {
                    prop_assert_eq!(code, MISSING);
                    continue;
                };
                if !values.contains(&&**text) {
                    values.push(text);
                }
                prop_assert_eq!(values[code as usize], text);
            }
            prop_assert_eq!(got.values, values);
        }
    }
}
