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
    /// Nine decimals: digits and scale stay below 2^30, which the bounds in [`ArchivedThreshold::reached`] rely on.
    pub const MAX_SCALE: u32 = 1_000_000_000;

    /// See [`ArchivedThreshold::reached`].
    pub fn reached(self, numerator: u128, denominator: u128) -> bool {
        reached(self.digits, self.scale, self.strict, numerator, denominator)
    }
}

impl ArchivedThreshold {
    /// Whether `numerator / denominator` reaches the threshold. Both must stay below 2^97, so that the crosswise
    /// products (a factor below 2^30 each) fit in 128 bits; the measures say why theirs do.
    pub fn reached(&self, numerator: u128, denominator: u128) -> bool {
        reached(self.digits.to_native(), self.scale.to_native(), self.strict, numerator, denominator)
    }

    /// The most edits that strings of at most `len` symbols, `len > 0`, may be apart: the largest d with `(len − d) / len` reaching the
    /// threshold, or `None` if not even 0 does (a strict threshold of 1).
    pub fn most_edits(&self, len: u32) -> Option<u32> {
        let (digits, scale) = (u64::from(self.digits.to_native()), u64::from(self.scale.to_native()));
        // (len − d) · scale >= digits · len  <=>  d · scale <= (scale − digits) · len; below 2^62.
        let room = (scale - digits) * u64::from(len);
        if self.strict { room.checked_sub(1) } else { Some(room) }.map(|room| (room / scale) as u32)
    }
}

fn reached(digits: u32, scale: u32, strict: bool, numerator: u128, denominator: u128) -> bool {
    let (is, wanted) = (numerator * u128::from(scale), denominator * u128::from(digits));
    if strict { is > wanted } else { is >= wanted }
}
