//! What all distances by edits have in common: how many edits a goal allows, and what follows from that.
//!
//! The similarity is 1 − d / max(len). An edit changes one symbol's count at most, and of the q-grams those that it touches:
//! at most q of them, or q + 1 if it swaps neighbours, and symbols themselves are not changed by that (Ukkonen,
//! *Theoretical Computer Science* 92, 1992). So of the value with more q-grams all are left but for those that the edits
//! touched.

use crate::billionths::{Billionths, ONE, billionths};
use crate::columns::Head;
use crate::measure::{Asked, Exact, Goal, TextMeasure, fewest_edits};
use crate::screen::{Allowed, Limits};
use crate::text::{Scratch, Text};
use crate::threshold::ArchivedThreshold;

/// A distance by edits.
pub(in crate::measure) trait EditDistance: Copy {
    /// Whether transposing neighbours is one edit.
    const SWAPS: bool;

    /// Whether at most `most` edits lead from `a` to `b`.
    fn at_most<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        most: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool;

    /// How many lead from `a` to `b`, or `None` if that is above `most`.
    fn distance<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        most: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32>;
}

impl<D: EditDistance> TextMeasure for D {
    const GRAMS: &'static [u32] = &[2, 3, 4];

    #[inline]
    fn holds_on_equals<G: Goal>(self, _: &Head, asked: Asked<G>) -> bool {
        match asked {
            Asked::Count(_) => true,
            Asked::Similarity(goal) => goal.reached(1, 1),
        }
    }

    #[inline]
    fn possible<G: Goal>(self, a: &Head, b: &Head, _: u32, asked: Asked<G>) -> bool {
        match asked {
            Asked::Count(most) => fewest_edits(a, b) <= most,
            Asked::Similarity(goal) => goal.allows_edits(fewest_edits(a, b), a.len.max(b.len)),
        }
    }

    /// Values no longer than the edits allowed hold without a look.
    fn is_certain<G: Goal>(self, a: &Head, b: &Head, asked: Asked<G>) -> bool {
        matches!(asked, Asked::Count(most) if a.len.max(b.len) <= most)
    }

    #[inline(always)]
    fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        asked: Asked<&ArchivedThreshold>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        match most_edits(asked, a.len().max(b.len())) {
            Some(most) => self.at_most(a, b, most, scratch),
            None => false,
        }
    }

    #[inline(always)]
    fn billionths<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        asked: Asked<Billionths>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> u32 {
        let longest = a.len().max(b.len());
        let edits = most_edits(asked, longest).and_then(|most| self.distance(a, b, most, scratch));
        match (asked, edits) {
            (_, None) => 0,
            (Asked::Count(_), Some(_)) => ONE,
            (Asked::Similarity(_), Some(edits)) => billionths(u64::from(longest - edits), u64::from(longest)),
        }
    }

    fn exact<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Exact {
        // Never more than the longer one has symbols.
        let longest = a.len().max(b.len());
        let edits = self.distance(a, b, longest, scratch).unwrap_or(longest);
        Exact { count: Some(edits), similarity: ((longest - edits).into(), longest.into()) }
    }

    fn least_common(self, asked: Asked<&ArchivedThreshold>, q: u32, n_a: u32, n_b: u32) -> Option<u32> {
        let most = most_edits(asked, n_a.max(n_b) + q - 1).filter(|&most| n_a.abs_diff(n_b) <= most)?;
        let touched = if D::SWAPS && q > 1 { q + 1 } else { q };
        Some(n_a.max(n_b).saturating_sub(most.saturating_mul(touched)))
    }

    #[inline]
    fn limits(self, asked: Asked<&ArchivedThreshold>, len_l: u32, len_r: u32) -> Limits {
        Limits::always(match most_edits(asked, len_l.max(len_r)) {
            Some(most) if len_l.abs_diff(len_r) <= most => Allowed::either(most),
            _ => Allowed::NEVER,
        })
    }
}

/// The most edits between values of at most `len` symbols, or `None` if not even 0.
#[inline]
fn most_edits<G: Goal>(asked: Asked<G>, len: u32) -> Option<u32> {
    match asked {
        Asked::Count(most) => Some(most),
        Asked::Similarity(goal) => goal.most_edits(len),
    }
}
