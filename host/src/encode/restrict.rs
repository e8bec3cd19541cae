//! A part of an encoding: what the pairs of some left with some right records need, and nothing else.
//!
//! Where a device cannot hold a whole job, it holds parts of it, one after the other. Records and values are numbered
//! anew from 0, values in their old order, so that numbers still ascend. All threads make a part: the device waits for it.

use super::select::packed;
use super::{CodeColumn, Encoded, MarkColumn, PointColumn, ReachColumn, SetColumn, TextColumn};
use crate::base::gather::Gather;
use crate::rules::Side;
use hyperblock_shared::columns::{Head, MISSING, Reach};
use hyperblock_shared::predicate::{Predicate, Test};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

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
            codes[range(side)].par_iter().for_each(|&code| kept[*domain].mark(code));
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
                    codes[range(side)].par_iter().map(|&code| kept[*domain].renumber(code)).gather(),
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
            points: self.points.iter().map(|points| points.restrict(&kept[points.domain])).collect(),
            reaches: self.reaches.iter().map(|reaches| reaches.restrict(&kept[reaches.domain])).collect(),
            marks: marks.collect(),
        }
    }

    /// The bytes that a device needs to hold such a part, at most: of a domain no more values stay than records have.
    pub fn n_bytes_of(&self, left: &Range<u32>, right: &Range<u32>) -> u64 {
        let n_records = |side: Side| if side == Side::Left { left.len() } else { right.len() } as u64;
        let (mut n_bytes, mut n_codes) = (0, vec![0; self.domains.len()]);
        for (operand, side) in self.uses() {
            n_bytes += size_of::<u32>() as u64 * n_records(side);
            n_codes[self.codes[operand as usize].domain] += n_records(side);
        }
        n_bytes += self.marked().iter().map(|&(_, side)| n_records(side).div_ceil(8)).sum::<u64>();
        let share = |domain: usize, all: usize| {
            let n_values = self.domains[domain].n_values.max(1) as u64;
            // The longest values may be those that stay, but of very many that is not to be feared.
            (all as u64).saturating_mul(n_codes[domain].min(n_values)).div_ceil(n_values)
        };
        let texts = self.texts.iter().map(|it| share(it.domain, 32 * it.heads.len() + 8 * it.words.len()));
        let sets = self.sets.iter().map(|it| share(it.domain, 32 * it.heads.len() + 4 * it.tokens.len()));
        let points = self.points.iter().map(|it| share(it.domain, 32 * it.points.len()));
        let reaches = self.reaches.iter().map(|it| share(it.domain, 8 * it.reaches.len()));
        n_bytes + texts.chain(sets).chain(points).chain(reaches).sum::<u64>()
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
    /// By old code: whether it stays, and then its new code. Threads that mark the same value write the same.
    new: Vec<AtomicU32>,
    /// By new code: the old one.
    codes: Vec<u32>,
}

impl Kept {
    fn new(n_values: usize) -> Self {
        let new = (0..n_values).into_par_iter().map(|_| AtomicU32::new(MISSING)).gather();
        Self { new, codes: Vec::new() }
    }

    fn mark(&self, code: u32) {
        // Most are marked already, and then nobody else has to fetch them again.
        if code != MISSING && self.new[code as usize].load(Relaxed) == MISSING {
            self.new[code as usize].store(0, Relaxed);
        }
    }

    /// Numbers the marked ones.
    fn number(&mut self) {
        let is_marked = |&old: &u32| self.new[old as usize].load(Relaxed) != MISSING;
        self.codes = (0..self.new.len() as u32).into_par_iter().filter(is_marked).collect();
        let number = |(new, &old): (usize, &u32)| self.new[old as usize].store(new as u32, Relaxed);
        self.codes.par_iter().enumerate().for_each(number);
    }

    fn renumber(&self, code: u32) -> u32 {
        if code == MISSING { MISSING } else { self.new[code as usize].load(Relaxed) }
    }

    /// The new code of the first value that stays, at or after an old code.
    fn first_from(&self, code: u32) -> u32 {
        self.codes.partition_point(|&old| old < code) as u32
    }

    /// The heads of those that stay, and what they are the heads of, of which a value has `len`, one after the other.
    fn copy<T: Copy + Default + Send + Sync>(
        &self,
        heads: &[Head],
        items: &[T],
        len: impl Fn(&Head) -> usize + Sync,
    ) -> (Vec<Head>, Vec<T>) {
        let mut kept: Vec<Head> = self.codes.par_iter().map(|&code| heads[code as usize]).gather();
        let mut starts = Vec::new();
        let mut n_items = 0;
        for (ix, head) in kept.iter().enumerate() {
            if ix % AT_ONCE == 0 {
                starts.push(n_items);
            }
            n_items += len(head);
        }
        let mut copied = vec![T::default(); n_items];
        let (mut rest, mut parts) = (&mut copied[..], Vec::new());
        for (nth, start) in starts.iter().enumerate() {
            let end = starts.get(nth + 1).copied().unwrap_or(n_items);
            parts.push(rest.split_off_mut(..end - start).unwrap_or_default());
        }
        kept.par_chunks_mut(AT_ONCE).zip(parts).zip(starts).for_each(|((heads, part), first)| {
            let mut at = 0;
            for head in heads {
                let (from, n) = (head.start as usize, len(head));
                part[at..at + n].copy_from_slice(&items[from..from + n]);
                head.start = (first + at) as u32;
                at += n;
            }
        });
        (kept, copied)
    }
}

/// Values that a thread copies at a time.
const AT_ONCE: usize = 1 << 12;

impl TextColumn {
    fn restrict(&self, kept: &Kept) -> Self {
        let per_word = 64 / self.bits;
        let (heads, words) = kept.copy(&self.heads, &self.words, |head| head.len.div_ceil(per_word) as usize);
        let longest = heads.par_iter().map(|head| head.len).max().unwrap_or(0);
        Self { domain: self.domain, bits: self.bits, heads: Arc::new(heads), words: Arc::new(words), longest }
    }
}

impl SetColumn {
    fn restrict(&self, kept: &Kept) -> Self {
        let (heads, tokens) = kept.copy(&self.heads, &self.tokens, |head| head.len as usize);
        Self::new(self.domain, heads, tokens)
    }
}

impl PointColumn {
    fn restrict(&self, kept: &Kept) -> Self {
        let points = kept.codes.par_iter().map(|&code| self.points[code as usize]).gather();
        Self { domain: self.domain, points: Arc::new(points), odd: Vec::new() }
    }
}

impl ReachColumn {
    fn restrict(&self, kept: &Kept) -> Self {
        let moved = |&code: &u32| {
            let Reach { from, upto } = self.reaches[code as usize];
            Reach { from: kept.first_from(from), upto: kept.first_from(upto) }
        };
        Self { domain: self.domain, reaches: kept.codes.par_iter().map(moved).gather() }
    }
}
