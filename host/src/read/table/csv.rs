//! CSV after RFC 4180: quoted fields may hold delimiters, quotes and newlines; a byte order mark is skipped.
//!
//! All threads read it, each a part ([`parts`]) and in it record after record ([`records`]), as long as nothing in it is
//! unusual. If anything is, the csv crate's reader starts over: it takes whatever is CSV, and knows what is wrong where.

mod parts;
mod records;

use super::source::{Source, SourceReader};
use super::sources::PACKED;
use super::{
    BYTE_ORDER_MARK, ColumnSchema, Contents, Keep, Kind, MAX_FIELD, Schema, field_too_long, kind,
    name_columns,
};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::timeline::Lane;
use arrow_array::builder::LargeStringBuilder;
use csv::{ByteRecord, Reader, ReaderBuilder};
use rayon::prelude::*;
use records::Layout;
use std::io::Read;
use std::path::Path;

/// Bytes that the reader for all CSV has at a time.
const BUFFER: usize = 1 << 16;
const ROWS_BETWEEN_CHECKS: usize = 1 << 12;

pub(super) fn read(
    source: &Source,
    delimiter: Option<u8>,
    keep: &Keep<'_>,
    control: &Control,
) -> Result<Contents> {
    let path = source.path();
    if source.starts_with(&[0xff, 0xfe])? || source.starts_with(&[0xfe, 0xff])? {
        return Err(Error::table(path, "the file is UTF-16; convert it to UTF-8 first"));
    }
    let start = if source.starts_with(BYTE_ORDER_MARK)? { BYTE_ORDER_MARK.len() as u64 } else { 0 };
    let delimiter = delimiter.unwrap_or_else(|| if named_as_tabbed(path) { b'\t' } else { b',' });
    let mut reader = reader(source.reader(start), delimiter);
    let mut record = ByteRecord::new();

    if !reader.read_byte_record(&mut record).map_err(|error| malformed(path, &error))? {
        return Err(Error::table(path, "the file has no header"));
    }
    let header = record.iter().map(|name| {
        let name = std::str::from_utf8(name);
        name.map(str::to_owned)
            .map_err(|_| Error::table(path, "the header is not valid UTF-8; convert the file"))
    });
    let names = name_columns(path, header.collect::<Result<Vec<_>>>()?.into_iter())?;
    let schema = header_of(path, &names);
    let keeps: Vec<bool> = names.iter().map(|name| keep.keeps(name)).collect();
    let first = start + reader.position().byte();
    let (values, n_rows) = match parts::read(source, first, &Layout::new(&keeps, delimiter), control)? {
        Some(read) => read,
        None => {
            let rows = Rows { source, start, delimiter, names: &names, keeps: &keeps, hint: schema.hint() };
            rows.read(reader, control)?
        }
    };
    // Whoever does not ask for the only column is told so where the columns are missed.
    if let (Some(hint), [true]) = (schema.hint(), &keeps[..]) {
        tracing::warn!("{}: {hint}", path.display());
    }
    let infer = || {
        names
            .into_par_iter()
            .zip(values)
            .map(|(name, values)| {
                let schema = match &values {
                    Some(values) => kind::infer(name, values, control),
                    None => ColumnSchema { name, kind: Kind::Text, why_text: None },
                };
                (schema, values)
            })
            .unzip()
    };
    let (columns, values) = control.note(Lane::Read, "kinds", infer);
    Ok(Contents { infers_kinds: true, columns, values, n_rows })
}

/// The rows that follow the header, whatever they hold.
struct Rows<'a> {
    source: &'a Source,
    /// Where the header begins.
    start: u64,
    delimiter: u8,
    names: &'a [String],
    keeps: &'a [bool],
    /// What may separate fields instead.
    hint: Option<String>,
}

impl Rows<'_> {
    fn read(&self, mut reader: Reader<SourceReader>, control: &Control) -> Result<parts::Columns> {
        let (path, names) = (self.source.path(), self.names);
        let mut record = ByteRecord::new();
        let mut builders: Vec<_> =
            self.keeps.iter().map(|keeps| keeps.then(|| LargeStringBuilder::with_capacity(0, 0))).collect();
        let (mut n_rows, mut last_start, mut told) = (0, 0, 0);
        while reader.read_byte_record(&mut record).map_err(|error| malformed(path, &error))? {
            let position = record.position();
            let line = position.map_or(0, csv::Position::line);
            last_start = position.map_or(0, csv::Position::byte);
            if n_rows % ROWS_BETWEEN_CHECKS == 0 {
                control.check()?;
                control.did(last_start - told);
                told = last_start;
            }
            n_rows += 1;
            for (ix, field) in record.iter().enumerate().take(names.len()) {
                if field.len() > MAX_FIELD {
                    return Err(field_too_long(path, n_rows, Some(line), &names[ix], field.len()));
                }
                let Ok(value) = std::str::from_utf8(field) else {
                    let column = &names[ix];
                    let message = format!(
                        "row {n_rows} (line {line}), column `{column}`: not valid UTF-8; convert the file to UTF-8"
                    );
                    return Err(Error::table(path, message));
                };
                if let Some(builder) = &mut builders[ix] {
                    builder.append_option((!value.is_empty()).then_some(value));
                }
            }
            if record.len() != names.len() {
                let message = format!(
                    "row {n_rows} (line {line}) has {} fields, the header has {}; {}",
                    record.len(),
                    names.len(),
                    self.hint.as_deref().unwrap_or("is a delimiter or a quote missing?")
                );
                return Err(Error::table(path, message));
            }
        }
        let last = self.start + last_start;
        let last = self.source.bytes(last, self.source.len() - last).map_err(Error::io(path))?;
        if n_rows > 0 && ends_inside_quotes(&last, self.delimiter) {
            return Err(Error::table(
                path,
                format!("row {n_rows}, the last one, opens a quote and never closes it"),
            ));
        }
        Ok((
            builders.into_iter().map(|builder| builder.map(|mut builder| builder.finish())).collect(),
            n_rows,
        ))
    }
}

fn reader<R: Read>(bytes: R, delimiter: u8) -> Reader<R> {
    let mut builder = ReaderBuilder::new();
    builder.delimiter(delimiter).has_headers(false).flexible(true).buffer_capacity(BUFFER).from_reader(bytes)
}

/// The columns, before it is known what they hold.
fn header_of(path: &Path, names: &[String]) -> Schema {
    let column = |name: &String| ColumnSchema { name: name.clone(), kind: Kind::Text, why_text: None };
    Schema { table: path.display().to_string(), columns: names.iter().map(column).collect() }
}

fn named_as_tabbed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let packed = name.rsplit_once('.').filter(|(_, ending)| PACKED.contains(ending));
    let name = packed.map_or(&*name, |(name, _)| name);
    name.ends_with(".tsv") || name.ends_with(".tab")
}

fn malformed(path: &Path, error: &csv::Error) -> Error {
    Error::table(path, format!("malformed CSV: {error}"))
}

/// Whether a record's text ends in an open quote. The CSV reader takes the end of the file for the end of the field and
/// says nothing, so another line is put after it: if that does not start a record, a quote is open.
fn ends_inside_quotes(last_record: &[u8], delimiter: u8) -> bool {
    let mut text = last_record.to_vec();
    text.extend_from_slice(b"\nx\n");
    reader(&text[..], delimiter).into_byte_records().count() < 2
}
