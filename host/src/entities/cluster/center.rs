//! Center clustering: the algorithm CENTER of Hassanzadeh and Miller, *Creating probabilistic databases from
//! duplicated data*, VLDB Journal 18(5), 2009.
//!
//! Pairs are gone through by falling score, among equal ones by records. A record that is met for the first
//! time becomes a centre, unless it is met beside a centre, which it joins then; if both are new, the smaller
//! one is the centre. What has a centre, or is one, stays as it is. Pairs of different components have no
//! record in common, so each component can be gone through by itself.

use super::parts::{Batches, for_each_component};
use crate::base::control::Control;
use crate::base::error::Result;
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Not met yet; no record has this number.
const NEW: u32 = u32::MAX;

/// The entity of each record, named by its smallest one; `components` are those of the pairs.
pub(super) fn center(components: &[u32], pairs: &dyn Batches, control: &Control) -> Result<Vec<u32>> {
    // By record: its centre; a centre has itself.
    let centres: Vec<AtomicU32> = components.par_iter().map(|_| AtomicU32::new(NEW)).collect();
    for_each_component(components, pairs, control, |pairs| {
        pairs.sort_unstable_by_key(|pair| (Reverse(pair.score), pair.left, pair.right));
        for pair in pairs {
            meet(&centres, pair);
        }
    })?;
    // A centre may be larger than those that joined it.
    let smallest: Vec<AtomicU32> = components.par_iter().map(|_| AtomicU32::new(NEW)).collect();
    let centre = |record: u32| match centres[record as usize].load(Relaxed) {
        NEW => record,
        centre => centre,
    };
    let records = || (0..components.len() as u32).into_par_iter();
    records().for_each(|record| {
        smallest[centre(record) as usize].fetch_min(record, Relaxed);
    });
    Ok(records().map(|record| smallest[centre(record) as usize].load(Relaxed)).collect())
}

fn meet(centres: &[AtomicU32], pair: &ScoredPair) {
    let ScoredPair { left, right, .. } = *pair;
    let get = |record: u32| centres[record as usize].load(Relaxed);
    let set = |record: u32, centre: u32| centres[record as usize].store(centre, Relaxed);
    let join = |new: u32, other: u32| set(new, if get(other) == other { other } else { new });
    match (get(left) == NEW, get(right) == NEW) {
        (true, true) => {
            set(left, left);
            set(right, left);
        }
        (true, false) => join(left, right),
        (false, true) => join(right, left),
        (false, false) => {}
    }
}
