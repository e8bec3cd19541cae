//! Places: latitudes and longitudes as they stand in tables. What is no latitude or longitude is missing, and users are told of
//! the first.

use super::group::{Group, Slot, Values};
use super::points::number;
use super::transform::{Fields, Pipeline};
use crate::base::control::Control;
use crate::base::decimal::Decimal;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::sphere::{MOST_LATITUDE, MOST_LONGITUDE, Place};
use crate::read::table::{Table, brief};
use crate::rules::{Operand, Source};
use indicatif::HumanCount;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The places of a domain.
pub(super) fn group<'a>(tables: &[&'a Table; 2], slots: &[&Slot], control: &Control) -> Result<Group<'a>> {
    let (mut columns, mut odd) = (Vec::new(), Vec::new());
    for slot in slots {
        let (places, said) = places(tables[slot.table], &slot.operand, control)?;
        columns.push(places);
        odd.extend(said);
    }
    let (places, codes) = number(&columns, control)?;
    Ok(Group { values: Values::Places(places, odd), codes: codes.into_iter().map(Arc::new).collect() })
}

/// The place of each record, if it has one; and what is said of values that are none.
fn places(table: &Table, operand: &Operand, control: &Control) -> Result<(Vec<Option<Place>>, Vec<String>)> {
    let Source::Point(parts) = &operand.source else {
        return Err(Error::Internal(format!("`{operand}` is no place")));
    };
    let fields = Fields::of(table, operand)?;
    let [latitude, longitude] = &**parts;
    let [latitude, longitude] = [
        Coordinate { pipeline: Pipeline::part(latitude)?, most: MOST_LATITUDE, odd: Odd::default() },
        Coordinate { pipeline: Pipeline::part(longitude)?, most: MOST_LONGITUDE, odd: Odd::default() },
    ];
    let place = |record: u32| {
        control.pass();
        let row = table.ids.row(record);
        let field = fields.row(row);
        let (latitude, longitude) = (latitude.degrees(&field, row), longitude.degrees(&field, row));
        Some(Place { latitude: latitude?, longitude: longitude? })
    };
    let places = (0..table.n_records()).into_par_iter().with_min_len(1 << 10).map(place).gather();
    let said = [(&latitude, "latitude", &parts[0]), (&longitude, "longitude", &parts[1])];
    let said = said.into_iter().filter_map(|(of, what, part)| {
        let operand = Operand {
            columns: operand.columns.clone(),
            source: part.source.clone(),
            transforms: part.transforms.clone(),
        };
        of.said(what, table, &operand, &fields)
    });
    Ok((places, said.collect()))
}

/// One of the two numbers of a place.
struct Coordinate {
    pipeline: Pipeline,
    /// Degrees either way.
    most: f64,
    odd: Odd,
}

/// Values that are no degrees.
struct Odd {
    n: AtomicUsize,
    first_row: AtomicUsize,
}

impl Default for Odd {
    fn default() -> Self {
        Self { n: AtomicUsize::new(0), first_row: AtomicUsize::new(usize::MAX) }
    }
}

impl Coordinate {
    fn degrees<'a>(&self, field: &impl Fn(usize) -> Option<&'a str>, row: usize) -> Option<f64> {
        let text = self.pipeline.apply(field)?;
        let degrees = degrees(&text, self.most);
        if degrees.is_none() {
            self.odd.n.fetch_add(1, Relaxed);
            self.odd.first_row.fetch_min(row, Relaxed);
        }
        degrees
    }

    /// What is said of values that are none.
    fn said(&self, what: &str, table: &Table, operand: &Operand, fields: &Fields<'_>) -> Option<String> {
        let (n, row) = (self.odd.n.load(Relaxed), self.odd.first_row.load(Relaxed));
        if n == 0 {
            return None;
        }
        let value = self.pipeline.apply(&fields.row(row)).map(|value| brief(&value)).unwrap_or_default();
        let most = self.most;
        let are = match n {
            1 => format!("{value} is no {what} (from -{most} to {most}) and counts as missing; mend it"),
            n => {
                let others = HumanCount(n as u64 - 1);
                format!(
                    "{value} and {others} more are no {what}s (from -{most} to {most}) and count as missing; mend them"
                )
            }
        };
        Some(format!("{}: row {}, column `{operand}`: {are}", table.path.display(), row + 1))
    }
}

