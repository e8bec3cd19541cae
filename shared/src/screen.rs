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
use crate::predicate::{ArchivedBoost, ArchivedMeasure};
use crate::{jaro, sets};
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
    const NEVER: Self = Self { left: -1, right: -1 };

    fn either(elements: u32) -> Self {
        // Lengths are at most 2^24: nothing overflows, and no more than that is ever lacking.
        let twice = (2 * elements.min(crate::text::MAX_LEN)) as i32;
        Self { left: twice, right: twice }
    }

    /// With at least `common` elements in common.
    fn sharing(len_l: u32, len_r: u32, common: Option<u32>) -> Self {
        match common {
            Some(common) if common <= len_l.min(len_r) => {
                Self { left: 2 * (len_l - common) as i32, right: 2 * (len_r - common) as i32 }
            }
            _ => Self::NEVER,
        }
    }
}

impl Limits {
    /// What `measure` allows values of these lengths, each above 0.
    pub fn of(measure: &ArchivedMeasure, len_l: u32, len_r: u32) -> Self {
        let always = |allowed| Self { alike: allowed, unlike: allowed };
        let edits = |most: Option<u32>| match most {
            Some(most) if len_l.abs_diff(len_r) <= most => Allowed::either(most),
            _ => Allowed::NEVER,
        };
        match measure {
            ArchivedMeasure::Edits { most, .. } => always(edits(Some(most.to_native()))),
            ArchivedMeasure::EditSimilarity { threshold, .. } => {
                always(edits(threshold.most_edits(len_l.max(len_r))))
            }
            ArchivedMeasure::Jaro { boost, threshold, .. } => {
                let with = |prefix| {
                    Allowed::sharing(len_l, len_r, jaro::least_common(len_l, len_r, prefix, threshold))
                };
                let longest = jaro::MOST_PREFIX.min(len_l).min(len_r);
                match boost {
                    ArchivedBoost::None => always(with(0)),
                    ArchivedBoost::Winkler => Self { alike: with(longest), unlike: with(0) },
                }
            }
            ArchivedMeasure::Sets { similarity, threshold, .. } => {
                let common = sets::least_common(len_l, len_r, similarity, threshold);
                always(Allowed::sharing(len_l, len_r, common))
            }
            ArchivedMeasure::CommonTokens { least, .. } => {
                always(Allowed::sharing(len_l, len_r, Some(least.to_native())))
            }
            ArchivedMeasure::Equal | ArchivedMeasure::Within { .. } => always(Allowed::either(u32::MAX)),
        }
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
    use crate::predicate::{Boost, EditDistance, Measure, SetSimilarity};
    use crate::signature::{element_bit, folded, token_bit};
    use crate::testing::{Packed, archived_measure, at_least, decimals, near_strings};
    use crate::text::scratch_words;
    use crate::{damerau, hamming, levenshtein};
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::vec;
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
            archived_measure(measure, |measure| Limits::of(measure, a.1, b.1).pass(&x, &y, differing))
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
            let mut scratch = vec![0; scratch_words(x.len().max(y.len())) as usize];
            let scratch = scratch.as_mut_slice();
            let (of_a, of_b) = (known(&x.symbols().collect::<Vec<_>>()), known(&y.symbols().collect::<Vec<_>>()));
            for boost in [Boost::None, Boost::Winkler] {
                let (numerator, denominator) = jaro::similarity(x, y, boost, scratch);
                if threshold.scale <= 10_000 && at_least(numerator as u64, denominator as u64, threshold) {
                    let measure = Measure::Jaro { texts: 0, boost, threshold };
                    prop_assert_eq!(passes(measure, of_a, of_b), [true, true], "{:?}", measure);
                }
            }
            let longest = x.len().max(y.len());
            for distance in [EditDistance::Levenshtein, EditDistance::Damerau, EditDistance::Hamming] {
                let mut within = |most| match distance {
                    EditDistance::Levenshtein => levenshtein::distance_at_most(x, y, most, scratch),
                    EditDistance::Damerau => damerau::distance_at_most(x, y, most, scratch),
                    EditDistance::Hamming => hamming::distance_at_most(x, y, most),
                };
                if within(most) {
                    let measure = Measure::Edits { texts: 0, distance, most };
                    prop_assert_eq!(passes(measure, of_a, of_b), [true, true], "{:?}", measure);
                }
                let edits = (0..=longest).find(|&edits| within(edits)).expect("all can be replaced");
                if at_least(u64::from(longest - edits), u64::from(longest), threshold) {
                    let measure = Measure::EditSimilarity { texts: 0, distance, threshold };
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
            if common >= least {
                prop_assert_eq!(passes(Measure::CommonTokens { sets: 0, least }, of_a, of_b), [true, true]);
            }
            for similarity in
                [SetSimilarity::Jaccard, SetSimilarity::Dice, SetSimilarity::Cosine, SetSimilarity::Overlap]
            {
                let measure = Measure::Sets { sets: 0, similarity, threshold };
                let holds = archived_measure(measure, |measure| match measure {
                    ArchivedMeasure::Sets { similarity, threshold, .. } => {
                        sets::possible(of_a.1, of_b.1, common, similarity, threshold)
                    }
                    _ => false,
                });
                if holds {
                    prop_assert_eq!(passes(measure, of_a, of_b), [true, true], "{:?}", measure);
                }
            }
        }

        /// What can hold with a length is between two bounds around it: the reach of a list that ascends by length.
        #[test]
        fn lengths_that_go_together_are_a_range(len in 1u32..200, threshold in decimals(), number in 0u32..60) {
            let edits = |distance| [
                Measure::Edits { texts: 0, distance, most: number },
                Measure::EditSimilarity { texts: 0, distance, threshold },
            ];
            let similarities =
                [SetSimilarity::Jaccard, SetSimilarity::Dice, SetSimilarity::Cosine, SetSimilarity::Overlap];
            let measures = edits(EditDistance::Levenshtein)
                .into_iter()
                .chain([Boost::None, Boost::Winkler].map(|boost| Measure::Jaro { texts: 0, boost, threshold }))
                .chain(similarities.map(|similarity| Measure::Sets { sets: 0, similarity, threshold }))
                .chain([Measure::CommonTokens { sets: 0, least: number }]);
            for measure in measures {
                let near: Vec<bool> = archived_measure(measure, |measure| {
                    (1..400).map(|other| Limits::of(measure, len, other).is_possible()).collect()
                });
                let below = &near[..len as usize - 1];
                let above = &near[len as usize - 1..];
                prop_assert!(below.is_sorted(), "{:?} below {}", measure, len);
                prop_assert!(above.iter().rev().is_sorted(), "{:?} above {}", measure, len);
            }
        }
    }
}
