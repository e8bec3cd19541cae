//! What a person would write, type by type.

use super::*;
use arrow_array::builder::{
    Date64Builder, FixedSizeListBuilder, Int64Builder, LargeListBuilder, ListBuilder, StringBuilder,
};
use arrow_array::types::Int8Type;
use arrow_array::{
    BinaryArray, BinaryViewArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
    FixedSizeBinaryArray, Float32Array, Float64Array, Int8Array, Int64Array, LargeStringArray, NullArray,
    StringArray, StringViewArray, Time32MillisecondArray, Time32SecondArray, Time64NanosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
};
use std::sync::Arc;

fn read(array: &dyn Array, is_uuid: bool) -> std::result::Result<Texts, String> {
    let path = Path::new("t.arrow");
    let mut texts = Texts::behind(0, "x", is_uuid);
    texts.append(path, array, &mut Unpacked::of(path, Some(200), 0)).map_err(|error| error.to_string())?;
    Ok(texts)
}

fn finished(texts: Texts) -> LargeStringArray {
    joined(vec![Texts::pieces(vec![texts], Path::new("t.arrow"))]).unwrap().remove(0)
}

fn fixed<const N: usize, const LEN: usize>(values: [&[u8; LEN]; N]) -> FixedSizeBinaryArray {
    FixedSizeBinaryArray::try_from_iter(values.into_iter()).unwrap()
}

#[track_caller]
fn check(array: &dyn Array, want: &[Option<&str>]) {
    let texts = finished(read(array, false).unwrap());
    assert_eq!(texts.iter().collect::<Vec<_>>(), want, "{}", array.data_type());
}

#[track_caller]
fn check_lost(array: &dyn Array, want: &[Option<&str>], row: usize, what: &str, n: usize) {
    let texts = read(array, false).unwrap();
    assert_eq!((texts.lost, texts.n_lost), (Some((row, what)), n));
    assert_eq!(finished(texts).iter().collect::<Vec<_>>(), want);
}

/// What arrow-cast 60 makes of the same arrays.
#[test]
fn every_type_as_a_person_would_write_it() {
    check(&NullArray::new(2), &[None, None]);
    check(&BooleanArray::from(vec![Some(true), None, Some(false)]), &[Some("true"), None, Some("false")]);
    check(&Int8Array::from(vec![Some(-128), None]), &[Some("-128"), None]);
    check(&Int64Array::from(vec![0, i64::MIN]), &[Some("0"), Some("-9223372036854775808")]);
    check(&UInt64Array::from(vec![u64::MAX]), &[Some("18446744073709551615")]);
    check(&StringArray::from(vec![Some("a"), None, Some("")]), &[Some("a"), None, None]);
    check(
        &StringViewArray::from(vec![Some("longer than twelve"), None]),
        &[Some("longer than twelve"), None],
    );
    check(&Float32Array::from(vec![0.1, 1e10, 1e-7]), &[Some("0.1"), Some("10000000000.0"), Some("1e-7")]);
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
    let zoned = TimestampMillisecondArray::from(vec![Some(-1), None]).with_timezone("+02:00");
    check(&zoned, &[Some("1970-01-01"), None]);
    check(&TimestampNanosecondArray::from(vec![i64::MIN]), &[Some("1677-09-21")]);
}

#[test]
fn zones_have_names() {
    // Half past eleven at night on the last of June, in Greenwich.
    let time = vec![1_719_790_200];
    for (zone, want) in [
        ("UTC", "2024-06-30"),
        ("Europe/Berlin", "2024-07-01"),
        ("America/New_York", "2024-06-30"),
        ("Z", ""),
    ] {
        let array = TimestampSecondArray::from(time.clone()).with_timezone(zone);
        match want {
            "" => assert_eq!(
                read(&array, false).err().as_deref(),
                Some("t.arrow: row 1, column `x`: the time zone `Z` is not known")
            ),
            want => check(&array, &[Some(want)]),
        }
    }
}

#[test]
fn no_date_is_lost_in_silence() {
    let days = Date32Array::from(vec![Some(-719_528), Some(-719_529), None, Some(2_932_896), Some(i32::MAX)]);
    let want = [Some("0000-01-01"), None, None, Some("9999-12-31"), None];
    check_lost(&days, &want, 2, BEYOND_CALENDAR, 2);
    check_lost(
        &TimestampSecondArray::from(vec![0, i64::MAX]),
        &[Some("1970-01-01"), None],
        2,
        BEYOND_CALENDAR,
        1,
    );
    let zoned = TimestampSecondArray::from(vec![i64::MIN, 253_402_300_799]);
    check_lost(&zoned.clone().with_timezone("Europe/Berlin"), &[None, None], 1, BEYOND_CALENDAR, 2);
    check_lost(&zoned.with_timezone("UTC"), &[None, Some("9999-12-31")], 1, BEYOND_CALENDAR, 1);
    let keys = Int8Array::from(vec![Some(0), Some(1), None, Some(1)]);
    let dates = DictionaryArray::new(keys, Arc::new(Date32Array::from(vec![0, i32::MIN])));
    check_lost(&dates, &[Some("1970-01-01"), None, None, None], 2, BEYOND_CALENDAR, 2);
}

