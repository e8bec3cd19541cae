//! Scores: how alike two records are, by several attributes, in integers.
//!
//! A similarity is a number of *billionths*, rounded half up. A score is the weighted mean of the similarities of the
//! attributes that both records have, rounded the same way; or it follows from the *pattern* of the pair, which has a
//! level for each attribute (Fellegi and Sunter, *A theory for record linkage*, JASA 64, 1969). All of it is integer
//! arithmetic, so every backend comes to the same numbers, and what is printed is what was compared.

mod attribute;

pub use attribute::{Attribute, Kind};

use crate::columns::Columns;
use crate::measure::Goal;
use crate::text::Scratch;

/// A similarity of 1.
pub const ONE: u32 = 1_000_000_000;

/// The most attributes of a score: their levels fill a word.
pub const MOST_ATTRIBUTES: usize = 16;

/// The bits of a level in a pattern.
pub const BITS_PER_LEVEL: u32 = 4;

/// The most thresholds between an attribute's levels: one level more, and one for what is missing, have 4 bits.
pub const MOST_LEVELS: usize = 14;

/// What is wanted of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The weighted mean, in billionths. One below `least` need not be exact, only below it: most pairs are told to be that
    /// by their first attributes.
    Mean {
        /// Billionths.
        least: u32,
    },
    /// The levels of all attributes.
    Pattern,
}

impl Wanted {
    /// As it crosses to the device: no mean comes to so many billionths as a pattern's number.
    #[inline]
    pub fn number(self) -> u32 {
        match self {
            Self::Mean { least } => least.min(ONE),
            Self::Pattern => u32::MAX,
        }
    }

    /// The other way round.
    #[inline]
    pub fn from_number(number: u32) -> Self {
        if number == u32::MAX { Self::Pattern } else { Self::Mean { least: number } }
    }
}

/// What the attributes of a pair that were looked at come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    weights: u64,
    sum: u64,
    pattern: u64,
    /// The weights of attributes that were not looked at yet and that both records have.
    rest: u64,
}

impl Tally {
    /// Before any attribute is looked at.
    #[inline(always)]
    pub fn new(attributes: &[Attribute], columns: &impl Columns, pair: [u32; 2], wanted: Wanted) -> Self {
        let mut tally = Self::default();
        if wanted != Wanted::Pattern {
            for attribute in attributes {
                if attribute.codes(columns, pair).is_some() {
                    tally.rest += u64::from(attribute.weight);
                }
            }
        }
        tally
    }

    /// Looks at the next attribute.
    #[inline(always)]
    pub fn look(
        &mut self,
        attribute: &Attribute,
        columns: &impl Columns,
        pair: [u32; 2],
        wanted: Wanted,
        scratch: &mut (impl Scratch + ?Sized),
    ) {
        let Some(codes) = attribute.codes(columns, pair) else { return };
        let weight = u64::from(attribute.weight);
        let least = match wanted {
            Wanted::Pattern => attribute.lowest_level(),
            Wanted::Mean { least } => {
                self.rest -= weight;
                self.needed(weight, least)
            }
        };
        // What cannot be reached need not be measured: it is nothing, and the mean stays below.
        let similarity = match least <= ONE {
            true => attribute.similarity(columns, codes, least, scratch),
            false => Some(0),
        };
        let Some(similarity) = similarity else { return };
        self.weights += weight;
        self.sum += weight * u64::from(similarity);
        self.pattern |= u64::from(attribute.level(similarity)) << (BITS_PER_LEVEL * attribute.nth);
    }

    /// The similarity that the next attribute must have for the mean to come to `least`, if all that come after it are the
    /// same in both records; above [`ONE`], if none is enough. An attribute that turns out to be missing makes no mean
    /// greater than being the same would.
    #[inline]
    fn needed(&self, weight: u64, least: u32) -> u32 {
        // As in `result`, 2 (sum + weight s + rest) >= (2 least − 1) (weights + weight + rest), in less than 2^64.
        let halves = (2 * u64::from(least)).saturating_sub(1);
        let lacking = (halves * (self.weights + weight + self.rest))
            .saturating_sub(2 * (self.sum + u64::from(ONE) * self.rest));
        lacking.div_ceil(2 * weight.max(1)).min(u64::from(u32::MAX)) as u32
    }

    /// What was wanted. The weights of all attributes stay below 2^32 together, so twice the sum fits.
    #[inline]
    pub fn result(&self, wanted: Wanted) -> u64 {
        match wanted {
            Wanted::Pattern => self.pattern,
            Wanted::Mean { .. } if self.weights == 0 => 0,
            Wanted::Mean { .. } => (2 * self.sum + self.weights) / (2 * self.weights),
        }
    }
}

