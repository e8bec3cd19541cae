//! CSV without a quote in it: every line end ends a record, so that threads can begin at any of them.
//!
//! What is not as it should be (a row of another length, a field that is too long, no UTF-8) is left to the reader for all
//! CSV, which says what and where.

use super::MAX_FIELD;
use arrow_array::LargeStringArray;
use arrow_array::builder::LargeStringBuilder;
use rayon::prelude::*;

/// A thread that is woken for less than this is woken for nothing.
const BYTES_PER_PART: usize = 1 << 20;

/// By column: its values, if it is kept. And how many rows there are.
pub(super) type Columns = (Vec<Option<LargeStringArray>>, usize);

/// The rows that follow a header, if they are plain, with the columns that are kept.
pub(super) fn read(bytes: &[u8], delimiter: u8, keeps: &[bool]) -> Option<Columns> {
    if bytes.par_chunks(BYTES_PER_PART).any(|part| part.contains(&b'"')) {
        return None;
    }
    let parts: Vec<Option<Part>> =
        parts(bytes).into_par_iter().map(|part| Part::read(part, delimiter, keeps)).collect();
    let mut parts = parts.into_iter();
    let mut whole = parts.next()??;
    for part in parts {
        let Part { columns, n_rows } = part?;
        for (whole, column) in whole.columns.iter_mut().zip(columns) {
            if let (Some(whole), Some(mut column)) = (whole, column) {
                whole.append_array(&column.finish()).ok()?;
            }
        }
        whole.n_rows += n_rows;
    }
    let finished = whole.columns.into_iter().map(|column| column.map(|mut column| column.finish()));
    Some((finished.collect(), whole.n_rows))
}

/// The text in parts that begin where a line does; at least one.
fn parts(bytes: &[u8]) -> Vec<&[u8]> {
    let n_parts = (bytes.len() / BYTES_PER_PART).clamp(1, 4 * rayon::current_num_threads());
    let mut rest = bytes;
    let mut parts = Vec::new();
    for n_left in (2..=n_parts).rev() {
        let middle = rest.len() / n_left;
        let end =
            rest[middle..].iter().position(|&byte| byte == b'\n').map_or(rest.len(), |ix| middle + ix + 1);
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// What a part of the text holds.
struct Part {
    columns: Vec<Option<LargeStringBuilder>>,
    n_rows: usize,
}

impl Part {
    fn read(bytes: &[u8], delimiter: u8, keeps: &[bool]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let columns = keeps.iter().map(|keeps| keeps.then(LargeStringBuilder::new)).collect();
        let mut part = Self { columns, n_rows: 0 };
        let (mut start, mut column) = (0, 0);
        for (at, &byte) in bytes.iter().enumerate() {
            let is_delimiter = byte == delimiter;
            if !is_delimiter && byte != b'\n' && byte != b'\r' {
                continue;
            }
            // An empty line is no row.
            if is_delimiter || column > 0 || start < at {
                part.field(column, &text[start..at])?;
                column += 1;
                if !is_delimiter {
                    part.row(column)?;
                    column = 0;
                }
            }
            start = at + 1;
        }
        if column > 0 || start < bytes.len() {
            part.field(column, &text[start..])?;
            part.row(column + 1)?;
        }
        Some(part)
    }

    fn field(&mut self, column: usize, value: &str) -> Option<()> {
        if let Some(values) = self.columns.get_mut(column)? {
            values.append_option((!value.is_empty()).then_some(value));
        }
        (value.len() <= MAX_FIELD).then_some(())
    }

    fn row(&mut self, n_fields: usize) -> Option<()> {
        self.n_rows += 1;
        (n_fields == self.columns.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use proptest::prelude::*;

    proptest! {
        /// Line ends of all kinds, empty lines and fields, rows of other lengths.
        #[test]
        fn rows_are_those_of_the_reader_for_all(text in "([a-cé]{0,2}[,,\n]){0,12}[a,\r\n]{0,4}", n_columns in 1usize..4) {
            let rows: Vec<csv::ByteRecord> =
                super::super::reader(text.as_bytes(), b',').into_byte_records().map(Result::unwrap).collect();
            let is_even = rows.iter().all(|row| row.len() == n_columns);
            let plain = read(text.as_bytes(), b',', &vec![true; n_columns]);
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
    fn parts_begin_where_lines_do() {
        let line = "ab,cd,".repeat(100) + "é\n";
        let text = line.repeat(5 * BYTES_PER_PART / line.len());
        let parts = parts(text.as_bytes());
        assert!(parts.len() > 1 && parts.iter().all(|part| part.ends_with(b"\n")));
        assert_eq!(parts.concat(), text.as_bytes());
        let keeps: Vec<bool> = (0..201).map(|ix| ix == 200).collect();
        let (columns, n_rows) = read(text.as_bytes(), b',', &keeps).unwrap();
        assert_eq!(n_rows, text.lines().count());
        assert!(columns[200].as_ref().unwrap().iter().all(|value| value == Some("é")));
        assert!(read((text + "\"").as_bytes(), b',', &keeps).is_none());
    }
}
