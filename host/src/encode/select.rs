//! Selection: an encoding without the records that no rule can ever allow in a pair.
//!
//! A rule that asks something of one record alone (`l.country = 'DE'`) says, before any pair is looked at, which records
//! it is about. A record that no rule is about is left out; those that stay keep their order.

use super::{CodeColumn, Encoded, MarkColumn};
use crate::base::gather::Gather;
use crate::rules::Side;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::predicate::{Predicate, Test};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Words of bits that a thread makes at a time.
const WORDS_AT_ONCE: usize = 1 << 10;

/// Which records stay, by their numbers in the whole table. `None`: all of them.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Of the left table.
    pub left: Option<Vec<u32>>,
    /// Of the right table; when one table is deduplicated, the same as left.
    pub right: Option<Vec<u32>>,
}

impl Selection {
    /// A candidate among the records that stay, as one of the whole tables.
    pub fn candidate(&self, candidate: &Candidate) -> Candidate {
        let record = |kept: &Option<Vec<u32>>, record: u32| match kept {
            None => record,
            Some(kept) => kept[record as usize],
        };
        Candidate {
            left: record(&self.left, candidate.left),
            right: record(&self.right, candidate.right),
            rule: candidate.rule,
        }
    }

    /// The same for many of them, in place. Those that were sorted stay so.
    pub fn name(&self, candidates: &mut [Candidate]) {
        if self.left.is_some() || self.right.is_some() {
            candidates.par_iter_mut().for_each(|candidate| *candidate = self.candidate(candidate));
        }
    }
}

/// On which sides of a pair the records of a job may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    /// Those of two tables on one side each.
    Two,
    /// Those of one table on either side.
    Either,
    /// Those of several tables that are one on the left, if there is a later table, and on the right, if there is an earlier one.
    Across([Range<u32>; 2]),
}

/// What is in one of two ascending lists, or in both; ascending.
fn either(one: &[u32], other: &[u32]) -> Vec<u32> {
    let mut both = [one, other].concat();
    both.par_sort_unstable();
    both.dedup();
    both
}

impl Encoded {
    /// Leaves out the records that none of the conjunctions, lists of predicates, can be about. In deduplication every
    /// conjunction comes with its mirror image, so both sides keep the same records.
    pub(crate) fn select(self, conjunctions: &[Vec<usize>], sides: Sides) -> (Self, Selection) {
        let admitted = |side| self.admitted(conjunctions, side);
        let selection = match sides {
            Sides::Two => Selection { left: admitted(Side::Left), right: admitted(Side::Right) },
            Sides::Either => {
                let kept = admitted(Side::Left);
                Selection { left: kept.clone(), right: kept }
            }
            Sides::Across(_) => {
                let kept = admitted(Side::Left).zip(admitted(Side::Right)).map(|(l, r)| either(&l, &r));
                Selection { left: kept.clone(), right: kept }
            }
        };
        if selection.left.is_none() && selection.right.is_none() {
            return (self, selection);
        }
        let records = |table: usize| if table == 0 { &selection.left } else { &selection.right };
        let n = |kept: &Option<Vec<u32>>, all: u32| kept.as_ref().map_or(all, |kept| kept.len() as u32);
        let (n_left, n_right) = (n(&selection.left, self.n_left), n(&selection.right, self.n_right));
        let codes = self.codes.into_iter().map(|column| match records(column.table) {
            None => column,
            Some(kept) => CodeColumn {
                codes: Arc::new(kept.par_iter().map(|&record| column.codes[record as usize]).gather()),
                ..column
            },
        });
        let marks = self.marks.into_iter().map(|column| match records(column.table) {
            None => column,
            Some(kept) => MarkColumn { bits: packed(kept.len(), |ix| column.holds(kept[ix])), ..column },
        });
        let (codes, marks) = (codes.collect(), marks.collect());
        (Self { n_left, n_right, codes, marks, ..self }, selection)
    }

    /// The records of a side that some conjunction can be about, or `None` if that is all of them.
    fn admitted(&self, conjunctions: &[Vec<usize>], side: Side) -> Option<Vec<u32>> {
        let of_side = |predicate: &Predicate| match predicate.test {
            Test::Left { marks } if side == Side::Left => Some(marks),
            Test::Right { marks } if side == Side::Right => Some(marks),
            _ => None,
        };
        let asked: Vec<Vec<&MarkColumn>> = conjunctions
            .iter()
            .map(|conjunction| conjunction.iter().filter_map(|&ix| of_side(&self.predicates[ix])))
            .map(|marks| marks.map(|ix| &self.marks[ix as usize]).collect())
            .collect();
        if asked.iter().any(Vec::is_empty) {
            return None;
        }
        let n_records = if side == Side::Left { self.n_left } else { self.n_right };
        // 32 records at a time.
        let word = |ix: usize| {
            let holds = |marks: &Vec<&MarkColumn>| marks.iter().fold(u32::MAX, |bits, it| bits & it.bits[ix]);
            asked.iter().fold(0, |bits, marks| if bits == u32::MAX { bits } else { bits | holds(marks) })
        };
        let words: Vec<u32> = (0..n_records.div_ceil(32) as usize)
            .into_par_iter()
            .with_min_len(WORDS_AT_ONCE)
            .map(word)
            .gather();
        let is_admitted = |record: &u32| words[(record / 32) as usize] >> (record % 32) & 1 == 1;
        let kept: Vec<u32> = (0..n_records).into_par_iter().filter(is_admitted).collect();
        (kept.len() < n_records as usize).then_some(kept)
    }
}

impl MarkColumn {
    pub(super) fn holds(&self, record: u32) -> bool {
        self.bits[(record / 32) as usize] >> (record % 32) & 1 == 1
    }
}

/// Bits of `n` items, 32 a word.
pub(super) fn packed(n: usize, bit: impl Fn(usize) -> bool + Sync) -> Vec<u32> {
    let word = |ix: usize| {
        let items = 32 * ix..n.min(32 * (ix + 1));
        (0..).zip(items).fold(0, |word, (place, item)| word | u32::from(bit(item)) << place)
    };
    (0..n.div_ceil(32)).into_par_iter().with_min_len(WORDS_AT_ONCE).map(word).gather()
}
