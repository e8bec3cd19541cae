//! What a column holds, read off its values.
//!
//! A column is a number or date column only if every value in it is one *as written*: `007`, `+3` or ` 12` are labels,
//! and one of them makes the column text. Nothing is lost either way, since measures over text see the value as written.
//!
//! Some values are written as numbers or dates and cannot be compared as such: `NaN` and infinity, numbers of more than
//! 36 digits, dates outside the years 0000 to 9999. They are *odd*: they leave the column what it is, and where numbers or
//! dates are compared they are missing. Users are told of them ([`odd`]). Only a column of which most numbers are too
//! long, or most dates too far away, is one of labels.

use super::{ColumnSchema, Kind};
use crate::base::control::Control;
use crate::base::decimal::{Decimal, MAX_DIGITS, Written};
use arrow_array::{Array, LargeStringArray};
use chrono::NaiveDate;
use rayon::prelude::*;
use rkyv::{Archive, Deserialize, Serialize};
use std::ops::Range;

/// Rows that one thread looks at. Of most columns of text, the first of them say so.
const ROWS: usize = 1 << 12;

/// The schema of a text column, with its kind inferred.
pub(super) fn infer(name: String, values: &LargeStringArray, control: &Control) -> ColumnSchema {
    let mut whole = Seen::default();
    whole.add(values, 0..values.len().min(ROWS), control);
    if whole.label().is_none() {
        let rest = (ROWS..values.len()).into_par_iter().step_by(ROWS).map(|first| {
            // What is over needs no closer look.
            let mut seen = whole.without_counts();
            seen.add(values, first..(first + ROWS).min(values.len()), control);
            seen
        });
        let rest = rest.reduce(Seen::default, Seen::and);
        whole = whole.and(rest);
    }
    if let Some(row) = whole.label() {
        let why_text = Some(format!("row {} holds {}", row + 1, brief(values.value(row))));
        return ColumnSchema { name, kind: Kind::Text, why_text };
    }
    let kind = match (whole.numbers.is_kept(), whole.dates.is_kept()) {
        (true, _) if !whole.has_fractions => Kind::Integer,
        (true, _) => Kind::Float,
        (_, true) => Kind::Date,
        _ => Kind::Text,
    };
    let why_text = || {
        let rows = (0..values.len()).into_par_iter();
        match rows.find_first(|&row| values.is_valid(row) && is_odd(values.value(row))) {
            None => format!("all {} values are missing", values.len()),
            Some(row) => {
                let odd = brief(values.value(row));
                format!("most values are no number or date that can be compared, like {odd}")
            }
        }
    };
    ColumnSchema { name, kind, why_text: (kind == Kind::Text).then(why_text) }
}

/// What some rows hold.
#[derive(Default)]
struct Seen {
    numbers: Tally,
    dates: Tally,
    /// There is a number that is not whole.
    has_fractions: bool,
}

impl Seen {
    fn add(&mut self, values: &LargeStringArray, rows: Range<usize>, control: &Control) {
        for row in rows.filter(|&row| values.is_valid(row)) {
            control.pass();
            let value = values.value(row);
            if self.numbers.label.is_none() {
                self.numbers.add(row, as_number(value));
                let is_whole = || value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                self.has_fractions = self.has_fractions || !(is_whole() || is_no_number(value));
            }
            if self.dates.label.is_none() {
                self.dates.add(row, as_date(value));
            }
            if self.label().is_some() {
                return;
            }
        }
    }

    /// The row that makes the column one of text: with it, there is a label among the numbers and one among the dates.
    fn label(&self) -> Option<usize> {
        Some(self.numbers.label?.max(self.dates.label?))
    }

    fn without_counts(&self) -> Self {
        let of = |tally: &Tally| Tally { label: tally.label, ..Tally::default() };
        Self { numbers: of(&self.numbers), dates: of(&self.dates), has_fractions: false }
    }

    /// With what the rows behind them hold.
    fn and(self, behind: Self) -> Self {
        Self {
            numbers: self.numbers.and(behind.numbers),
            dates: self.dates.and(behind.dates),
            has_fractions: self.has_fractions || behind.has_fractions,
        }
    }
}

