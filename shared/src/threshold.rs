//! Thresholds are the decimals that were written, compared exactly.
//!
//! `0.8` is 8/10 and not the nearest binary fraction, so a similarity that is exactly four fifths reaches it on
//! every backend. Similarities are therefore never divided out: a measure hands over its numerator and its
//! denominator, and the comparison multiplies crosswise in integers.

use rkyv::{Archive, Serialize};

/// A decimal between 0 and 1, and whether reaching it is enough or it must be exceeded.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rkyv(derive(Clone, Copy))]
pub struct Threshold {
    /// The digits, as an integer: 8 for 0.8. At most `scale`.
    pub digits: u32,
    /// A power of ten, at most [`Threshold::MAX_SCALE`]: 10 for 0.8.
    pub scale: u32,
    /// `>` rather than `>=`.
    pub strict: bool,
}

impl Threshold {
    /// Nine decimals: digits and scale stay below 2^30, which the bounds in [`ArchivedThreshold`] rely on.
    pub const MAX_SCALE: u32 = 1_000_000_000;
}

impl ArchivedThreshold {
    /// The digits, as a factor.
    #[inline]
    pub(crate) fn digits(&self) -> u64 {
        self.digits.to_native().into()
    }

    /// The power of ten.
    #[inline]
    pub(crate) fn scale(&self) -> u64 {
        self.scale.to_native().into()
    }

    /// Whether `numerator / denominator` reaches the threshold. Both must stay below 2^34, so that the crosswise
    /// products (a factor below 2^30 each) fit in 64 bits; the measures say why theirs do.
    #[inline]
    pub fn reached(&self, numerator: u64, denominator: u64) -> bool {
        let is = numerator * u64::from(self.scale.to_native());
        let wanted = denominator * u64::from(self.digits.to_native());
        if self.strict { is > wanted } else { is >= wanted }
    }

    /// The same for parts below 2^97, in 128 bits.
    pub fn reached_wide(&self, numerator: u128, denominator: u128) -> bool {
        let is = numerator * u128::from(self.scale.to_native());
        let wanted = denominator * u128::from(self.digits.to_native());
        if self.strict { is > wanted } else { is >= wanted }
    }

    /// Whether the root of `numerator / denominator` reaches the threshold: compared squared.
    #[inline]
    pub fn reached_squared(&self, numerator: u64, denominator: u64) -> bool {
        let square = |number: u32| u128::from(u64::from(number) * u64::from(number));
        let is = u128::from(numerator) * square(self.scale.to_native());
        let wanted = u128::from(denominator) * square(self.digits.to_native());
        if self.strict { is > wanted } else { is >= wanted }
    }

    /// The least n for which `n · unit` reaches `wanted`, where both are parts of a crosswise product; `unit > 0`.
    #[inline]
    pub fn least(&self, wanted: u64, unit: u64) -> u64 {
        if self.strict { wanted / unit + 1 } else { wanted.div_ceil(unit) }
    }

    /// Whether strings of at most `len` symbols, `len > 0`, may be `edits` apart: whether `(len − edits) / len` reaches
    /// the threshold.
    #[inline]
    pub fn allows_edits(&self, edits: u32, len: u32) -> bool {
        // (len − d) · scale >= digits · len  <=>  d · scale <= (scale − digits) · len; below 2^55, as len is at most 2^24.
        let (digits, scale) = (u64::from(self.digits.to_native()), u64::from(self.scale.to_native()));
        let (is, room) = (u64::from(edits) * scale, (scale - digits) * u64::from(len));
        if self.strict { is < room } else { is <= room }
    }

    /// The most edits that it allows, or `None` if not even 0 (a strict threshold of 1).
    pub fn most_edits(&self, len: u32) -> Option<u32> {
        let (digits, scale) = (u64::from(self.digits.to_native()), u64::from(self.scale.to_native()));
        let room = (scale - digits) * u64::from(len);
        if self.strict { room.checked_sub(1) } else { Some(room) }.map(|room| (room / scale) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::Threshold;
    use crate::testing::{archived, at_least, decimals};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn edits_are_allowed_while_the_similarity_is_reached(threshold in decimals(), len in 1u32..200, edits in 0u32..200) {
            let edits = edits.min(len);
            let reached = at_least(u64::from(len - edits), u64::from(len), threshold);
            prop_assert_eq!(archived(threshold, |t| t.allows_edits(edits, len)), reached);
            prop_assert_eq!(archived(threshold, |t| t.most_edits(len).is_some_and(|most| edits <= most)), reached);
        }
    }

    #[test]
    fn one_edit_in_five_is_four_fifths() {
        for (digits, strict, want) in
            [(8, false, Some(1)), (8, true, Some(0)), (9, false, Some(0)), (10, true, None)]
        {
            let threshold = Threshold { digits, scale: 10, strict };
            assert_eq!(archived(threshold, |t| t.most_edits(5)), want, "{threshold:?}");
        }
    }
}
