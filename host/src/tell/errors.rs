//! Errors against the truth: pairs that match and are not in the result, and pairs that are in it and do not match.
//!
//! While candidates come, what becomes of each pair that matches is noted, and those that are kept and do not match are gathered
//! ([`Gathered`]). What a result is, whoever makes it says: rows, or entities.

use crate::base::budget::Reserved;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::operators::scores::Kept;
use crate::tell::evaluate::Truth;
use hyperblock_shared::layout::Candidate;
use indicatif::HumanCount;
use rayon::prelude::*;
use std::fmt;

/// Candidates that a thread looks up at a time.
const AT_ONCE: usize = 1 << 12;
/// A pair that is no candidate so far.
const NOT_FOUND: u32 = u32::MAX;

/// Why a pair is missed, or wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Missed: no rule holds.
    NoRule,
    /// Missed: only neighbourhoods might have it, and it is in no window.
    Window,
    /// Missed: a rule holds, but for a block that was left out.
    Block,
    /// Missed: it is a candidate, and its score is below the threshold.
    TooLow,
    /// Missed: it is kept, and clustering put its records apart.
    Split,
    /// Wrong: a rule, or a neighbourhood, allows it, and nothing is scored.
    Rule,
    /// Wrong: its score reaches the threshold.
    Score,
    /// Wrong: it is not kept itself; clustering joined its records through others.
    Joined,
}

impl Cause {
    /// Those of pairs that are missed.
    pub const MISSED: [Self; 5] = [Self::NoRule, Self::Window, Self::Block, Self::TooLow, Self::Split];
    /// Those of pairs that are wrong.
    pub const WRONG: [Self; 3] = [Self::Rule, Self::Score, Self::Joined];

    /// Its name, in files and summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoRule => "no rule",
            Self::Window => "window",
            Self::Block => "block",
            Self::TooLow | Self::Score => "score",
            Self::Split => "split",
            Self::Rule => "rule",
            Self::Joined => "joined",
        }
    }

    /// What kind of error it makes.
    pub fn kind(self) -> &'static str {
        if Self::MISSED.contains(&self) { "missed" } else { "wrong" }
    }
}

/// How many pairs are missed and wrong, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounts([u64; 8]);

impl ErrorCounts {
    /// One more.
    pub(crate) fn add(&mut self, cause: Cause) {
        self.0[cause as usize] += 1;
    }

    /// Those of a cause.
    pub fn of(&self, cause: Cause) -> u64 {
        self.0[cause as usize]
    }
}

impl fmt::Display for ErrorCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, causes) in [("missed", &Cause::MISSED[..]), ("wrong", &Cause::WRONG[..])] {
            let all: u64 = causes.iter().map(|&cause| self.of(cause)).sum();
            let some = causes.iter().filter(|&&cause| self.of(cause) > 0);
            let some: Vec<String> =
                some.map(|&cause| format!("{} {}", HumanCount(self.of(cause)), cause.name())).collect();
            let by_cause = if some.is_empty() { String::new() } else { format!(" ({})", some.join(", ")) };
            writeln!(f, "{kind:16} {}{by_cause}", HumanCount(all))?;
        }
        Ok(())
    }
}

/// What became of the pairs that match, and which that do not are kept.
#[derive(Debug)]
pub struct Gathered<'a> {
    control: &'a Control,
    /// All pairs that match, in order.
    matches: Vec<[u32; 2]>,
    /// By pair that matches: its witness, if it is a candidate.
    witnesses: Vec<u32>,
    /// Whether it is kept.
    are_kept: Vec<bool>,
    /// Pairs that are kept and do not match.
    wrong: Vec<Candidate>,
    held: Vec<Reserved<'a>>,
}

/// A pair that matches and is not in the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missed {
    pub(crate) left: u32,
    pub(crate) right: u32,
    /// If it is a candidate.
    pub(crate) witness: Option<u32>,
    pub(crate) is_kept: bool,
}