/// What a value is when it is taken for a number or a date.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// One that can be compared.
    Plain,
    /// One that takes too many digits, or is too far away.
    TooFar,
    /// Said not to be one: `NaN`, infinity.
    Odd,
    /// A label.
    Label,
}

/// What the values of a column are when they are taken for numbers or dates.
#[derive(Default)]
struct Tally {
    n_plain: usize,
    n_too_far: usize,
    /// The row of the first label, which ends it.
    label: Option<usize>,
}

impl Tally {
    fn add(&mut self, row: usize, value: Taken) {
        match value {
            Taken::Plain => self.n_plain += 1,
            Taken::TooFar => self.n_too_far += 1,
            Taken::Odd => {}
            Taken::Label => self.label = Some(row),
        }
    }

    fn and(self, behind: Self) -> Self {
        Self {
            n_plain: self.n_plain + behind.n_plain,
            n_too_far: self.n_too_far + behind.n_too_far,
            label: self.label.or(behind.label),
        }
    }

    fn is_kept(&self) -> bool {
        self.label.is_none() && self.n_plain > 0 && self.n_plain >= self.n_too_far
    }
}

fn as_number(value: &str) -> Taken {
    if is_short_number(value) {
        return Taken::Plain;
    }
    match Written::new(value) {
        Some(Written::Whole(_)) => Taken::Plain,
        Some(Written::TooLong) => Taken::TooFar,
        None if is_no_number(value) => Taken::Odd,
        None => Taken::Label,
    }
}

/// A number as nearly all are, which need not be worked out to know that it is one.
fn is_short_number(value: &str) -> bool {
    const SHORT: usize = 18;
    // Bytes, here and there: `strip_prefix` and the like are a call each.
    let ([b'-', unsigned @ ..] | unsigned) = value.as_bytes();
    let n_whole = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_label = n_whole == 0 || (n_whole > 1 && unsigned[0] == b'0') || unsigned.len() > SHORT;
    !is_label
        && match unsigned[n_whole..].split_first() {
            None => true,
            Some((b'.', fraction)) => !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit),
            Some(_) => false,
        }
}

fn as_date(value: &str) -> Taken {
    match days(value) {
        Some(_) => Taken::Plain,
        None if is_far_date(value) => Taken::TooFar,
        None => Taken::Label,
    }
}

fn is_odd(value: &str) -> bool {
    [as_number(value), as_date(value)].iter().any(|taken| matches!(taken, Taken::TooFar | Taken::Odd))
}

/// Not-a-number and infinity, in the spellings of most languages.
fn is_no_number(value: &str) -> bool {
    let unsigned = value.strip_prefix(['-', '+']).unwrap_or(value);
    ["nan", "inf", "infinity"].iter().any(|word| unsigned.eq_ignore_ascii_case(word))
}

/// A date of the calendar in another year than 0000 to 9999: `10000-01-01`, `+10000-01-01`, `-0044-03-15`.
fn is_far_date(value: &str) -> bool {
    let (is_signed, unsigned) = value.strip_prefix(['-', '+']).map_or((false, value), |rest| (true, rest));
    let Some((year, day)) = unsigned.split_at_checked(unsigned.len().saturating_sub(6)) else { return false };
    if !(year.len() > 4 || (is_signed && year.len() == 4)) || !year.bytes().all(|byte| byte.is_ascii_digit())
    {
        return false;
    }
    // The calendar repeats every 400 years, and so before year 0, counted the other way.
    let ahead = year.bytes().fold(0, |year, digit| (10 * year + u32::from(digit - b'0')) % 400);
    let year = if value.starts_with('-') { 2400 - ahead } else { 2000 + ahead };
    days(&format!("{year}{day}")).is_some()
}

/// Values of a number or date column that are missing where numbers or dates are compared.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub(crate) struct Odd {
    /// How many there are.
    pub(crate) n: usize,
    /// The row of the first, counted from 0.
    pub(crate) row: usize,
    /// What stands there, for people.
    pub(crate) value: String,
}

