//! Dice's coefficient: 2 |A ∩ B| / (|A| + |B|) (Dice, *Measures of the amount of ecologic association between species*,
//! Ecology 26, 1945).

use super::SetMeasure;
use crate::threshold::ArchivedThreshold;

#[derive(Clone, Copy)]
pub(super) struct Dice;

impl SetMeasure for Dice {
    #[inline]
    fn fraction(self, n_a: u32, n_b: u32, common: u32) -> (u64, u64) {
        (2 * u64::from(common), u64::from(n_a) + u64::from(n_b))
    }

    #[inline]
    fn least_common(self, n_a: u32, n_b: u32, threshold: &ArchivedThreshold) -> u64 {
        // Below 2^55.
        threshold.least(threshold.digits() * (u64::from(n_a) + u64::from(n_b)), 2 * threshold.scale())
    }
}
