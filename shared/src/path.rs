//! The path: the execution tree laid out as one list of steps that is walked for every pair.
//!
//! ```text
//!   0  test p0 else 5     the tree, depth first: a test's children follow it,
//!   1  test p1 else 3     and a test that fails sends the pair on to its next sibling
//!   2  witness 1 then 3
//!   3  test p2 else 5
//!   4  witness 0 then 7   no rule before this one: done
//!   5  test p1 else 7     decided before: remembered, not computed
//!   6  witness 2 then 7
//!   7                     past the end
//! ```
//!
//! The witness of a pair is the first rule in file order that holds, wherever it stands in the tree. So a walk that
//! reaches a rule notes it and goes on where an earlier rule may still hold; nearly always that is nowhere. A predicate
//! that stands in several places is computed once for a pair: its outcome is kept in a bitmap. The host archives a path
//! with rkyv; both sides walk the archive where it lies.

use crate::columns::{Columns, MISSING};
use crate::predicate::{ArchivedPredicate, Predicate};
use crate::text::Scratch;
use rkyv::with::InlineAsBox;
use rkyv::{Archive, Serialize};

/// The program that decides a pair.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct Path<'a> {
    /// The predicates, each once, however many rules use it.
    #[rkyv(with = InlineAsBox)]
    pub predicates: &'a [Predicate],
    /// The steps, in the order they are taken.
    #[rkyv(with = InlineAsBox)]
    pub steps: &'a [Step],
}

/// One step of a path.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Go on with the next step if the predicate holds, else with `otherwise`.
    Test {
        /// Which of the path's predicates.
        predicate: u32,
        /// A later step, or one past the last.
        otherwise: u32,
        /// The bit of the bitmap that remembers the outcome, below [`REMEMBERED`], or [`FORGOTTEN`].
        bit: u32,
    },
    /// The same for the predicate that two values are equal: so short that it stands in the step itself, and is sooner
    /// computed again than remembered.
    Equal {
        /// The left operand.
        left: u32,
        /// The right operand.
        right: u32,
        /// As above.
        otherwise: u32,
    },
    /// All that led here holds: the pair is a candidate.
    Witness {
        /// The rule that holds, by its place in the file.
        rule: u32,
        /// The next step that may lead to a rule earlier in the file, or one past the last.
        then: u32,
    },
}

/// How many outcomes a pair's bitmap holds.
pub const REMEMBERED: u32 = u64::BITS;
/// The predicate stands in one place only, or there was no bit left for it.
pub const FORGOTTEN: u32 = u32::MAX;

/// A path, ready to be walked: an archive's pointers are relative, and are followed here once for all pairs.
#[derive(Clone, Copy)]
pub struct Walk<'a> {
    predicates: &'a [ArchivedPredicate],
    steps: &'a [ArchivedStep],
}

impl ArchivedPath<'_> {
    /// The path, ready to be walked.
    #[inline]
    pub fn walk(&self) -> Walk<'_> {
        Walk { predicates: self.predicates.get(), steps: self.steps.get() }
    }
}

/// A child of the tree's root with all below it: a range of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The first step.
    pub from: u32,
    /// One past the last.
    pub upto: u32,
    /// A step of which it is known that its predicate holds, or [`UNKNOWN`].
    pub known: u32,
}

/// No branch ends before its first step: see [`Branch::probe`].
const PROBE: u32 = 0;

/// Of no step is it known that its predicate holds.
pub const UNKNOWN: u32 = u32::MAX;

impl Branch {
    /// All branches at once.
    pub const WHOLE: Self = Self { from: 0, upto: u32::MAX, known: UNKNOWN };

    /// The test of one step alone: there is a witness, of no meaning, if it holds.
    #[inline]
    pub fn probe(step: u32) -> Self {
        Self { from: step, upto: PROBE, known: UNKNOWN }
    }
}

/// Watches a walk, as far as it goes through the branch that it is of: what it asks of others only tells whose a pair is.
pub trait Observer {
    /// A step's predicate was computed, for two values whatever pairs of records have them.
    fn probed(&mut self, step: u32);
    /// A pair came to a test, and whether its predicate holds; `computed` if that was not known.
    fn tested(&mut self, step: u32, holds: bool, computed: bool);
    /// A witness was reached.
    fn reached(&mut self, step: u32);
}

