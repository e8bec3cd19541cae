//! Damerau-Levenshtein distance, in the form of optimal string alignment: the least number of insertions, deletions,
//! substitutions and transpositions of neighbouring symbols that turn one string into the other, where no part is edited
//! twice (Damerau, *A technique for computer detection and correction of spelling errors*, CACM 7(3), 1964).
//! [`super::edits`] computes it.

use super::edits::{self, EditDistance};
use crate::text::{Scratch, Text};

#[derive(Clone, Copy)]
pub(super) struct Damerau;

impl EditDistance for Damerau {
    const SWAPS: bool = true;

    #[inline]
    fn at_most<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        most: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        edits::at_most::<BITS, true>(a, b, most, scratch)
    }

    #[inline]
    fn distance<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        most: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        edits::distance::<BITS, true>(a, b, most, scratch)
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
        let got = Damerau.at_most(x.text(), y.text(), most, scratch.as_mut_slice());
        let want = strsim::osa_distance(a, b) as u32;
        assert_eq!(got, want <= most, "{a:?} {b:?}: distance {want}, most {most}, {BITS} bits");
    }

    proptest! {
        #[test]
        fn agrees_with_strsim((a, b) in near_strings(), most in 0u32..90) {
            check::<8>(&a, &b, most);
            check::<16>(&a, &b, most);
            check::<32>(&a, &b, most);
            let exact = strsim::osa_distance(&a, &b) as u32;
            check::<8>(&a, &b, exact);
            check::<8>(&a, &b, exact.saturating_sub(1));
        }
    }

    #[test]
    fn a_transposition_is_one_edit() {
        for (a, b, distance) in
            [("ca", "ac", 1), ("ca", "abc", 3), ("smith", "smiht", 1), ("martha", "marhta", 1)]
        {
            check::<8>(a, b, distance);
            check::<8>(a, b, distance - 1);
        }
    }
}
