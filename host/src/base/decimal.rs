//! Exact decimals: the numbers of rules and tables, as they were written.
//!
//! By hand, since crates of decimals round what does not fit, and take numbers to be written in ways that here make a
//! column text (`007`, `+3`): a number is either held whole, or it is none.

use std::cmp::Ordering;
use std::fmt;

/// `digits` / 10^`scale`, without trailing zeros, so equal numbers are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: i128,
    scale: u32,
}

/// The most digits a number may have, before and after the point together.
pub const MAX_DIGITS: u32 = 36;

impl Decimal {
    /// 0.
    pub const ZERO: Self = Self { digits: 0, scale: 0 };
    /// 1.
    pub const ONE: Self = Self { digits: 1, scale: 0 };

    /// Reads `12`, `-0.50`, `1e3` or `1.5E-7`; `-0` is 0. `None` for anything else, for leading zeros or a plus sign (such
    /// fields are labels, not numbers), and for numbers that take more than [`MAX_DIGITS`] digits to write out.
    pub fn parse(text: &str) -> Option<Self> {
        match Written::new(text)? {
            Written::Whole(number) => Some(number),
            Written::TooLong => None,
        }
    }

    /// `digits` / 10^`scale`, or `None` if that takes too many digits to write out.
    #[doc(hidden)]
    pub fn new(mut digits: i128, mut scale: i64) -> Option<Self> {
        if digits == 0 {
            return Some(Self { digits: 0, scale: 0 });
        }
        while scale > 0 && digits % 10 == 0 {
            (digits, scale) = (digits / 10, scale - 1);
        }
        let limit = 10i128.pow(MAX_DIGITS);
        while scale < 0 {
            digits = digits.checked_mul(10).filter(|digits| digits.abs() < limit)?;
            scale += 1;
        }
        let scale = u32::try_from(scale).ok().filter(|&scale| scale <= MAX_DIGITS)?;
        (digits.abs() < limit).then_some(Self { digits, scale })
    }

    /// Digits after the point.
    #[doc(hidden)]
    pub fn scale(self) -> u32 {
        self.scale
    }

    /// The number times 10^`scale`, which must not be below its own; `None` if it takes more than 38 digits.
    #[doc(hidden)]
    pub fn at_scale(self, scale: u32) -> Option<i128> {
        self.digits.checked_mul(10i128.checked_pow(scale - self.scale)?)
    }

    /// One, in the fractions of [`Decimal::parts`].
    #[doc(hidden)]
    pub const ONE_OF_FRACTION: i128 = 10i128.pow(MAX_DIGITS);

    /// The largest integer that is not above the number, and what is left, below one, in units of 10^-[`MAX_DIGITS`].
    #[doc(hidden)]
    pub fn parts(self) -> (i128, i128) {
        (self.floor(), self.fraction())
    }

    fn fraction(self) -> i128 {
        self.digits.rem_euclid(10i128.pow(self.scale)) * 10i128.pow(MAX_DIGITS - self.scale)
    }

    /// The largest integer that is not above the number.
    #[doc(hidden)]
    pub fn floor(self) -> i128 {
        self.digits.div_euclid(10i128.pow(self.scale))
    }

    /// Whether it has nothing after the point.
    #[doc(hidden)]
    pub fn is_integer(self) -> bool {
        self.scale == 0
    }

    /// The number with the opposite sign.
    #[doc(hidden)]
    pub fn negated(self) -> Self {
        Self { digits: -self.digits, ..self }
    }

    /// Whether it is below zero.
    #[doc(hidden)]
    pub fn is_negative(self) -> bool {
        self.digits < 0
    }
}

/// A text that is written as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The number.
    Whole(Decimal),
    /// It takes more than [`MAX_DIGITS`] digits to write out.
    TooLong,
}

impl Written {
    /// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`; `None` for anything else.
    pub fn new(text: &str) -> Option<Self> {
        let (negative, rest) = minus(text.as_bytes());
        let (whole, rest) = digits(rest);
        let is_label = whole.is_empty() || (whole.len() > 1 && whole[0] == b'0');
        let (fraction, rest) = match rest.split_first() {
            Some((b'.', rest)) => Some(digits(rest)).filter(|(fraction, _)| !fraction.is_empty())?,
            _ => (&[][..], rest),
        };
        let (exponent, rest) = match rest.split_first() {
            Some((b'e' | b'E', rest)) => exponent(rest)?,
            _ => (0, rest),
        };
        if is_label || !rest.is_empty() {
            return None;
        }
        // Zeros before the first digit and after the last one say only where the point stands.
        let all = || whole.iter().chain(fraction);
        let n_all = whole.len() + fraction.len();
        let n_before = all().take_while(|digit| **digit == b'0').count();
        let n_after = all().rev().take_while(|digit| **digit == b'0').count();
        if n_before == n_all {
            return Some(Self::Whole(Decimal::ZERO));
        }
        let n_digits = n_all - n_before - n_after;
        if n_digits > MAX_DIGITS as usize {
            return Some(Self::TooLong);
        }
        let significant = all().skip(n_before).take(n_digits);
        let unsigned = significant.fold(0i128, |number, digit| number * 10 + i128::from(digit - b'0'));
        let scale = (fraction.len() as i64 - n_after as i64).saturating_sub(exponent);
        let number = Decimal::new(if negative { -unsigned } else { unsigned }, scale);
        Some(number.map_or(Self::TooLong, Self::Whole))
    }
}

/// Whether there is a minus, and what follows it.
fn minus(bytes: &[u8]) -> (bool, &[u8]) {
    bytes.strip_prefix(b"-").map_or((false, bytes), |rest| (true, rest))
}

