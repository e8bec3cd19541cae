//! One attribute of a score: how alike two records are in it.

use super::{MOST_LEVELS, ONE, billionths, billionths_of_root, billionths_wide, reaches};
use crate::columns::{Columns, MISSING, Sets, Texts};
use crate::predicate::{
    Boost, EditDistance, Measure, Predicate, SetSimilarity, Test, fewest_edits, most_common,
};
use crate::text::{Scratch, Text};
use crate::{damerau, hamming, jaro, levenshtein, sets};
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
    /// Which edits, which boost or which similarity of sets; the number of the enum's variant.
    pub variant: u32,
    /// The texts, sets or reaches that it looks at.
    pub column: u32,
    /// What a condition compares with: the most edits, or the fewest tokens in common.
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
    /// Whether at most so many edits lead from one to the other.
    EditsAtMost,
    /// Whether they have at least so many tokens in common.
    CommonTokens,
    /// 1 − d / max(len).
    EditSimilarity,
    /// Jaro's or Winkler's similarity.
    Jaro,
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
            2 => Self::EditsAtMost,
            3 => Self::CommonTokens,
            4 => Self::EditSimilarity,
            5 => Self::Jaro,
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
            Measure::Edits { texts, distance, most } => (Kind::EditsAtMost, distance as u32, texts, most),
            Measure::CommonTokens { sets, least } => (Kind::CommonTokens, 0, sets, least),
            Measure::EditSimilarity { texts, distance, .. } => {
                (Kind::EditSimilarity, distance as u32, texts, 0)
            }
            Measure::Jaro { texts, boost, .. } => (Kind::Jaro, boost as u32, texts, 0),
            Measure::Sets { sets, similarity, .. } => (Kind::Sets, similarity as u32, sets, 0),
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
        let similarity = match Kind::from_number(self.kind) {
            Kind::Equal => self.condition(l == r),
            Kind::Within => {
                let reach = columns.reaches(self.column)[l as usize];
                self.condition(reach.from <= r && r < reach.upto)
            }
            Kind::EditsAtMost | Kind::EditSimilarity | Kind::Jaro => {
                self.of_texts(columns.texts(self.column), l, r, least, scratch)
            }
            Kind::CommonTokens | Kind::Sets => self.of_sets(columns.sets(self.column), l, r, least)?,
        };
        Some(if similarity < least { 0 } else { similarity })
    }

    #[inline]
    fn condition(&self, holds: bool) -> u32 {
        if holds == (self.negated == 0) { ONE } else { 0 }
    }

    /// Of two values by their symbols.
    #[inline(always)]
    fn of_texts(
        &self,
        texts: Texts<'_>,
        l: u32,
        r: u32,
        least: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> u32 {
        if l == r {
            // A value is as like itself as can be, and no edit away.
            return self.condition(true);
        }
        let (a, b) = (&texts.heads[l as usize], &texts.heads[r as usize]);
        let kind = Kind::from_number(self.kind);
        let longest = a.len.max(b.len);
        if kind == Kind::Jaro {
            let prefix = match self.boost() {
                Boost::None => 0,
                Boost::Winkler => a.common_beginning(b, texts.bits, jaro::MOST_PREFIX),
            };
            let best = jaro::best(a.len, b.len, most_common(a, b), prefix);
            if !best.is_none_or(|(numerator, denominator)| reaches(numerator, denominator, least)) {
                return 0;
            }
            return match texts.bits {
                8 => self.jaro(texts.text::<8>(a), texts.text::<8>(b), scratch),
                16 => self.jaro(texts.text::<16>(a), texts.text::<16>(b), scratch),
                _ => self.jaro(texts.text::<32>(a), texts.text::<32>(b), scratch),
            };
        }
        let most = if kind == Kind::EditsAtMost { self.bound } else { most_edits(longest, least) };
        let edits = if fewest_edits(a, b) > most {
            None
        } else {
            match texts.bits {
                8 => self.edits(texts.text::<8>(a), texts.text::<8>(b), most, scratch),
                16 => self.edits(texts.text::<16>(a), texts.text::<16>(b), most, scratch),
                _ => self.edits(texts.text::<32>(a), texts.text::<32>(b), most, scratch),
            }
        };
        match (kind, edits) {
            (Kind::EditsAtMost, edits) => self.condition(edits.is_some()),
            (_, Some(edits)) => billionths(u64::from(longest - edits), u64::from(longest)),
            (_, None) => 0,
        }
    }

    #[inline(always)]
    fn edits<const BITS: u32>(
        &self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        most: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        const LEVENSHTEIN: u32 = EditDistance::Levenshtein as u32;
        const DAMERAU: u32 = EditDistance::Damerau as u32;
        match self.variant {
            LEVENSHTEIN => levenshtein::distance(a, b, most, scratch),
            DAMERAU => damerau::distance(a, b, most, scratch),
            _ => hamming::distance(a, b, most),
        }
    }

    #[inline]
    fn boost(&self) -> Boost {
        if self.variant == Boost::Winkler as u32 { Boost::Winkler } else { Boost::None }
    }

    #[inline(always)]
    fn jaro<const BITS: u32>(
        &self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> u32 {
        let matches = jaro::matches(a, b, scratch);
        let prefix = match self.boost() {
            Boost::None => 0,
            Boost::Winkler => jaro::common_prefix(a, b),
        };
        if a.len().max(b.len()) <= jaro::LONGEST_NARROW {
            let (numerator, denominator) = matches.similarity(a.len(), b.len(), prefix);
            billionths(numerator, denominator)
        } else {
            let (numerator, denominator) = matches.similarity(a.len(), b.len(), prefix);
            billionths_wide(numerator, denominator)
        }
    }

    /// Of two values by their tokens; `None` if one has none.
    #[inline(always)]
    fn of_sets(&self, sets: Sets<'_>, l: u32, r: u32, least: u32) -> Option<u32> {
        let (a, b) = (&sets.heads[l as usize], &sets.heads[r as usize]);
        if a.len == 0 || b.len == 0 {
            return None;
        }
        let is_condition = Kind::from_number(self.kind) == Kind::CommonTokens;
        let most = most_common(a, b);
        let is_possible =
            if is_condition { most >= self.bound } else { self.may_reach(a.len, b.len, most, least) };
        // What is too little is not counted.
        let common = match is_possible {
            false => 0,
            true if l == r => a.len,
            true => sets::common(sets.set(a), sets.set(b)),
        };
        Some(if is_condition {
            self.condition(common >= self.bound)
        } else {
            self.of_sizes(a.len, b.len, common)
        })
    }

    /// Whether sets of these sizes can be as like as `least` with so many tokens in common.
    #[inline]
    fn may_reach(&self, n_a: u32, n_b: u32, common: u32, least: u32) -> bool {
        // Without a root: c / √(a b) is at most c / min(a, b).
        match self.set_similarity() {
            SetSimilarity::Cosine => reaches(common.into(), n_a.min(n_b).into(), least),
            similarity => {
                let (numerator, denominator) = fraction(similarity, n_a, n_b, common);
                reaches(numerator, denominator, least)
            }
        }
    }

    #[inline]
    fn of_sizes(&self, n_a: u32, n_b: u32, common: u32) -> u32 {
        match self.set_similarity() {
            SetSimilarity::Cosine => billionths_of_root(common, u64::from(n_a) * u64::from(n_b)),
            similarity => {
                let (numerator, denominator) = fraction(similarity, n_a, n_b, common);
                billionths(numerator, denominator)
            }
        }
    }

    #[inline]
    fn set_similarity(&self) -> SetSimilarity {
        match self.variant {
            0 => SetSimilarity::Jaccard,
            1 => SetSimilarity::Dice,
            2 => SetSimilarity::Cosine,
            _ => SetSimilarity::Overlap,
        }
    }
}

/// How alike sets of these sizes are with so many tokens in common; not for cosine.
#[inline]
fn fraction(similarity: SetSimilarity, n_a: u32, n_b: u32, common: u32) -> (u64, u64) {
    let (n_a, n_b, common) = (u64::from(n_a), u64::from(n_b), u64::from(common));
    match similarity {
        SetSimilarity::Jaccard => (common, n_a + n_b - common),
        SetSimilarity::Dice => (2 * common, n_a + n_b),
        SetSimilarity::Cosine | SetSimilarity::Overlap => (common, n_a.min(n_b)),
    }
}

/// The most edits with which strings of at most `len` symbols come to `least` billionths.
#[inline]
fn most_edits(len: u32, least: u32) -> u32 {
    // (len − d) 2 ONE >= (2 least − 1) len, as in `reaches`; below 2^56.
    let all = 2 * u64::from(ONE);
    ((all + 1 - 2 * u64::from(least)) * u64::from(len) / all) as u32
}
