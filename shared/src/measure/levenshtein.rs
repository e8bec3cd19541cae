//! Levenshtein distance and similarity.
//!
//! The distance is the least number of insertions, deletions and substitutions of one symbol that turn one string
//! into the other (Levenshtein, *Binary codes capable of correcting deletions, insertions, and reversals*, 1966).
//! The similarity is 1 − d / max(len). [`super::edits`] computes it.

use super::edits::{self, EditDistance};
use crate::text::{Scratch, Text};

#[derive(Clone, Copy)]
pub(super) struct Levenshtein;

impl EditDistance for Levenshtein {
    const SWAPS: bool = false;

    #[inline]
    fn at_most<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        most: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        edits::at_most::<BITS, false>(a, b, most, scratch)
    }

    #[inline]
    fn distance<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        most: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        edits::distance::<BITS, false>(a, b, most, scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Packed, near_strings};
    use crate::text::scratch_words;
    use proptest::prelude::*;
    use std::vec;

    fn check<const BITS: u32>(a: &str, b: &str, most: u32) {
        let (x, y) = (Packed::<BITS>::new(a), Packed::<BITS>::new(b));
        let mut scratch = vec![0xdead; scratch_words(x.text().len().max(y.text().len())) as usize];
        let got = Levenshtein.at_most(x.text(), y.text(), most, scratch.as_mut_slice());
        let want = strsim::levenshtein(a, b) as u32;
        assert_eq!(got, want <= most, "{a:?} {b:?}: distance {want}, most {most}, {BITS} bits");
    }

    proptest! {
        #[test]
        fn agrees_with_strsim((a, b) in near_strings(), most in 0u32..90) {
            check::<8>(&a, &b, most);
            check::<16>(&a, &b, most);
            check::<32>(&a, &b, most);
            let exact = strsim::levenshtein(&a, &b) as u32;
            check::<8>(&a, &b, exact);
            check::<8>(&a, &b, exact.saturating_sub(1));
        }
    }
}
