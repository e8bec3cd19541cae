//! The measures of two texts by their numbers: the one place that tells them apart.

use super::damerau::Damerau;
use super::hamming::Hamming;
use super::jaro::Jaro;
use super::lcs::Lcs;
use super::levenshtein::Levenshtein;
use super::texts::{Exact, TextMeasure};
use super::{Asked, Goal, numbered};
use crate::billionths::{Billionths, ONE};
use crate::columns::{Head, Texts};
use crate::screen::Limits;
use crate::text::{Scratch, Text};
use crate::threshold::ArchivedThreshold;

numbered! {
    /// The measures of two texts.
    OfTexts, ArchivedOfTexts:
    /// [`super::levenshtein`].
    Levenshtein,
    /// [`super::damerau`].
    Damerau,
    /// [`super::hamming`].
    Hamming,
    /// [`super::jaro`], Jaro's.
    Jaro,
    /// [`super::jaro`], Winkler's.
    JaroWinkler,
    /// [`super::lcs`].
    Lcs,
}

/// What to do with a measure, written once for all. Measures that are one machine share a line: it is inlined there once.
macro_rules! each {
    ($by:expr, $measure:ident => $then:expr) => {
        match $by {
            OfTexts::Levenshtein => {
                let $measure = Levenshtein;
                $then
            }
            OfTexts::Damerau => {
                let $measure = Damerau;
                $then
            }
            OfTexts::Hamming => {
                let $measure = Hamming;
                $then
            }
            by @ (OfTexts::Jaro | OfTexts::JaroWinkler) => {
                let $measure = Jaro { is_boosted: by == OfTexts::JaroWinkler };
                $then
            }
            OfTexts::Lcs => {
                let $measure = Lcs;
                $then
            }
        }
    };
}

impl OfTexts {
    /// [`TextMeasure::GRAMS`].
    pub fn grams(self) -> &'static [u32] {
        fn of<M: TextMeasure>(_: M) -> &'static [u32] {
            M::GRAMS
        }
        each!(self, measure => of(measure))
    }

    /// [`TextMeasure::holds_on_equals`].
    #[inline]
    pub(super) fn holds_on_equals<G: Goal>(self, value: &Head, asked: Asked<G>) -> bool {
        each!(self, measure => measure.holds_on_equals(value, asked))
    }

    /// [`TextMeasure::possible`].
    #[inline]
    pub fn possible<G: Goal>(self, a: &Head, b: &Head, bits: u32, asked: Asked<G>) -> bool {
        each!(self, measure => measure.possible(a, b, bits, asked))
    }

    /// [`TextMeasure::is_certain`].
    pub fn is_certain<G: Goal>(self, a: &Head, b: &Head, asked: Asked<G>) -> bool {
        each!(self, measure => measure.is_certain(a, b, asked))
    }

    /// [`TextMeasure::holds`] of two codes.
    // One call for all questions about texts: it is inlined, and large.
    #[inline(always)]
    pub(super) fn compare(
        self,
        texts: Texts<'_>,
        l: u32,
        r: u32,
        asked: Asked<&ArchivedThreshold>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        let a = &texts.heads[l as usize];
        if l == r {
            return self.holds_on_equals(a, asked);
        }
        let b = &texts.heads[r as usize];
        self.possible(a, b, texts.bits, asked)
            && match texts.bits {
                8 => self.holds(texts.text::<8>(a), texts.text::<8>(b), asked, scratch),
                16 => self.holds(texts.text::<16>(a), texts.text::<16>(b), asked, scratch),
                _ => self.holds(texts.text::<32>(a), texts.text::<32>(b), asked, scratch),
            }
    }

    /// [`TextMeasure::holds`].
    #[inline(always)]
    pub(crate) fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        asked: Asked<&ArchivedThreshold>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        each!(self, measure => measure.holds(a, b, asked, scratch))
    }

    /// [`TextMeasure::billionths`] of two codes.
    #[inline(always)]
    pub(crate) fn score(
        self,
        texts: Texts<'_>,
        l: u32,
        r: u32,
        asked: Asked<Billionths>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> u32 {
        let a = &texts.heads[l as usize];
        if l == r {
            return if self.holds_on_equals(a, asked) { ONE } else { 0 };
        }
        let b = &texts.heads[r as usize];
        if !self.possible(a, b, texts.bits, asked) {
            return 0;
        }
        match texts.bits {
            8 => self.billionths(texts.text::<8>(a), texts.text::<8>(b), asked, scratch),
            16 => self.billionths(texts.text::<16>(a), texts.text::<16>(b), asked, scratch),
            _ => self.billionths(texts.text::<32>(a), texts.text::<32>(b), asked, scratch),
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
        each!(self, measure => measure.billionths(a, b, asked, scratch))
    }

    /// [`TextMeasure::exact`] of two codes.
    pub fn exact(self, texts: Texts<'_>, l: u32, r: u32, scratch: &mut [u64]) -> Exact {
        let (a, b) = (&texts.heads[l as usize], &texts.heads[r as usize]);
        match texts.bits {
            8 => self.exact_on(texts.text::<8>(a), texts.text::<8>(b), scratch),
            16 => self.exact_on(texts.text::<16>(a), texts.text::<16>(b), scratch),
            _ => self.exact_on(texts.text::<32>(a), texts.text::<32>(b), scratch),
        }
    }

    /// [`TextMeasure::exact`].
    pub(crate) fn exact_on<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut [u64],
    ) -> Exact {
        each!(self, measure => measure.exact(a, b, scratch))
    }

    /// [`TextMeasure::least_common`].
    pub(super) fn least_common(
        self,
        asked: Asked<&ArchivedThreshold>,
        q: u32,
        n_a: u32,
        n_b: u32,
    ) -> Option<u32> {
        each!(self, measure => measure.least_common(asked, q, n_a, n_b))
    }

    /// [`TextMeasure::limits`].
    #[inline]
    pub(super) fn limits(self, asked: Asked<&ArchivedThreshold>, len_l: u32, len_r: u32) -> Limits {
        each!(self, measure => measure.limits(asked, len_l, len_r))
    }
}
