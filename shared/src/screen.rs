//! The screen: a necessary condition of a predicate that a scan tests on every pair, a few instructions each.
//!
//! A scan is led by one predicate. What its screen knows of an item fits in a [`Sketch`], so the loop over pairs reads
//! nothing else. A pair that the screen rejects cannot hold; a pair that it passes is verified.
//!
//! For texts and sets the condition counts elements: symbols with their repetitions, or tokens (see
//! [`crate::signature`]). A measure allows the left value so many elements that the right one lacks, and the other way
//! round; how many depends on the two lengths, and for Jaro-Winkler on whether the first symbols agree. A signature folds
//! elements onto bits. With x = |a xor b| and ones |a|, |b|, the bits that only `a` has are (x + |a| − |b|) / 2: two
//! population counts less than counting either side. Each stands for at least one element that the other value lacks, so
//! where they are more than the measure allows, the predicate fails.

use crate::columns::Reach;
use bytemuck::{Pod, Zeroable};

/// An item at a glance. 16 bytes, so a device loads it at once.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Sketch {
    /// The first 64 bits of the signature. Screens of codes keep theirs here.
    pub signature: u64,
    /// How many bits of the whole signature are set.
    pub ones: u32,
    /// The first symbol.
    pub first: u32,
}

const _: () = assert!(size_of::<Sketch>() == 16);

impl Sketch {
    /// For screens of codes: the code itself.
    pub fn of_code(code: u32) -> Self {
        Self { signature: u64::from(code), ..Self::default() }
    }

    /// The code.
    #[inline]
    pub fn code(&self) -> u32 {
        self.signature as u32
    }

    /// For the left side of a numeric predicate: the codes within reach.
    pub fn of_reach(reach: Reach) -> Self {
        Self { signature: u64::from(reach.from) | u64::from(reach.upto) << 32, ..Self::default() }
    }

    /// The codes within reach.
    #[inline]
    pub fn reach(&self) -> Reach {
        Reach { from: self.signature as u32, upto: (self.signature >> 32) as u32 }
    }
}

/// What kind of screen a scan has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Screen {
    /// None: every pair is verified.
    None = 0,
    /// The codes are equal.
    Codes = 1,
    /// The right code is within the left one's reach.
    Reaches = 2,
    /// Signatures of 64 bits.
    Signatures = 3,
    /// Signatures of 128 bits.
    WideSignatures = 4,
}

impl Screen {
    /// From its number.
    #[inline]
    pub fn from_number(number: u32) -> Self {
        match number {
            1 => Self::Codes,
            2 => Self::Reaches,
            3 => Self::Signatures,
            4 => Self::WideSignatures,
            _ => Self::None,
        }
    }
}

/// Twice the elements that a value may have and the other lack: the left one, and the right one. Below 0: no pair of
/// such lengths holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Of the left value.
    pub left: i32,
    /// Of the right value.
    pub right: i32,
}

/// What a measure allows values of two lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// If their first symbols agree.
    pub alike: Allowed,
    /// If they do not.
    pub unlike: Allowed,
}

impl Allowed {
    /// No pair holds.
    pub(crate) const NEVER: Self = Self { left: -1, right: -1 };

    /// So many elements of either value.
    pub(crate) fn either(elements: u32) -> Self {
        // Lengths are at most 2^24: nothing overflows, and no more than that is ever lacking.
        let twice = (2 * elements.min(crate::text::MAX_LEN)) as i32;
        Self { left: twice, right: twice }
    }

    /// With at least `common` elements in common.
    pub(crate) fn sharing(len_l: u32, len_r: u32, common: Option<u32>) -> Self {
        match common {
            Some(common) if common <= len_l.min(len_r) => {
                Self { left: 2 * (len_l - common) as i32, right: 2 * (len_r - common) as i32 }
            }
            _ => Self::NEVER,
        }
    }
}

impl Limits {
    /// The same, whether first symbols agree or not.
    #[inline]
    pub(crate) fn always(allowed: Allowed) -> Self {
        Self { alike: allowed, unlike: allowed }
    }

    /// Whether any pair of these lengths may hold.
    #[inline]
    pub fn is_possible(&self) -> bool {
        self.alike.left >= 0 || self.unlike.left >= 0
    }

