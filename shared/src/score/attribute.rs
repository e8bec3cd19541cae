//! One attribute of a score: how alike two records are in it.

use super::{Billionths, MOST_LEVELS, ONE};
use crate::columns::{Columns, MISSING};
use crate::measure::{Asked, Measure, OfSets, OfTexts, equal, within};
use crate::predicate::{Predicate, Test};
use crate::text::Scratch;
use bytemuck::{Pod, Zeroable};

/// An attribute, as both sides read it. Numbers of operands and columns are those of [`Columns`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Attribute {
    /// The left operand.
    pub left: u32,
    /// The right operand.
    pub right: u32,
    /// Its place in a pattern: attributes may be looked at in another order.
    pub nth: u32,
    /// A [`Kind`].
    pub kind: u32,
    /// Which measure of texts or of sets; its number.
    pub variant: u32,
    /// The texts, sets or reaches that it looks at.
    pub column: u32,
    /// What a condition compares a count with.
    pub bound: u32,
    /// Whether a condition must fail: 1 if so.
    pub negated: u32,
    /// What it counts in the mean. All attributes' stay below 2^32 together.
    pub weight: u32,
    /// Billionths below which a similarity counts as 0.
    pub threshold: u32,
    /// How many of `levels` there are.
    pub n_levels: u32,
    /// The billionths that each level but the last must reach, falling.
    pub levels: [u32; MOST_LEVELS],
}

/// Words in an [`Attribute`].
pub(crate) const ATTRIBUTE_WORDS: usize = 11 + MOST_LEVELS;
const _: () = assert!(size_of::<Attribute>() == 4 * ATTRIBUTE_WORDS);

/// What an attribute compares by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whether the values are the same.
    Equal,
    /// Whether the right code is within the left one's reach.
    Within,
    /// Whether what a measure of texts counts is within the bound.
    TextCount,
    /// Whether what a measure of sets counts is.
    SetCount,
    /// A similarity of texts.
    Texts,
    /// A similarity of sets.
    Sets,
}

impl Kind {
    /// The kind with this number.
    #[inline]
    pub fn from_number(number: u32) -> Self {
        match number {
            0 => Self::Equal,
            1 => Self::Within,
            2 => Self::TextCount,
            3 => Self::SetCount,
            4 => Self::Texts,
            _ => Self::Sets,
        }
    }
}

impl Attribute {
    /// What a predicate compares by, without the bound of a similarity; of no weight, with no threshold and no levels.
    /// `None` if it looks at one record alone.
    pub fn of(predicate: &Predicate) -> Option<Self> {
        let Test::Compare { left, right, measure } = predicate.test else { return None };
        let (kind, variant, column, bound) = match measure {
            Measure::Equal => (Kind::Equal, 0, 0, 0),
            Measure::Within { reaches } => (Kind::Within, 0, reaches, 0),
            Measure::Texts { texts, by, asked } => match asked {
                Asked::Count(bound) => (Kind::TextCount, by as u32, texts, bound),
                Asked::Similarity(_) => (Kind::Texts, by as u32, texts, 0),
            },
            Measure::Sets { sets, by, asked } => match asked {
                Asked::Count(bound) => (Kind::SetCount, by as u32, sets, bound),
                Asked::Similarity(_) => (Kind::Sets, by as u32, sets, 0),
            },
        };
        let negated = u32::from(predicate.negated);
        let kind = kind as u32;
        Some(Self { left, right, kind, variant, column, bound, negated, ..Self::zeroed() })
    }

    /// The level of a similarity: 1 if it reaches the first threshold, 2 if it reaches the next, and so on.
    #[inline]
    pub fn level(&self, similarity: u32) -> u32 {
        let missed = self.levels.iter().take(self.n_levels as usize).filter(|&&level| similarity < level);
        1 + missed.count() as u32
    }

    /// The billionths of the lowest level but the last, below which it makes no difference how many there are.
    #[inline]
    pub(super) fn lowest_level(&self) -> u32 {
        self.levels.get(self.n_levels.wrapping_sub(1) as usize).copied().unwrap_or(ONE)
    }

    /// The codes of two records, if both have it.
    #[inline(always)]
    pub(super) fn codes(&self, columns: &impl Columns, [left, right]: [u32; 2]) -> Option<[u32; 2]> {
        let l = columns.codes(self.left)[left as usize];
        let r = columns.codes(self.right)[right as usize];
        (l != MISSING && r != MISSING).then_some([l, r])
    }

    /// How alike two records are in it, in billionths, or `None` if one of them lacks it.
    #[inline]
    pub fn of_records(
        &self,
        columns: &impl Columns,
        pair: [u32; 2],
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        self.similarity(columns, self.codes(columns, pair)?, 0, scratch)
    }

    /// How alike two values are in it, in billionths, or `None` if one of them has no tokens. What is below `least`
    /// is 0.
    // Always, here and below: a call would hand its arguments over through memory, and a device has none to speak of.
    #[inline(always)]
    pub(super) fn similarity(
        &self,
        columns: &impl Columns,
        [l, r]: [u32; 2],
        least: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        let least = least.max(self.threshold);
        let kind = Kind::from_number(self.kind);
        let asked = match kind {
            Kind::TextCount | Kind::SetCount => Asked::Count(self.bound),
            Kind::Equal | Kind::Within | Kind::Texts | Kind::Sets => Asked::Similarity(Billionths(least)),
        };
        let one_if = |holds| if holds { ONE } else { 0 };
        let similarity = match kind {
            Kind::Equal => one_if(equal::holds(l, r)),
            Kind::Within => one_if(within::holds(columns.reaches(self.column), l, r)),
            Kind::TextCount | Kind::Texts => {
                let by = OfTexts::from_number(self.variant);
                by.score(columns.texts(self.column), l, r, asked, scratch)
            }
            Kind::SetCount | Kind::Sets => {
                OfSets::from_number(self.variant).score(columns.sets(self.column), l, r, asked)?
            }
        };
        // Only what holds or does not can be negated.
        let similarity = if self.negated == 0 { similarity } else { ONE - similarity };
        Some(if similarity < least { 0 } else { similarity })
    }
}
