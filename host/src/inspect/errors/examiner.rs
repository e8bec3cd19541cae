//! Which rule nearly held on a pair: of the conjunctions of all rules the one of which fewest predicates fail; of those that are
//! alike in that, the one whose predicates fail by least, then the first in the file.

use super::amount::{said, shortfall};
use crate::base::error::{Error, Result};
use crate::encode::Encoded;
use crate::inspect::why::{Finding, Look, Part};
use crate::rules::{Measure, Predicate, RuleSet, Test};
use hyperblock_shared::path::Walk;
use hyperblock_shared::text::scratch_words;

/// Some records of the tables.
#[derive(Clone, Copy)]
pub(super) struct Chosen<'a> {
    pub(super) part: &'a Part,
    /// Left and right: which ones, in order.
    pub(super) records: [&'a [u32]; 2],
}

impl Chosen<'_> {
    /// A part of them.
    pub(super) fn part_of(&self, records: [&Vec<u32>; 2]) -> Result<Part> {
        let numbers = |side: usize| {
            let number = |record: &u32| Ok(self.number(side, *record)? as u32);
            records[side].iter().map(number).collect::<Result<Vec<u32>>>()
        };
        let left = self.part.left.part(&numbers(0)?);
        let right = self.part.right.as_ref();
        Ok(Part { left, right: right.map(|right| Ok(right.part(&numbers(1)?))).transpose()? })
    }

    /// The numbers of two records among them.
    pub(super) fn numbers(&self, pair: [u32; 2]) -> Result<[u32; 2]> {
        Ok([self.number(0, pair[0])? as u32, self.number(1, pair[1])? as u32])
    }

    fn number(&self, side: usize, record: u32) -> Result<usize> {
        let number = self.records[side].binary_search(&record);
        number.map_err(|_| Error::Internal(format!("record {record} was not read again")))
    }
}

/// Rules, and the records that pairs are of.
pub(super) struct Examiner<'a> {
    /// The rules' own predicates and conjunctions, whatever a plan made of them.
    pub(super) rules: &'a RuleSet,
    /// By conjunction: its rule.
    pub(super) owners: Vec<usize>,
    pub(super) chosen: Chosen<'a>,
    pub(super) encoded: &'a Encoded,
    pub(super) walk: Walk<'a>,
    /// By predicate.
    pub(super) looks: Vec<Look<'a>>,
}

impl Examiner<'_> {
    /// The words that one thread needs.
    pub(super) fn scratch(&self) -> Vec<u64> {
        vec![0; scratch_words(self.encoded.longest()) as usize]
    }

    /// The conjunction that nearly holds on a pair, or the first that does, and how many of its predicates fail; none, if there are
    /// no rules.
    pub(super) fn nearest(&self, pair: [u32; 2], scratch: &mut [u64]) -> Result<Option<(usize, usize)>> {
        let pair = self.chosen.numbers(pair)?;
        let holds: Vec<bool> =
            (0..self.rules.predicates.len()).map(|ix| self.holds(ix, pair, scratch)).collect();
        let n_failed = |conjunction: &Vec<usize>| conjunction.iter().filter(|&&ix| !holds[ix]).count();
        let failed: Vec<usize> = self.rules.conjunctions.iter().map(n_failed).collect();
        let Some(&fewest) = failed.iter().min() else { return Ok(None) };
        let mut best: Option<(u64, usize)> = None;
        let mut known = vec![None; holds.len()];
        for (nth, conjunction) in self.rules.conjunctions.iter().enumerate() {
            if failed[nth] > fewest {
                continue;
            }
            let mut sum = 0;
            for &ix in conjunction.iter().filter(|&&ix| !holds[ix]) {
                sum += match known[ix] {
                    Some(known) => known,
                    None => *known[ix].insert(shortfall(&self.finding(ix, pair, scratch)?)),
                };
            }
            if best.is_none_or(|(least, _)| sum < least) {
                best = Some((sum, nth));
            }
        }
        Ok(best.map(|(_, conjunction)| (conjunction, fewest)))
    }

    /// The predicates of a conjunction that fail on a pair, as SQL, and by how much each does.
    pub(super) fn failed(&self, conjunction: usize, pair: [u32; 2]) -> Result<[String; 2]> {
        let (pair, mut scratch) = (self.chosen.numbers(pair)?, self.scratch());
        let (mut failed, mut by_how_much) = (Vec::new(), Vec::new());
        for &ix in &self.rules.conjunctions[conjunction] {
            if !self.holds(ix, pair, &mut scratch) {
                let finding = self.finding(ix, pair, &mut scratch)?;
                failed.push(finding.predicate.to_string());
                by_how_much.push(said(&finding));
            }
        }
        Ok([failed.join(" AND "), by_how_much.join("; ")])
    }

    /// The equalities of a conjunction, which make its blocks, as SQL.
    pub(super) fn equalities(&self, conjunction: usize) -> String {
        let is_equality = |predicate: &&Predicate| {
            matches!(predicate.test, Test::Compare { measure: Measure::Equal, .. }) && !predicate.negated
        };
        let predicates = self.rules.conjunctions[conjunction].iter().map(|&ix| &self.rules.predicates[ix]);
        let all: Vec<String> = predicates.filter(is_equality).map(ToString::to_string).collect();
        all.join(" AND ")
    }

    pub(super) fn holds(&self, ix: usize, [left, right]: [u32; 2], scratch: &mut [u64]) -> bool {
        self.walk.holds(ix as u32, self.encoded, left, right, scratch)
    }

    pub(super) fn finding(&self, ix: usize, pair: [u32; 2], scratch: &mut [u64]) -> Result<Finding> {
        let holds = self.holds(ix, pair, scratch);
        self.chosen.part.finding(&self.looks[ix], holds, (self.encoded, ix), pair, scratch)
    }
}
