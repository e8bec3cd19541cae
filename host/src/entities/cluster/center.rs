//! Center clustering: the algorithm CENTER of Hassanzadeh and Miller, *Creating probabilistic databases from
//! duplicated data*, VLDB Journal 18(5), 2009.
//!
//! Pairs are gone through by falling score, among equal ones by records. A record that is met for the first
//! time becomes a centre, unless it is met beside a centre, which it joins then; if both are new, the smaller
//! one is the centre. What has a centre, or is one, stays as it is. Pairs of different components have no
//! record in common, so each component can be gone through by itself.
//!
//! Where sources are told apart, a pair is passed over if the record that would join a centre is of a source that its entity
//! has already. It then is as if the pair were not there: the record may join another centre, or become one.

use super::parts::{Parts, by_score};
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::read::sources::Sources;
use hashbrown::HashSet;
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Not met yet; no record has this number.
const NEW: u32 = u32::MAX;

/// The entity of each record, named by its smallest one.
pub(super) fn center(parts: &Parts<'_>) -> Result<Vec<u32>> {
    let components = parts.components;
    // By record: its centre; a centre has itself.
    let centres: Vec<AtomicU32> = components.par_iter().map(|_| AtomicU32::new(NEW)).gather();
    parts.for_each(|pairs| {
        by_score(pairs);
        let mut taken = Taken { sources: parts.sources, of_centres: HashSet::new() };
        let n_refused = pairs.iter().filter(|pair| !meet(&centres, pair, &mut taken)).count();
        parts.refuse(n_refused);
    })?;
    // A centre may be larger than those that joined it.
    let smallest: Vec<AtomicU32> = components.par_iter().map(|_| AtomicU32::new(NEW)).gather();
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

/// The sources of the records that centres have.
struct Taken<'a> {
    sources: Option<&'a Sources>,
    of_centres: HashSet<(u32, u32)>,
}

impl Taken<'_> {
    /// Whether a record may join a centre; if so, its source is taken there.
    fn takes(&mut self, centre: u32, record: u32) -> bool {
        let source = self.sources.and_then(|sources| sources.of(record));
        source.is_none_or(|source| self.of_centres.insert((centre, source)))
    }
}

/// What becomes of the records of a pair; false if that is nothing because of their sources.
fn meet(centres: &[AtomicU32], pair: &ScoredPair, taken: &mut Taken<'_>) -> bool {
    let ScoredPair { left, right, .. } = *pair;
    let get = |record: u32| centres[record as usize].load(Relaxed);
    let set = |record: u32, centre: u32| centres[record as usize].store(centre, Relaxed);
    let mut join = |new: u32, other: u32| {
        let centre = if get(other) == other { other } else { new };
        let may = taken.takes(centre, new);
        if may {
            set(new, centre);
        }
        may
    };
    match (get(left) == NEW, get(right) == NEW) {
        // A pair is of two sources, so the right record may join.
        (true, true) => join(left, left) && join(right, left),
        (true, false) => join(left, right),
        (false, true) => join(right, left),
        (false, false) => true,
    }
}
