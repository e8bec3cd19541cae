//! Files of several row groups, read by groups and from the front.

use super::super::super::{Format, gather};
use super::*;
use crate::read::table::proposed::Proposed;
use crate::read::table::{Contents, IdSource, Keep, ReadOptions, Table};
use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::file::properties::WriterProperties;
use std::path::Path;
use std::sync::Arc;

/// `n_rows` rows in groups of 1000.
fn file(n_rows: usize) -> Vec<u8> {
    let rows = 0..n_rows as i32;
    let text = |row: i32| (row % 7 != 0).then(|| format!("é{}", row % 50).repeat(row as usize % 4));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| i64::from(row) * 3)))),
        ("name", Arc::new(StringArray::from_iter(rows.clone().map(text)))),
        // Some are outside of the calendar.
        (
            "day",
            Arc::new(Date32Array::from_iter_values(rows.map(|row| if row == 2500 { i32::MAX } else { row }))),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1000)).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// The file by groups, if nothing is wrong with it, and from the front.
fn both(bytes: Vec<u8>, most: Option<u64>) -> (Option<Contents>, crate::base::error::Result<Contents>) {
    let (source, control) = (Source::of_bytes(bytes), Control::default());
    let reading = Reading { path: source.path(), format: "Parquet" };
    let metadata = ArrowReaderMetadata::load(&source, ArrowReaderOptions::new()).unwrap();
    let proposed = Proposed::of(Path::new("t"), &IdSource::Usual);
    let keep = Keep { id: &IdSource::Usual, wanted: &|name| name != "nobody", proposed: &proposed };
    let columns = || Columns::of(&reading, metadata.schema(), &keep).unwrap();
    let kept = columns();
    let groups = Groups { reading, source: &source, metadata: &metadata, columns: &kept, control: &control };
    let by_groups = groups.read(&source.unpacked(most));
    let by_groups = by_groups.map(|(texts, n_rows)| columns().finish(&reading, texts, n_rows).unwrap());
    let batches = ParquetRecordBatchReaderBuilder::new_with_metadata(source.clone(), metadata.clone());
    let front = gather(&reading, columns(), batches.build().unwrap(), source.unpacked(most), &control);
    (by_groups, front)
}

#[test]
fn groups_are_the_whole() {
    for n_rows in [0, 1, 1000, 3501] {
        let (by_groups, front) = both(file(n_rows), None);
        let (by_groups, front) = (by_groups.unwrap(), front.unwrap());
        assert_eq!((by_groups.n_rows, &by_groups.values), (n_rows, &front.values));
    }
}

#[test]
fn values_without_a_text_are_counted_over_all_groups() {
    let source = Source::of_bytes(file(3501));
    assert_eq!(Format::of(&source).unwrap(), Some(Format::Parquet));
    let table = Table::of(&source, &ReadOptions::default(), &|_| true, &Control::default()).unwrap();
    let days = table.values(2).unwrap();
    assert_eq!(days.iter().filter(Option::is_none).count(), 1);
    assert_eq!(days.iter().nth(2500), Some(None));
}

/// Threads count together: the limit is where it is for one.
#[test]
fn there_is_an_end_to_it() {
    let n_bytes = |most| both(file(3501), Some(most));
    let (mut low, mut high) = (0, 1 << 20);
    while low + 1 < high {
        let most = (low + high) / 2;
        let (by_groups, front) = n_bytes(most);
        assert_eq!(by_groups.is_some(), front.is_ok(), "{most}");
        (low, high) = if front.is_ok() { (low, most) } else { (most, high) };
    }
    assert!(high < 1 << 20);
}
