//! The values of an Arrow array as the text a person would write.
//!
//! arrow-cast can do this too, but it brings the casts between all pairs of types along, which was the longest step on
//! the way to a finished build. What is needed of them is this file.

mod doubles;

use super::{Unpacked, is_uuid};
use crate::base::error::{Error, Result};
use crate::base::list::list;
use crate::read::table::pieces::{Piece, joined};
use crate::read::table::{MAX_FIELD, field_too_long};
use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_datetime_with_timezone, as_time};
use arrow_array::timezone::Tz;
use arrow_array::types::{
    ArrowTemporalType, ArrowTimestampType, Date32Type, Date64Type, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{
    Array, ArrowPrimitiveType, GenericListArray, OffsetSizeTrait, PrimitiveArray, downcast_integer_array,
};
use arrow_schema::{DataType, TimeUnit};
use chrono::NaiveDate;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

/// The texts of a column, row by row.
pub(super) struct Texts {
    pub(super) name: String,
    is_uuid: bool,
    piece: Piece,
    n_rows: usize,
    /// The first value that there is no text for: its row, counted from 1, and what is wrong with it. And how many.
    lost: Option<(usize, &'static str)>,
    n_lost: usize,
}

impl Texts {
    /// Those behind the first `n_rows` rows.
    pub(super) fn behind(n_rows: usize, name: &str, is_uuid: bool) -> Self {
        Self { name: name.to_owned(), is_uuid, piece: Piece::default(), n_rows, lost: None, n_lost: 0 }
    }

    /// The number of rows with those before it.
    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Appends the values of an array.
    pub(super) fn append(&mut self, path: &Path, array: &dyn Array, unpacked: &mut Unpacked) -> Result<()> {
        Sink { path, texts: self, unpacked, line: String::new() }.array(array)
    }

    /// All of a column, one behind the other. Of values that there is no text for, a warning names the first.
    pub(super) fn pieces(column: Vec<Self>, path: &Path) -> Vec<Piece> {
        let n_lost: usize = column.iter().map(|texts| texts.n_lost).sum();
        if let Some((name, (row, what))) = column.iter().find_map(|texts| Some((&texts.name, texts.lost?))) {
            let others = match n_lost {
                1 => String::new(),
                n => format!(", as do {} more of the column", n - 1),
            };
            let path = path.display();
            tracing::warn!("{path}: row {row}, column `{name}`: {what}; it counts as missing{others}");
        }
        column.into_iter().map(|texts| texts.piece).collect()
    }
}

/// What values of an array go to.
struct Sink<'a> {
    path: &'a Path,
    texts: &'a mut Texts,
    unpacked: &'a mut Unpacked,
    /// A value on its way.
    line: String,
}

const BEYOND_CALENDAR: &str = "a date outside 0000-01-01 to 9999-12-31";
const BEYOND_DAY: &str = "a time outside the day";

impl Sink<'_> {
    /// Timestamps count as their dates: times of day are cut off.
    fn array(&mut self, array: &dyn Array) -> Result<()> {
        downcast_integer_array!(
            array => self.primitives(array, |sink, value| sink.text(itoa::Buffer::new().format(value))),
            DataType::Null => (0..array.len()).try_for_each(|_| self.missing()),
            DataType::Utf8 => self.all(array.as_string::<i32>().iter()),
            DataType::LargeUtf8 => self.all(array.as_string::<i64>().iter()),
            DataType::Utf8View => self.all(array.as_string_view().iter()),
            DataType::Binary => self.binaries(array.as_binary::<i32>().iter()),
            DataType::LargeBinary => self.binaries(array.as_binary::<i64>().iter()),
            DataType::BinaryView => self.binaries(array.as_binary_view().iter()),
            DataType::FixedSizeBinary(_) => self.binaries(array.as_fixed_size_binary().iter()),
            DataType::Boolean => {
                let word = |value| if value { "true" } else { "false" };
                self.all(array.as_boolean().iter().map(|value| value.map(word)))
            },
            DataType::Dictionary(..) => self.dictionary(array),
            DataType::List(element) => self.offset_lists(array.as_list::<i32>(), is_uuid(element)),
            DataType::LargeList(element) => self.offset_lists(array.as_list::<i64>(), is_uuid(element)),
            DataType::FixedSizeList(element, len) => {
                let len = usize::try_from(*len).unwrap_or_default();
                let elements = array.as_fixed_size_list().values().clone();
                self.lists(array, &elements, is_uuid(element), |row| row * len..(row + 1) * len)
            },
            DataType::Float16 => {
                self.primitives(array.as_primitive::<Float16Type>(), |sink, value| sink.written(value))
            },
            DataType::Float32 => self.floats(array.as_primitive::<Float32Type>()),
            DataType::Float64 => self.primitives(array.as_primitive::<Float64Type>(), |sink, value| {
                match doubles::short(value) {
                    Some((text, len)) => sink.short(&text, len),
                    None => sink.text(ryu::Buffer::new().format(value)),
                }
            }),
            DataType::Decimal32(..) => self.decimals(array.as_primitive::<Decimal32Type>()),
            DataType::Decimal64(..) => self.decimals(array.as_primitive::<Decimal64Type>()),
            DataType::Decimal128(..) => self.decimals(array.as_primitive::<Decimal128Type>()),
            DataType::Decimal256(..) => self.decimals(array.as_primitive::<Decimal256Type>()),
            DataType::Date32 => self.dates(array.as_primitive::<Date32Type>(), |days| date(days.into())),
            DataType::Date64 => self.dates(array.as_primitive::<Date64Type>(), |time| date(time / DAY_IN_MS)),
            DataType::Timestamp(TimeUnit::Second, _) => {
                self.timestamps(array.as_primitive::<TimestampSecondType>(), DAY_IN_MS / 1_000)
            },
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                self.timestamps(array.as_primitive::<TimestampMillisecondType>(), DAY_IN_MS)
            },
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                self.timestamps(array.as_primitive::<TimestampMicrosecondType>(), DAY_IN_MS * 1_000)
            },
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                self.timestamps(array.as_primitive::<TimestampNanosecondType>(), DAY_IN_MS * 1_000_000)
            },
            DataType::Time32(TimeUnit::Second) => self.times(array.as_primitive::<Time32SecondType>()),
            DataType::Time32(_) => self.times(array.as_primitive::<Time32MillisecondType>()),
            DataType::Time64(TimeUnit::Microsecond) => self.times(array.as_primitive::<Time64MicrosecondType>()),
            DataType::Time64(_) => self.times(array.as_primitive::<Time64NanosecondType>()),
            other => Err(self.wrong(&format!("{other} has no text"))),
        )
    }

    /// The next value. One without characters is none.
    fn text(&mut self, value: &str) -> Result<()> {
        if value.is_empty() {
            return self.missing();
        }
        if value.len() > MAX_FIELD {
            return Err(field_too_long(
                self.path,
                self.texts.n_rows + 1,
                None,
                &self.texts.name,
                value.len(),
            ));
        }
        self.unpacked.add(value.len() as u64)?;
        self.texts.n_rows += 1;
        self.texts.piece.push(value.as_bytes());
        Ok(())
    }

    /// The same, where it is the first so many bytes of some more, and there is one.
    #[inline]
    fn short(&mut self, bytes: &[u8], len: usize) -> Result<()> {
        self.unpacked.add(len as u64)?;
        self.texts.n_rows += 1;
        self.texts.piece.push_from(bytes, 0..len);
        Ok(())
    }

    fn missing(&mut self) -> Result<()> {
        self.texts.n_rows += 1;
        self.texts.piece.push(b"");
        Ok(())
    }

    /// A value that is there, but that no text stands for.
    fn lost(&mut self, what: &'static str) -> Result<()> {
        self.texts.lost.get_or_insert((self.texts.n_rows + 1, what));
        self.texts.n_lost += 1;
        self.missing()
    }

    /// A complaint about the next value.
    fn wrong(&self, what: &str) -> Error {
        let (row, name) = (self.texts.n_rows + 1, &self.texts.name);
        Error::table(self.path, format!("row {row}, column `{name}`: {what}"))
    }

    fn all<'t>(&mut self, mut texts: impl Iterator<Item = Option<&'t str>>) -> Result<()> {
        texts.try_for_each(|text| match text {
            Some(text) => self.text(text),
            None => self.missing(),
        })
    }

    /// Every value by what `append` makes of it.
    fn primitives<T: ArrowPrimitiveType>(
        &mut self,
        array: &PrimitiveArray<T>,
        append: impl Fn(&mut Self, T::Native) -> Result<()>,
    ) -> Result<()> {
        array.iter().try_for_each(|value| match value {
            Some(value) => append(self, value),
            None => self.missing(),
        })
    }

    /// A value by its own words.
    fn written(&mut self, value: impl std::fmt::Display) -> Result<()> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        write!(line, "{value}").map_err(|error| self.wrong(&error.to_string()))?;
        let done = self.text(&line);
        self.line = line;
        done
    }

    fn floats<T: ArrowPrimitiveType<Native: ryu::Float>>(&mut self, array: &PrimitiveArray<T>) -> Result<()> {
        self.primitives(array, |sink, value| sink.text(ryu::Buffer::new().format(value)))
    }

    fn decimals<T: DecimalType>(&mut self, array: &PrimitiveArray<T>) -> Result<()> {
        let (precision, scale) = (array.precision(), array.scale());
        self.primitives(array, |sink, value| sink.text(&T::format_decimal(value, precision, scale)))
    }

    /// Bytes: those of a UUID, or text that the file does not declare as such.
    fn binaries<'t>(&mut self, mut values: impl Iterator<Item = Option<&'t [u8]>>) -> Result<()> {
        values.try_for_each(|value| {
            let Some(value) = value else { return self.missing() };
            if let (true, Ok(bytes)) = (self.texts.is_uuid, value.try_into()) {
                return self.text(&uuid(u128::from_be_bytes(bytes)));
            }
            let text = std::str::from_utf8(value);
            self.text(
                text.map_err(|_| self.wrong("bytes that are no UTF-8; write them as text, such as hex"))?,
            )
        })
    }

    /// Every value of the dictionary is written once.
    fn dictionary(&mut self, array: &dyn Array) -> Result<()> {
        let dictionary = array.as_any_dictionary();
        let mut words = Texts::behind(0, &self.texts.name, self.texts.is_uuid);
        words.append(self.path, dictionary.values(), self.unpacked)?;
        let lost = words.lost.map(|(_, what)| what);
        let words = joined(vec![vec![words.piece]]).and_then(|mut columns| columns.pop());
        let words = words.ok_or_else(|| self.wrong("a dictionary that is no UTF-8"))?;
        if words.is_empty() {
            return (0..array.len()).try_for_each(|_| self.missing());
        }
        let keys = dictionary.normalized_keys();
        keys.into_iter().enumerate().try_for_each(|(row, key)| match lost {
            _ if array.is_null(row) => self.missing(),
            _ if words.is_valid(key) => self.text(words.value(key)),
            Some(what) if dictionary.values().is_valid(key) => self.lost(what),
            _ => self.missing(),
        })
    }

    fn offset_lists<O: OffsetSizeTrait>(&mut self, array: &GenericListArray<O>, is_uuid: bool) -> Result<()> {
        let offsets = array.value_offsets();
        // Rows may be some of many, which have their elements in one array.
        let first = offsets.first().map_or(0, |first| first.as_usize());
        let end = offsets.last().map_or(0, |last| last.as_usize());
        let elements = array.values().slice(first, end - first);
        self.lists(array, &elements, is_uuid, |row| {
            offsets[row].as_usize() - first..offsets[row + 1].as_usize() - first
        })
    }

    /// A list for each row, whose elements stand in a range of their own. Every element is written once.
    fn lists(
        &mut self,
        array: &dyn Array,
        elements: &dyn Array,
        is_uuid: bool,
        range: impl Fn(usize) -> Range<usize>,
    ) -> Result<()> {
        let mut words = Texts::behind(0, &self.texts.name, is_uuid);
        words.append(self.path, elements, self.unpacked)?;
        if let Some((nth, what)) = words.lost {
            let row = (0..array.len()).find(|&row| range(row).contains(&(nth - 1))).unwrap_or(0);
            self.texts.lost.get_or_insert((self.texts.n_rows + row + 1, what));
            self.texts.n_lost += words.n_lost;
        }
        let words = joined(vec![vec![words.piece]]).and_then(|mut columns| columns.pop());
        let words = words.ok_or_else(|| self.wrong("a list that is no UTF-8"))?;
        (0..array.len()).try_for_each(|row| {
            if array.is_null(row) {
                return self.missing();
            }
            let elements = range(row).filter(|&element| words.is_valid(element));
            self.text(&list(elements.map(|element| words.value(element)).collect()))
        })
    }

    /// `show` gives the date of a value, if the calendar has it.
    fn dates<T: ArrowPrimitiveType>(
        &mut self,
        array: &PrimitiveArray<T>,
        show: impl Fn(T::Native) -> Option<NaiveDate>,
    ) -> Result<()> {
        self.primitives(array, |sink, value| match show(value) {
            Some(date) => sink.written(date),
            None => sink.lost(BEYOND_CALENDAR),
        })
    }

    /// In the time zone that they are given in. Those with none are rounded down, to the day that they are in.
    fn timestamps<T: ArrowTimestampType>(&mut self, array: &PrimitiveArray<T>, day: i64) -> Result<()> {
        let Some(zone) = array.timezone() else {
            return self.dates(array, |time| date(time.div_euclid(day)));
        };
        let zone: Tz =
            zone.parse().map_err(|_| self.wrong(&format!("the time zone `{zone}` is not known")))?;
        self.dates(array, |time| {
            // Zones are asked only about what is at most a day from the calendar.
            let near = FIRST_DAY - 1..=LAST_DAY + 1;
            let there = near
                .contains(&time.div_euclid(day))
                .then(|| as_datetime_with_timezone::<T>(time, zone))??;
            date(there.date_naive().to_epoch_days().into())
        })
    }

    fn times<T: ArrowTemporalType<Native: Into<i64>>>(&mut self, array: &PrimitiveArray<T>) -> Result<()> {
        self.primitives(array, |sink, value| match as_time::<T>(value.into()) {
            Some(time) => sink.written(time),
            None => sink.lost(BEYOND_DAY),
        })
    }
}

const DAY_IN_MS: i64 = 86_400_000;
/// The days from 1970-01-01 to 0000-01-01 and to 9999-12-31.
const FIRST_DAY: i64 = -719_528;
const LAST_DAY: i64 = 2_932_896;

/// A date that is written with four digits for its year.
fn date(days: i64) -> Option<NaiveDate> {
    (FIRST_DAY..=LAST_DAY).contains(&days).then(|| NaiveDate::from_epoch_days(days as i32)).flatten()
}

fn uuid(bits: u128) -> String {
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests;
