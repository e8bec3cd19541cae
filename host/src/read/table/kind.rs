//! What a column holds, read off its values.
//!
//! A column is a number or date column only if every value in it is one *as written*: `007`, `+3` or ` 12` are labels,
//! and one of them makes the column text. Nothing is lost either way, since measures over text see the value as written.

use super::{ColumnSchema, Kind};
use crate::base::decimal::Decimal;
use arrow_array::{Array, LargeStringArray};
use chrono::NaiveDate;
use std::ops::Range;

/// The schema of a text column, with its kind inferred.
pub(super) fn infer(name: String, values: &LargeStringArray) -> ColumnSchema {
    let (mut integer, mut float, mut date, mut seen) = (true, true, true, false);
    for (row, value) in values.iter().enumerate().filter_map(|(row, value)| Some((row, value?))) {
        seen = true;
        let number = if float { Decimal::parse(value) } else { None };
        float &= number.is_some();
        integer &= number.is_some() && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        date = date && days(value).is_some();
        if !float && !date {
            return ColumnSchema {
                name,
                kind: Kind::Text,
                why_text: Some(format!("row {} holds {}", row + 1, shown(value))),
            };
        }
    }
    let kind = match (seen, integer, float) {
        (false, ..) => Kind::Text,
        (_, true, _) => Kind::Integer,
        (_, _, true) => Kind::Float,
        _ => Kind::Date,
    };
    ColumnSchema { name, kind, why_text: (!seen).then(|| format!("all {} values are missing", values.len())) }
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
fn shown(value: &str) -> String {
    let mut chars = value.chars();
    let head: String = chars.by_ref().take(40).collect();
    format!("`{head}{}`", if chars.next().is_some() { "…" } else { "" }).replace('\n', "⏎")
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let schema = infer("x".into(), &LargeStringArray::from(values.clone()));
            assert_eq!((schema.kind, schema.why_text.as_deref()), (kind, why), "{values:?}");
        }
    }
}
