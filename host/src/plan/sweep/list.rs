//! Lists of items: the records of a side in the order of what the lead looks at, with a sketch of each item.

use super::ItemList;
use crate::base::gather::Gather;
use crate::encode::Encoded;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::listing::{Listing, Signed};
use hyperblock_shared::screen::Sketch;
use rayon::prelude::*;
use std::ops::Range;

/// What decides a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ListKey {
    /// What is listed, or `None` for all records as they are.
    pub(super) of: Option<Listing>,
    pub(super) records: Range<u32>,
}

impl ListKey {
    pub(super) fn build(&self, encoded: &Encoded) -> ItemList {
        let Some(of) = self.of else {
            return ItemList { records: self.records.clone().collect(), ..ItemList::default() };
        };
        let codes = encoded.codes(of.operand);
        let keyed = |record| Some((place(of, encoded, codes[record as usize])?, record));
        let mut keyed: Vec<(u64, u32)> = self.records.clone().into_par_iter().filter_map(keyed).collect();
        keyed.par_sort_unstable();
        let records: Vec<u32> = keyed.par_iter().map(|&(_, record)| record).gather();
        let mut starts = Vec::new();
        if of.is_grouped {
            let is_new = |place: &usize| *place == 0 || keyed[*place].0 != keyed[*place - 1].0;
            starts = (0..keyed.len()).into_par_iter().filter(is_new).map(|place| place as u32).collect();
        }
        drop(keyed);
        sketched(of, encoded, records, starts)
    }
}

/// Where a value stands in the list, if it does: by length, then by code, so that records with the same value stand
/// together.
pub(super) fn place(of: Listing, encoded: &Encoded, code: u32) -> Option<u64> {
    let len = |signed: Signed| signed.len(encoded, code);
    of.has(encoded, code).then(|| u64::from(of.signed.map_or(0, len)) << 32 | u64::from(code))
}

/// The list of records that are in order; where items are values, with the places where their records start.
pub(super) fn sketched(of: Listing, encoded: &Encoded, records: Vec<u32>, mut starts: Vec<u32>) -> ItemList {
    let codes = encoded.codes(of.operand);
    let n_records = records.len() as u32;
    let firsts: &[u32] = if of.is_grouped { &starts } else { &records };
    let code = |ix: usize| {
        let record = if of.is_grouped { records[firsts[ix] as usize] } else { firsts[ix] };
        codes[record as usize]
    };
    let items = || (0..firsts.len()).into_par_iter();
    let mut list = ItemList::default();
    match of.signed {
        None => list.sketches = items().map(|ix| of.plain(encoded, code(ix))).collect(),
        Some(signed) => {
            let sketched =
                items().map(|ix| (signed.sketch(encoded, code(ix)), signed.len(encoded, code(ix))));
            let (sketched, lens): (Vec<(Sketch, u64)>, Vec<u32>) = sketched.unzip();
            list.lens = lens;
            list.sketches = sketched.par_iter().map(|&(sketch, _)| sketch).gather();
            if signed.is_wide() {
                list.uppers = sketched.par_iter().map(|&(_, upper)| upper).gather();
            }
        }
    }
    if of.is_grouped {
        starts.push(n_records);
    }
    ItemList { starts, records, ..list }
}
