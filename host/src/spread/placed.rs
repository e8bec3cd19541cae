//! Where keys and elements are: which unit has the records with some hash.
//!
//! Most hashes are *light*: so many of them share a unit. Those of which samples show that they are not quite so light have a unit
//! said for each, so that units are even. A *heavy* one has more records than a side holds. They are dealt into blocks by the hash of
//! their ids, and a unit compares two blocks, or one with itself: of `g` blocks of one table there are g (g + 1) / 2 units, and of
//! two tables one for each left and each right block.

use super::hash;
use rkyv::{Archive, Deserialize, Serialize};

/// On which side of a unit a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Standing {
    pub(super) unit: u64,
    /// 0 is left, 1 is right.
    pub(super) side: u8,
}

/// How many blocks, and which units compare them: numbered from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub(super) struct Blocks {
    pub(super) first: u64,
    /// Of the left and of the right table; of one table, the same twice.
    pub(super) n: [u32; 2],
    pub(super) is_one_table: bool,
}

impl Blocks {
    /// How many units there are.
    pub(super) fn n_units(&self) -> u64 {
        let [left, right] = self.n.map(u64::from);
        if self.is_one_table { left * (left + 1) / 2 } else { left * right }
    }

    /// The unit that compares a block with another one; of one table, the first of them is not behind the other.
    fn unit(&self, left: u32, right: u32) -> u64 {
        let ([_, n], [left, right]) = (self.n.map(u64::from), [left, right].map(u64::from));
        // Of one table, the rows before this one have each one unit fewer than the one before.
        let before = if self.is_one_table { left * (left + 1) / 2 } else { 0 };
        self.first + left * n + right - before
    }

    /// The blocks that a unit compares.
    pub(super) fn of_unit(&self, unit: u64) -> [u32; 2] {
        let rows = |left: &u32| self.unit(*left, if self.is_one_table { *left } else { 0 }) <= unit;
        let (mut from, mut upto) = (0, self.n[0]);
        while upto - from > 1 {
            let middle = from + (upto - from) / 2;
            *(if rows(&middle) { &mut from } else { &mut upto }) = middle;
        }
        let first = if self.is_one_table { from } else { 0 };
        [from, first + (unit - self.unit(from, first)) as u32]
    }

    /// Where a record of a block of a side stands.
    pub(super) fn each(&self, block: u32, side: u8, mut take: impl FnMut(Standing)) {
        match (self.is_one_table, side) {
            (true, _) => {
                (0..block).for_each(|before| take(Standing { unit: self.unit(before, block), side: 1 }));
                (block..self.n[1])
                    .for_each(|behind| take(Standing { unit: self.unit(block, behind), side: 0 }));
            }
            (false, 0) => {
                (0..self.n[1]).for_each(|right| take(Standing { unit: self.unit(block, right), side: 0 }))
            }
            (false, _) => {
                (0..self.n[0]).for_each(|left| take(Standing { unit: self.unit(left, block), side: 1 }))
            }
        }
    }

    /// The unit that compares records of these blocks.
    pub(super) fn meeting(&self, [left, right]: [u32; 2]) -> u64 {
        match self.is_one_table {
            true => self.unit(left.min(right), left.max(right)),
            false => self.unit(left, right),
        }
    }
}

/// A hash with more records than a side holds.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub(super) struct Heavy {
    pub(super) hash: u64,
    pub(super) blocks: Blocks,
}

/// Where hashes are.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub(super) struct Placed {
    pub(super) is_one_table: bool,
    /// The first unit.
    pub(super) first: u64,
    /// At least one.
    pub(super) n_light: u32,
    /// By hash: which of the light units has it. Others are where their hash falls.
    pub(super) said: Vec<(u64, u32)>,
    /// By hash, and by unit.
    pub(super) heavy: Vec<Heavy>,
}

impl Placed {
    fn heavy(&self, hash: u64) -> Option<&Heavy> {
        let place = self.heavy.binary_search_by_key(&hash, |heavy| heavy.hash).ok()?;
        self.heavy.get(place)
    }

