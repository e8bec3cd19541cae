//! The path: the rules laid out as one list of steps that is walked for every pair.
//!
//! ```text
//!   0  test p0 else 3     rule "same title"
//!   1  test p1 else 3
//!   2  witness 0
//!   3  test p2 else 5     rule "same phone"
//!   4  witness 1
//!   5                     past the end: no rule holds
//! ```
//!
//! Rules stand in file order, so the first witness reached is the first rule that holds. The host archives a path
//! with rkyv; both sides walk the archive where it lies.

use crate::columns::Columns;
use crate::predicate::Predicate;
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
    },
    /// All that led here holds: the pair is a candidate.
    Witness {
        /// The rule that holds, by its place in the file.
        rule: u32,
    },
}

impl ArchivedPath<'_> {
    /// The first rule that holds on a pair of records, if any does.
    #[inline]
    pub fn witness(
        &self,
        columns: &impl Columns,
        left: u32,
        right: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        let mut ix = 0;
        loop {
            match self.steps.get().get(ix as usize)? {
                ArchivedStep::Witness { rule } => return Some(rule.to_native()),
                ArchivedStep::Test { predicate, otherwise } => {
                    let predicate = &self.predicates[predicate.to_native() as usize];
                    let holds = predicate.holds(columns, left, right, scratch);
                    ix = if holds { ix + 1 } else { otherwise.to_native() };
                }
            }
        }
    }
}
