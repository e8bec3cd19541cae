//! Overlap: |A ∩ B|, and as a similarity |A ∩ B| / min(|A|, |B|) (Szymkiewicz, 1934; Simpson, *Mammals and the nature of
//! continents*, American Journal of Science 241, 1943).

use super::SetMeasure;
use crate::threshold::ArchivedThreshold;

#[derive(Clone, Copy)]
pub(super) struct Overlap;

impl SetMeasure for Overlap {
    #[inline]
    fn fraction(self, n_a: u32, n_b: u32, common: u32) -> (u64, u64) {
        (common.into(), n_a.min(n_b).into())
    }

    #[inline]
    fn least_common(self, n_a: u32, n_b: u32, threshold: &ArchivedThreshold) -> u64 {
        threshold.least(threshold.digits() * u64::from(n_a.min(n_b)), threshold.scale())
    }
}
