//! A part of an encoding: what the pairs of some left with some right records need, and nothing else.
//!
//! Where a device cannot hold a whole job, it holds parts of it, one after the other. Records and values are numbered
//! anew from 0, values in their old order, so that numbers still ascend.

use super::select::packed;
use super::{CodeColumn, Encoded, MarkColumn, ReachColumn, SetColumn, TextColumn};
use crate::rules::Side;
use hyperblock_shared::columns::{Head, MISSING, Reach};
use hyperblock_shared::predicate::{Predicate, Test};
use std::ops::Range;
use std::sync::Arc;

impl Encoded {
    /// The part for pairs of `left` with `right` records. An operand that both sides use becomes two.
    pub fn restrict(&self, left: Range<u32>, right: Range<u32>) -> Self {
        let (uses, marked) = (self.uses(), self.marked());
        let range = |side: Side| match side {
            Side::Left => left.start as usize..left.end as usize,
            Side::Right => right.start as usize..right.end as usize,
        };
        let mut kept: Vec<Kept> = self.domains.iter().map(|domain| Kept::new(domain.n_values)).collect();
        for &(operand, side) in &uses {
            let CodeColumn { domain, codes, .. } = &self.codes[operand as usize];
            codes[range(side)].iter().for_each(|&code| kept[*domain].mark(code));
        }
        kept.iter_mut().for_each(Kept::number);

        let mut domains = self.domains.clone();
        for (domain, kept) in domains.iter_mut().zip(&kept) {
            domain.n_values = kept.codes.len();
        }
        let marks = marked.iter().map(|&(ix, side)| MarkColumn {
            table: usize::from(side == Side::Right),
            bits: {
                let (records, marks) = (range(side), &self.marks[ix as usize]);
                packed(records.len(), |place| marks.holds((records.start + place) as u32))
            },
        });
        let codes = uses.iter().map(|&(operand, side)| {
            let CodeColumn { domain, codes, operand, .. } = &self.codes[operand as usize];
            CodeColumn {
                operand: operand.clone(),
                table: usize::from(side == Side::Right),
                domain: *domain,
                codes: Arc::new(
                    codes[range(side)].iter().map(|&code| kept[*domain].renumber(code)).collect(),
                ),
            }
        });
        Self {
            n_left: left.end - left.start,
            n_right: right.end - right.start,
            predicates: self.predicates.iter().map(|predicate| renumber(predicate, &uses, &marked)).collect(),
            domains,
            codes: codes.collect(),
            texts: self.texts.iter().map(|texts| texts.restrict(&kept[texts.domain])).collect(),
            sets: self.sets.iter().map(|sets| sets.restrict(&kept[sets.domain])).collect(),
            reaches: self.reaches.iter().map(|reaches| reaches.restrict(&kept[reaches.domain])).collect(),
            marks: marks.collect(),
        }
    }

    /// Which operands are read, and for the records of which side.
    fn uses(&self) -> Vec<(u32, Side)> {
        let of = |predicate: &Predicate| match predicate.test {
            Test::Left { .. } | Test::Right { .. } => [None, None],
            Test::Compare { left, right, .. } => [Some((left, Side::Left)), Some((right, Side::Right))],
        };
        distinct(self.predicates.iter().flat_map(of).flatten())
    }

    /// Which marks are read, and for the records of which side.
    fn marked(&self) -> Vec<(u32, Side)> {
        let of = |predicate: &Predicate| match predicate.test {
            Test::Left { marks } => Some((marks, Side::Left)),
            Test::Right { marks } => Some((marks, Side::Right)),
            Test::Compare { .. } => None,
        };
        distinct(self.predicates.iter().filter_map(of))
    }
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

fn renumber(predicate: &Predicate, uses: &[(u32, Side)], marked: &[(u32, Side)]) -> Predicate {
    let place = |list: &[(u32, Side)], ix: u32, side: Side| {
        list.iter().position(|&used| used == (ix, side)).unwrap_or_default() as u32
    };
    let test = match predicate.test {
        Test::Left { marks } => Test::Left { marks: place(marked, marks, Side::Left) },
        Test::Right { marks } => Test::Right { marks: place(marked, marks, Side::Right) },
        Test::Compare { left, right, measure } => Test::Compare {
            left: place(uses, left, Side::Left),
            right: place(uses, right, Side::Right),
            measure,
        },
    };
    Predicate { test, negated: predicate.negated }
}

/// The values of a domain that stay.
struct Kept {
    /// By old code: whether it stays, and then its new code.
    new: Vec<u32>,
    /// By new code: the old one.
    codes: Vec<u32>,
}

impl Kept {
    fn new(n_values: usize) -> Self {
        Self { new: vec![MISSING; n_values], codes: Vec::new() }
    }

    fn mark(&mut self, code: u32) {
        if code != MISSING {
            self.new[code as usize] = 0;
        }
    }

    /// Numbers the marked ones.
    fn number(&mut self) {
        for (old, new) in (0..).zip(&mut self.new).filter(|(_, new)| **new != MISSING) {
            *new = self.codes.len() as u32;
            self.codes.push(old);
        }
    }

    fn renumber(&self, code: u32) -> u32 {
        if code == MISSING { MISSING } else { self.new[code as usize] }
    }

    /// The new code of the first value that stays, at or after an old code.
    fn first_from(&self, code: u32) -> u32 {
        self.codes.partition_point(|&old| old < code) as u32
    }
}

impl TextColumn {
    fn restrict(&self, kept: &Kept) -> Self {
        let (mut words, mut longest) = (Vec::new(), 0);
        let mut copy = |&code: &u32| {
            let head = self.heads[code as usize];
            let from = head.start as usize;
            let start = words.len() as u32;
            words.extend_from_slice(&self.words[from..from + head.len.div_ceil(64 / self.bits) as usize]);
            longest = longest.max(head.len);
            Head { start, ..head }
        };
        let heads = Arc::new(kept.codes.iter().map(&mut copy).collect());
        Self { domain: self.domain, bits: self.bits, heads, words: Arc::new(words), longest }
    }
}

impl SetColumn {
    fn restrict(&self, kept: &Kept) -> Self {
        let mut tokens = Vec::new();
        let mut copy = |&code: &u32| {
            let head = self.heads[code as usize];
            let moved = Head { start: tokens.len() as u32, ..head };
            tokens.extend_from_slice(&self.tokens[head.start as usize..][..head.len as usize]);
            moved
        };
        let heads = kept.codes.iter().map(&mut copy).collect();
        Self::new(self.domain, heads, tokens)
    }
}

impl ReachColumn {
    fn restrict(&self, kept: &Kept) -> Self {
        let moved = |&code: &u32| {
            let Reach { from, upto } = self.reaches[code as usize];
            Reach { from: kept.first_from(from), upto: kept.first_from(upto) }
        };
        Self { domain: self.domain, reaches: kept.codes.iter().map(moved).collect() }
    }
}
