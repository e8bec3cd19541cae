//! CSV without a quote in it: every line end ends a record, so that threads can begin at any of them.
//!
//! What is not as it should be (a row of another length, a field that is too long, no UTF-8) is left to the reader for all
//! CSV, which says what and where.

use super::{MAX_FIELD, Source};
use crate::base::control::Control;
use crate::base::error::Result;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{Array, LargeStringArray};
use rayon::prelude::*;

/// By column: its values, if it is kept. And how many rows there are.
pub(super) type Columns = (Vec<Option<LargeStringArray>>, usize);

/// The rows from `first` on, where the header ends, if they are plain, with the columns that are kept.
pub(super) fn read(
    source: &Source,
    first: u64,
    delimiter: u8,
    keeps: &[bool],
    control: &Control,
) -> Result<Option<Columns>> {
    let mut n_kept = 0;
    let number = |keeps: &bool| {
        n_kept += usize::from(*keeps);
        keeps.then(|| n_kept - 1)
    };
    let places: Vec<Option<usize>> = keeps.iter().map(number).collect();
    let begin = || Part::new(&places, n_kept);
    let parts = source.lines(first, control, begin, |part, lines| part.read(lines, delimiter))?;
    let Some(parts) = parts else { return Ok(None) };
    let n_rows = parts.iter().map(|part| part.n_rows).sum();
    let mut columns: Vec<Vec<LargeStringArray>> =
        (0..n_kept).map(|_| Vec::with_capacity(parts.len())).collect();
    for part in parts {
        columns.iter_mut().zip(part.columns).for_each(|(column, mut values)| column.push(values.finish()));
    }
    let columns: Option<Vec<_>> = columns.into_par_iter().map(joined).collect();
    let Some(columns) = columns else { return Ok(None) };
    let mut columns = columns.into_iter();
    Ok(Some((places.iter().map(|place| place.and_then(|_| columns.next())).collect(), n_rows)))
}

/// The parts of a column, one after the other.
fn joined(parts: Vec<LargeStringArray>) -> Option<LargeStringArray> {
    if let [one] = &parts[..] {
        return Some(one.clone());
    }
    let (n_rows, n_bytes) =
        parts.iter().fold((0, 0), |(rows, bytes), part| (rows + part.len(), bytes + part.value_data().len()));
    let mut whole = LargeStringBuilder::with_capacity(n_rows, n_bytes);
    for part in parts {
        whole.append_array(&part).ok()?;
    }
    Some(whole.finish())
}

/// What a part of the text holds.
struct Part<'a> {
    /// By column of the table: which of those that are kept it is.
    places: &'a [Option<usize>],
    columns: Vec<LargeStringBuilder>,
    n_rows: usize,
}

impl<'a> Part<'a> {
    fn new(places: &'a [Option<usize>], n_kept: usize) -> Self {
        let columns = (0..n_kept).map(|_| LargeStringBuilder::with_capacity(0, 0)).collect();
        Self { places, columns, n_rows: 0 }
    }

    /// Adds some lines, if they are plain.
    fn read(&mut self, bytes: &[u8], delimiter: u8) -> Option<()> {
        if bytes.contains(&b'"') {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let (mut start, mut column) = (0, 0);
        for (at, &byte) in bytes.iter().enumerate() {
            let is_delimiter = byte == delimiter;
            if !is_delimiter && byte != b'\n' && byte != b'\r' {
                continue;
            }
            // An empty line is no row.
            if is_delimiter || column > 0 || start < at {
                self.field(column, &text[start..at])?;
                column += 1;
                if !is_delimiter {
                    self.row(column)?;
                    column = 0;
                }
            }
            start = at + 1;
        }
        if column > 0 || start < bytes.len() {
            self.field(column, &text[start..])?;
            self.row(column + 1)?;
        }
        Some(())
    }

    fn field(&mut self, column: usize, value: &str) -> Option<()> {
        if let Some(place) = *self.places.get(column)? {
            self.columns[place].append_option((!value.is_empty()).then_some(value));
        }
        (value.len() <= MAX_FIELD).then_some(())
    }

    fn row(&mut self, n_fields: usize) -> Option<()> {
        self.n_rows += 1;
        (n_fields == self.places.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Line ends of all kinds, empty lines and fields, rows of other lengths.
        #[test]
        fn rows_are_those_of_the_reader_for_all(text in "([a-cé]{0,2}[,,\n]){0,12}[a,\r\n]{0,4}", n_columns in 1usize..4) {
            let rows: Vec<csv::ByteRecord> =
                super::super::reader(text.as_bytes(), b',').into_byte_records().map(Result::unwrap).collect();
            let is_even = rows.iter().all(|row| row.len() == n_columns);
            let source = Source::of_bytes(text);
            let plain = read(&source, 0, b',', &vec![true; n_columns], &Control::default()).unwrap();
            prop_assert_eq!(plain.is_some(), is_even);
            if let Some((columns, n_rows)) = plain {
                prop_assert_eq!(n_rows, rows.len());
                for (ix, column) in columns.iter().flatten().enumerate() {
                    for (row, wanted) in rows.iter().enumerate() {
                        let value = if column.is_null(row) { "" } else { column.value(row) };
                        prop_assert_eq!(value.as_bytes(), &wanted[ix]);
                    }
                }
            }
        }
    }

    #[test]
    fn parts_are_put_together() {
        let line = "ab,cd,".repeat(100) + "é\n";
        let text = line.repeat((5 << 20) / line.len());
        let keeps: Vec<bool> = (0..201).map(|ix| ix == 200).collect();
        let plain = |text: &str| {
            let source = Source::of_bytes(text.to_owned());
            read(&source, 0, b',', &keeps, &Control::default()).unwrap()
        };
        let (columns, n_rows) = plain(&text).unwrap();
        assert_eq!(n_rows, text.lines().count());
        assert!(columns[200].as_ref().unwrap().iter().all(|value| value == Some("é")));
        assert!(plain(&(text + "\"")).is_none());
    }
}
