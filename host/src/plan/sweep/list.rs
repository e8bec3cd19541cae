//! Lists of items: the records of a side in the order of what the lead looks at, with a sketch of each item.

use super::ItemList;
use crate::encode::Encoded;
use hyperblock_shared::columns::{Columns, Head, MISSING};
use hyperblock_shared::screen::Sketch;
use hyperblock_shared::signature::folded;
use rayon::prelude::*;
use std::ops::Range;

/// What decides a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ListKey {
    /// The operand, or `None` for all records as they are.
    pub(super) operand: Option<u32>,
    pub(super) signed: Option<Signed>,
    /// If sketches are of what a code reaches: which reaches.
    pub(super) reaches: Option<u32>,
    /// Whether items are distinct values.
    pub(super) is_grouped: bool,
    pub(super) records: Range<u32>,
}

/// What signatures are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Signed {
    /// The symbols of texts.
    Texts { texts: u32, is_wide: bool },
    /// The tokens of sets.
    Sets { sets: u32, is_wide: bool },
}

impl ListKey {
    pub(super) fn build(&self, encoded: &Encoded) -> ItemList {
        let Some(operand) = self.operand else {
            return ItemList { records: self.records.clone().collect(), ..ItemList::default() };
        };
        let codes = encoded.codes(operand);
        let keyed = |record| Some((self.place(encoded, codes[record as usize])?, record));
        let mut keyed: Vec<(u64, u32)> = self.records.clone().into_par_iter().filter_map(keyed).collect();
        keyed.par_sort_unstable();
        let records: Vec<u32> = keyed.par_iter().map(|&(_, record)| record).collect();
        let mut starts = Vec::new();
        if self.is_grouped {
            let is_new = |place: &usize| *place == 0 || keyed[*place].0 != keyed[*place - 1].0;
            starts = (0..keyed.len()).into_par_iter().filter(is_new).map(|place| place as u32).collect();
        }
        drop(keyed);
        self.sketched(encoded, codes, records, starts)
    }

    /// Where a value stands in the list, if it does: by length, then by code, so that records with the same value stand
    /// together. Values without elements are as good as missing.
    pub(super) fn place(&self, encoded: &Encoded, code: u32) -> Option<u64> {
        if code == MISSING {
            return None;
        }
        let len = self.signed.map_or(0, |signed| signed.len(encoded, code));
        (self.signed.is_none() || len > 0).then_some(u64::from(len) << 32 | u64::from(code))
    }

    /// The list of records that are in order; where items are values, with the places where their records start.
    pub(super) fn sketched(
        &self,
        encoded: &Encoded,
        codes: &[u32],
        records: Vec<u32>,
        mut starts: Vec<u32>,
    ) -> ItemList {
        let n_records = records.len() as u32;
        let firsts: &[u32] = if self.is_grouped { &starts } else { &records };
        let code = |ix: usize| {
            let record = if self.is_grouped { records[firsts[ix] as usize] } else { firsts[ix] };
            codes[record as usize]
        };
        let mut list = ItemList::default();
        match self.signed {
            None => {
                list.sketches =
                    (0..firsts.len()).into_par_iter().map(|ix| self.plain(encoded, code(ix))).collect();
            }
            Some(signed) => {
                let items = || (0..firsts.len()).into_par_iter();
                let sketched =
                    items().map(|ix| (signed.sketch(encoded, code(ix)), signed.len(encoded, code(ix))));
                let (sketched, lens): (Vec<(Sketch, u64)>, Vec<u32>) = sketched.unzip();
                list.lens = lens;
                list.sketches = sketched.par_iter().map(|&(sketch, _)| sketch).collect();
                if signed.is_wide() {
                    list.uppers = sketched.par_iter().map(|&(_, upper)| upper).collect();
                }
            }
        }
        if self.is_grouped {
            starts.push(n_records);
        }
        ItemList { starts, records, ..list }
    }

    fn plain(&self, encoded: &Encoded, code: u32) -> Sketch {
        match self.reaches {
            None => Sketch::of_code(code),
            Some(reaches) => Sketch::of_reach(encoded.reaches(reaches)[code as usize]),
        }
    }
}

impl Signed {
    fn len(self, encoded: &Encoded, code: u32) -> u32 {
        match self {
            Self::Texts { texts, .. } => encoded.texts(texts).heads[code as usize].len,
            Self::Sets { sets, .. } => encoded.sets(sets).heads[code as usize].len,
        }
    }

    fn is_wide(self) -> bool {
        let (Self::Texts { is_wide, .. } | Self::Sets { is_wide, .. }) = self;
        is_wide
    }

    /// A value's sketch, and the upper half of its signature.
    fn sketch(self, encoded: &Encoded, code: u32) -> (Sketch, u64) {
        match self {
            Self::Texts { texts, is_wide } => {
                let texts = encoded.texts(texts);
                let head = &texts.heads[code as usize];
                let first = head.beginning & (u64::MAX >> (u64::BITS - texts.bits));
                sketch(head, first as u32, is_wide)
            }
            Self::Sets { sets, is_wide } => sketch(&encoded.sets(sets).heads[code as usize], 0, is_wide),
        }
    }
}

/// A value's sketch, and the upper half of its signature if that is wide.
fn sketch(head: &Head, first: u32, is_wide: bool) -> (Sketch, u64) {
    let ones = if is_wide { head.signature.count_ones() } else { folded(head.signature).count_ones() };
    let signature = if is_wide { head.signature as u64 } else { folded(head.signature) };
    (Sketch { signature, ones, first }, (head.signature >> 64) as u64)
}
