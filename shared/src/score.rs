//! Scores: how alike two records are, by several attributes, in integers.
//!
//! A similarity is a number of *billionths*, rounded half up. A score is the weighted mean of the similarities of the
//! attributes that both records have, rounded the same way; or it follows from the *pattern* of the pair, which has a
//! level for each attribute (Fellegi and Sunter, *A theory for record linkage*, JASA 64, 1969). All of it is integer
//! arithmetic, so every backend comes to the same numbers, and what is printed is what was compared.

mod attribute;

pub use crate::billionths::{Billionths, ONE, billionths};
pub use attribute::{Attribute, Kind};

use crate::columns::Columns;
use crate::text::Scratch;

/// The most attributes of a score: their levels fill a word.
pub const MOST_ATTRIBUTES: usize = 16;

/// The bits of a level in a pattern.
pub const BITS_PER_LEVEL: u32 = 4;

/// The most thresholds between an attribute's levels: one level more, and one for what is missing, have 4 bits.
pub const MOST_LEVELS: usize = 14;

/// What is wanted of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The weighted mean, in billionths. One below `least` need not be exact, only below it: most pairs are told to be that
    /// by their first attributes.
    Mean {
        /// Billionths.
        least: u32,
    },
    /// The levels of all attributes.
    Pattern,
}

impl Wanted {
    /// As it crosses to the device: no mean comes to so many billionths as a pattern's number.
    #[inline]
    pub fn number(self) -> u32 {
        match self {
            Self::Mean { least } => least.min(ONE),
            Self::Pattern => u32::MAX,
        }
    }

    /// The other way round.
    #[inline]
    pub fn from_number(number: u32) -> Self {
        if number == u32::MAX { Self::Pattern } else { Self::Mean { least: number } }
    }
}

/// What the attributes of a pair that were looked at come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    weights: u64,
    sum: u64,
    pattern: u64,
    /// The weights of attributes that were not looked at yet and that both records have.
    rest: u64,
}

impl Tally {
    /// Before any attribute is looked at.
    #[inline(always)]
    pub fn new(attributes: &[Attribute], columns: &impl Columns, pair: [u32; 2], wanted: Wanted) -> Self {
        let mut tally = Self::default();
        if wanted != Wanted::Pattern {
            for attribute in attributes {
                if attribute.codes(columns, pair).is_some() {
                    tally.rest += u64::from(attribute.weight);
                }
            }
        }
        tally
    }

    /// Looks at the next attribute.
    #[inline(always)]
    pub fn look(
        &mut self,
        attribute: &Attribute,
        columns: &impl Columns,
        pair: [u32; 2],
        wanted: Wanted,
        scratch: &mut (impl Scratch + ?Sized),
    ) {
        let Some(codes) = attribute.codes(columns, pair) else { return };
        let weight = u64::from(attribute.weight);
        let least = match wanted {
            Wanted::Pattern => attribute.lowest_level(),
            Wanted::Mean { least } => {
                self.rest -= weight;
                self.needed(weight, least)
            }
        };
        // What cannot be reached need not be measured: it is nothing, and the mean stays below.
        let similarity = match least <= ONE {
            true => attribute.similarity(columns, codes, least, scratch),
            false => Some(0),
        };
        let Some(similarity) = similarity else { return };
        self.weights += weight;
        self.sum += weight * u64::from(similarity);
        self.pattern |= u64::from(attribute.level(similarity)) << (BITS_PER_LEVEL * attribute.nth);
    }

    /// The similarity that the next attribute must have for the mean to come to `least`, if all that come after it are the
    /// same in both records; above [`ONE`], if none is enough. An attribute that turns out to be missing makes no mean
    /// greater than being the same would.
    #[inline]
    fn needed(&self, weight: u64, least: u32) -> u32 {
        // As in `result`, 2 (sum + weight s + rest) >= (2 least − 1) (weights + weight + rest), in less than 2^64.
        let halves = (2 * u64::from(least)).saturating_sub(1);
        let lacking = (halves * (self.weights + weight + self.rest))
            .saturating_sub(2 * (self.sum + u64::from(ONE) * self.rest));
        lacking.div_ceil(2 * weight.max(1)).min(u64::from(u32::MAX)) as u32
    }

    /// What was wanted. The weights of all attributes stay below 2^32 together, so twice the sum fits.
    #[inline]
    pub fn result(&self, wanted: Wanted) -> u64 {
        match wanted {
            Wanted::Pattern => self.pattern,
            Wanted::Mean { .. } if self.weights == 0 => 0,
            Wanted::Mean { .. } => (2 * self.sum + self.weights) / (2 * self.weights),
        }
    }
}

/// What is wanted of a pair of records.
#[inline]
pub fn result(
    attributes: &[Attribute],
    columns: &impl Columns,
    pair: [u32; 2],
    wanted: Wanted,
    scratch: &mut (impl Scratch + ?Sized),
) -> u64 {
    let mut tally = Tally::new(attributes, columns, pair, wanted);
    for attribute in attributes {
        tally.look(attribute, columns, pair, wanted, scratch);
    }
    tally.result(wanted)
}

/// The level of an attribute in a pattern: 0 where it is missing, then 1 for the best.
#[inline]
pub fn level(pattern: u64, nth: u32) -> u32 {
    (pattern >> (BITS_PER_LEVEL * nth)) as u32 & ((1 << BITS_PER_LEVEL) - 1)
}
