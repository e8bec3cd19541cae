//! Numbers, fractions and dates, exactly. What does not fit panics: the tests' numbers are short.

use hyperblock::rules::Bound;
use std::cmp::Ordering;

/// Digits, and how many of them stand behind the point.
pub(super) type Number = (i128, u32);

/// Numerator and denominator.
pub(super) type Fraction = (i128, i128);

/// Reads `-12.50` or `1.5E-2`.
pub(super) fn parse(text: &str) -> Number {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().expect("an exponent");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().expect("digits");
    let scale = fraction.len() as i64 - exponent;
    match u32::try_from(scale) {
        Ok(scale) => (digits, scale),
        Err(_) => (digits * 10i128.pow(scale.unsigned_abs() as u32), 0),
    }
}

/// Whether what a column of numbers holds is a number that takes at most 36 digits to write out, zeros left out that say
/// nothing.
pub(super) fn is_number(text: &str) -> bool {
    let unsigned = text.trim_start_matches('-');
    if !unsigned.starts_with(|char: char| char.is_ascii_digit()) {
        return false;
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let exponent: i64 = exponent.parse().expect("an exponent");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // The digits by their places: that of the last one before the point is 0.
    let places = (0..whole.len() as i64).rev().chain((1..).map(|place: i64| -place));
    let digits = whole.chars().chain(fraction.chars()).zip(places);
    let places: Vec<i64> =
        digits.filter(|(digit, _)| *digit != '0').map(|(_, place)| place + exponent).collect();
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return true };
    (*first).max(-1) - (*last).min(0) < 36
}

/// Whether what a column of dates holds has a year of four digits.
pub(super) fn is_date(text: &str) -> bool {
    text.len() == 10 && text.starts_with(|char: char| char.is_ascii_digit())
}

/// Which of two numbers is greater.
pub(super) fn order(a: Number, b: Number) -> Ordering {
    let (a, b, _) = at_one_scale(a, b);
    a.cmp(&b)
}

/// The first minus the second.
pub(super) fn difference(a: Number, b: Number) -> Number {
    let (a, b, scale) = at_one_scale(a, b);
    (a - b, scale)
}

fn at_one_scale(a: Number, b: Number) -> (i128, i128, u32) {
    let scale = a.1.max(b.1);
    let at = |(digits, own): Number| digits.checked_mul(10i128.pow(scale - own)).expect("a short number");
    (at(a), at(b), scale)
}

/// Whether a fraction reaches a decimal, by multiplying crosswise.
pub(super) fn reaches((numerator, denominator): Fraction, bound: Bound) -> bool {
    let (digits, scale) = parse(&bound.least.to_string());
    let is = numerator.checked_mul(10i128.pow(scale)).expect("short strings");
    let wanted = denominator.checked_mul(digits).expect("short strings");
    if bound.strict { is > wanted } else { is >= wanted }
}

/// Whether the root of a fraction reaches a decimal.
pub(super) fn reaches_squared((numerator, denominator): Fraction, bound: Bound) -> bool {
    let (digits, scale) = parse(&bound.least.to_string());
    let is = numerator.checked_mul(10i128.pow(2 * scale)).expect("short strings");
    let wanted = denominator.checked_mul(digits * digits).expect("short strings");
    if bound.strict { is > wanted } else { is >= wanted }
}

/// a + b, in lowest terms.
pub(super) fn add(a: Fraction, b: Fraction) -> Fraction {
    lowest((a.0 * b.1 + b.0 * a.1, a.1 * b.1))
}

/// a · b, in lowest terms.
pub(super) fn multiply(a: Fraction, b: Fraction) -> Fraction {
    lowest((a.0 * b.0, a.1 * b.1))
}

fn lowest((numerator, denominator): Fraction) -> Fraction {
    let (mut a, mut b) = (numerator.abs(), denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (numerator / a, denominator / a)
}

/// The number of a day written `YYYY-MM-DD`: all days of the years before it, of which 0 was a leap year, of the months before it, and its
/// own.
pub(super) fn day(text: &str) -> i64 {
    let number = |from: usize, upto: usize| text[from..upto].parse::<i64>().expect("a date");
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let leap_years = |upto: i64| 1 + upto / 4 - upto / 100 + upto / 400;
    let before = 365 * year + if year == 0 { 0 } else { leap_years(year - 1) };
    let february = if is_leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    before + months[..month as usize - 1].iter().sum::<i64>() + day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_days() {
        assert_eq!(parse("-12.50"), (-1250, 2));
        assert_eq!(parse("1.5E-2"), (15, 3));
        assert_eq!(parse("2e3"), (2000, 0));
        for text in [
            "0",
            "-0",
            "1e35",
            "1e-36",
            "0.5",
            "1.50",
            "0e99",
            "999999999999999999999999999999999999",
            "10e34",
        ] {
            assert!(is_number(text), "{text}");
        }
        for text in ["NaN", "-inf", "1e36", "1e-37", "1.5e-36", "1234567890123456789012345678901234567"] {
            assert!(!is_number(text), "{text}");
        }
        assert!(order(parse("1.0"), parse("1")).is_eq());
        assert!(order(parse("-0.25"), parse("-0.3")).is_gt());
        assert_eq!(difference(parse("-0.25"), parse("0.1")), (-35, 2));
        assert_eq!(day("2020-03-01") - day("2020-02-28"), 2);
        assert_eq!(day("1900-03-01") - day("1900-02-28"), 1);
        assert_eq!(day("1970-01-01") - day("0001-01-01"), 719_162);
        assert_eq!(day("0001-01-01") - day("0000-01-01"), 366);
        assert_eq!(day("2001-01-01") - day("2000-01-01"), 366);
    }
}
