//! The largest blocks: of the values of some equalities those that make the most pairs.
//!
//! Most records of a large table share their values with few others, and to number all combinations of values takes as long as a job
//! may. So records are first counted by a hash of their codes, which is no more than an array. A block is no larger than the
//! count that it falls into: those of large counts alone are counted exactly, and told of if no other can be larger.

use super::Encoded;
use crate::base::control::Control;
use crate::rules::Side;
use hashbrown::HashMap;
use hyperblock_shared::columns::{Columns, MISSING};
use rayon::prelude::*;

/// Records of tables of which all blocks are counted exactly.
const FEW: usize = 1 << 16;
/// Counts by hash, as a power of two, for a larger table.
const BITS: u32 = 20;
/// Blocks of a large table that have fewer records than so are not looked for any further.
const LEAST: u32 = 16;
/// Records at a time.
const AT_ONCE: usize = 1 << 15;
/// The hash of a record that lacks a value.
const NO_HASH: u32 = u32::MAX;

/// A block, by the records that have its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LargestBlock {
    /// Records in it, of both tables.
    pub(crate) n_records: u64,
    /// Pairs that agree.
    pub(crate) n_pairs: u64,
    /// One of its records: whose side its values are on, and which it is.
    pub(crate) example: (Side, u32),
}

/// Which table a record is of, where pairs within one do not count.
pub(crate) type TableOf<'a> = dyn Fn(u32) -> usize + Sync + 'a;

/// What is known of a block while records are counted.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    left: u64,
    right: u64,
    /// Records that are on both sides, of one table.
    both: u64,
    /// Pairs within a table, where those do not count.
    within: u64,
    example: Option<(Side, u32)>,
}

impl Encoded {
    /// So many blocks of these equalities, those with the most pairs first; of a large table only those that are known to be. Of one
    /// table a record stands on both sides.
    pub(crate) fn largest_blocks(
        &self,
        equalities: &[(u32, u32)],
        is_one_table: bool,
        table_of: Option<&TableOf<'_>>,
        n: usize,
        control: &Control,
    ) -> Vec<LargestBlock> {
        let codes = |column: u32| Columns::codes(self, column);
        let lefts: Vec<&[u32]> = equalities.iter().map(|(left, _)| codes(*left)).collect();
        let rights: Vec<&[u32]> = equalities.iter().map(|(_, right)| codes(*right)).collect();
        let is_same = is_one_table && lefts == rights;
        let sides = if is_same { vec![lefts] } else { vec![lefts, rights] };
        let counting = Counting::new(sides, is_one_table, table_of, control);
        let n_records: usize = counting.sides.iter().map(|side| side[0].len()).sum();
        if n_records <= FEW {
            let mut blocks = counting.blocks(|_| true);
            blocks.truncate(n);
            return blocks;
        }
        let counts = counting.counts();
        let mut large: Vec<u32> = counts.iter().copied().filter(|n| *n > LEAST).collect();
        large.sort_unstable_by_key(|n| std::cmp::Reverse(*n));
        let mut least = large.get(4 * n).copied().unwrap_or(LEAST);
        loop {
            // A bit for each hash: of those that fit into a cache it is sooner known than of counts.
            let mut are_large = vec![0u64; counts.len().div_ceil(64)];
            for (hash, _) in counts.iter().enumerate().filter(|(_, n)| **n >= least) {
                are_large[hash / 64] |= 1 << (hash % 64);
            }
            let mut blocks = counting.blocks(|hash| are_large[hash as usize / 64] >> (hash % 64) & 1 > 0);
            // What was not looked at has fewer records than that.
            let others = u64::from(least - 1);
            let most = if is_same { others * (others - 1) / 2 } else { others * others / 4 };
            blocks.retain(|block| block.n_pairs >= most);
            if blocks.len() >= n || least == LEAST {
                blocks.truncate(n);
                return blocks;
            }
            least = (least / 2).max(LEAST);
        }
    }
}

/// Records, by the codes of the columns that are to be equal: one side, or two.
struct Counting<'a> {
    sides: Vec<Vec<&'a [u32]>>,
    /// By side, of each record: where it is counted, unless it lacks a value.
    hashes: Vec<Vec<u32>>,
    is_one_table: bool,
    table_of: Option<&'a TableOf<'a>>,
    control: &'a Control,
}

impl<'a> Counting<'a> {
    fn new(
        sides: Vec<Vec<&'a [u32]>>,
        is_one_table: bool,
        table_of: Option<&'a TableOf<'a>>,
        control: &'a Control,
    ) -> Self {
        let hashes = sides.iter().map(|side| hashes(side, control)).collect();
        Self { sides, hashes, is_one_table, table_of, control }
    }

