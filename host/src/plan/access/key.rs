//! Keys: several equalities as one, a number for each record.
//!
//! Two records have the same key exactly if all the equalities hold between them. Codes are combined like the digits of a
//! number. Where the number of possible keys is far beyond that of records, the combinations that the left side has are
//! numbered instead, so that frequencies are counted in one array.

use crate::base::control::Control;
use crate::base::gather::Gather;
use crate::base::threads;
use crate::encode::Encoded;
use crate::encode::dictionary::Dictionary;
use crate::plan::path::KeyPairs;
use crate::plan::sweep::{Block, Lead, drawn, map};
use crate::plan::work::{Unit, Work};
use hashbrown::{HashMap, HashSet};
use hyperblock_shared::columns::{Columns, MISSING};
use hyperblock_shared::listing::n_pairs_of_key;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// What a key is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// By equality: the operand left and right.
    operands: Vec<[u32; 2]>,
}

/// The keys of a block's records.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    /// By left record, counted from the block's first; `MISSING` if it can equal nothing. The codes of one column are keys.
    left: Cow<'a, [u32]>,
    /// By right record, likewise; if there are none, both sides are one.
    right: Option<Cow<'a, [u32]>>,
    /// By key: how many left and right records have it.
    counts: Vec<[u32; 2]>,
}

/// The keys of some records, and how many each of them stands for.
#[derive(Debug)]
pub(super) struct SampledKeys {
    /// By key that has a pair: how many left and right records have it, and its pairs.
    counts: Vec<([u32; 2], u64)>,
    is_symmetric: bool,
    scales: [f64; 2],
    /// Records of both sides.
    n_records: f64,
}

/// Possible keys for each record, up to which they are counted as they are.
const SPARSE: u64 = 4;
/// And for no record at all.
const FEW: u64 = 1 << 10;
/// Records that all keys together are counted for, about; of a side for each of them, at most and at least.
const N_COUNTED: usize = 1 << 18;
const MOST_COUNTED: usize = 1 << 14;
const LEAST_COUNTED: usize = 1 << 10;
/// Records that a thread looks at at a time.
const AT_ONCE: usize = 1 << 15;
/// What `MISSING` is among combinations.
const NONE: u64 = u64::MAX;

/// Some of a block's records, and what keys look at there.
pub(super) struct Drawn {
    /// By side: how many they are, and how many records each stands for.
    n_drawn: [usize; 2],
    scales: [f64; 2],
    /// By operand and side: their codes.
    codes: HashMap<(u32, usize), Vec<u32>>,
}

impl Drawn {
    /// For these keys.
    pub(super) fn new(encoded: &Encoded, block: &Block, keys: &[&Key]) -> Self {
        let most = (N_COUNTED / keys.len().max(1)).clamp(LEAST_COUNTED, MOST_COUNTED);
        let blocks = [&block.left, &block.right];
        let records = blocks.map(|records| drawn(records.len(), most));
        let operands = keys.iter().flat_map(|key| &key.operands);
        let used: HashSet<(u32, usize)> =
            operands.flat_map(|&[left, right]| [(left, 0), (right, 1)]).collect();
        let used: Vec<(u32, usize)> = used.into_iter().collect();
        let some = map(&used, block.is_small(), |&(operand, side)| {
            let codes = &encoded.codes(operand)[blocks[side].start as usize..];
            records[side].iter().map(|&record| codes[record as usize]).collect()
        });
        let n_drawn = records.map(|records| records.len());
        let scales = [0, 1].map(|side: usize| blocks[side].len() as f64 / n_drawn[side].max(1) as f64);
        Self { n_drawn, scales, codes: used.into_iter().zip(some).collect() }
    }
}

impl Key {
    /// Of equalities, in any order.
    pub(super) fn new(equalities: &[Lead]) -> Self {
        let mut operands: Vec<[u32; 2]> = equalities.iter().filter_map(|lead| lead.operands).collect();
        operands.sort_unstable();
        operands.dedup();
        Self { operands }
    }

    /// The keys of some of a block's records.
    pub(super) fn sampled(&self, block: &Block, drawn: &Drawn) -> SampledKeys {
        let Drawn { n_drawn, scales, codes } = drawn;
        let columns: Vec<[&[u32]; 2]> = self
            .operands
            .iter()
            .map(|&[left, right]| [&codes[&(left, 0)][..], &codes[&(right, 1)]])
            .collect();
        let keys = Keys::new(&columns, self.is_symmetric(block), &Control::default());
        let n_records = [0, 1].map(|side: usize| n_drawn[side] as f64 * scales[side]);
        let is_symmetric = keys.is_symmetric();
        let counts =
            keys.counts().iter().map(|&counts| (counts, keys.n_pairs(counts))).filter(|(_, n)| *n > 0);
        SampledKeys {
            counts: counts.collect(),
            is_symmetric,
            scales: *scales,
            n_records: if is_symmetric { n_records[0] } else { n_records[0] + n_records[1] },
        }
    }