/// The digits that a text begins with, and what follows them.
fn digits(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(bytes.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

/// The exponent that a text begins with, and what follows it. What is far too large stays that.
fn exponent(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (negative, rest) = minus(bytes);
    let rest = if negative { rest } else { rest.strip_prefix(b"+").unwrap_or(rest) };
    let (digits, rest) = digits(rest);
    let more = |number: i64, digit: &u8| number.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
    let unsigned = digits.iter().fold(0, more);
    (!digits.is_empty()).then_some((if negative { -unsigned } else { unsigned }, rest))
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.scale == other.scale {
            return self.digits.cmp(&other.digits);
        }
        // Whole parts first; only the fractions, below one, are brought to one scale: at most 36 digits.
        self.floor().cmp(&other.floor()).then_with(|| self.fraction().cmp(&other.fraction()))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = 10u128.pow(self.scale);
        let sign = if self.digits < 0 { "-" } else { "" };
        write!(f, "{sign}{}", self.digits.unsigned_abs() / unit)?;
        if self.scale > 0 {
            write!(f, ".{:0width$}", self.digits.unsigned_abs() % unit, width = self.scale as usize)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, Written};
    use proptest::prelude::*;
    use regex::Regex;

    #[test]
    fn reads_numbers_and_leaves_labels() {
        for (text, shown) in [
            ("0", "0"),
            ("12", "12"),
            ("-7", "-7"),
            ("0.50", "0.5"),
            ("-1.25", "-1.25"),
            ("1e3", "1000"),
            ("1.5E-2", "0.015"),
            ("10.0", "10"),
            ("0.0", "0"),
            ("-0", "0"),
            ("-0.0e7", "0"),
            ("0e99999999999999999999", "0"),
            ("1.0000000000000000000000000000000000000000000", "1"),
            ("1000000000000000000000000000000000000000000e-40", "100"),
            ("1e+3", "1000"),
            ("1e-36", "0.000000000000000000000000000000000001"),
            ("999999999999999999999999999999999999", "999999999999999999999999999999999999"),
        ] {
            assert_eq!(
                Decimal::parse(text).map(|number| number.to_string()).as_deref(),
                Some(shown),
                "{text}"
            );
        }
        for text in [
            "",
            "-",
            ".5",
            "5.",
            "007",
            "00.1",
            "+3",
            "1 ",
            "1e++3",
            "1e+-3",
            "1e--3",
            "1e3.0",
            "1e3e3",
            "--1",
            "1.-5",
            "1.e3",
            ".",
            "e3",
            "0x10",
            "1_000",
            "1,5",
            "1e",
            "1e99",
            "1e-99",
            "NaN",
            "inf",
            "１",
            "9999999999999999999999999999999999999",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn long_numbers_are_numbers_all_the_same() {
        for text in
            ["1e99", "1e-99", "1e99999999999999999999", "9999999999999999999999999999999999999", "1.5e-36"]
        {
            assert_eq!((Written::new(text), Decimal::parse(text)), (Some(Written::TooLong), None), "{text}");
        }
    }

    /// By the definition: digits in front of a point, moved by the exponent; then zeros that say nothing go.
    fn by_hand(text: &str) -> Option<Written> {
        let grammar = Regex::new(r"^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$").unwrap();
        let parts = grammar.captures(text)?;
        let part = |ix: usize| parts.get(ix).map_or("", |part| part.as_str());
        let exponent: i64 = if part(4).is_empty() { 0 } else { part(4).parse().unwrap() };
        let mut digits = format!("{}{}", part(2), part(3));
        let mut n_whole = part(2).len() as i64 + exponent;
        while n_whole < 0 {
            (digits, n_whole) = (format!("0{digits}"), n_whole + 1);
        }
        while (digits.len() as i64) < n_whole {
            digits.push('0');
        }
        let (whole, fraction) = digits.split_at(n_whole as usize);
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        if whole.len() + fraction.len() > 36 {
            return Some(Written::TooLong);
        }
        let unsigned: i128 = format!("0{whole}{fraction}").parse().unwrap();
        let sign = if part(1).is_empty() { 1 } else { -1 };
        Decimal::new(sign * unsigned, fraction.len() as i64).map(Written::Whole)
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_grammar(text in "[-+]?[0-9]{0,3}[.]?[0-9]{0,3}[eE]?[-+]{0,2}[0-9]{0,2}") {
            prop_assert_eq!(Written::new(&text), by_hand(&text));
        }

        #[test]
        fn anything_is_read(text in "[-+.eE0-9]{0,6}", more in ".{0,4}") {
            prop_assert_eq!(Written::new(&text), by_hand(&text));
            prop_assert_eq!(Written::new(&more), by_hand(&more));
        }

        #[test]
        fn long_ones(text in "-?(0|[1-9][0-9]{0,40})([.]0{0,20}[0-9]{1,30}0{0,20})?([eE][-+]?[0-9]{1,2})?") {
            prop_assert_eq!(Written::new(&text), by_hand(&text));
        }

        #[test]
        fn what_is_shown_is_read_again(digits in any::<i64>(), scale in 0i64..30) {
            let number = Decimal::new(digits.into(), scale);
            prop_assert_eq!(number.and_then(|number| Decimal::parse(&number.to_string())), number);
        }
    }

    #[test]
    fn orders_exactly() {
        let numbers = [
            "-1000000000000000000000000000000",
            "-1.5",
            "-1.25",
            "0",
            "0.000000000000000000000000000000000001",
            "0.1",
            "0.10000000000000001",
            "1e35",
        ];
        let parsed: Vec<_> = numbers.iter().map(|text| Decimal::parse(text).unwrap()).collect();
        assert!(parsed.is_sorted());
        assert_eq!(Decimal::parse("0.30"), Decimal::parse("0.3"));
    }
}
