//! Braun-Blanquet's coefficient: |A ∩ B| / max(|A|, |B|) (Braun-Blanquet, *Plant sociology*, 1932).

use super::SetMeasure;
use crate::threshold::ArchivedThreshold;

#[derive(Clone, Copy)]
pub(super) struct BraunBlanquet;

impl SetMeasure for BraunBlanquet {
    #[inline]
    fn fraction(self, n_a: u32, n_b: u32, common: u32) -> (u64, u64) {
        (common.into(), n_a.max(n_b).into())
    }

    #[inline]
    fn least_common(self, n_a: u32, n_b: u32, threshold: &ArchivedThreshold) -> u64 {
        threshold.least(threshold.digits() * u64::from(n_a.max(n_b)), threshold.scale())
    }
}
