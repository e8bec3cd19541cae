//! Light keys and heavy ones: the records of each, without those whose key has no pair.

use super::join::KeyList;
use super::key::Keys;
use crate::plan::sweep::{Block, Groups};
use hyperblock_shared::columns::MISSING;
use std::sync::Arc;

/// A block's records, by what becomes of them.
pub(super) struct Split {
    /// Records with light keys, left and right; of one side with itself, the same list twice.
    pub(super) light: [Arc<KeyList>; 2],
    /// Records with heavy keys, key by key, left and, unless both sides are one, right; if there are any.
    pub(super) heavy: Option<(Groups, Option<Groups>)>,
    /// How many light keys there are.
    pub(super) n_keys: u32,
    /// And how many pairs they have.
    pub(super) n_pairs: u64,
}

/// Splits a block's records. Keys with more pairs than `most` are heavy.
pub(super) fn split(keys: &Keys, block: &Block, most: Option<u64>) -> Split {
    let (mut n_keys, mut n_pairs) = (0, 0);
    let mut heavies: Vec<[u32; 2]> = Vec::new();
    let kind = |counts: [u32; 2]| match keys.n_pairs(counts) {
        0 => NO_PAIRS,
        n if most.is_some_and(|most| n > most) => {
            heavies.push(counts);
            heavies.len() as u32 - 1
        }
        n => {
            n_keys += 1;
            n_pairs += n;
            LIGHT
        }
    };
    let kinds: Vec<u32> = keys.counts().map(kind).collect();
    let side = |side: usize| {
        let first = [block.left.start, block.right.start][side];
        let counts: Vec<u32> = heavies.iter().map(|counts| counts[side]).collect();
        Sorted::new(&kinds, keys.sides()[side], first, &counts)
    };
    let left = side(0);
    let right = (!keys.is_symmetric()).then(|| side(1));
    let light = Arc::new(left.light);
    let (other, groups) = match right {
        None => (light.clone(), None),
        Some(right) => (Arc::new(right.light), Some(right.heavy)),
    };
    let heavy = (!heavies.is_empty()).then_some((left.heavy, groups));
    Split { light: [light, other], heavy, n_keys, n_pairs }
}

/// What is no number of a heavy key: a light one, or one that joins nothing.
const LIGHT: u32 = u32::MAX - 1;
const NO_PAIRS: u32 = u32::MAX;

/// The records of one side.
struct Sorted {
    light: KeyList,
    heavy: Groups,
}

impl Sorted {
    fn new(kinds: &[u32], keys: &[u32], first: u32, n_heavy: &[u32]) -> Self {
        let mut starts = vec![0];
        for n in n_heavy {
            starts.push(starts[starts.len() - 1] + n);
        }
        let mut next = starts.clone();
        let mut heavy = Groups { records: vec![0; starts[starts.len() - 1] as usize], starts };
        let mut light = KeyList::default();
        for (record, &key) in (first..).zip(keys).filter(|&(_, &key)| key != MISSING) {
            match kinds[key as usize] {
                NO_PAIRS => {}
                LIGHT => {
                    light.keys.push(key);
                    light.rows.push(record);
                }
                group => {
                    let place = &mut next[group as usize];
                    heavy.records[*place as usize] = record;
                    *place += 1;
                }
            }
        }
        Self { light, heavy }
    }
}
