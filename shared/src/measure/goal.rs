//! What a similarity must reach: a threshold as it was written, or a number of billionths.

use crate::billionths::{Billionths, ONE};
use crate::threshold::ArchivedThreshold;

/// What a similarity must reach: a [`Threshold`](crate::threshold::Threshold), or a number of billionths.
pub trait Goal: Copy {
    /// Whether `numerator / denominator` reaches it, both below 2^34.
    fn reached(self, numerator: u64, denominator: u64) -> bool;
    /// Whether `common / √(n_a n_b)` reaches it; yes, if that takes a root to tell.
    fn root_reached(self, common: u64, n_a: u64, n_b: u64) -> bool;
    /// Whether `(len − edits) / len` reaches it, `len > 0`.
    fn allows_edits(self, edits: u32, len: u32) -> bool;
    /// The most edits that it allows, or `None` if not even 0.
    fn most_edits(self, len: u32) -> Option<u32>;
}

impl Goal for &ArchivedThreshold {
    #[inline]
    fn reached(self, numerator: u64, denominator: u64) -> bool {
        ArchivedThreshold::reached(self, numerator, denominator)
    }

    #[inline]
    fn root_reached(self, common: u64, n_a: u64, n_b: u64) -> bool {
        self.reached_squared(common * common, n_a * n_b)
    }

    #[inline]
    fn allows_edits(self, edits: u32, len: u32) -> bool {
        ArchivedThreshold::allows_edits(self, edits, len)
    }

    #[inline]
    fn most_edits(self, len: u32) -> Option<u32> {
        ArchivedThreshold::most_edits(self, len)
    }
}

impl Goal for Billionths {
    #[inline]
    fn reached(self, numerator: u64, denominator: u64) -> bool {
        // Rounding half up reaches n from n − 1/2 on.
        let halves = (2 * u64::from(self.0)).saturating_sub(1);
        2 * u64::from(ONE) * numerator >= halves * denominator
    }

    #[inline]
    fn root_reached(self, common: u64, n_a: u64, n_b: u64) -> bool {
        // Without a root: c / √(a b) is at most c / min(a, b).
        self.reached(common, n_a.min(n_b))
    }

    #[inline]
    fn allows_edits(self, edits: u32, len: u32) -> bool {
        self.most_edits(len).is_some_and(|most| edits <= most)
    }

    #[inline]
    fn most_edits(self, len: u32) -> Option<u32> {
        // (len − d) 2 ONE >= (2 least − 1) len, as in `reached`; below 2^56.
        let all = 2 * u64::from(ONE);
        Some(((all + 1 - 2 * u64::from(self.0)) * u64::from(len) / all) as u32)
    }
}
