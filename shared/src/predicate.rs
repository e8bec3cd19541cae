//! A predicate: one comparison of a pair of records, in the form that both sides evaluate.
//!
//! Missing is not equal: a predicate over a missing value is false, and so is its negation (SQL's three values). What is
//! asked of one record alone was answered on the host: here it is a mark.

use crate::columns::{Columns, MISSING};
use crate::measure::{ArchivedMeasure, Measure};
use crate::text::Scratch;
use rkyv::{Archive, Serialize};

/// A test of a pair, or the opposite of one.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// What is tested.
    pub test: Test,
    /// Whether it must fail. A test over a missing value does not fail: it has no outcome.
    pub negated: bool,
}

/// What is tested. Numbers of operands and marks are those of [`Columns`].
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// The left record is marked.
    Left {
        /// Which marks.
        marks: u32,
    },
    /// The right record is marked.
    Right {
        /// Which marks.
        marks: u32,
    },
    /// The two records' values compare by a measure.
    Compare {
        /// The left operand.
        left: u32,
        /// The right operand.
        right: u32,
        /// How they compare.
        measure: Measure,
    },
}

impl ArchivedPredicate {
    /// How it compares two values, if it does.
    #[inline]
    pub fn measure(&self) -> Option<&ArchivedMeasure> {
        match &self.test {
            ArchivedTest::Compare { measure, .. } => Some(measure),
            ArchivedTest::Left { .. } | ArchivedTest::Right { .. } => None,
        }
    }

    /// Whether the predicate holds on a pair of records.
    // Always, here and below: a call would hand its arguments over through memory, and a device has none to speak of.
    #[inline(always)]
    pub fn holds(
        &self,
        columns: &impl Columns,
        left: u32,
        right: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        self.test.outcome(columns, left, right, scratch).is_some_and(|outcome| outcome != self.negated)
    }
}

impl ArchivedPredicate {
    /// Whether the predicate may hold on a pair of records, by what their heads tell: never false where it holds.
    #[inline(always)]
    pub fn may_hold(&self, columns: &impl Columns, left: u32, right: u32) -> bool {
        self.test.may_be(columns, left, right, !self.negated)
    }
}

impl ArchivedTest {
    /// Whether the outcome on a pair of records may be `wanted`, by what their heads tell.
    #[inline(always)]
    fn may_be(&self, columns: &impl Columns, left: u32, right: u32, wanted: bool) -> bool {
        let Self::Compare { left: operand_l, right: operand_r, measure } = self else {
            return self.outcome(columns, left, right, &mut [][..]) == Some(wanted);
        };
        let l = columns.codes(operand_l.to_native())[left as usize];
        let r = columns.codes(operand_r.to_native())[right as usize];
        l != MISSING && r != MISSING && measure.may_be(columns, l, r, wanted)
    }

    /// The outcome on a pair of records, or `None` if a value is missing.
    #[inline(always)]
    fn outcome(
        &self,
        columns: &impl Columns,
        left: u32,
        right: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<bool> {
        let marked =
            |marks: u32, record: u32| columns.marks(marks)[(record / 32) as usize] >> (record % 32) & 1 == 1;
        match self {
            Self::Left { marks } => Some(marked(marks.to_native(), left)),
            Self::Right { marks } => Some(marked(marks.to_native(), right)),
            Self::Compare { left: operand_l, right: operand_r, measure } => {
                let l = columns.codes(operand_l.to_native())[left as usize];
                let r = columns.codes(operand_r.to_native())[right as usize];
                if l == MISSING || r == MISSING {
                    return None;
                }
                measure.outcome(columns, l, r, scratch)
            }
        }
    }
}
