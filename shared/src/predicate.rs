//! A predicate: one comparison of a pair of records, in the form that both sides evaluate.
//!
//! Missing is not equal: a predicate over a missing value is false, and so is its negation (SQL's three values).

use crate::columns::{Columns, MISSING, TextHead, Texts};
use crate::text::{Scratch, Text};
use crate::threshold::{ArchivedThreshold, Threshold};
use crate::{jaccard, jaro_winkler, levenshtein, signature};
use rkyv::{Archive, Serialize};

/// A test of a pair, or the opposite of one.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// What is tested.
    pub test: Test,
    /// Whether it must fail. A test over a missing value does not fail: it has no outcome.
    pub negated: bool,
}

/// What is tested. Numbers of operands, texts, sets and reaches are those of [`Columns`].
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// The left record's value is the constant with this code.
    LeftIs {
        /// The left operand.
        operand: u32,
        /// The constant's code.
        code: u32,
    },
    /// The right record's value is the constant with this code.
    RightIs {
        /// The right operand.
        operand: u32,
        /// The constant's code.
        code: u32,
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
    /// [`levenshtein::distance_at_most`].
    LevenshteinAtMost {
        /// The domain's symbols.
        texts: u32,
        /// The most edits.
        most: u32,
    },
    /// [`levenshtein::similarity_reaches`].
    LevenshteinSimilarity {
        /// The domain's symbols.
        texts: u32,
        /// What to reach.
        threshold: Threshold,
    },
    /// [`jaro_winkler::similarity_reaches`].
    JaroWinklerSimilarity {
        /// The domain's symbols.
        texts: u32,
        /// What to reach.
        threshold: Threshold,
    },
    /// [`jaccard::reaches`].
    Jaccard {
        /// The domain's token sets.
        sets: u32,
        /// What to reach.
        threshold: Threshold,
    },
    /// The numbers are near enough: the right code is within the left one's reach.
    Within {
        /// The reach of each left code.
        reaches: u32,
    },
}

impl ArchivedPredicate {
    /// Whether the predicate holds on a pair of records.
    #[inline]
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

impl ArchivedTest {
    /// The outcome on a pair of records, or `None` if a value is missing.
    #[inline]
    fn outcome(
        &self,
        columns: &impl Columns,
        left: u32,
        right: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<bool> {
        let code_of = |operand: u32, record: u32| {
            let code = columns.codes(operand)[record as usize];
            (code != MISSING).then_some(code)
        };
        match self {
            Self::LeftIs { operand, code } => Some(code_of(operand.to_native(), left)? == code.to_native()),
            Self::RightIs { operand, code } => Some(code_of(operand.to_native(), right)? == code.to_native()),
            Self::Compare { left: operand_l, right: operand_r, measure } => {
                let (l, r) = (code_of(operand_l.to_native(), left)?, code_of(operand_r.to_native(), right)?);
                measure.outcome(columns, l, r, scratch)
            }
        }
    }
}

impl ArchivedMeasure {
    #[inline]
    fn outcome(
        &self,
        columns: &impl Columns,
        l: u32,
        r: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<bool> {
        Some(match self {
            Self::Equal => l == r,
            Self::LevenshteinAtMost { texts, most } => {
                let most = most.to_native();
                l == r || compare_texts(columns.texts(texts.to_native()), l, r, Distance(most), scratch)
            }
            Self::LevenshteinSimilarity { texts, threshold } if l != r => {
                compare_texts(columns.texts(texts.to_native()), l, r, EditSimilarity(threshold), scratch)
            }
            Self::JaroWinklerSimilarity { texts, threshold } if l != r => {
                compare_texts(columns.texts(texts.to_native()), l, r, JaroWinkler(threshold), scratch)
            }
            Self::LevenshteinSimilarity { threshold, .. } | Self::JaroWinklerSimilarity { threshold, .. } => {
                threshold.reached(1, 1)
            }
            Self::Jaccard { sets, threshold } => {
                let sets = columns.sets(sets.to_native());
                let (a, b) = (sets.set(l), sets.set(r));
                if a.is_empty() || b.is_empty() {
                    return None;
                }
                jaccard::reaches(a, b, threshold)
            }
            Self::Within { reaches } => {
                let reach = columns.reaches(reaches.to_native())[l as usize];
                reach.from <= r && r < reach.upto
            }
        })
    }
}

/// A measure over texts, of whatever width their symbols have.
trait TextMeasure: Copy {
    /// A cheap necessary condition.
    fn possible(self, a: &TextHead, b: &TextHead) -> bool;

    fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool;
}

#[derive(Clone, Copy)]
struct Distance(u32);
#[derive(Clone, Copy)]
struct EditSimilarity<'a>(&'a ArchivedThreshold);
#[derive(Clone, Copy)]
struct JaroWinkler<'a>(&'a ArchivedThreshold);

/// A number of edits that two values are at least apart, by their heads.
#[inline]
fn fewest_edits(a: &TextHead, b: &TextHead) -> u32 {
    signature::fewest_edits(a.signature, b.signature).max(a.len.abs_diff(b.len))
}

impl TextMeasure for Distance {
    #[inline]
    fn possible(self, a: &TextHead, b: &TextHead) -> bool {
        fewest_edits(a, b) <= self.0
    }

    #[inline]
    fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        levenshtein::distance_at_most(a, b, self.0, scratch)
    }
}

impl TextMeasure for EditSimilarity<'_> {
    #[inline]
    fn possible(self, a: &TextHead, b: &TextHead) -> bool {
        self.0.allows_edits(fewest_edits(a, b), a.len.max(b.len))
    }

    #[inline]
    fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        levenshtein::similarity_reaches(a, b, self.0, scratch)
    }
}

impl TextMeasure for JaroWinkler<'_> {
    #[inline]
    fn possible(self, _: &TextHead, _: &TextHead) -> bool {
        true
    }

    #[inline]
    fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        jaro_winkler::similarity_reaches(a, b, self.0, scratch)
    }
}

#[inline]
fn compare_texts(
    texts: Texts<'_>,
    l: u32,
    r: u32,
    measure: impl TextMeasure,
    scratch: &mut (impl Scratch + ?Sized),
) -> bool {
    let (a, b) = (&texts.heads[l as usize], &texts.heads[r as usize]);
    measure.possible(a, b)
        && match texts.bits {
            8 => measure.holds(texts.text::<8>(a), texts.text::<8>(b), scratch),
            16 => measure.holds(texts.text::<16>(a), texts.text::<16>(b), scratch),
            _ => measure.holds(texts.text::<32>(a), texts.text::<32>(b), scratch),
        }
}
