//! The values of an Arrow array as the text a person would write.
//!
//! arrow-cast can do this too, but it brings the casts between all pairs of types along, which was the longest step on
//! the way to a finished build. What is needed of them is this file.

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_datetime_with_timezone, date32_to_datetime};
use arrow_array::timezone::Tz;
use arrow_array::types::{
    ArrowTimestampType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Float16Type, Float32Type, Float64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrowPrimitiveType, LargeStringArray, PrimitiveArray, downcast_integer_array};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use chrono::NaiveDate;
use std::fmt::Write;

type Result<T> = std::result::Result<T, ArrowError>;

/// Timestamps count as their dates: times of day are cut off.
pub(super) fn texts(array: &dyn Array) -> Result<LargeStringArray> {
    downcast_integer_array!(
        array => primitives(array, |builder, value| {
            builder.append_value(itoa::Buffer::new().format(value));
            Ok(())
        }),
        DataType::Null => Ok(std::iter::repeat_n(None::<&str>, array.len()).collect()),
        DataType::Utf8 => Ok(array.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Ok(array.as_string::<i64>().clone()),
        DataType::Utf8View => Ok(array.as_string_view().iter().collect()),
        DataType::Boolean => {
            let word = |value| if value { "true" } else { "false" };
            Ok(array.as_boolean().iter().map(|value| value.map(word)).collect())
        },
        DataType::Dictionary(..) => dictionary(array),
        DataType::Float16 => primitives(array.as_primitive::<Float16Type>(), written),
        DataType::Float32 => floats(array.as_primitive::<Float32Type>()),
        DataType::Float64 => floats(array.as_primitive::<Float64Type>()),
        DataType::Decimal32(..) => decimals(array.as_primitive::<Decimal32Type>()),
        DataType::Decimal64(..) => decimals(array.as_primitive::<Decimal64Type>()),
        DataType::Decimal128(..) => decimals(array.as_primitive::<Decimal128Type>()),
        DataType::Decimal256(..) => decimals(array.as_primitive::<Decimal256Type>()),
        DataType::Date32 => dates(array.as_primitive::<Date32Type>(), |days| Ok(Some(date(days)?))),
        DataType::Date64 => dates(array.as_primitive::<Date64Type>(), |time| whole_days(time / DAY_IN_MS)),
        DataType::Timestamp(TimeUnit::Second, _) => {
            timestamps(array.as_primitive::<TimestampSecondType>(), DAY_IN_MS / 1_000)
        },
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            timestamps(array.as_primitive::<TimestampMillisecondType>(), DAY_IN_MS)
        },
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            timestamps(array.as_primitive::<TimestampMicrosecondType>(), DAY_IN_MS * 1_000)
        },
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            timestamps(array.as_primitive::<TimestampNanosecondType>(), DAY_IN_MS * 1_000_000)
        },
        other => Err(ArrowError::CastError(format!("{other} has no text"))),
    )
}

/// Every value by what `append` makes of it.
fn primitives<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    append: impl Fn(&mut LargeStringBuilder, T::Native) -> Result<()>,
) -> Result<LargeStringArray> {
    let mut builder = LargeStringBuilder::with_capacity(array.len(), 8 * array.len());
    for value in array {
        match value {
            Some(value) => append(&mut builder, value)?,
            None => builder.append_null(),
        }
    }
    Ok(builder.finish())
}

/// A value by its own words, without a string of its own on the way.
fn written(builder: &mut LargeStringBuilder, value: impl std::fmt::Display) -> Result<()> {
    write!(builder, "{value}").map_err(|error| ArrowError::CastError(error.to_string()))?;
    builder.append_value("");
    Ok(())
}

fn floats<T: ArrowPrimitiveType<Native: ryu::Float>>(array: &PrimitiveArray<T>) -> Result<LargeStringArray> {
    primitives(array, |builder, value| {
        builder.append_value(ryu::Buffer::new().format(value));
        Ok(())
    })
}

fn decimals<T: DecimalType>(array: &PrimitiveArray<T>) -> Result<LargeStringArray> {
    primitives(array, |builder, value| {
        builder.append_value(T::format_decimal(value, array.precision(), array.scale()));
        Ok(())
    })
}

/// Every value of the dictionary is written once.
fn dictionary(array: &dyn Array) -> Result<LargeStringArray> {
    let dictionary = array.as_any_dictionary();
    let values = texts(dictionary.values())?;
    if values.is_empty() {
        return Ok(std::iter::repeat_n(None::<&str>, array.len()).collect());
    }
    let keys = dictionary.normalized_keys();
    let value =
        |(row, key): (usize, usize)| (array.is_valid(row) && values.is_valid(key)).then(|| values.value(key));
    Ok(keys.into_iter().enumerate().map(value).collect())
}

const DAY_IN_MS: i64 = 86_400_000;