impl<'a> Gathered<'a> {
    /// Nothing yet.
    pub fn new(truth: &Truth, control: &'a Control) -> Result<Self> {
        let n_bytes = truth.n_matches().saturating_mul(size_of::<[u32; 4]>() as u64);
        let held = control.budget().reserve(n_bytes, "the pairs that match")?;
        let matches = truth.matching_pairs();
        let n = matches.len();
        let (witnesses, are_kept) = (vec![NOT_FOUND; n], vec![false; n]);
        Ok(Self { control, matches, witnesses, are_kept, wrong: Vec::new(), held: vec![held] })
    }

    /// Some more candidates, and those of them that are kept, unless all are.
    pub fn add(&mut self, found: &[Candidate], kept: Option<&[Kept]>, truth: &Truth) -> Result<()> {
        for (place, witness) in self.places(found, |candidate| *candidate, truth)? {
            self.witnesses[place] = witness;
            self.are_kept[place] |= kept.is_none();
        }
        match kept {
            None => self.add_wrong(found, |candidate| *candidate, truth),
            Some(kept) => {
                for (place, _) in self.places(kept, |(candidate, _)| *candidate, truth)? {
                    self.are_kept[place] = true;
                }
                self.add_wrong(kept, |(candidate, _)| *candidate, truth)
            }
        }
    }

    /// Of those that match: where they stand among all that do, and their witnesses.
    fn places<T: Sync>(
        &self,
        some: &[T],
        candidate: impl Fn(&T) -> Candidate + Sync,
        truth: &Truth,
    ) -> Result<Vec<(usize, u32)>> {
        self.control.check()?;
        let place = |one: &T| {
            let Candidate { left, right, rule } = candidate(one);
            let is_match = truth.verdict(left, right) == Some(true);
            let place = is_match.then(|| self.matches.binary_search(&[left, right]).ok()).flatten()?;
            Some((place, rule))
        };
        Ok(some.par_iter().with_min_len(AT_ONCE).filter_map(place).collect())
    }

    fn add_wrong<T: Sync>(
        &mut self,
        kept: &[T],
        candidate: impl Fn(&T) -> Candidate + Sync,
        truth: &Truth,
    ) -> Result<()> {
        let wrong =
            |one: &T| Some(candidate(one)).filter(|pair| truth.verdict(pair.left, pair.right) == Some(false));
        let wrong: Vec<Candidate> = kept.par_iter().with_min_len(AT_ONCE).filter_map(wrong).collect();
        // A list that grows has room for more.
        let n_bytes = 2 * size_of_val(&wrong[..]) as u64;
        self.held.push(self.control.budget().reserve(n_bytes, "the pairs that do not match")?);
        self.wrong.extend(wrong);
        Ok(())
    }

    /// The pairs that match and are not in the result, in order, given what is said of one: whether it is kept.
    pub(crate) fn missed(&self, is_there: impl Fn([u32; 2], bool) -> bool + Sync) -> Vec<Missed> {
        let all = self.matches.par_iter().zip(&self.witnesses).zip(&self.are_kept);
        let missed = |((&pair, &witness), &is_kept): ((&[u32; 2], &u32), &bool)| {
            let [left, right] = pair;
            let witness = (witness != NOT_FOUND).then_some(witness);
            (!is_there(pair, is_kept)).then_some(Missed { left, right, witness, is_kept })
        };
        all.filter_map(missed).collect()
    }

    /// Sorts what came in any order, as to whoever only counts.
    pub(crate) fn sort(&mut self) {
        let pair = |candidate: &Candidate| (candidate.left, candidate.right);
        if !self.wrong.is_sorted_by_key(pair) {
            self.wrong.par_sort_unstable_by_key(pair);
        }
    }

    /// The pairs that are kept and do not match.
    pub(crate) fn wrong(&self) -> &[Candidate] {
        &self.wrong
    }
}
