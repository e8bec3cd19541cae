//! A predicate: one comparison of a pair of records, in the form that both sides evaluate.
//!
//! Missing is not equal: a predicate over a missing value is false, and so is its negation (SQL's three values). What is
//! asked of one record alone was answered on the host: here it is a mark.

use crate::columns::{Columns, Head, MISSING, Texts};
use crate::text::{Scratch, Text};
use crate::threshold::{ArchivedThreshold, Threshold};
use crate::{damerau, hamming, jaro, levenshtein, sets, signature};
use rkyv::{Archive, Serialize};

/// A test of a pair, or the opposite of one.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// What is tested.
    pub test: Test,
    /// Whether it must fail. A test over a missing value does not fail: it has no outcome.
    pub negated: bool,
}

/// What is tested. Numbers of operands, texts, sets, reaches and marks are those of [`Columns`].
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

/// How two values compare.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// They are the same value.
    Equal,
    /// So many edits lead from one to the other, or fewer.
    Edits {
        /// The domain's symbols.
        texts: u32,
        /// What an edit is.
        distance: EditDistance,
        /// The most edits.
        most: u32,
    },
    /// 1 − d / max(len) reaches a threshold.
    EditSimilarity {
        /// The domain's symbols.
        texts: u32,
        /// What an edit is.
        distance: EditDistance,
        /// What to reach.
        threshold: Threshold,
    },
    /// [`jaro::similarity_reaches`].
    Jaro {
        /// The domain's symbols.
        texts: u32,
        /// Jaro's or Winkler's.
        boost: Boost,
        /// What to reach.
        threshold: Threshold,
    },
    /// [`sets::reaches`].
    Sets {
        /// The domain's token sets.
        sets: u32,
        /// Which similarity.
        similarity: SetSimilarity,
        /// What to reach.
        threshold: Threshold,
    },
    /// [`sets::share`].
    CommonTokens {
        /// The domain's token sets.
        sets: u32,
        /// The fewest tokens in common.
        least: u32,
    },
    /// The difference of the numbers is within bounds: the right code is within the left one's reach.
    Within {
        /// The reach of each left code.
        reaches: u32,
    },
}

/// What counts as an edit.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EditDistance {
    /// [`levenshtein`].
    Levenshtein,
    /// [`damerau`].
    Damerau,
    /// [`hamming`].
    Hamming,
}

/// What [`jaro`] makes of a common beginning.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Boost {
    /// Nothing: Jaro's similarity.
    None,
    /// Winkler's boost: Jaro-Winkler similarity.
    Winkler,
}

/// How alike two sets A and B are.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetSimilarity {
    /// |A ∩ B| / |A ∪ B|.
    Jaccard,
    /// 2 |A ∩ B| / (|A| + |B|).
    Dice,
    /// |A ∩ B| / √(|A| |B|).
    Cosine,
    /// |A ∩ B| / min(|A|, |B|).
    Overlap,
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

impl ArchivedMeasure {
    /// What is asked of which texts, if it is one of the measures over texts.
    #[inline]
    fn of_texts(&self) -> Option<(u32, Asked<'_>)> {
        match self {
            Self::Edits { texts, distance, most } => {
                Some((texts.to_native(), Asked::Edits(distance, most.to_native())))
            }
            Self::EditSimilarity { texts, distance, threshold } => {
                Some((texts.to_native(), Asked::EditSimilarity(distance, threshold)))
            }
            Self::Jaro { texts, boost, threshold } => {
                Some((texts.to_native(), Asked::Jaro(boost, threshold)))
            }
            Self::Equal | Self::Sets { .. } | Self::CommonTokens { .. } | Self::Within { .. } => None,
        }
    }

    /// Whether the outcome for two codes may be `wanted`, by what their heads tell.
    #[inline(always)]
    fn may_be(&self, columns: &impl Columns, l: u32, r: u32, wanted: bool) -> bool {
        if let Some((texts, asked)) = self.of_texts() {
            let texts = columns.texts(texts);
            if l == r {
                return asked.holds_on_equals() == wanted;
            }
            return !wanted || asked.possible(&texts.heads[l as usize], &texts.heads[r as usize], texts.bits);
        }
        match self {
            Self::Edits { .. } | Self::EditSimilarity { .. } | Self::Jaro { .. } => !wanted,
            Self::Equal => (l == r) == wanted,
            Self::Sets { sets: ix, similarity, threshold } => {
                let heads = columns.sets(ix.to_native()).heads;
                let (a, b) = (&heads[l as usize], &heads[r as usize]);
                let may_hold = || sets::possible(a.len, b.len, most_common(a, b), similarity, threshold);
                a.len > 0 && b.len > 0 && (!wanted || may_hold())
            }
            Self::CommonTokens { sets: ix, least } => {
                let heads = columns.sets(ix.to_native()).heads;
                let (a, b) = (&heads[l as usize], &heads[r as usize]);
                a.len > 0 && b.len > 0 && (!wanted || most_common(a, b) >= least.to_native())
            }
            Self::Within { reaches } => {
                let reach = columns.reaches(reaches.to_native())[l as usize];
                (reach.from <= r && r < reach.upto) == wanted
            }
        }
    }