/// The place that is written as its two numbers.
pub(crate) fn place(text: &str) -> Option<Place> {
    let (latitude, longitude) = text.split_once(", ")?;
    Some(Place {
        latitude: degrees(latitude, MOST_LATITUDE)?,
        longitude: degrees(longitude, MOST_LONGITUDE)?,
    })
}

/// A number of degrees, if it is one and there are no more of them. It is the double that is nearest to what is written.
fn degrees(text: &str, most: f64) -> Option<f64> {
    let degrees = match short(text) {
        Some(degrees) => degrees,
        None => Decimal::parse(text).and_then(|_| text.parse().ok())?,
    };
    // A zero without its sign.
    (degrees.abs() <= most).then_some(degrees + 0.0)
}

/// A number as nearly all are: of few digits, so that the double nearest to it is one division away (Clinger, *How to read
/// floating point numbers accurately*, PLDI 1990).
fn short(text: &str) -> Option<f64> {
    /// All whole numbers of so many digits are doubles, and so are these powers of ten.
    const MOST_DIGITS: usize = 15;
    const POWERS: [f64; MOST_DIGITS + 1] =
        [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (is_negative, unsigned) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if unsigned.len() > MOST_DIGITS + 1 {
        return None;
    }
    let (mut number, mut n_whole, mut n_fraction) = (0u64, 0, None);
    for &byte in unsigned {
        match (byte, &mut n_fraction) {
            (b'0'..=b'9', fraction) => {
                number = 10 * number + u64::from(byte - b'0');
                match fraction {
                    Some(n) => *n += 1,
                    None => n_whole += 1,
                }
            }
            (b'.', fraction @ None) => *fraction = Some(0),
            _ => return None,
        }
    }
    let is_label = n_whole == 0 || (n_whole > 1 && unsigned[0] == b'0') || n_fraction == Some(0);
    let n_digits = n_whole + n_fraction.unwrap_or(0);
    if is_label || n_digits > MOST_DIGITS {
        return None;
    }
    let degrees = number as f64 / POWERS[n_fraction.unwrap_or(0)];
    Some(if is_negative { -degrees } else { degrees })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn short_numbers_are_the_doubles_that_others_read(text in "-?(0|[1-9][0-9]{0,16})(\\.[0-9]{1,16})?") {
            if let Some(number) = short(&text) {
                prop_assert_eq!(number, text.parse::<f64>().unwrap(), "{}", text);
            }
        }

        #[test]
        fn what_is_no_number_is_none(text in "[-+.0-9e ]{0,6}") {
            prop_assert!(short(&text).is_none() || Decimal::parse(&text).is_some(), "{:?}", text);
            prop_assert_eq!(degrees(&text, f64::MAX).is_some(), Decimal::parse(&text).is_some(), "{:?}", text);
        }
    }

    #[test]
    fn degrees_are_within_bounds() {
        for (text, most, want) in [
            ("90", 90.0, Some(90.0)),
            ("-90.000001", 90.0, None),
            ("360", 360.0, Some(360.0)),
            ("-3.6e2", 360.0, Some(-360.0)),
            ("NaN", 90.0, None),
            ("", 90.0, None),
            ("48,1", 90.0, None),
            ("48.123456789012345678", 90.0, Some(48.123_456_789_012_344)),
        ] {
            assert_eq!(degrees(text, most), want, "{text}");
        }
        assert!(degrees("-0", 90.0).is_some_and(f64::is_sign_positive));
        assert_eq!(place("48.5, -11"), Some(Place { latitude: 48.5, longitude: -11.0 }));
        assert_eq!(place("91, 0"), None);
    }
}
