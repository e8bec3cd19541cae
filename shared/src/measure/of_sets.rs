//! The measures of two sets by their numbers: the one place that tells them apart.

use super::braun_blanquet::BraunBlanquet;
use super::cosine::Cosine;
use super::dice::Dice;
use super::jaccard::Jaccard;
use super::overlap::Overlap;
use super::sets::{SetMeasure, common, share};
use super::{Asked, Goal, most_common, numbered};
use crate::billionths::{Billionths, ONE};
use crate::columns::{Head, Sets};
use crate::threshold::ArchivedThreshold;

numbered! {
    /// The measures of two sets.
    OfSets, ArchivedOfSets:
    /// [`super::jaccard`].
    Jaccard,
    /// [`super::dice`].
    Dice,
    /// [`super::cosine`].
    Cosine,
    /// [`super::overlap`]. It also counts.
    Overlap,
    /// [`super::braun_blanquet`].
    BraunBlanquet,
}

/// What to do with a measure, written once for all.
macro_rules! each {
    ($by:expr, $measure:ident => $then:expr) => {
        match $by {
            OfSets::Jaccard => {
                let $measure = Jaccard;
                $then
            }
            OfSets::Dice => {
                let $measure = Dice;
                $then
            }
            OfSets::Cosine => {
                let $measure = Cosine;
                $then
            }
            OfSets::Overlap => {
                let $measure = Overlap;
                $then
            }
            OfSets::BraunBlanquet => {
                let $measure = BraunBlanquet;
                $then
            }
        }
    };
}

impl OfSets {
    /// Whether it may hold, by what the heads of two values tell: a necessary condition.
    #[inline]
    pub fn possible<G: Goal>(self, a: &Head, b: &Head, asked: Asked<G>) -> bool {
        let common = most_common(a, b);
        match asked {
            Asked::Count(least) => common >= least,
            Asked::Similarity(goal) => each!(self, measure => measure.possible(a.len, b.len, common, goal)),
        }
    }

    /// Whether it holds on two codes, or `None` if one has no tokens.
    #[inline(always)]
    pub(super) fn compare(
        self,
        sets: Sets<'_>,
        l: u32,
        r: u32,
        asked: Asked<&ArchivedThreshold>,
    ) -> Option<bool> {
        let (a, b) = (&sets.heads[l as usize], &sets.heads[r as usize]);
        if a.len == 0 || b.len == 0 {
            return None;
        }
        let holds = || {
            let least = self.least_common(asked, a.len, b.len)?;
            Some(share(sets.set(a), sets.set(b), least))
        };
        Some(self.possible(a, b, asked) && holds().unwrap_or(false))
    }

    /// The similarity of two codes in billionths, or `None` if one has no tokens; what does not reach those asked for
    /// may be 0. Of a count, [`ONE`] if it holds, else 0.
    #[inline(always)]
    pub(crate) fn score(self, sets: Sets<'_>, l: u32, r: u32, asked: Asked<Billionths>) -> Option<u32> {
        let (a, b) = (&sets.heads[l as usize], &sets.heads[r as usize]);
        if a.len == 0 || b.len == 0 {
            return None;
        }
        // What is too little is not counted.
        let common = match self.possible(a, b, asked) {
            false => 0,
            true if l == r => a.len,
            true => common(sets.set(a), sets.set(b)),
        };
        Some(match asked {
            Asked::Count(least) if common >= least => ONE,
            Asked::Count(_) => 0,
            Asked::Similarity(_) => each!(self, measure => measure.billionths(a.len, b.len, common)),
        })
    }

    /// The least number of common tokens with which it holds on sets of these sizes; `None` if all of the smaller one is not
    /// enough.
    #[inline]
    pub(super) fn least_common(self, asked: Asked<&ArchivedThreshold>, n_a: u32, n_b: u32) -> Option<u32> {
        let least = match asked {
            Asked::Count(least) => least.into(),
            Asked::Similarity(threshold) => {
                each!(self, measure => measure.least_common(n_a, n_b, threshold))
            }
        };
        (least <= u64::from(n_a.min(n_b))).then_some(least as u32)
    }

    /// [`SetMeasure::fraction`].
    pub fn fraction(self, n_a: u32, n_b: u32, common: u32) -> (u64, u64) {
        each!(self, measure => measure.fraction(n_a, n_b, common))
    }

    /// [`SetMeasure::is_over_root`].
    pub fn is_over_root(self) -> bool {
        each!(self, measure => measure.is_over_root())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{archived, at_least, decimals};
    use crate::threshold::Threshold;
    use proptest::{collection::btree_set, prelude::*};
    use std::{collections::BTreeSet, vec::Vec};

    proptest! {
        #[test]
        fn agrees_with_the_definitions(
            a in btree_set(0u32..40, 1..30), b in btree_set(0u32..40, 1..30), threshold in decimals(), least in 0u32..12
        ) {
            let common = a.intersection(&b).count() as u64;
            let all = a.union(&b).count() as u64;
            let (n_a, n_b) = (a.len() as u64, b.len() as u64);
            let list = |set: BTreeSet<u32>| set.into_iter().collect::<Vec<_>>();
            let (a, b) = (list(a), list(b));
            prop_assert_eq!(crate::measure::sets::common(&a, &b), common as u32);
            let got = |by: OfSets| {
                archived(threshold, |t| {
                    let least = by.least_common(Asked::Similarity(t), n_a as u32, n_b as u32);
                    least.is_some_and(|least| share(&a, &b, least))
                })
            };
            prop_assert_eq!(got(OfSets::Jaccard), at_least(common, all, threshold));
            prop_assert_eq!(got(OfSets::Dice), at_least(2 * common, n_a + n_b, threshold));
            prop_assert_eq!(got(OfSets::Overlap), at_least(common, n_a.min(n_b), threshold));
            prop_assert_eq!(got(OfSets::BraunBlanquet), at_least(common, n_a.max(n_b), threshold));
            // Squared, so that no root is needed: c² · scale² against digits² · |A| |B|.
            let (scale, digits) = (u128::from(threshold.scale), u128::from(threshold.digits));
            let is = u128::from(common * common) * scale * scale;
            let wanted = digits * digits * u128::from(n_a * n_b);
            prop_assert_eq!(got(OfSets::Cosine), is > wanted || (is == wanted && !threshold.strict));
            prop_assert_eq!(share(&a, &b, least), common >= u64::from(least));
        }
    }

    fn reached(by: OfSets, n_a: u32, n_b: u32, common: u32, threshold: &ArchivedThreshold) -> bool {
        each!(by, measure => measure.possible(n_a, n_b, common, threshold))
    }

    proptest! {
        #[test]
        fn the_least_common_is_the_least_possible(n_a in 1u32..70, n_b in 1u32..70, threshold in decimals()) {
            for &by in OfSets::ALL {
                archived(threshold, |t| {
                    let want = (0..=n_a.min(n_b)).find(|&common| reached(by, n_a, n_b, common, t));
                    prop_assert_eq!(by.least_common(Asked::Similarity(t), n_a, n_b), want);
                    Ok(())
                })?;
            }
        }
    }

    #[test]
    fn large_sets_do_not_overflow() {
        const N: u32 = 1 << 24;
        for (digits, scale) in [(999, 1000), (999_999_999, 1_000_000_000)] {
            for &by in OfSets::ALL {
                archived(Threshold { digits, scale, strict: false }, |t| {
                    let least = by.least_common(Asked::Similarity(t), N, N).unwrap();
                    assert!(reached(by, N, N, least, t) && !reached(by, N, N, least - 1, t));
                });
            }
        }
    }
}
