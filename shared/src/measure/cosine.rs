//! Cosine similarity of sets: |A ∩ B| / √(|A| |B|) (Ochiai, *Bulletin of the Japanese Society of Scientific Fisheries* 22,
//! 1957). Roots are not computed: thresholds are compared squared.

use super::{Goal, SetMeasure};
use crate::billionths::billionths_of_root;
use crate::threshold::ArchivedThreshold;

#[derive(Clone, Copy)]
pub(super) struct Cosine;

impl SetMeasure for Cosine {
    /// c / √(a b) is at most c / min(a, b).
    #[inline]
    fn fraction(self, n_a: u32, n_b: u32, common: u32) -> (u64, u64) {
        (common.into(), n_a.min(n_b).into())
    }

    #[inline]
    fn least_common(self, n_a: u32, n_b: u32, threshold: &ArchivedThreshold) -> u64 {
        // By halves: a root is dearer.
        let (mut least, mut enough) = (0, n_a.min(n_b) + 1);
        while least < enough {
            let common = least + (enough - least) / 2;
            let is_enough = self.possible(n_a, n_b, common, threshold);
            (least, enough) = if is_enough { (least, common) } else { (common + 1, enough) };
        }
        least.into()
    }

    #[inline]
    fn possible<G: Goal>(self, n_a: u32, n_b: u32, common: u32, goal: G) -> bool {
        goal.root_reached(common.into(), n_a.into(), n_b.into())
    }

    #[inline]
    fn billionths(self, n_a: u32, n_b: u32, common: u32) -> u32 {
        billionths_of_root(common, u64::from(n_a) * u64::from(n_b))
    }

    fn is_over_root(self) -> bool {
        true
    }
}
