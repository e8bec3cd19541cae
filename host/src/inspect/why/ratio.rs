//! A similarity for people: the exact fraction, and a decimal beside it.
//!
//! Four decimals are plenty, but 0.79996 must not be shown as 0.8000 by a predicate that asks for 0.8 and fails. So there
//! are as many decimals as it takes for the rounded number to stand on the same side of the bound as the exact one. A
//! bound has nine decimals at most: where nine do not tell them apart, the decimal is cut off rather than rounded.

use crate::base::decimal::Decimal;
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

/// Decimals that are always shown.
const FEWEST: u32 = 4;
/// The decimals of the longest bound.
const MOST: u32 = 9;

/// A similarity, and how to write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// What it is.
    pub exact: Exact,
    /// The digits to show, with a point among them.
    pub decimal: String,
    /// Whether the digits are cut off, so that the number is a little more than they say.
    pub is_cut: bool,
}

/// A number between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// A fraction. Both parts stay below 2^96.
    Fraction {
        /// Above the line.
        numerator: u128,
        /// Below it, not 0.
        denominator: u128,
    },
    /// A number divided by the root of a product. All of them stay below 2^25.
    OverRoot {
        /// Above the line.
        numerator: u128,
        /// Below it, under the root, neither 0.
        factors: (u128, u128),
    },
}

impl Exact {
    /// Twice the number with so many decimals, at most [`MOST`], the rest cut off.
    fn doubled(self, decimals: u32) -> u128 {
        let unit = 2 * 10u128.pow(decimals);
        match self {
            Self::Fraction { numerator, denominator } => numerator * unit / denominator,
            Self::OverRoot { numerator, factors: (a, b) } => {
                (numerator * numerator * unit * unit / (a * b)).isqrt()
            }
        }
    }

    /// Its billionths, rounded half up.
    pub(in crate::inspect) fn billionths(self) -> u128 {
        self.doubled(MOST).div_ceil(2)
    }

    /// How it compares with `bound` / 10^[`MOST`].
    fn compare(self, bound: u128) -> Ordering {
        let unit = 10u128.pow(MOST);
        match self {
            Self::Fraction { numerator, denominator } => (numerator * unit).cmp(&(bound * denominator)),
            Self::OverRoot { numerator, factors: (a, b) } => {
                (numerator * numerator * unit * unit).cmp(&(bound * bound * a * b))
            }
        }
    }
}

impl Ratio {
    /// Written beside a bound that it must not seem to be on the wrong side of.
    pub(super) fn new(exact: Exact, bound: Decimal) -> Self {
        // A bound lies between 0 and 1 and has at most nine decimals.
        let bound = bound.at_scale(MOST).and_then(|digits| u128::try_from(digits).ok()).unwrap_or_default();
        let is_faithful = |decimals: u32| {
            let rounded = exact.doubled(decimals).div_ceil(2);
            (rounded * 10u128.pow(MOST - decimals)).cmp(&bound) == exact.compare(bound)
        };
        let write = |number: u128, decimals: u32| {
            let unit = 10u128.pow(decimals);
            format!("{}.{:0width$}", number / unit, number % unit, width = decimals as usize)
        };
        match (FEWEST..=MOST).find(|&decimals| is_faithful(decimals)) {
            Some(decimals) => {
                let decimal = write(exact.doubled(decimals).div_ceil(2), decimals);
                Self { exact, decimal, is_cut: false }
            }
            None => Self { exact, decimal: write(exact.doubled(MOST) / 2, MOST), is_cut: true },
        }
    }
}

/// `9/12`, or `5/√(6·8)`.
impl Display for Exact {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fraction { numerator, denominator } => write!(f, "{numerator}/{denominator}"),
            Self::OverRoot { numerator, factors: (a, b) } => write!(f, "{numerator}/√({a}·{b})"),
        }
    }
}

/// `0.7500 (9/12)`.
impl Display for Ratio {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { exact, decimal, is_cut } = self;
        write!(f, "{decimal}{} ({exact})", if *is_cut { "…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(exact: Exact, bound: &str) -> String {
        Ratio::new(exact, Decimal::parse(bound).unwrap()).to_string()
    }

    #[test]
    fn as_many_decimals_as_it_takes() {
        let fraction = |numerator, denominator| Exact::Fraction { numerator, denominator };
        let root = |numerator, a, b| Exact::OverRoot { numerator, factors: (a, b) };
        for (exact, bound, want) in [
            (fraction(10, 12), "0.8", "0.8333 (10/12)"),
            (fraction(4, 5), "0.8", "0.8000 (4/5)"),
            (fraction(0, 7), "0", "0.0000 (0/7)"),
            (fraction(7, 7), "1", "1.0000 (7/7)"),
            (fraction(79_996, 100_000), "0.8", "0.79996 (79996/100000)"),
            (fraction(80_001, 100_000), "0.8", "0.80001 (80001/100000)"),
            (fraction(99_999, 100_000), "1", "0.99999 (99999/100000)"),
            (fraction(99_999, 100_000), "0.5", "1.0000 (99999/100000)"),
            (fraction(1, 3), "0.3333", "0.33333 (1/3)"),
            (fraction(1, 3), "0.333333333", "0.333333333… (1/3)"),
            (fraction(2, 3), "0.666666667", "0.666666666… (2/3)"),
            (fraction(13, 15), "0.866666667", "0.866666666… (13/15)"),
            (fraction(1, 1 << 60), "0", "0.000000000… (1/1152921504606846976)"),
            (root(5, 6, 8), "0.8", "0.7217 (5/√(6·8))"),
            (root(3, 3, 3), "1", "1.0000 (3/√(3·3))"),
            (root(1, 1, 2), "0.7071", "0.70711 (1/√(1·2))"),
            (root(2, 3, 3), "0.666666667", "0.666666666… (2/√(3·3))"),
            (root(1 << 24, 1 << 24, 1 << 24), "0.999999999", "1.0000 (16777216/√(16777216·16777216))"),
            (fraction(2, 3), "0.5", "0.6667 (2/3)"),
            (fraction(0, 1), "0.5", "0.0000 (0/1)"),
        ] {
            assert_eq!(shown(exact, bound), want, "{bound}");
        }
    }

    proptest! {
        /// A reader who compares the digits with the bound comes to the exact outcome.
        #[test]
        fn digits_do_not_contradict(
            denominator in 1u128..400, of in 0u128..400, bound in 0i128..=1_000_000_000, near: bool
        ) {
            let numerator = of.min(denominator);
            // Often a bound that the number itself rounds to.
            let bound = if near { (numerator * 1_000_000_000 / denominator) as i128 } else { bound };
            let exact = Exact::Fraction { numerator, denominator };
            let Ratio { decimal, is_cut, .. } = Ratio::new(exact, Decimal::new(bound, 9).unwrap());
            let digits: u128 = decimal.replace('.', "").parse().unwrap();
            let read = digits * 10u128.pow(MOST + 2 - decimal.len() as u32);
            let read = read.cmp(&(bound as u128)).then(if is_cut { Ordering::Greater } else { Ordering::Equal });
            prop_assert_eq!(read, exact.compare(bound as u128));
        }
    }
}
