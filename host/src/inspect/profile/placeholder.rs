//! What people and programs write where nothing is known: a word for it, a row of one digit, the first day of a calendar; or
//! one value that far more records have than any other.

/// A value that looks as if nothing were known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// As it is written.
    pub value: String,
    /// How many records have it.
    pub n: u64,
    /// What it looks like.
    pub sign: Sign,
}

/// Why a value looks like a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It is a word, or a stroke, that stands for nothing, in whatever column.
    Word,
    /// It is one digit, many times over: `0000`, `999-99-9999`.
    Digits,
    /// It is a day on which calendars and clocks begin or end.
    Day,
    /// Far more records have it than any other value of many.
    Alone,
}

/// Words for nothing, in lower case.
const WORDS: [&str; 32] = [
    "n/a",
    "na",
    "n.a.",
    "n.a",
    "#n/a",
    "<na>",
    "nan",
    "null",
    "(null)",
    "<null>",
    "\\n",
    "none",
    "nil",
    "unknown",
    "(unknown)",
    "[unknown]",
    "<unknown>",
    "unk",
    "unk.",
    "not available",
    "not applicable",
    "not known",
    "not specified",
    "unspecified",
    "undefined",
    "missing",
    "(missing)",
    "no data",
    "tbd",
    "test",
    "dummy",
    "xxx",
];
/// No word, and no day, is longer.
const LONGEST: usize = 16;
/// Days on which calendars and clocks begin or end.
const DAYS: [&str; 9] = [
    "1900-01-01",
    "1970-01-01",
    "0001-01-01",
    "0000-00-00",
    "9999-12-31",
    "1899-12-30",
    "01/01/1900",
    "01/01/1970",
    "1/1/1900",
];
/// Digits, if it is the same one, that are no number of something.
const MANY_DIGITS: usize = 4;
/// A value stands alone if it has so many times the records of the next one,
const TIMES: u64 = 10;
/// one record of so many,
const SHARE: u64 = 200;
/// and there are so many values.
const AMONG: u64 = 50;

impl Sign {
    /// For people.
    pub fn said(self) -> &'static str {
        match self {
            Self::Word => "a word for nothing",
            Self::Digits => "one digit, over and over",
            Self::Day => "a day on which clocks begin or end",
            Self::Alone => "far more frequent than all others",
        }
    }
}

/// Whether a value looks like a placeholder by itself.
pub(super) fn sign(value: &str) -> Option<Sign> {
    let value = value.trim();
    if value.is_empty() || value.len() > LONGEST {
        return None;
    }
    if value.bytes().all(|byte| matches!(byte, b'-' | b'?' | b'.' | b'*' | b'_' | b'/' | b'#')) {
        return Some(Sign::Word);
    }
    if WORDS.iter().any(|word| word.len() == value.len() && word.eq_ignore_ascii_case(value)) {
        return Some(Sign::Word);
    }
    if DAYS.contains(&value) {
        return Some(Sign::Day);
    }
    let mut digits = value.bytes().filter(u8::is_ascii_digit);
    let first = digits.next()?;
    let n_digits = value.bytes().filter(u8::is_ascii_digit).count();
    let others =
        value.bytes().all(|byte| byte == first || matches!(byte, b'-' | b'/' | b'(' | b')' | b' ' | b'+'));
    (others && n_digits >= MANY_DIGITS).then_some(Sign::Digits)
}

/// The most frequent value, if it stands alone.
pub(super) fn alone(heavy: &[(&str, u64)], n_distinct: u64, n_records: u64) -> Option<Placeholder> {
    let next = heavy.get(1).map_or(1, |(_, n)| *n);
    let found = heavy
        .first()
        .filter(|(_, n)| n_distinct >= AMONG && *n >= TIMES * next && n * SHARE >= n_records && *n >= TIMES);
    found.map(|(value, n)| Placeholder { value: (*value).to_owned(), n: *n, sign: Sign::Alone })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_nothing() {
        for (value, wanted) in [
            ("N/A", Some(Sign::Word)),
            (" null ", Some(Sign::Word)),
            ("Unknown", Some(Sign::Word)),
            ("-", Some(Sign::Word)),
            ("??", Some(Sign::Word)),
            ("0000", Some(Sign::Digits)),
            ("999-99-9999", Some(Sign::Digits)),
            ("1900-01-01", Some(Sign::Day)),
            ("111", None),
            ("1900-01-02", None),
            ("1212", None),
            ("Nancy", None),
            ("nona", None),
            ("", None),
            (" ", None),
            ("unknown to most people", None),
        ] {
            assert_eq!(sign(value), wanted, "{value}");
        }
        assert!(WORDS.iter().chain(&DAYS).all(|word| word.len() <= LONGEST));
    }

    #[test]
    fn one_among_many() {
        let found = |heavy: &[(&str, u64)], n_distinct, n| alone(heavy, n_distinct, n).map(|it| it.n);
        assert_eq!(found(&[("x", 40), ("y", 4)], 60, 1000), Some(40));
        assert_eq!(found(&[("x", 40)], 60, 1000), Some(40));
        assert_eq!(found(&[("x", 40), ("y", 5)], 60, 1000), None);
        assert_eq!(found(&[("x", 40), ("y", 4)], 49, 1000), None);
        assert_eq!(found(&[("x", 40), ("y", 4)], 60, 8001), None);
        assert_eq!(found(&[], 0, 0), None);
    }
}