    /// By equality: the operand left and right.
    pub(super) fn operands(&self) -> &[[u32; 2]] {
        &self.operands
    }

    /// Whether both sides are one in a block.
    pub(super) fn is_symmetric(&self, block: &Block) -> bool {
        block.half && self.operands.iter().all(|[left, right]| left == right)
    }

    /// The keys of a block's records, counted.
    pub(super) fn keys<'a>(&self, encoded: &'a Encoded, block: &Block, control: &Control) -> Keys<'a> {
        let codes = |operand: u32, records: &Range<u32>| {
            &encoded.codes(operand)[records.start as usize..records.end as usize]
        };
        let columns: Vec<[&[u32]; 2]> = self
            .operands
            .iter()
            .map(|&[left, right]| [codes(left, &block.left), codes(right, &block.right)])
            .collect();
        Keys::new(&columns, self.is_symmetric(block), control)
    }
}

/// Above how many pairs a key is heavy, and what is done with its left and right records then.
pub(super) type Heavy<'a> = (u64, &'a dyn Fn([f64; 2]) -> Work);

impl SampledKeys {
    /// Whether all records were counted.
    pub(super) fn is_exact(&self) -> bool {
        self.scales.iter().all(|&scale| scale <= 1.0)
    }

    /// What the pairs of all records come to.
    pub(super) fn pairs(&self, heavy: Option<Heavy<'_>>) -> KeyPairs {
        let Self { counts, is_symmetric, scales, n_records } = self;
        let mut pairs = KeyPairs { n_records: *n_records, ..KeyPairs::default() };
        for &(counts, n_pairs) in counts {
            let n_pairs = n_pairs as f64 * scales[0] * scales[1];
            let sides = [0, 1].map(|side: usize| f64::from(counts[side]) * scales[side]);
            match heavy.filter(|(most, _)| n_pairs > *most as f64) {
                Some((_, inner)) => {
                    pairs.n_heavy += if *is_symmetric { sides[0] } else { sides[0] + sides[1] };
                    pairs.n_heavy_keys += 1.0;
                    pairs.heavy += inner(sides);
                }
                None => {
                    pairs.n_pairs += n_pairs;
                    pairs.most = pairs.most.max(n_pairs);
                }
            }
        }
        if pairs.n_heavy > 0.0 {
            pairs.heavy += Work::of([(Unit::Sweep, 1.0)]);
        }
        pairs
    }
}

