//! Light keys and heavy ones: the records of each, without those whose key has no pair.

use super::join::KeyList;
use super::key::Keys;
use crate::base::gather::Gather;
use crate::base::threads;
use crate::plan::sweep::{Block, Groups};
use hyperblock_shared::columns::MISSING;
use hyperblock_shared::listing::{LIGHT, NO_PAIRS};
use rayon::prelude::*;
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
pub(super) fn split(keys: &Keys<'_>, block: &Block, most: Option<u64>) -> Split {
    let is_heavy = |n: u64| most.is_some_and(|most| n > most);
    let counts = keys.counts();
    let kind = |counts: &[u32; 2]| match keys.n_pairs(*counts) {
        0 => NO_PAIRS,
        n if is_heavy(n) => HEAVY,
        _ => LIGHT,
    };
    let mut kinds: Vec<u32> = counts.par_iter().with_min_len(AT_ONCE).map(kind).gather();
    let (n_keys, n_pairs) = counts
        .par_iter()
        .zip(&kinds)
        .with_min_len(AT_ONCE)
        .filter(|(_, kind)| **kind == LIGHT)
        .map(|(counts, _)| (1, keys.n_pairs(*counts)))
        .reduce(|| (0, 0), |(keys, pairs), (more_keys, more_pairs)| (keys + more_keys, pairs + more_pairs));
    // Heavy ones are few.
    let heavies: Vec<usize> = (0..kinds.len()).into_par_iter().filter(|&key| kinds[key] == HEAVY).collect();
    (0..).zip(&heavies).for_each(|(group, &key)| kinds[key] = group);
    let side = |side: usize| {
        let first = [block.left.start, block.right.start][side];
        let counts: Vec<u32> = heavies.iter().map(|&key| counts[key][side]).collect();
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

/// A heavy key that has no number yet.
const HEAVY: u32 = LIGHT - 1;

/// Keys and records that a thread looks at at a time.
const AT_ONCE: usize = 1 << 15;

/// The records of one side.
struct Sorted {
    light: KeyList,
    heavy: Groups,
}

/// The same for some records that follow each other: heavy ones with their groups.
#[derive(Default)]
struct Part {
    light: KeyList,
    heavy: Vec<(u32, u32)>,
}

impl Part {
    fn new(kinds: &[u32], keys: &[u32], first: u32) -> Self {
        let mut part = Self::default();
        for (record, &key) in (first..).zip(keys).filter(|&(_, &key)| key != MISSING) {
            match kinds[key as usize] {
                NO_PAIRS => {}
                LIGHT => {
                    part.light.keys.push(key);
                    part.light.rows.push(record);
                }
                group => part.heavy.push((group, record)),
            }
        }
        part
    }
}

impl Sorted {
    fn new(kinds: &[u32], keys: &[u32], first: u32, n_heavy: &[u32]) -> Self {
        let part = |(ix, keys): (usize, &[u32])| Part::new(kinds, keys, first + (ix * AT_ONCE) as u32);
        let parts: Vec<Part> = keys.par_chunks(AT_ONCE).enumerate().map(part).gather();
        let light = KeyList {
            keys: joined(parts.iter().map(|part| &part.light.keys[..])),
            rows: joined(parts.iter().map(|part| &part.light.rows[..])),
        };
        Self { light, heavy: grouped(&parts, n_heavy) }
    }
}

/// Slices one after the other.
fn joined<'a>(parts: impl Iterator<Item = &'a [u32]> + Clone) -> Vec<u32> {
    let mut whole = vec![0; parts.clone().map(<[u32]>::len).sum()];
    let (mut pieces, mut rest) = (Vec::new(), &mut whole[..]);
    for part in parts {
        let piece;
        (piece, rest) = rest.split_at_mut(part.len());
        pieces.push((piece, part));
    }
    pieces.into_par_iter().for_each(|(piece, part)| piece.copy_from_slice(part));
    whole
}

/// Heavy records, key by key. Each thread writes some groups, of all parts.
fn grouped(parts: &[Part], n_heavy: &[u32]) -> Groups {
    let mut starts = vec![0];
    for n in n_heavy {
        starts.push(starts[starts.len() - 1] + n);
    }
    let n_records = starts[starts.len() - 1] as usize;
    let mut records = vec![0; n_records];
    let n_threads = (n_records / AT_ONCE).clamp(1, threads::n_threads());
    let (mut shares, mut rest, mut from) = (Vec::new(), &mut records[..], 0);
    for thread in 1..=n_threads {
        let end = (n_records * thread / n_threads) as u32;
        let upto = starts.partition_point(|start| *start < end).max(from).min(n_heavy.len());
        let own;
        (own, rest) = rest.split_at_mut((starts[upto] - starts[from]) as usize);
        shares.push((from..upto, own));
        from = upto;
    }
    shares.into_par_iter().for_each(|(groups, own)| {
        let mut next: Vec<u32> =
            starts[groups.clone()].iter().map(|start| start - starts[groups.start]).collect();
        for &(group, record) in parts.iter().flat_map(|part| &part.heavy) {
            if let Some(place) = next.get_mut((group as usize).wrapping_sub(groups.start)) {
                own[*place as usize] = record;
                *place += 1;
            }
        }
    });
    Groups { starts, records }
}
