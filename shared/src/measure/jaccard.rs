//! Jaccard similarity: |A ∩ B| / |A ∪ B| (Jaccard, *Bulletin de la Société Vaudoise des Sciences Naturelles* 37, 1901).

use super::SetMeasure;
use crate::threshold::ArchivedThreshold;

#[derive(Clone, Copy)]
pub(super) struct Jaccard;

impl SetMeasure for Jaccard {
    #[inline]
    fn fraction(self, n_a: u32, n_b: u32, common: u32) -> (u64, u64) {
        (common.into(), u64::from(n_a) + u64::from(n_b) - u64::from(common))
    }

    #[inline]
    fn least_common(self, n_a: u32, n_b: u32, threshold: &ArchivedThreshold) -> u64 {
        // c / (all − c) >= digits / scale  <=>  c · (scale + digits) >= digits · all; below 2^55.
        let all = u64::from(n_a) + u64::from(n_b);
        threshold.least(threshold.digits() * all, threshold.scale() + threshold.digits())
    }
}