#[test]
fn times_of_day() {
    check(
        &Time32SecondArray::from(vec![Some(0), None, Some(86_399)]),
        &[Some("00:00:00"), None, Some("23:59:59")],
    );
    check(&Time32MillisecondArray::from(vec![45_000_250]), &[Some("12:30:00.250")]);
    check(&Time64NanosecondArray::from(vec![1]), &[Some("00:00:00.000000001")]);
    check_lost(
        &Time32SecondArray::from(vec![0, 86_400, -1]),
        &[Some("00:00:00"), None, None],
        2,
        BEYOND_DAY,
        2,
    );
}

#[test]
fn bytes_are_text_or_a_uuid() {
    let bytes: [Option<&[u8]>; 3] = [Some("Zoë".as_bytes()), None, Some(b"")];
    check(&BinaryArray::from(bytes.to_vec()), &[Some("Zoë"), None, None]);
    check(&BinaryViewArray::from(bytes.to_vec()), &[Some("Zoë"), None, None]);
    check(&fixed([b"ab", b"cd"]), &[Some("ab"), Some("cd")]);
    let wrong = read(&BinaryArray::from(vec![Some(&b"a"[..]), Some(&b"\xff"[..])]), false).err();
    let message = "t.arrow: row 2, column `x`: bytes that are no UTF-8; write them as text, such as hex";
    assert_eq!(wrong.as_deref(), Some(message));
    let uuid = fixed([b"\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00"]);
    let text = finished(read(&uuid, true).unwrap());
    assert_eq!(text.value(0), "123e4567-e89b-12d3-a456-426614174000");
}

#[test]
fn a_dictionary_by_its_values() {
    let words: DictionaryArray<Int8Type> = vec![Some("a"), None, Some("b"), Some("a")].into_iter().collect();
    check(&words, &[Some("a"), None, Some("b"), Some("a")]);
    let keys = Int8Array::from(vec![Some(1), Some(0), None]);
    let numbers = Int64Array::from(vec![None, Some(7)]);
    check(&DictionaryArray::new(keys, Arc::new(numbers)), &[Some("7"), None, None]);
    let empty =
        DictionaryArray::new(Int8Array::from(vec![None]), Arc::new(Int64Array::from(Vec::<i64>::new())));
    check(&empty, &[None]);
}

/// A value that many rows share is long only once in the file.
#[test]
fn what_comes_out_is_counted() {
    let keys = Int8Array::from(vec![0; 100]);
    let words = DictionaryArray::new(keys, Arc::new(StringArray::from(vec!["abc"])));
    assert!(read(&words, false).is_err_and(|error| error.contains("unpack to more than 200")));
}

/// Rows that are some of many, as tables in memory hand them over.
#[test]
fn lists_are_sets_of_their_elements() {
    let texts = [
        Some(vec![Some("b"), Some("a"), Some("b")]),
        None,
        Some(vec![]),
        Some(vec![None, Some(""), Some("x\u{1f}y")]),
        Some(vec![Some("c")]),
    ];
    let want = [Some("a\u{1f}b"), None, None, Some("x\u{1e}uy"), Some("c")];
    let (mut small, mut large) =
        (ListBuilder::new(StringBuilder::new()), LargeListBuilder::new(StringBuilder::new()));
    for row in &texts {
        row.iter().flatten().for_each(|text| small.values().append_option(*text));
        row.iter().flatten().for_each(|text| large.values().append_option(*text));
        small.append(row.is_some());
        large.append(row.is_some());
    }
    let (small, large) = (small.finish(), large.finish());
    let mut two = FixedSizeListBuilder::new(Int64Builder::new(), 2);
    for [a, b] in [[3, 10], [2, 1], [5, 5]] {
        two.values().append_slice(&[a, b]);
        two.append(true);
    }
    let two = two.finish();
    let numbers = [Some("10\u{1f}3"), Some("1\u{1f}2"), Some("5")];
    for (from, upto) in [(0, 5), (1, 4), (3, 5), (2, 2)] {
        check(&small.slice(from, upto - from), &want[from..upto]);
        check(&large.slice(from, upto - from), &want[from..upto]);
        let (from, upto) = (from.min(3), upto.min(3));
        check(&two.slice(from, upto - from), &numbers[from..upto]);
    }
    let mut days = ListBuilder::new(Date64Builder::new());
    for row in [vec![0], vec![0, i64::MAX, i64::MIN], vec![i64::MAX]] {
        days.values().append_slice(&row);
        days.append(true);
    }
    let want = [Some("1970-01-01"), Some("1970-01-01"), None];
    check_lost(&days.finish(), &want, 2, BEYOND_CALENDAR, 3);
}
