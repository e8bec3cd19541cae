//! Hamming distance: in how many places two strings differ (Hamming, *Error detecting and error correcting codes*, Bell
//! System Technical Journal 29, 1950). Where one string is longer, every symbol that it has more counts as a difference.

use super::edits::EditDistance;
use crate::text::{Scratch, Text};

#[derive(Clone, Copy)]
pub(super) struct Hamming;

impl EditDistance for Hamming {
    const SWAPS: bool = false;

    #[inline]
    fn at_most<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        most: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        self.distance(a, b, most, scratch).is_some()
    }

    #[inline]
    fn distance<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        most: u32,
        _: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let mut left = most;
        for (ix, &word) in long.words().iter().enumerate() {
            // Symbol 0 pads, and is no character: past the end of the shorter string everything differs.
            let other = short.words().get(ix).copied().unwrap_or(0);
            let differing = Text::<BITS>::differing(word, other);
            left = left.checked_sub(differing)?;
        }
        Some(most - left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Packed, near_strings};
    use proptest::prelude::*;
    use std::vec::Vec;

    fn check<const BITS: u32>(a: &str, b: &str, most: u32) {
        let (x, y) = (Packed::<BITS>::new(a), Packed::<BITS>::new(b));
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let (a, b) = (chars(a), chars(b));
        let want = a.iter().zip(&b).filter(|(x, y)| x != y).count() + a.len().abs_diff(b.len());
        assert_eq!(
            Hamming.at_most(x.text(), y.text(), most, &mut [][..]),
            want as u32 <= most,
            "{a:?} {b:?}: {want}, {most}"
        );
        assert_eq!(Hamming.distance(x.text(), y.text(), u32::MAX, &mut [][..]), Some(want as u32));
    }

    proptest! {
        #[test]
        fn counts_places((a, b) in near_strings(), most in 0u32..90) {
            check::<8>(&a, &b, most);
            check::<16>(&a, &b, most);
            check::<32>(&a, &b, most);
        }
    }
}