/// What is wanted of a pair of records.
#[inline]
pub fn result(
    attributes: &[Attribute],
    columns: &impl Columns,
    pair: [u32; 2],
    wanted: Wanted,
    scratch: &mut (impl Scratch + ?Sized),
) -> u64 {
    let mut tally = Tally::new(attributes, columns, pair, wanted);
    for attribute in attributes {
        tally.look(attribute, columns, pair, wanted, scratch);
    }
    tally.result(wanted)
}

/// The level of an attribute in a pattern: 0 where it is missing, then 1 for the best.
#[inline]
pub fn level(pattern: u64, nth: u32) -> u32 {
    (pattern >> (BITS_PER_LEVEL * nth)) as u32 & ((1 << BITS_PER_LEVEL) - 1)
}

/// A fraction of numbers below 2^32, at most 1, in billionths.
#[inline]
pub fn billionths(numerator: u64, denominator: u64) -> u32 {
    ((2 * u64::from(ONE) * numerator + denominator) / (2 * denominator)) as u32
}

/// So many billionths, at most [`ONE`], as what a similarity must come to when it is rounded.
#[derive(Clone, Copy, Debug)]
pub struct Billionths(pub u32);

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

/// A fraction of numbers below 2^120, at most 1, in billionths: digit by digit, since dividing 128 bits is a long
/// function, and these numbers are rare.
#[inline(never)]
pub(crate) fn billionths_wide(numerator: u128, denominator: u128) -> u32 {
    let (mut rest, mut digits) = (numerator, 0);
    for _ in 0..9 {
        rest *= 10;
        digits *= 10;
        while rest >= denominator {
            rest -= denominator;
            digits += 1;
        }
    }
    digits + u32::from(2 * rest >= denominator)
}

/// `common` / √`product` in billionths, where the root is at least as large, and both stay below 2^48 when squared.
#[inline]
pub(crate) fn billionths_of_root(common: u32, product: u64) -> u32 {
    // n is reached if n − 1/2 is: (2 n − 1)² product <= (2 ONE common)². By halves: a root is no shorter.
    let square = |number: u64| u128::from(number * number);
    let wanted = square(2 * u64::from(ONE)) * square(u64::from(common));
    let (mut reached, mut above) = (0u32, ONE + 1);
    while above - reached > 1 {
        let middle = reached + (above - reached) / 2;
        let is_reached = square(2 * u64::from(middle) - 1) * u128::from(product) <= wanted;
        (reached, above) = if is_reached { (middle, above) } else { (reached, middle) };
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fractions_are_rounded_half_up(a in 0u64..1 << 32, b in 1u64..1 << 32, least in 0u32..=ONE) {
            let (numerator, denominator) = (a.min(b), a.max(b));
            let one = u128::from(ONE);
            let (n, d) = (u128::from(numerator), u128::from(denominator));
            let want = ((2 * n * one + d) / (2 * d)) as u32;
            prop_assert_eq!(billionths(numerator, denominator), want);
            prop_assert_eq!(billionths_wide(n, d), want);
            prop_assert_eq!(billionths_wide(n << 50, d << 50), want);
            for least in [least, want, want + 1, want.saturating_sub(1)] {
                prop_assert_eq!(Billionths(least).reached(numerator, denominator), want >= least);
            }
        }

        #[test]
        fn roots_are_rounded_half_up(common in 0u64..1 << 24, more_a in 0u64..1 << 12, more_b in 0u64..1 << 12) {
            let (a, b) = (common + more_a, common + more_b);
            prop_assume!(a > 0 && b > 0);
            let got = u128::from(billionths_of_root(common as u32, a * b));
            let one = u128::from(ONE);
            // got − 1/2 <= common / √(a b) < got + 1/2, squared.
            let (squared, product) = (u128::from(common).pow(2), u128::from(a * b));
            let wanted = 4 * one * one * squared;
            prop_assert!(got == 0 || (2 * got - 1).pow(2) * product <= wanted);
            prop_assert!((2 * got + 1).pow(2) * product > wanted);
        }
    }

    #[test]
    fn halves_go_up() {
        assert_eq!(billionths(1, 2_000_000_000), 1);
        assert_eq!(billionths(1, 2_000_000_001), 0);
        assert_eq!(billionths(2, 3), 666_666_667);
        assert_eq!(billionths(7, 7), ONE);
        assert_eq!(billionths_of_root(1, 2), 707_106_781);
        assert_eq!(billionths_of_root(3, 9), ONE);
        assert_eq!(billionths_of_root(0, 9), 0);
        assert_eq!(billionths_wide(1, 1), ONE);
    }
}