/// The odd values of a column, if it has any.
pub(super) fn odd(values: &LargeStringArray, kind: Kind) -> Option<Odd> {
    let is_odd = |value: &str| match kind {
        Kind::Text | Kind::List => false,
        // All are written as numbers or dates, or are odd; so most need no closer look.
        Kind::Integer | Kind::Float => {
            let is_plain = |byte| matches!(byte, b'0'..=b'9' | b'.' | b'-');
            !(value.len() <= MAX_DIGITS as usize && value.bytes().all(is_plain))
                && Decimal::parse(value).is_none()
        }
        Kind::Date => !(value.len() == 10 && value.as_bytes()[0].is_ascii_digit()),
    };
    let rows = (0..values.len()).into_par_iter();
    let odd = rows.filter(|&row| values.is_valid(row) && is_odd(values.value(row)));
    let (n, row) = odd.map(|row| (1, row)).reduce_with(|a, b| (a.0 + b.0, a.1.min(b.1)))?;
    Some(Odd { n, row, value: brief(values.value(row)) })
}

/// The days from 1970-01-01 to a date written `YYYY-MM-DD`.
pub(crate) fn days(text: &str) -> Option<i32> {
    let shape =
        |(ix, byte): (usize, u8)| if matches!(ix, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    if text.len() != 10 || !text.bytes().enumerate().all(shape) {
        return None;
    }
    let number = |digits: Range<usize>| {
        text.as_bytes()[digits].iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0'))
    };
    let date = NaiveDate::from_ymd_opt(number(0..4).cast_signed(), number(5..7), number(8..10))?;
    Some(date.to_epoch_days())
}

/// A value for a message, not longer than a line.
pub(crate) fn brief(value: &str) -> String {
    let mut chars = value.chars();
    let head: String = chars.by_ref().take(40).collect();
    format!("`{head}{}`", if chars.next().is_some() { "…" } else { "" }).replace('\n', "⏎")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_of_the_calendar() {
        for (text, want) in
            [("1970-01-02", 1), ("2020-02-29", 18_321), ("2000-02-29", 11_016), ("0001-01-01", -719_162)]
        {
            assert_eq!(days(text), Some(want), "{text}");
        }
        for text in [
            "2021-02-29",
            "1900-02-29",
            "2020-13-01",
            "2020-00-10",
            "2020-1-1",
            "20200101",
            "2020-01-01 ",
            "٢٠٢٠-٠١",
        ] {
            assert_eq!(days(text), None, "{text}");
        }
    }

    #[test]
    fn dates_of_other_millennia() {
        for text in [
            "10000-01-01",
            "+10000-02-29",
            "-0044-03-15",
            "-0004-02-29",
            "123456789012345-12-31",
            "+0044-03-15",
        ] {
            assert!(is_far_date(text), "{text}");
        }
        for text in [
            "2020-01-01",
            "0044-03-15",
            "-044-03-15",
            "10000-13-01",
            "10001-02-29",
            "-0001-02-29",
            "",
            "é000-01-01",
            "10000-01-01 ",
            "+-0044-03-15",
        ] {
            assert!(!is_far_date(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn short_numbers_are_numbers(value in "-?[0-9]{0,20}([.][0-9]{0,20})?[-e.x]?") {
            let is_number = matches!(Written::new(&value), Some(Written::Whole(_)));
            prop_assert!(is_number || !is_short_number(&value));
            prop_assert!(!is_number || value.len() > 18 || value.contains('e') || is_short_number(&value));
        }
    }

    const LONG: &str = "1234567890123456789012345678901234567";

    /// One value that is odd leaves the column what it is; a label does not.
    #[test]
    fn odd_values_are_numbers_all_the_same() {
        for (values, kind, why, odd) in [
            (vec!["-0", "3"], Kind::Integer, None, None),
            (vec!["1", "NaN", "3"], Kind::Integer, None, Some((1, 1))),
            (vec!["inf", "1.5", "-Infinity", "nan"], Kind::Float, None, Some((3, 0))),
            (vec!["1", "2", LONG, "1e99"], Kind::Float, None, Some((2, 2))),
            (vec!["1", LONG, "-12345678901234567890123456789012345678901"], Kind::Text, Some(LONG), None),
            (vec!["NaN", "inf"], Kind::Text, Some("NaN"), None),
            (vec!["1", "NaN", "007"], Kind::Text, Some("007"), None),
            (vec!["1", "Nan", "Ann"], Kind::Text, Some("Ann"), None),
            (vec!["2020-01-01", "+10000-01-01"], Kind::Date, None, Some((1, 1))),
            (vec!["-0044-03-15", "2020-01-01", "-0044-03-16"], Kind::Text, Some("-0044-03-15"), None),
            (vec!["2020-01-01", "NaN"], Kind::Text, Some("NaN"), None),
        ] {
            let array = LargeStringArray::from(values.clone());
            let schema = infer("x".into(), &array, &Control::default());
            let found = super::odd(&array, schema.kind).map(|odd| (odd.n, odd.row));
            assert_eq!((schema.kind, found), (kind, odd), "{values:?}");
            assert_eq!(schema.why_text.is_some(), why.is_some(), "{values:?}");
            let named = |said: String| why.is_some_and(|why| said.ends_with(&format!("`{why}`")));
            assert!(schema.why_text.is_none_or(named), "{values:?}");
        }
    }

    /// Wherever they stand: labels as numbers and as dates, numbers of all sorts.
    #[test]
    fn many_rows_are_as_few() {
        let rows = 3 * ROWS + 5;
        let (early, late) = (ROWS + 1, 3 * ROWS + 2);
        for (usual, others, kind, why) in [
            ("1", vec![], Kind::Integer, None),
            ("1", vec![(late, "1.5")], Kind::Float, None),
            ("2020-01-01", vec![(3, ""), (late, "+10000-01-01")], Kind::Date, None),
            ("1", vec![(3, "NaN"), (early, "007"), (late, "x")], Kind::Text, Some((early, "007"))),
            ("", vec![(early, "1"), (late, "2020-01-01")], Kind::Text, Some((late, "2020-01-01"))),
            ("", vec![(early, "2020-01-01"), (early + 1, "5")], Kind::Text, Some((early + 1, "5"))),
            ("x", vec![(0, "1")], Kind::Text, Some((1, "x"))),
        ] {
            let mut values = vec![usual; rows];
            others.iter().for_each(|&(row, value)| values[row] = value);
            let values =
                LargeStringArray::from_iter(values.iter().map(|it| Some(*it).filter(|it| !it.is_empty())));
            let schema = infer("x".into(), &values, &Control::default());
            let why = why.map(|(row, value)| format!("row {} holds `{value}`", row + 1));
            assert_eq!((schema.kind, schema.why_text), (kind, why), "{usual} {others:?}");
        }
        let far = (0..rows)
            .map(|row| Some(if row < late { "" } else { "-0044-03-15" }).filter(|it| !it.is_empty()));
        let why = infer("x".into(), &LargeStringArray::from_iter(far), &Control::default()).why_text.unwrap();
        assert_eq!(why, "most values are no number or date that can be compared, like `-0044-03-15`");
    }

    #[test]
    fn one_value_decides() {
        for (values, kind, why) in [
            (vec![Some("1"), None, Some("-20")], Kind::Integer, None),
            (vec![Some("1"), Some("2.5")], Kind::Float, None),
            (vec![Some("1"), Some("1e3")], Kind::Float, None),
            (vec![Some("2024-02-29"), None], Kind::Date, None),
            (vec![Some("2023-02-29")], Kind::Text, Some("row 1 holds `2023-02-29`")),
            (vec![Some("12"), None, Some("012")], Kind::Text, Some("row 3 holds `012`")),
            (vec![Some("12"), Some("2024-01-01")], Kind::Text, Some("row 2 holds `2024-01-01`")),
            (vec![None, None], Kind::Text, Some("all 2 values are missing")),
        ] {
            let schema = infer("x".into(), &LargeStringArray::from(values.clone()), &Control::default());
            assert_eq!((schema.kind, schema.why_text.as_deref()), (kind, why), "{values:?}");
        }
    }
}