/// `show` gives the date of a value; there is none where a date's own 32 bits could not hold it.
fn dates<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    show: impl Fn(T::Native) -> Result<Option<NaiveDate>>,
) -> Result<LargeStringArray> {
    primitives(array, |builder, value| match show(value)? {
        Some(date) => written(builder, date),
        None => {
            builder.append_null();
            Ok(())
        }
    })
}

/// In the time zone that they are given in. Those with none are rounded down, to the day that they are in.
fn timestamps<T: ArrowTimestampType>(array: &PrimitiveArray<T>, day: i64) -> Result<LargeStringArray> {
    match array.timezone() {
        None => dates(array, |time| whole_days(time.div_euclid(day))),
        Some(zone) => {
            let zone: Tz = zone.parse()?;
            dates(array, |time| Ok(as_datetime_with_timezone::<T>(time, zone).map(|time| time.date_naive())))
        }
    }
}

fn whole_days(days: i64) -> Result<Option<NaiveDate>> {
    i32::try_from(days).ok().map(date).transpose()
}

fn date(days: i32) -> Result<NaiveDate> {
    let message = || format!("Failed to convert {days} to temporal for {}", DataType::Date32);
    Ok(date32_to_datetime(days).ok_or_else(|| ArrowError::CastError(message()))?.date())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int8Type;
    use arrow_array::{
        BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array,
        Int8Array, Int64Array, NullArray, StringArray, StringViewArray, TimestampMillisecondArray,
        TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
    };

    fn check(array: &dyn Array, want: &[Option<&str>]) {
        let texts = texts(array).unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), want, "{}", array.data_type());
    }

    /// What arrow-cast 60 makes of the same arrays.
    #[test]
    fn every_type_as_a_person_would_write_it() {
        check(&NullArray::new(2), &[None, None]);
        check(&BooleanArray::from(vec![Some(true), None, Some(false)]), &[Some("true"), None, Some("false")]);
        check(&Int8Array::from(vec![Some(-128), None]), &[Some("-128"), None]);
        check(&Int64Array::from(vec![0, i64::MIN]), &[Some("0"), Some("-9223372036854775808")]);
        check(&UInt64Array::from(vec![u64::MAX]), &[Some("18446744073709551615")]);
        check(&StringArray::from(vec![Some("a"), None]), &[Some("a"), None]);
        check(
            &StringViewArray::from(vec![Some("longer than twelve"), None]),
            &[Some("longer than twelve"), None],
        );
        check(
            &Float32Array::from(vec![0.1, 1e10, 1e-7]),
            &[Some("0.1"), Some("10000000000.0"), Some("1e-7")],
        );
        let floats = Float64Array::from(vec![3.0, -0.0, 1e16, f64::NAN, f64::NEG_INFINITY]);
        check(&floats, &[Some("3.0"), Some("-0.0"), Some("1e16"), Some("NaN"), Some("-inf")]);
        let decimals = Decimal128Array::from(vec![Some(12_345), Some(-5), None]);
        let decimals = decimals.with_precision_and_scale(10, 2).unwrap();
        check(&decimals, &[Some("123.45"), Some("-0.05"), None]);
    }

    #[test]
    fn a_timestamp_counts_as_its_date() {
        check(
            &Date32Array::from(vec![Some(0), Some(-719_162), None]),
            &[Some("1970-01-01"), Some("0001-01-01"), None],
        );
        check(&Date64Array::from(vec![86_400_000, -1]), &[Some("1970-01-02"), Some("1970-01-01")]);
        check(&TimestampSecondArray::from(vec![-1, 86_399]), &[Some("1969-12-31"), Some("1970-01-01")]);
        check(&TimestampSecondArray::from(vec![i64::MAX]), &[None]);
        let zoned = TimestampMillisecondArray::from(vec![Some(-1), None]).with_timezone("+02:00");
        check(&zoned, &[Some("1970-01-01"), None]);
        check(&TimestampNanosecondArray::from(vec![i64::MIN]), &[Some("1677-09-21")]);
        assert!(texts(&Date32Array::from(vec![i32::MAX])).is_err());
    }

    #[test]
    fn a_dictionary_by_its_values() {
        let words: DictionaryArray<Int8Type> =
            vec![Some("a"), None, Some("b"), Some("a")].into_iter().collect();
        check(&words, &[Some("a"), None, Some("b"), Some("a")]);
        let keys = Int8Array::from(vec![Some(1), Some(0), None]);
        let numbers = Int64Array::from(vec![None, Some(7)]);
        check(&DictionaryArray::new(keys, std::sync::Arc::new(numbers)), &[Some("7"), None, None]);
        let empty = DictionaryArray::new(
            Int8Array::from(vec![None]),
            std::sync::Arc::new(Int64Array::from(Vec::<i64>::new())),
        );
        check(&empty, &[None]);
    }
}