/// Nobody watches.
impl Observer for () {
    #[inline]
    fn probed(&mut self, _: u32) {}
    #[inline]
    fn tested(&mut self, _: u32, _: bool, _: bool) {}
    #[inline]
    fn reached(&mut self, _: u32) {}
}

impl<'a> Walk<'a> {
    /// One of the path's predicates.
    #[inline]
    pub fn predicate(self, ix: u32) -> &'a ArchivedPredicate {
        &self.predicates[ix as usize]
    }

    /// Whether one of the path's predicates holds on a pair of records.
    #[inline]
    pub fn holds(
        self,
        predicate: u32,
        columns: &impl Columns,
        left: u32,
        right: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        self.predicates[predicate as usize].holds(columns, left, right, scratch)
    }

    /// The first rule in file order that holds on a pair of records, if one of the branch's does and none of an earlier
    /// branch: so a pair that several branches reach is a candidate of the first of them alone.
    // Always: see `ArchivedPredicate::holds`.
    #[inline(always)]
    pub fn witness(
        self,
        branch: Branch,
        columns: &impl Columns,
        left: u32,
        right: u32,
        scratch: &mut (impl Scratch + ?Sized),
        observer: &mut impl Observer,
    ) -> Option<u32> {
        let is_probe = branch.upto == PROBE;
        let (mut ix, mut end) = (branch.from, if is_probe { u32::MAX } else { branch.upto });
        let (mut witness, mut looking_back) = (u32::MAX, false);
        let mut outcomes = Outcomes::default();
        loop {
            let Some(step) = self.steps.get(ix as usize).filter(|_| ix < end) else {
                if witness == u32::MAX {
                    return None;
                }
                if looking_back || branch.from == 0 {
                    return Some(witness);
                }
                (looking_back, ix, end) = (true, 0, branch.from);
                continue;
            };
            let is_own = branch.from <= ix && ix < branch.upto;
            match step {
                ArchivedStep::Witness { rule, then } => {
                    if looking_back {
                        return None;
                    }
                    if is_own {
                        observer.reached(ix);
                    }
                    // Rules of later branches count too.
                    (witness, ix, end) = (witness.min(rule.to_native()), then.to_native(), u32::MAX);
                }
                ArchivedStep::Equal { left: operand_l, right: operand_r, otherwise } => {
                    let is_known = ix == branch.known;
                    let holds =
                        is_known || equal(columns, operand_l.to_native(), operand_r.to_native(), left, right);
                    if is_probe {
                        observer.probed(ix);
                        return holds.then_some(0);
                    }
                    if is_own {
                        observer.tested(ix, holds, !is_known);
                    }
                    ix = if holds { ix + 1 } else { otherwise.to_native() };
                }
                ArchivedStep::Test { predicate, otherwise, bit } => {
                    let bit = bit.to_native();
                    let known = if ix == branch.known { Some(true) } else { outcomes.of(bit) };
                    let holds = known.unwrap_or_else(|| {
                        let predicate = &self.predicates[predicate.to_native() as usize];
                        let holds = predicate.holds(columns, left, right, scratch);
                        outcomes.remember(bit, holds);
                        holds
                    });
                    if is_probe {
                        observer.probed(ix);
                        return holds.then_some(0);
                    }
                    if is_own {
                        observer.tested(ix, holds, known.is_none());
                    }
                    ix = if holds { ix + 1 } else { otherwise.to_native() };
                }
            }
        }
    }

    /// Whether the branch may have a witness, by what the heads of the values tell: never false where it has one. Quick,
    /// and mostly false.
    #[inline(always)]
    pub fn may_have_witness(self, branch: Branch, columns: &impl Columns, left: u32, right: u32) -> bool {
        let is_probe = branch.upto == PROBE;
        let mut ix = branch.from;
        while let Some(step) = self.steps.get(ix as usize).filter(|_| is_probe || ix < branch.upto) {
            let (holds, otherwise) = match step {
                ArchivedStep::Witness { .. } => return true,
                ArchivedStep::Equal { left: operand_l, right: operand_r, otherwise } => {
                    let (l, r) = (operand_l.to_native(), operand_r.to_native());
                    (ix == branch.known || equal(columns, l, r, left, right), otherwise.to_native())
                }
                ArchivedStep::Test { predicate, otherwise, .. } => {
                    let predicate = &self.predicates[predicate.to_native() as usize];
                    (ix == branch.known || predicate.may_hold(columns, left, right), otherwise.to_native())
                }
            };
            if is_probe {
                return holds;
            }
            ix = if holds { ix + 1 } else { otherwise };
        }
        false
    }

    /// The same by recursive descent, as one would walk a tree; nothing is remembered.
    pub fn witness_by_descent(
        self,
        branch: Branch,
        columns: &impl Columns,
        left: u32,
        right: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        let n_steps = self.steps.len() as u32;
        let pair = Descent { path: self, columns, left, right, known: branch.known };
        if branch.upto == PROBE {
            return pair.holds(branch.from, scratch).0.then_some(0);
        }
        let upto = branch.upto.min(n_steps);
        let own = pair.least_rule(branch.from, upto, scratch);
        if own.rule == u32::MAX || pair.least_rule(0, branch.from, scratch).rule != u32::MAX {
            return None;
        }
        if own.is_last {
            return Some(own.rule);
        }
        Some(own.rule.min(pair.least_rule(upto, n_steps, scratch).rule))
    }
}