    /// Whether a pair passes, `differing` being the bits in which the signatures differ.
    #[inline]
    pub fn pass(&self, left: &Sketch, right: &Sketch, differing: u32) -> bool {
        let allowed = if left.first == right.first { self.alike } else { self.unlike };
        let (x, more) = (differing as i32, left.ones as i32 - right.ones as i32);
        // Both tests are made: they are cheaper than a branch.
        (x + more <= allowed.left) & (x - more <= allowed.right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Asked, Measure, OfSets, OfTexts};
    use crate::signature::{element_bit, folded, token_bit};
    use crate::testing::{Packed, all_measures, archived_measure, decimals, near_strings, what_holds};
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    /// The sketch of a signature, folded or the first half, and the second half.
    fn sketch(signature: u128, first: u32, wide: bool) -> (Sketch, u64) {
        let bits = if wide { signature } else { folded(signature).into() };
        (Sketch { signature: bits as u64, ones: bits.count_ones(), first }, (bits >> 64) as u64)
    }

    fn passes(measure: Measure, a: (u128, u32, u32), b: (u128, u32, u32)) -> [bool; 2] {
        [false, true].map(|wide| {
            let (x, upper_x) = sketch(a.0, a.2, wide);
            let (y, upper_y) = sketch(b.0, b.2, wide);
            let differing = (x.signature ^ y.signature).count_ones() + (upper_x ^ upper_y).count_ones();
            archived_measure(measure, |measure| measure.limits(a.1, b.1).pass(&x, &y, differing))
        })
    }

    /// A text's signature, length and first symbol.
    fn known(symbols: &[u64]) -> (u128, u32, u32) {
        let nth = |ix: usize| symbols[..ix].iter().filter(|&&other| other == symbols[ix]).count() as u32;
        let bits = (0..symbols.len()).map(|ix| element_bit(symbols[ix] as u32, nth(ix)));
        (bits.fold(0, |all, bit| all | bit), symbols.len() as u32, symbols[0] as u32)
    }

    proptest! {
        #[test]
        fn no_text_that_holds_is_rejected((a, b) in near_strings(), threshold in decimals(), most in 0u32..30) {
            prop_assume!(!a.is_empty() && !b.is_empty());
            let (x, y) = (Packed::<8>::new(&a), Packed::<8>::new(&b));
            let (x, y) = (x.text(), y.text());
            let (of_a, of_b) = (known(&x.symbols().collect::<Vec<_>>()), known(&y.symbols().collect::<Vec<_>>()));
            for &by in OfTexts::ALL {
                for measure in what_holds(by, [x, y], threshold, most) {
                    prop_assert_eq!(passes(measure, of_a, of_b), [true, true], "{:?}", measure);
                }
            }
        }

        #[test]
        fn no_set_that_holds_is_rejected(
            a in prop::collection::btree_set(0u32..60, 1..50), b in prop::collection::btree_set(0u32..60, 1..50),
            threshold in decimals(), least in 1u32..40,
        ) {
            let known = |set: &BTreeSet<u32>| {
                (set.iter().fold(0, |all, &token| all | token_bit(token)), set.len() as u32, 0)
            };
            let common = a.intersection(&b).count() as u32;
            let (of_a, of_b) = (known(&a), known(&b));
            for &by in OfSets::ALL {
                for asked in [Asked::Count(least), Asked::Similarity(threshold)] {
                    let measure = Measure::Sets { sets: 0, by, asked };
                    let (n_a, n_b) = (of_a.1, of_b.1);
                    let needed = archived_measure(measure, |measure| measure.least_common(1, n_a, n_b));
                    if needed.is_some_and(|needed| common >= needed) {
                        prop_assert_eq!(passes(measure, of_a, of_b), [true, true], "{:?}", measure);
                    }
                }
            }
        }

        /// What can hold with a length is between two bounds around it: the reach of a list that ascends by length.
        #[test]
        fn lengths_that_go_together_are_a_range(len in 1u32..200, threshold in decimals(), number in 0u32..60) {
            for measure in all_measures(threshold, number) {
                let near: Vec<bool> = archived_measure(measure, |measure| {
                    (1..400).map(|other| measure.limits(len, other).is_possible()).collect()
                });
                let below = &near[..len as usize - 1];
                let above = &near[len as usize - 1..];
                prop_assert!(below.is_sorted(), "{:?} below {}", measure, len);
                prop_assert!(above.iter().rev().is_sorted(), "{:?} above {}", measure, len);
            }
        }
    }
}