    #[inline(always)]
    fn outcome(
        &self,
        columns: &impl Columns,
        l: u32,
        r: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<bool> {
        // One call for all questions about texts: it is inlined, and large.
        if let Some((texts, asked)) = self.of_texts() {
            return Some(compare_texts(columns.texts(texts), l, r, asked, scratch));
        }
        Some(match self {
            Self::Edits { .. } | Self::EditSimilarity { .. } | Self::Jaro { .. } => false,
            Self::Equal => l == r,
            Self::Sets { sets: ix, similarity, threshold } => {
                let sets = columns.sets(ix.to_native());
                let (a, b) = (&sets.heads[l as usize], &sets.heads[r as usize]);
                if a.len == 0 || b.len == 0 {
                    return None;
                }
                let possible = sets::possible(a.len, b.len, most_common(a, b), similarity, threshold);
                possible && sets::reaches(sets.set(a), sets.set(b), similarity, threshold)
            }
            Self::CommonTokens { sets: ix, least } => {
                let sets = columns.sets(ix.to_native());
                let (a, b) = (&sets.heads[l as usize], &sets.heads[r as usize]);
                if a.len == 0 || b.len == 0 {
                    return None;
                }
                let least = least.to_native();
                most_common(a, b) >= least && sets::share(sets.set(a), sets.set(b), least)
            }
            Self::Within { reaches } => {
                let reach = columns.reaches(reaches.to_native())[l as usize];
                reach.from <= r && r < reach.upto
            }
        })
    }
}

/// What is asked of two texts, of whatever width their symbols have.
#[derive(Clone, Copy)]
enum Asked<'a> {
    Edits(&'a ArchivedEditDistance, u32),
    EditSimilarity(&'a ArchivedEditDistance, &'a ArchivedThreshold),
    Jaro(&'a ArchivedBoost, &'a ArchivedThreshold),
}

/// A number of edits that two values are at least apart, by their heads. Transposing changes no symbol's count, so it
/// holds for every distance here.
#[inline]
pub(crate) fn fewest_edits(a: &Head, b: &Head) -> u32 {
    signature::fewest_edits(a.signature, b.signature).max(a.len.abs_diff(b.len))
}

/// A number of elements that two values have at most in common, by their heads.
#[inline]
pub(crate) fn most_common(a: &Head, b: &Head) -> u32 {
    let (only_a, only_b) = signature::fewest_unshared(a.signature, b.signature);
    (a.len - only_a).min(b.len - only_b)
}

impl Asked<'_> {
    /// Whether a value is near enough to itself: unless more than all is asked for.
    #[inline]
    fn holds_on_equals(self) -> bool {
        match self {
            Self::Edits(..) => true,
            Self::EditSimilarity(_, threshold) | Self::Jaro(_, threshold) => threshold.reached(1, 1),
        }
    }

    /// A cheap necessary condition; `bits` are those of a symbol.
    #[inline]
    fn possible(self, a: &Head, b: &Head, bits: u32) -> bool {
        match self {
            Self::Edits(_, most) => fewest_edits(a, b) <= most,
            Self::EditSimilarity(_, threshold) => {
                threshold.allows_edits(fewest_edits(a, b), a.len.max(b.len))
            }
            Self::Jaro(boost, threshold) => {
                let prefix = match boost {
                    ArchivedBoost::None => 0,
                    ArchivedBoost::Winkler => a.common_beginning(b, bits, jaro::MOST_PREFIX),
                };
                jaro::possible(a.len, b.len, most_common(a, b), prefix, threshold)
            }
        }
    }

    #[inline(always)]
    fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        let (distance, most) = match self {
            Self::Jaro(boost, threshold) => return jaro::similarity_reaches(a, b, boost, threshold, scratch),
            Self::Edits(distance, most) => (distance, most),
            Self::EditSimilarity(distance, threshold) => match threshold.most_edits(a.len().max(b.len())) {
                Some(most) => (distance, most),
                None => return false,
            },
        };
        match distance {
            ArchivedEditDistance::Levenshtein => levenshtein::distance_at_most(a, b, most, scratch),
            ArchivedEditDistance::Damerau => damerau::distance_at_most(a, b, most, scratch),
            ArchivedEditDistance::Hamming => hamming::distance_at_most(a, b, most),
        }
    }
}

#[inline(always)]
fn compare_texts(
    texts: Texts<'_>,
    l: u32,
    r: u32,
    asked: Asked<'_>,
    scratch: &mut (impl Scratch + ?Sized),
) -> bool {
    if l == r {
        return asked.holds_on_equals();
    }
    let (a, b) = (&texts.heads[l as usize], &texts.heads[r as usize]);
    asked.possible(a, b, texts.bits)
        && match texts.bits {
            8 => asked.holds(texts.text::<8>(a), texts.text::<8>(b), scratch),
            16 => asked.holds(texts.text::<16>(a), texts.text::<16>(b), scratch),
            _ => asked.holds(texts.text::<32>(a), texts.text::<32>(b), scratch),
        }
}