/// What a descent found.
#[derive(Clone, Copy)]
struct Least {
    /// The first rule in file order, or `u32::MAX`.
    rule: u32,
    /// No rule before it may hold anywhere.
    is_last: bool,
}

/// A pair on its way down the tree.
struct Descent<'a, C> {
    path: Walk<'a>,
    columns: &'a C,
    left: u32,
    right: u32,
    known: u32,
}

impl<C: Columns> Descent<'_, C> {
    /// The first rule in file order that holds among the siblings of a range of steps and all below them.
    #[inline(never)]
    fn least_rule(&self, from: u32, upto: u32, scratch: &mut (impl Scratch + ?Sized)) -> Least {
        let mut ix = from;
        let mut least = Least { rule: u32::MAX, is_last: false };
        while ix < upto && !least.is_last {
            if let ArchivedStep::Witness { rule, then } = &self.path.steps[ix as usize] {
                least.rule = least.rule.min(rule.to_native());
                least.is_last = then.to_native() as usize >= self.path.steps.len();
            }
            let (holds, next) = self.holds(ix, scratch);
            if holds {
                // A part of a branch ends within the tests that lead to it.
                let below = self.least_rule(ix + 1, next.min(upto), scratch);
                least = Least { rule: least.rule.min(below.rule), is_last: below.is_last };
            }
            ix = next;
        }
        least
    }

    /// Whether a step's test holds, and the step after all below it.
    // Once: it is large, and asked in several places.
    #[inline(never)]
    fn holds(&self, ix: u32, scratch: &mut (impl Scratch + ?Sized)) -> (bool, u32) {
        match &self.path.steps[ix as usize] {
            ArchivedStep::Witness { .. } => (false, ix + 1),
            ArchivedStep::Equal { left, right, otherwise } => {
                let equals =
                    || equal(self.columns, left.to_native(), right.to_native(), self.left, self.right);
                (ix == self.known || equals(), otherwise.to_native())
            }
            ArchivedStep::Test { predicate, otherwise, .. } => {
                let predicate = &self.path.predicates[predicate.to_native() as usize];
                let mut holds = || predicate.holds(self.columns, self.left, self.right, scratch);
                (ix == self.known || holds(), otherwise.to_native())
            }
        }
    }
}

#[inline]
fn equal(columns: &impl Columns, operand_l: u32, operand_r: u32, left: u32, right: u32) -> bool {
    let code = columns.codes(operand_l)[left as usize];
    code != MISSING && code == columns.codes(operand_r)[right as usize]
}

/// What is known of a pair: a bit for each predicate that may be asked again.
#[derive(Default)]
struct Outcomes {
    known: u64,
    holds: u64,
}

impl Outcomes {
    #[inline]
    fn of(&self, bit: u32) -> Option<bool> {
        let mask = Self::mask(bit);
        (self.known & mask != 0).then_some(self.holds & mask != 0)
    }

    #[inline]
    fn remember(&mut self, bit: u32, holds: bool) {
        let mask = Self::mask(bit);
        self.known |= mask;
        self.holds |= if holds { mask } else { 0 };
    }

    /// Nothing for [`FORGOTTEN`].
    #[inline]
    fn mask(bit: u32) -> u64 {
        if bit < REMEMBERED { 1 << bit } else { 0 }
    }
}
