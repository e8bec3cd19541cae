//! One test of an attribute of a score: how alike two records are in it, or whether a comparison holds.

use super::{Billionths, MOST_LEVELS, ONE, PLACES};
use crate::columns::{Columns, MISSING};
use crate::measure::{Asked, Measure, OfSets, OfTexts, Square, equal, near, within};
use crate::predicate::{Predicate, Test};
use crate::text::Scratch;
use crate::threshold::Threshold;
use bytemuck::{Pod, Zeroable};

/// The test is the last one of a conjunction.
pub const ENDS_CONJUNCTION: u32 = 1;
/// The test is the last one of an attribute.
pub const ENDS_ATTRIBUTE: u32 = 2;
/// Values weigh nothing of their own.
pub const NO_TERMS: u32 = u32::MAX;

/// A test of an attribute, as both sides read it. Numbers of operands and columns are those of [`Columns`].
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
    /// The texts, sets, points or reaches that it looks at.
    pub column: u32,
    /// What a condition compares a count with, or the lowest word of what it compares a squared chord with.
    pub bound: u32,
    /// The upper words of a squared chord.
    pub upper: [u32; 2],
    /// Whether a comparison must fail: 1 if so.
    pub negated: u32,
    /// What it counts in the mean. All attributes' stay below 2^32 together.
    pub weight: u32,
    /// Billionths below which a similarity counts as 0, or does not hold.
    pub threshold: u32,
    /// Levels of the attribute, but the last.
    pub n_levels: u32,
    /// Of a similarity, the billionths that each level but the last must reach, falling.
    pub levels: [u32; MOST_LEVELS],
    /// Of a condition, the level that is reached where its conjunction holds. 0 for a similarity.
    pub level: u32,
    /// [`ENDS_CONJUNCTION`] and [`ENDS_ATTRIBUTE`].
    pub ends: u32,
    /// Where the weights of its values begin among those of all attributes: they count on the best level, where both
    /// records have the same value. Or [`NO_TERMS`].
    pub terms: u32,
    /// The most that the attribute weighs, whatever its level and its value are: millionths of a bit.
    pub best: i32,
    /// By level, also what is missing: millionths of a bit.
    pub bits: [i32; PLACES],
}

/// Words in an [`Attribute`].
pub(crate) const ATTRIBUTE_WORDS: usize = 17 + MOST_LEVELS + PLACES;
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
    /// Whether the left record is marked.
    Left,
    /// Whether the right record is.
    Right,
    /// Whether points are near each other.
    Near,
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
            5 => Self::Sets,
            6 => Self::Left,
            7 => Self::Right,
            _ => Self::Near,
        }
    }
}

impl Attribute {
    /// What a predicate tests; of a similarity its value, without the bound. Of no weight, with no levels, and alone.
    pub fn of(predicate: &Predicate) -> Self {
        let mut upper = [0; 2];
        let (left, right, (kind, variant, column, bound)) = match predicate.test {
            Test::Left { marks } => (0, 0, (Kind::Left, 0, marks, 0)),
            Test::Right { marks } => (0, 0, (Kind::Right, 0, marks, 0)),
            Test::Compare { left, right, measure } => {
                let by = match measure {
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
                    Measure::Near { points, most: Square([bound, middle, high]), .. } => {
                        upper = [middle, high];
                        (Kind::Near, 0, points, bound)
                    }
                };
                (left, right, by)
            }
        };
        let (kind, negated) = (kind as u32, u32::from(predicate.negated));
        let (ends, terms) = (ENDS_CONJUNCTION | ENDS_ATTRIBUTE, NO_TERMS);
        Self { left, right, kind, variant, column, bound, upper, negated, ends, terms, ..Self::zeroed() }
    }

    /// The same as a condition: whether the predicate holds. What it asks of a similarity is asked of its billionths.
    pub fn of_condition(predicate: &Predicate, level: u32) -> Self {
        let asked = match predicate.test {
            Test::Compare { measure: Measure::Texts { asked, .. } | Measure::Sets { asked, .. }, .. } => {
                asked
            }
            _ => Asked::Count(0),
        };
        let threshold = match asked {
            // A scale divides a billion, and above is one billionth more.
            Asked::Similarity(Threshold { digits, scale, strict }) => {
                digits * (Threshold::MAX_SCALE / scale) + u32::from(strict)
            }
            Asked::Count(_) => 1,
        };
        Self { level, threshold, ..Self::of(predicate) }
    }

    /// Whether it is a test of a condition. Else it is a similarity.
    #[inline]
    pub fn is_condition(&self) -> bool {
        self.level != 0
    }

    /// The level of a similarity: 1 if it reaches the first threshold, 2 if it reaches the next, and so on.
    #[inline]
    pub fn level_of(&self, similarity: u32) -> u32 {
        let missed = self.levels.iter().take(self.n_levels as usize).filter(|&&level| similarity < level);
        1 + missed.count() as u32
    }

    /// The billionths of the lowest level but the last, below which it makes no difference how many there are.
    #[inline]
    pub(super) fn lowest_level(&self) -> u32 {
        self.levels.get(self.n_levels.wrapping_sub(1) as usize).copied().unwrap_or(ONE)
    }

    /// The codes of two records, if both have it. A mark has none, and is there.
    #[inline(always)]
    pub(super) fn codes(&self, columns: &impl Columns, [left, right]: [u32; 2]) -> Option<[u32; 2]> {
        if matches!(Kind::from_number(self.kind), Kind::Left | Kind::Right) {
            return Some([0, 1]);
        }
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
        self.similarity(columns, pair, self.codes(columns, pair)?, 0, scratch)
    }

    /// How alike two values are in it, in billionths, or `None` if one of them has no tokens. What is below `least`
    /// is 0.
    // Always, here and below: a call would hand its arguments over through memory, and a device has none to speak of.
    #[inline(always)]
    pub(super) fn similarity(
        &self,
        columns: &impl Columns,
        [left, right]: [u32; 2],
        [l, r]: [u32; 2],
        least: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        let least = least.max(self.threshold);
        let kind = Kind::from_number(self.kind);
        let asked = match kind {
            Kind::TextCount | Kind::SetCount => Asked::Count(self.bound),
            _ => Asked::Similarity(Billionths(least)),
        };
        let marked =
            |record: u32| columns.marks(self.column)[(record / 32) as usize] >> (record % 32) & 1 == 1;
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
            Kind::Near => {
                let [middle, high] = self.upper;
                let most = Square([self.bound, middle, high]);
                let points = columns.points(self.column);
                one_if(near::holds(&points[l as usize], &points[r as usize], most))
            }
            Kind::Left => one_if(marked(left)),
            Kind::Right => one_if(marked(right)),
        };
        let similarity = if similarity < least { 0 } else { similarity };
        // Only what holds or does not is negated.
        Some(if self.negated == 0 { similarity } else { one_if(similarity == 0) })
    }
}
