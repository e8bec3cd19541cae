//! Billionths: similarities as integers, rounded half up, so that every backend comes to the same numbers.

/// A similarity of 1.
pub const ONE: u32 = 1_000_000_000;

/// So many billionths, at most [`ONE`], as what a similarity must come to when it is rounded.
#[derive(Clone, Copy, Debug)]
pub struct Billionths(pub u32);

/// A fraction of numbers below 2^32, at most 1, in billionths.
#[inline]
pub fn billionths(numerator: u64, denominator: u64) -> u32 {
    ((2 * u64::from(ONE) * numerator + denominator) / (2 * denominator)) as u32
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
    use crate::measure::Goal;
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
                prop_assert_eq!(Goal::reached(Billionths(least), numerator, denominator), want >= least);
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
