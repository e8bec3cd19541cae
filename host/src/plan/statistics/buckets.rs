//! Buckets: the values of a domain by their [`minhash`] keys, and pairs drawn from among those that share one.
//!
//! The fewer pairs share a bucket, the more even the buckets are, and the fewer pairs are alike: that is what HyperBlocker
//! reads from them. Here the pairs that share a bucket are also where pairs that are alike are looked for: of all pairs
//! there are too many for a sample to meet one.

use super::frequencies::Frequencies;
use super::minhash::{Keys, TABLES};
use crate::base::gather::Gather;
use crate::base::random::Random;
use rayon::prelude::*;

/// All tables.
#[derive(Debug)]
pub(super) struct Buckets {
    tables: Vec<Table>,
    /// The keys of the values in them, by code.
    keys: Vec<(u32, Keys)>,
    /// How many times more pairs there are than pairs of values in the buckets.
    scale: f64,
}

/// One table: values sorted by key.
#[derive(Debug)]
struct Table {
    codes: Vec<u32>,
    /// Before each value, and after the last: how many left records have a value before it, and how many right ones.
    lefts: Vec<u64>,
    rights: Vec<u64>,
    /// By bucket: where it ends in `codes`.
    ends: Vec<u32>,
    /// By bucket: the pairs of left and right records up to its end.
    pairs: Vec<u64>,
}

impl Buckets {
    /// Puts the values that records have into buckets; of more than `most_values`, every n-th.
    pub(super) fn new(
        left: &Frequencies,
        right: &Frequencies,
        most_values: usize,
        keys_of: impl Fn(u32) -> Option<Keys> + Sync,
    ) -> Self {
        let mut in_use: Vec<u32> = left.codes().collect();
        if !std::ptr::eq(left, right) {
            in_use.extend(right.codes());
            // Two runs that ascend.
            in_use.sort();
            in_use.dedup();
        }
        let step = in_use.len().div_ceil(most_values).max(1);
        let taken: Vec<(u32, Keys)> = in_use
            .par_iter()
            .step_by(step)
            .filter_map(|&code| keys_of(code).map(|keys| (code, keys)))
            .collect();
        let counts: Vec<[u64; 2]> =
            taken.iter().map(|&(code, _)| [left.count(code), right.count(code)]).collect();
        let tables = (0..TABLES).into_par_iter().map(|table| Table::new(table, &taken, &counts)).gather();
        Self { tables, keys: taken, scale: (step * step) as f64 }
    }

    /// The keys of a value, if it was put into buckets.
    pub(super) fn keys(&self, code: u32) -> Option<&Keys> {
        let place = self.keys.binary_search_by_key(&code, |(code, _)| *code).ok()?;
        Some(&self.keys[place].1)
    }

    /// The pairs that share a bucket, counted once for each table in which they do.
    pub(super) fn n_pairs(&self) -> f64 {
        self.scale * self.tables.iter().map(|table| table.n_pairs() as f64).sum::<f64>()
    }

    /// A left and a right value that share a bucket, drawn as likely as there are pairs of records with them.
    pub(super) fn draw(&self, random: &mut Random) -> Option<(u32, u32)> {
        let all: u64 = self.tables.iter().map(Table::n_pairs).sum();
        let mut place = random.below(all.max(1));
        for table in &self.tables {
            match place.checked_sub(table.n_pairs()) {
                Some(rest) => place = rest,
                None => return Some(table.draw(place, random)),
            }
        }
        None
    }
}

impl Table {
    /// Of values with their keys, each of which so many left and right records have.
    fn new(table: usize, taken: &[(u32, Keys)], counts: &[[u64; 2]]) -> Self {
        let mut sorted: Vec<(u64, u32)> = (0..).zip(taken).map(|(ix, (_, keys))| (keys[table], ix)).collect();
        sorted.sort_unstable();
        let running = |side: usize| {
            let mut sum = 0;
            let after = sorted.iter().map(|&(_, ix)| {
                sum += counts[ix as usize][side];
                sum
            });
            std::iter::once(0).chain(after).collect::<Vec<u64>>()
        };
        let (lefts, rights) = (running(0), running(1));
        let (mut ends, mut pairs) = (Vec::new(), Vec::new());
        let (mut start, mut sum) = (0, 0);
        for bucket in sorted.chunk_by(|a, b| a.0 == b.0) {
            let end = start + bucket.len();
            sum += (lefts[end] - lefts[start]) * (rights[end] - rights[start]);
            ends.push(end as u32);
            pairs.push(sum);
            start = end;
        }
        let codes = sorted.into_iter().map(|(_, ix)| taken[ix as usize].0).collect();
        Self { codes, lefts, rights, ends, pairs }
    }

    fn n_pairs(&self) -> u64 {
        self.pairs.last().copied().unwrap_or(0)
    }

    /// The values of a pair in the bucket that holds the pair at `place`.
    fn draw(&self, place: u64, random: &mut Random) -> (u32, u32) {
        let bucket = self.pairs.partition_point(|&pairs| pairs <= place);
        let start = bucket.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let end = self.ends[bucket] as usize;
        let mut value = |running: &[u64]| {
            let place = running[start] + random.below(running[end] - running[start]);
            self.codes[running.partition_point(|&before| before <= place) - 1]
        };
        (value(&self.lefts), value(&self.rights))
    }
}