impl<'a> Keys<'a> {
    /// Of columns of codes, each left and right; if it `is_symmetric`, only the left ones are looked at.
    fn new(columns: &[[&'a [u32]; 2]], is_symmetric: bool, control: &Control) -> Self {
        let n_sides = if is_symmetric { 1 } else { 2 };
        let n_records: usize =
            columns.first().map_or(0, |column| column[..n_sides].iter().map(|codes| codes.len()).sum());
        let most = (SPARSE * n_records as u64 + FEW).min(MISSING.into());
        if let [column] = columns {
            let n_keys = n_codes(&column[..n_sides]);
            if n_keys <= most {
                let right = (!is_symmetric).then_some(column[1]);
                let counts = counts(n_keys as usize, column[0], right);
                return Self { left: column[0].into(), right: right.map(Into::into), counts };
            }
        }
        let mut sides: Vec<Vec<u64>> = (0..n_sides)
            .map(|side| vec![0; columns.first().map_or(0, |column| column[side].len())])
            .collect();
        let mut n_keys = 1u64;
        for column in columns {
            let n_codes = n_codes(&column[..n_sides]);
            let product = n_keys.checked_mul(n_codes);
            n_keys = product.unwrap_or_else(|| number(&mut sides, control).saturating_mul(n_codes));
            for (side, codes) in sides.iter_mut().zip(column) {
                let both = side.par_iter_mut().with_min_len(AT_ONCE).zip(*codes);
                both.for_each(|(key, &code)| {
                    let is_there = code != MISSING && *key != NONE;
                    *key = if is_there { *key * n_codes + u64::from(code) } else { NONE };
                });
            }
        }
        if n_keys > most {
            n_keys = number(&mut sides, control);
        }
        // What is not among them is no key.
        let short = |&key: &u64| if key < n_keys { key as u32 } else { MISSING };
        let mut sides =
            sides.into_iter().map(|side| side.par_iter().with_min_len(AT_ONCE).map(short).gather());
        let left = sides.next().unwrap_or_default();
        let right = sides.next();
        let counts = counts(n_keys as usize, &left, right.as_deref());
        Self { left: left.into(), right: right.map(Into::into), counts }
    }

    /// By side and record.
    pub(super) fn sides(&self) -> [&[u32]; 2] {
        [&self.left, self.right.as_ref().unwrap_or(&self.left)]
    }

    /// Whether both sides are one, and each of its pairs counts once.
    pub(super) fn is_symmetric(&self) -> bool {
        self.right.is_none()
    }

    /// By key: how many left and right records have it.
    pub(super) fn counts(&self) -> &[[u32; 2]] {
        &self.counts
    }

    /// The number of pairs of so many left and right records with the same key.
    pub(super) fn n_pairs(&self, counts: [u32; 2]) -> u64 {
        n_pairs_of_key(counts, self.is_symmetric())
    }
}

/// One past the last code of some columns.
fn n_codes(columns: &[&[u32]]) -> u64 {
    let last = |codes: &&[u32]| {
        let present = codes.par_iter().with_min_len(AT_ONCE).filter(|code| **code != MISSING);
        present.max().map_or(1, |&code| u64::from(code) + 1)
    };
    columns.iter().map(last).max().unwrap_or(1)
}

/// By key: how many left and right records have it. Each thread counts some keys, of all records: none waits for another,
/// and to look at a key takes far less time than to count it.
fn counts(n_keys: usize, left: &[u32], right: Option<&[u32]>) -> Vec<[u32; 2]> {
    let mut counts = vec![[0; 2]; n_keys];
    let n_parts = (left.len() / AT_ONCE).clamp(1, threads::n_threads());
    let per_part = n_keys.div_ceil(n_parts).max(1);
    counts.par_chunks_mut(per_part).enumerate().for_each(|(part, counts)| {
        let first = (part * per_part) as u32;
        for (place, keys) in [Some(left), right].into_iter().flatten().enumerate() {
            for &key in keys {
                if let Some(count) = counts.get_mut(key.wrapping_sub(first) as usize) {
                    count[place] += 1;
                }
            }
        }
        if right.is_none() {
            counts.iter_mut().for_each(|count| count[1] = count[0]);
        }
    });
    counts
}

/// Numbers the combinations that the left side has, and says how many there are. Others join nothing.
fn number(sides: &mut [Vec<u64>], control: &Control) -> u64 {
    let n_left = sides.first().map_or(0, Vec::len);
    let n_records = sides.iter().map(Vec::len).sum();
    let key = |ix: usize| match ix.checked_sub(n_left) {
        None => sides[0][ix],
        Some(ix) => sides[1][ix],
    };
    // Left ones come first, and have the first numbers.
    let Dictionary { codes, .. } =
        Dictionary::new(n_records, |ix| Some(key(ix)).filter(|key| *key != NONE), control);
    let n_keys = codes[..n_left].par_iter().filter(|code| **code != MISSING).max().map_or(0, |last| last + 1);
    let mut codes = &codes[..];
    for side in sides {
        let own;
        (own, codes) = codes.split_at(side.len());
        let numbered = |(key, &code): (&mut u64, &u32)| {
            *key = if code < n_keys { code.into() } else { NONE };
        };
        side.par_iter_mut().with_min_len(AT_ONCE).zip(own).for_each(numbered);
    }
    // An array of nothing has no room for a code.
    u64::from(n_keys).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Small codes and far ones, so that combinations are numbered once or twice on the way, or not at all.
    fn codes(n_records: usize) -> impl Strategy<Value = Vec<u32>> {
        let far = prop_oneof![0u32..3, MISSING - 4..MISSING, Just(MISSING)];
        prop_oneof![
            vec(0u32..4, n_records),
            vec(prop_oneof![0u32..40, Just(MISSING)], n_records),
            vec(far, n_records)
        ]
    }

    proptest! {
        #[test]
        fn keys_are_equal_if_all_codes_are(
            columns in (0usize..12, 0usize..12).prop_flat_map(|(n_left, n_right)| {
                vec((codes(n_left), codes(n_right)), 1..5)
            }),
            is_symmetric: bool,
        ) {
            let columns: Vec<[&[u32]; 2]> = columns.iter().map(|(left, right)| [&left[..], &right[..]]).collect();
            let right = |column: &[&[u32]; 2]| column[usize::from(!is_symmetric)].to_vec();
            let keys = Keys::new(&columns, is_symmetric, &Control::default());
            let [lefts, rights] = keys.sides();
            let mut counted = vec![[0; 2]; keys.counts.len()];
            for (l, &left) in lefts.iter().enumerate() {
                for (r, &key) in rights.iter().enumerate() {
                    let holds = |column: &[&[u32]; 2]| column[0][l] != MISSING && column[0][l] == right(column)[r];
                    prop_assert_eq!(left != MISSING && left == key, columns.iter().all(holds));
                }
            }
            for (side, keys) in [lefts, rights].into_iter().enumerate() {
                keys.iter().filter(|&&key| key != MISSING).for_each(|&key| counted[key as usize][side] += 1);
            }
            prop_assert_eq!(counted, keys.counts);
        }
    }
}
