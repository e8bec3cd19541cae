//! Blocks: records that share the values of some equalities; and equalities without blocks that are too large.
//!
//! A conjunction's blocks are a function of tables and rules. Records of one that is too large get a column of codes of their
//! own in which they have no value, so the equality never holds for them, by whatever path a plan comes to it.

use super::{CodeColumn, Encoded, Sides};
use crate::base::control::Control;
use crate::rules::Side;
use hashbrown::HashMap;
use hyperblock_shared::columns::{Columns, MISSING};
use hyperblock_shared::measure::Measure;
use hyperblock_shared::predicate::{Predicate, Test};
use std::sync::Arc;

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// How many records are in it, of both tables.
    pub(crate) n_records: u64,
    /// One of them: whose side its values are on, and which record.
    pub(crate) example: (Side, u32),
}

/// The columns of an equality, left and right.
type Equality = (u32, u32);

impl Encoded {
    /// The columns of a predicate, if it asks for equal values.
    pub(crate) fn equality(&self, predicate: usize) -> Option<Equality> {
        match self.predicates[predicate] {
            Predicate { test: Test::Compare { left, right, measure: Measure::Equal }, negated: false } => {
                Some((left, right))
            }
            _ => None,
        }
    }

    /// The blocks of more than `most` records that these equalities make together, the largest first.
    ///
    /// The values of a left record are those of left columns, and of a right record those of right ones. In one table a
    /// record is of both kinds, and counts once where that comes to the same; of several that are one, what it may be.
    pub(crate) fn large_blocks(
        &self,
        equalities: &[Equality],
        most: u32,
        sides: &Sides,
        control: &Control,
    ) -> LargeBlocks {
        let mut numbering = Numbering::default();
        let [left, right] = numbering.keys(self, equalities, control);
        let mut blocks: Vec<Option<Block>> = Vec::new();
        let mut add = |key: u32, example: (Side, u32)| {
            if key != MISSING {
                let key = key as usize;
                blocks.resize(blocks.len().max(key + 1), None);
                blocks[key].get_or_insert(Block { n_records: 0, example }).n_records += 1;
            }
        };
        let everywhere = [0..u32::MAX, 0..u32::MAX];
        let [lefts, rights] = if let Sides::Across(ranges) = sides { ranges } else { &everywhere };
        for (record, &key) in (0..).zip(&left).filter(|(record, _)| lefts.contains(record)) {
            add(key, (Side::Left, record));
        }
        for (record, &key) in (0..).zip(&right).filter(|(record, _)| rights.contains(record)) {
            let is_counted = *sides != Sides::Two && lefts.contains(&record);
            if !(is_counted && left[record as usize] == key) {
                add(key, (Side::Right, record));
            }
        }
        let is_large = |block: &Option<Block>| block.is_some_and(|it| it.n_records > u64::from(most));
        let large: Vec<bool> = blocks.iter().map(is_large).collect();
        let mut blocks: Vec<Block> = blocks.into_iter().filter(is_large).flatten().collect();
        blocks.sort_by_key(|block| (std::cmp::Reverse(block.n_records), block.example));
        LargeBlocks { blocks, large, keys: [left, right] }
    }

    /// Adds an equality to the predicates that is as the given one, but holds for no records of these blocks. Its number.
    pub(crate) fn without(&mut self, (left, right): Equality, blocks: &LargeBlocks) -> usize {
        let is_same = left == right && blocks.keys[0] == blocks.keys[1];
        let without = |column: u32, keys: &[u32]| {
            let CodeColumn { operand, table, domain, codes } = &self.codes[column as usize];
            // A key that only records on the other side have is of no block.
            let is_large = |key: u32| key != MISSING && blocks.large.get(key as usize) == Some(&true);
            let codes = codes.iter().zip(keys);
            let codes = codes.map(|(&code, &key)| if is_large(key) { MISSING } else { code });
            let codes = Arc::new(codes.collect());
            CodeColumn { operand: operand.clone(), table: *table, domain: *domain, codes }
        };
        let columns = [without(left, &blocks.keys[0]), without(right, &blocks.keys[1])];
        let left = self.codes.len() as u32;
        let right = if is_same { left } else { left + 1 };
        self.codes.extend(columns.into_iter().take(if is_same { 1 } else { 2 }));
        let test = Test::Compare { left, right, measure: Measure::Equal };
        self.predicates.push(Predicate { test, negated: false });
        self.predicates.len() - 1
    }
}

/// Blocks that are too large.
pub(crate) struct LargeBlocks {
    pub(crate) blocks: Vec<Block>,
    /// By key.
    large: Vec<bool>,
    /// Of each record, left and right: its key.
    keys: [Vec<u32>; 2],
}

/// Numbers for combinations of codes.
#[derive(Default)]
struct Numbering {
    numbers: HashMap<(u32, u32), u32>,
}

impl Numbering {
    /// By side and record: the number of its values. Records that lack one have none.
    fn keys(&mut self, encoded: &Encoded, equalities: &[Equality], control: &Control) -> [Vec<u32>; 2] {
        let [first, others @ ..] = equalities else { return Default::default() };
        let mut keys = [encoded.codes(first.0).to_vec(), encoded.codes(first.1).to_vec()];
        for &(left, right) in others {
            self.numbers.clear();
            for (keys, codes) in keys.iter_mut().zip([encoded.codes(left), encoded.codes(right)]) {
                for (key, &code) in keys.iter_mut().zip(codes) {
                    control.pass();
                    *key = self.number(*key, code);
                }
            }
        }
        keys
    }

    fn number(&mut self, key: u32, code: u32) -> u32 {
        if key == MISSING || code == MISSING {
            return MISSING;
        }
        // No more than records, of which two tables have fewer than numbers.
        let next = self.numbers.len() as u32;
        *self.numbers.entry((key, code)).or_insert(next)
    }
}
