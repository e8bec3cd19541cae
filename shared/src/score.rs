//! Scores: how alike two records are, by several attributes, in integers.
//!
//! A similarity is a number of *billionths*, rounded half up. A score is the weighted mean of the similarities of the
//! attributes, rounded the same way; or a *weight*, by Fellegi and Sunter's model (*A theory for record linkage*, JASA 64,
//! 1969): each attribute has a level, each level weighs so many *millionths of a bit*, and a value that both records have
//! may weigh some more. The levels of all attributes are the *pattern* of a pair. All of it is integer arithmetic, so every
//! backend comes to the same numbers, and what is printed is what was compared.
//!
//! An attribute is a list of tests: one, for a similarity, whose levels are thresholds; or one for each comparison of the
//! conditions that its levels are. Of those the first that holds counts, and SQL's three values hold: where none does, and
//! some would have to be known for that, the attribute is missing.

mod attribute;
mod tally;

pub use crate::billionths::{Billionths, ONE, billionths};
pub use attribute::{Attribute, ENDS_ATTRIBUTE, ENDS_CONJUNCTION, Kind, NO_TERMS};
pub use tally::Tally;

use crate::columns::Columns;
use crate::text::Scratch;

/// The most attributes of a score: their levels fill a word.
pub const MOST_ATTRIBUTES: usize = 16;

/// The bits of a level in a pattern.
pub const BITS_PER_LEVEL: u32 = 4;

/// Levels that a pattern can tell apart.
pub const PLACES: usize = 1 << BITS_PER_LEVEL;

/// The most levels of an attribute but the last: with that one, and one for what is missing, they have 4 bits.
pub const MOST_LEVELS: usize = PLACES - 2;

/// What is wanted of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The weighted mean, in billionths. One below `least` need not be exact, only below it: most pairs are told to be that
    /// by their first attributes.
    Mean {
        /// Billionths.
        least: u32,
        /// Whether an attribute that is missing counts as not alike at all. Else it does not count.
        missing_is_zero: bool,
    },
    /// The levels of all attributes.
    Pattern,
    /// The weight, in millionths of a bit, as [`rank`] has it. One below `least` is [`rank`]'s lowest.
    Weight {
        /// What pairs weigh before any attribute is looked at: millionths.
        prior: i32,
        /// Millionths.
        least: i32,
    },
}

impl Wanted {
    /// As it crosses to the device, which has a kernel for each kind.
    #[inline]
    pub fn numbers(self) -> [u32; 2] {
        match self {
            Self::Mean { least, missing_is_zero } => [least, u32::from(missing_is_zero)],
            Self::Pattern => [0, 0],
            Self::Weight { prior, least } => [least as u32, prior as u32],
        }
    }

    /// The other way round, of a mean.
    #[inline]
    pub fn mean([least, missing_is_zero]: [u32; 2]) -> Self {
        Self::Mean { least, missing_is_zero: missing_is_zero != 0 }
    }

    /// The other way round, of a weight.
    #[inline]
    pub fn weight([least, prior]: [u32; 2]) -> Self {
        Self::Weight { prior: prior as i32, least: least as i32 }
    }

    /// The same, with every pair to be kept.
    #[inline]
    pub fn of_all(self) -> Self {
        match self {
            Self::Mean { missing_is_zero, .. } => Self::Mean { least: 0, missing_is_zero },
            Self::Pattern => Self::Pattern,
            Self::Weight { prior, .. } => Self::Weight { prior, least: i32::MIN },
        }
    }

    /// Whether a result is one to keep.
    #[inline]
    pub fn keeps(self, result: u64) -> bool {
        match self {
            Self::Mean { least, .. } => result >= u64::from(least),
            Self::Pattern => true,
            Self::Weight { least, .. } => result >= u64::from(rank(least)),
        }
    }
}

/// A weight as a number without a sign, in the same order.
#[inline]
pub const fn rank(weight: i32) -> u32 {
    weight as u32 ^ 1 << 31
}

/// The other way round.
#[inline]
pub const fn weight(rank: u32) -> i32 {
    (rank ^ 1 << 31) as i32
}

/// What is wanted of a pair of records.
#[inline]
pub fn result(
    attributes: &[Attribute],
    terms: &[i32],
    columns: &impl Columns,
    pair: [u32; 2],
    wanted: Wanted,
    scratch: &mut (impl Scratch + ?Sized),
) -> u64 {
    let mut tally = Tally::new(attributes, columns, pair, wanted);
    for attribute in attributes {
        tally.look(attribute, terms, columns, pair, wanted, scratch);
    }
    tally.result(wanted)
}

/// The level of an attribute in a pattern: 0 where it is missing, then 1 for the best.
#[inline]
pub fn level(pattern: u64, nth: u32) -> u32 {
    (pattern >> (BITS_PER_LEVEL * nth)) as u32 & ((1 << BITS_PER_LEVEL) - 1)
}
