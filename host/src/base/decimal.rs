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

    /// Reads `12`, `-0.50`, `1e3` or `1.5E-7`. `None` for anything else, for leading zeros or a plus sign (such fields
    /// are labels, not numbers), and for numbers that take more than [`MAX_DIGITS`] digits to write out.
    pub fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => {
                (mantissa, exponent.strip_prefix('+').unwrap_or(exponent).parse::<i32>().ok()?)
            }
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let labelled = whole.is_empty() || (whole.len() > 1 && whole.starts_with('0'));
        let digits = || whole.bytes().chain(fraction.bytes());
        // A lone zero before the point is no digit of the number.
        let n_digits = digits().count() - usize::from(whole == "0");
        if labelled || !digits().all(|byte| byte.is_ascii_digit()) || n_digits > MAX_DIGITS as usize {
            return None;
        }
        let unsigned = digits().fold(0i128, |number, byte| number * 10 + i128::from(byte - b'0'));
        if negative && unsigned == 0 {
            return None;
        }
        let scale = i64::from(fraction.len() as u32) - i64::from(exponent);
        Self::new(if negative { -unsigned } else { unsigned }, scale)
    }

    /// `digits` / 10^`scale`, or `None` if that takes too many digits to write out.
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
    pub fn scale(self) -> u32 {
        self.scale
    }

    /// The number times 10^`scale`, which must not be below its own; `None` if it takes more than 38 digits.
    pub fn at_scale(self, scale: u32) -> Option<i128> {
        self.digits.checked_mul(10i128.checked_pow(scale - self.scale)?)
    }

    /// The largest integer that is not above the number.
    pub fn floor(self) -> i128 {
        self.digits.div_euclid(10i128.pow(self.scale))
    }

    /// Whether it has nothing after the point.
    pub fn is_integer(self) -> bool {
        self.scale == 0
    }

    /// The number with the opposite sign.
    pub fn negated(self) -> Self {
        Self { digits: -self.digits, ..self }
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.digits < 0
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        // Whole parts first; only the fractions, below one, are brought to one scale: at most 36 digits.
        let fraction = |number: &Self| {
            number.digits.rem_euclid(10i128.pow(number.scale)) * 10i128.pow(MAX_DIGITS - number.scale)
        };
        self.floor().cmp(&other.floor()).then_with(|| fraction(self).cmp(&fraction(other)))
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
    use super::Decimal;

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
            "-0",
            "1 ",
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