    fn light(&self, hash: u64) -> u64 {
        let place = match self.said.binary_search_by_key(&hash, |(said, _)| *said) {
            Ok(place) => self.said[place].1,
            // Where a hash stands in the order of elements says nothing of where it falls.
            Err(_) => hash::place(hash::mixed(hash, 0), self.n_light),
        };
        self.first + u64::from(place)
    }

    /// Where a record of a table with this hash stands, whose id has that one.
    pub(super) fn each(&self, hash: u64, id: u64, table: u8, mut take: impl FnMut(Standing)) {
        match self.heavy(hash) {
            Some(Heavy { blocks, .. }) => blocks.each(block(blocks, hash, id, table), table, take),
            None => {
                let side = if self.is_one_table { 0 } else { table };
                take(Standing { unit: self.light(hash), side })
            }
        }
    }

    /// The unit that compares two records with this hash, whose ids have those.
    pub(super) fn meeting(&self, hash: u64, ids: [u64; 2]) -> u64 {
        match self.heavy(hash) {
            Some(Heavy { blocks, .. }) => {
                blocks.meeting([0, 1].map(|side: u8| block(blocks, hash, ids[usize::from(side)], side)))
            }
            None => self.light(hash),
        }
    }

    /// Whether a unit compares one block with itself: of one table, all but those that compare two blocks of a heavy hash.
    pub(super) fn is_one_sided(&self, unit: u64) -> bool {
        if unit - self.first < u64::from(self.n_light) {
            return self.is_one_table;
        }
        let behind = self.heavy.partition_point(|heavy| heavy.blocks.first <= unit);
        let heavy = behind.checked_sub(1).and_then(|place| self.heavy.get(place));
        heavy.is_some_and(|Heavy { blocks, .. }| {
            let [left, right] = blocks.of_unit(unit);
            blocks.is_one_table && left == right
        })
    }
}

fn block(blocks: &Blocks, hash: u64, id: u64, side: u8) -> u32 {
    hash::place(hash::mixed(id, hash), blocks.n[usize::from(side)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Each two blocks are compared by one unit, of which one has the left side and the other one the right one.
        #[test]
        fn two_blocks_meet_once(n in 1u32..9, m in 1u32..9, is_one_table: bool, first in 0u64..5) {
            let blocks = Blocks { first, n: if is_one_table { [n; 2] } else { [n, m] }, is_one_table };
            let mut units: BTreeMap<u64, Vec<[u32; 2]>> = BTreeMap::new();
            for left in 0..n {
                for right in if is_one_table { left..n } else { 0..m } {
                    let unit = blocks.meeting([left, right]);
                    prop_assert_eq!(blocks.of_unit(unit), [left, right]);
                    units.entry(unit).or_default().push([left, right]);
                    for (block, side) in [(left, 0), (right, u8::from(!is_one_table || left != right))] {
                        let mut stands = 0;
                        blocks.each(block, if is_one_table { 0 } else { side }, |standing| {
                            stands += u32::from(standing == Standing { unit, side });
                        });
                        prop_assert_eq!(stands, 1);
                    }
                }
            }
            prop_assert!(units.values().all(|pairs| pairs.len() == 1));
            prop_assert_eq!(units.len() as u64, blocks.n_units());
            prop_assert!(units.keys().copied().eq(first..first + blocks.n_units()));
        }
    }

    #[test]
    fn a_heavy_hash_has_units_of_its_own() {
        let blocks = |first| Blocks { first, n: [2, 2], is_one_table: true };
        let heavy = [(3, 12), (9, 15)].map(|(hash, first)| Heavy { hash, blocks: blocks(first) });
        let placed =
            Placed { is_one_table: true, first: 10, n_light: 2, said: vec![(5, 1)], heavy: heavy.to_vec() };
        let one_sided: Vec<bool> = (10..18).map(|unit| placed.is_one_sided(unit)).collect();
        assert_eq!(one_sided, [true, true, true, false, true, true, false, true]);
        let units = |hash, id| {
            let mut units = Vec::new();
            placed.each(hash, id, 0, |standing| units.push(standing.unit));
            units
        };
        assert_eq!(units(5, 1), [11]);
        assert!((0..100).all(|id| matches!(units(3, id)[..], [12, 13] | [13, 14])));
        assert!((0..100).all(|id| matches!(units(9, id)[..], [15, 16] | [16, 17])));
    }
}