    /// How many records there are of each hash.
    fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0u32; 1 << BITS];
        for hash in self.hashes.iter().flatten().filter(|hash| **hash != NO_HASH) {
            let count = &mut counts[*hash as usize];
            *count = count.saturating_add(1);
        }
        counts
    }

    /// The blocks of records whose hashes are looked at, those with the most pairs first.
    fn blocks(&self, is_looked_at: impl Fn(u32) -> bool) -> Vec<LargestBlock> {
        let mut numbers: Vec<HashMap<(u32, u32), u32>> = vec![HashMap::new(); self.sides[0].len()];
        let mut sizes: Vec<Sizes> = Vec::new();
        let mut by_table: HashMap<(u32, usize), u64> = HashMap::new();
        // Of one table: the block of each record that was looked at on the left.
        let mut of_left: HashMap<u32, u32> = HashMap::new();
        for (nth, side) in self.sides.iter().enumerate() {
            for (record, &hash) in self.hashes[nth].iter().enumerate() {
                if record % AT_ONCE == 0 {
                    self.control.pass();
                }
                if hash == NO_HASH || !is_looked_at(hash) {
                    continue;
                }
                let number = side.iter().zip(&mut numbers).fold(0, |number, (codes, numbers)| {
                    let next = numbers.len() as u32;
                    *numbers.entry((number, codes[record])).or_insert(next)
                });
                if sizes.len() <= number as usize {
                    sizes.resize(number as usize + 1, Sizes::default());
                }
                let (of, record) = (&mut sizes[number as usize], record as u32);
                if nth == 0 {
                    of.left += 1;
                    of.example.get_or_insert((Side::Left, record));
                    if self.sides.len() > 1 && self.is_one_table {
                        of_left.insert(record, number);
                    }
                    if let Some(table_of) = self.table_of {
                        *by_table.entry((number, table_of(record))).or_default() += 1;
                    }
                } else {
                    of.right += 1;
                    of.both += u64::from(of_left.get(&record) == Some(&number));
                    of.example.get_or_insert((Side::Right, record));
                }
            }
        }
        for ((number, _), n) in by_table {
            sizes[number as usize].within += n * n.saturating_sub(1) / 2;
        }
        let is_same = self.sides.len() == 1;
        let block = |of: &Sizes| {
            let Sizes { left, right, both, within, example } = *of;
            let pairs = |n: u64| n * n.saturating_sub(1) / 2;
            let (n_records, n_pairs) = match is_same {
                true => (left, pairs(left) - within.min(pairs(left))),
                // Those of both sides are there either way round, and with themselves.
                false => (left + right - both, left * right - both - pairs(both)),
            };
            example.map(|example| LargestBlock { n_records, n_pairs, example })
        };
        let mut blocks: Vec<LargestBlock> =
            sizes.iter().filter_map(block).filter(|it| it.n_pairs > 0).collect();
        blocks.sort_by_key(|block| (std::cmp::Reverse(block.n_pairs), block.example));
        blocks
    }
}

/// Of each record of a side: where it is counted.
fn hashes(side: &[&[u32]], control: &Control) -> Vec<u32> {
    let mut hashes = vec![0u32; side[0].len()];
    hashes.par_chunks_mut(AT_ONCE).enumerate().for_each(|(nth, hashes)| {
        control.pass();
        let mut all = vec![0u64; hashes.len()];
        let mut lacks = vec![false; hashes.len()];
        for codes in side {
            let codes = &codes[nth * AT_ONCE..][..hashes.len()];
            for ((all, lacks), &code) in all.iter_mut().zip(&mut lacks).zip(codes) {
                *lacks |= code == MISSING;
                *all = (*all ^ u64::from(code)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                *all ^= *all >> 32;
            }
        }
        for ((hash, all), lacks) in hashes.iter_mut().zip(all).zip(lacks) {
            let own = (all.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as u32;
            *hash = if lacks { NO_HASH } else { own };
        }
    });
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use std::collections::BTreeMap;

    /// Blocks by the definition: all pairs of records, one by one.
    fn pairs(lefts: &[&[u32]], rights: &[&[u32]], is_one_table: bool) -> Vec<u64> {
        let key =
            |codes: &[&[u32]], record: usize| codes.iter().map(|codes| codes[record]).collect::<Vec<_>>();
        let mut blocks: BTreeMap<Vec<u32>, BTreeMap<(usize, usize), ()>> = BTreeMap::new();
        for left in 0..lefts[0].len() {
            for right in 0..rights[0].len() {
                let own = key(lefts, left);
                if own != key(rights, right) || own.contains(&MISSING) || (is_one_table && left == right) {
                    continue;
                }
                let pair = if is_one_table { (left.min(right), left.max(right)) } else { (left, right) };
                blocks.entry(own).or_default().insert(pair, ());
            }
        }
        let mut sizes: Vec<u64> = blocks.values().map(|pairs| pairs.len() as u64).collect();
        sizes.sort_unstable_by_key(|n| std::cmp::Reverse(*n));
        sizes
    }

    fn column(random: &mut Random, n: usize, values: u64) -> Vec<u32> {
        let code = |code: u64| if code == values { MISSING } else { code as u32 };
        (0..n).map(|_| code(random.below(values + 1))).collect()
    }

    #[test]
    fn blocks_have_the_pairs_that_they_have() {
        let mut random = Random::new(1);
        let control = Control::default();
        for _ in 0..30 {
            let [a, b, c, d] = [0; 4].map(|_| column(&mut random, 60, 4));
            for (lefts, rights, is_one_table) in [
                (vec![&a[..]], vec![&a[..]], true),
                (vec![&a[..], &b[..]], vec![&a[..], &b[..]], true),
                (vec![&a[..], &b[..]], vec![&b[..], &a[..]], true),
                (vec![&a[..], &b[..]], vec![&c[..], &d[..]], false),
            ] {
                let want = pairs(&lefts, &rights, is_one_table);
                let is_same = is_one_table && lefts == rights;
                let sides = if is_same { vec![lefts] } else { vec![lefts, rights] };
                let counting = Counting::new(sides, is_one_table, None, &control);
                let found: Vec<u64> = counting.blocks(|_| true).iter().map(|it| it.n_pairs).collect();
                assert_eq!(found, want);
                let counts = counting.counts();
                let n: usize = counts.iter().map(|n| *n as usize).sum();
                assert!(n > 0 && counting.blocks(|hash| counts[hash as usize] > 0).len() == want.len());
            }
        }
    }
}
