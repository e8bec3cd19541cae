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

/// Watches a walk.
pub trait Observer {
    /// A test was made, and whether its predicate holds; `computed` if it was not remembered.
    fn tested(&mut self, step: u32, holds: bool, computed: bool);
    /// A witness was reached.
    fn reached(&mut self, step: u32);
}

/// Nobody watches.
impl Observer for () {
    #[inline]
    fn tested(&mut self, _: u32, _: bool, _: bool) {}
    #[inline]
    fn reached(&mut self, _: u32) {}
}

impl Walk<'_> {
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

    /// The first rule in file order that holds on a pair of records, if any does.
    // Always: see `ArchivedPredicate::holds`.
    #[inline(always)]
    pub fn witness(
        self,
        columns: &impl Columns,
        left: u32,
        right: u32,
        scratch: &mut (impl Scratch + ?Sized),
        observer: &mut impl Observer,
    ) -> Option<u32> {
        let mut ix = 0;
        let mut witness = u32::MAX;
        let mut outcomes = Outcomes::default();
        while let Some(step) = self.steps.get(ix as usize) {
            match step {
                ArchivedStep::Witness { rule, then } => {
                    observer.reached(ix);
                    witness = witness.min(rule.to_native());
                    ix = then.to_native();
                }
                ArchivedStep::Equal { left: operand_l, right: operand_r, otherwise } => {
                    let l = columns.codes(operand_l.to_native())[left as usize];
                    let holds = l != MISSING && l == columns.codes(operand_r.to_native())[right as usize];
                    observer.tested(ix, holds, true);
                    ix = if holds { ix + 1 } else { otherwise.to_native() };
                }
                ArchivedStep::Test { predicate, otherwise, bit } => {
                    let bit = bit.to_native();
                    let known = outcomes.of(bit);
                    let holds = known.unwrap_or_else(|| {
                        let predicate = &self.predicates[predicate.to_native() as usize];
                        let holds = predicate.holds(columns, left, right, scratch);
                        outcomes.remember(bit, holds);
                        holds
                    });
                    observer.tested(ix, holds, known.is_none());
                    ix = if holds { ix + 1 } else { otherwise.to_native() };
                }
            }
        }
        (witness != u32::MAX).then_some(witness)
    }
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
