//! Parquet and Arrow: files, streams and Feather. Every column becomes the text a person would write; its type gives its
//! kind.
//!
//! [`parquet`] and [`ipc`] check what is cheap to check and open the file, [`guard`] is around all that decodes it,
//! [`texts`] are its values.

mod guard;
pub(super) mod ipc;
pub(super) mod parquet;
#[cfg(test)]
mod tests;
mod texts;

use super::input::Batches;
use super::pieces::joined;
use super::source::Source;
use super::unpacked::Unpacked;
use super::{ColumnSchema, Contents, Keep, Kind, MAX_FIELD, check_rows, name_columns};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use arrow_array::{LargeStringArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use guard::Reading;
use rayon::prelude::*;
use texts::Texts;

/// What the first bytes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Parquet.
    Parquet,
    /// An Arrow file, which is also Feather version 2.
    File,
    /// An Arrow stream.
    Stream,
}

impl Format {
    /// The format of a table that is no text.
    pub(crate) fn of(source: &Source) -> Result<Option<Self>> {
        // A stream begins with the mark of a message.
        let formats: [(&[u8], Self); 3] =
            [(b"PAR1", Self::Parquet), (b"ARROW1", Self::File), (&[0xff; 4], Self::Stream)];
        for (magic, format) in formats {
            if source.starts_with(magic)? {
                return Ok(Some(format));
            }
        }
        if source.starts_with(b"FEA1")? {
            let name = source.path().display();
            let message = format!(
                "this is Feather version 1, which is not read; convert it: python3 -c \"import pyarrow.feather as f; \
                 f.write_feather(f.read_table('{name}'), 'new.feather')\""
            );
            return Err(Error::table(source.path(), message));
        }
        if source.starts_with(b"PARE")? {
            return Err(Error::table(
                source.path(),
                "this is encrypted Parquet; write it without encryption",
            ));
        }
        Ok(None)
    }
}

/// The columns of a file, and those of them that are kept.
struct Columns {
    schemas: Vec<ColumnSchema>,
    kept: Vec<Kept>,
}

/// A column that is kept.
struct Kept {
    ix: usize,
    /// Whether its 16 bytes are a UUID.
    is_uuid: bool,
}

impl Columns {
    fn of(reading: &Reading<'_>, schema: &Schema, keep: &Keep<'_>) -> Result<Self> {
        let names = name_columns(reading.path, schema.fields().iter().map(|field| field.name().clone()))?;
        let mut columns = Self { schemas: Vec::with_capacity(names.len()), kept: Vec::new() };
        for (ix, (name, field)) in names.into_iter().zip(schema.fields()).enumerate() {
            let mut kind = Kind::Text;
            match keep.keeps(&name).then(|| kind_of(reading, &name, field.data_type())) {
                Some(Ok(known)) => {
                    kind = known;
                    columns.kept.push(Kept { ix, is_uuid: is_uuid(field) });
                }
                Some(Err(error)) if keep.needs(&name) => return Err(error),
                // What may be ids holds something else.
                Some(Err(_)) | None => {}
            }
            let why_text = Some("the file declares it as text".into());
            columns.schemas.push(ColumnSchema { name, kind, why_text });
        }
        Ok(columns)
    }

    /// The texts of a column that is kept, behind so many rows.
    fn texts(&self, column: &Kept, n_rows: usize) -> Texts {
        Texts::behind(n_rows, &self.schemas[column.ix].name, column.is_uuid)
    }

    /// The table, of the texts of each column that is kept.
    fn finish(self, reading: &Reading<'_>, texts: Vec<Vec<Texts>>, n_rows: usize) -> Result<Contents> {
        let pieces = texts.into_iter().map(|column| Texts::pieces(column, reading.path)).collect();
        let no_text = || Error::Internal(format!("{} has texts that are none", reading.path.display()));
        let mut values: Vec<Option<LargeStringArray>> = vec![None; self.schemas.len()];
        for (column, texts) in self.kept.iter().zip(joined(pieces).ok_or_else(no_text)?) {
            values[column.ix] = Some(texts);
        }
        Ok(Contents { infers_kinds: false, columns: self.schemas, values, n_rows })
    }
}

fn is_uuid(field: &Field) -> bool {
    field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.uuid")
}

/// The kept columns of all batches as text.
fn gather(
    reading: &Reading<'_>,
    columns: Columns,
    mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    mut unpacked: Unpacked,
    control: &Control,
) -> Result<Contents> {
    let mut texts: Vec<_> = columns.kept.iter().map(|column| columns.texts(column, 0)).collect();
    let mut n_rows = 0usize;
    loop {
        control.check()?;
        let batch = reading.guard(|| format!("after row {n_rows}"), || batches.next().transpose())?;
        let Some(batch) = batch else { break };
        check_rows(reading.path, n_rows.saturating_add(batch.num_rows()))?;
        unpacked.add(size_of::<i64>() as u64 * batch.num_rows() as u64 * columns.kept.len() as u64)?;
        for (texts, array) in texts.iter_mut().zip(batch.columns()) {
            let place = format!("column `{}`, after row {n_rows}", texts.name);
            // What is wrong with a value is found behind the boundary, and comes out as it is.
            reading.guard(
                || place.clone(),
                || Ok::<_, String>(texts.append(reading.path, array, &mut unpacked)),
            )??;
        }
        n_rows += batch.num_rows();
    }
    columns.finish(reading, texts.into_iter().map(|texts| vec![texts]).collect(), n_rows)
}

/// What a table in memory is called in messages, where others name their format.
const IN_MEMORY: &str = "table in memory";
/// Rows that a thread makes text of at a time.
const ROWS: usize = 1 << 16;

/// The kept columns of a table in memory as text, by all threads.
pub(super) fn memory(table: &Batches, keep: &Keep<'_>, control: &Control) -> Result<Contents> {
    let reading = Reading { path: table.name(), format: IN_MEMORY };
    check_rows(reading.path, table.n_rows())?;
    let columns = Columns::of(&reading, table.schema(), keep)?;
    let mut parts = Vec::new();
    let mut n_rows = 0;
    for batch in table.batches() {
        for first in (0..batch.num_rows()).step_by(ROWS) {
            parts.push((n_rows + first, batch.slice(first, ROWS.min(batch.num_rows() - first))));
        }
        n_rows += batch.num_rows();
    }
    // All of it is there already: nothing unpacks to more.
    let unpacked = Unpacked::of(reading.path, Some(u64::MAX), 0);
    let text = |(before, batch): &(usize, RecordBatch)| {
        control.check()?;
        let mut unpacked = unpacked.shared();
        let text = |column: &Kept| {
            let mut texts = columns.texts(column, *before);
            texts.append(reading.path, batch.column(column.ix), &mut unpacked)?;
            Ok(texts)
        };
        let texts = columns.kept.iter().map(text).collect::<Result<Vec<Texts>>>()?;
        control.did(batch.num_rows() as u64);
        Ok(texts)
    };
    let parts: Vec<Vec<Texts>> = parts.par_iter().map(text).gather_all()?;
    let mut texts: Vec<Vec<Texts>> = columns.kept.iter().map(|_| Vec::new()).collect();
    for part in parts {
        texts.iter_mut().zip(part).for_each(|(column, part)| column.push(part));
    }
    columns.finish(&reading, texts, n_rows)
}

/// What a column of a type holds, if it can be compared.
fn kind(data_type: &DataType) -> Option<Kind> {
    Some(match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean | DataType::Null => {
            Kind::Text
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Kind::Text,
        DataType::FixedSizeBinary(len) if usize::try_from(*len).is_ok_and(|len| len <= MAX_FIELD) => {
            Kind::Text
        }
        DataType::Time32(_) | DataType::Time64(_) => Kind::Text,
        DataType::Dictionary(_, value) => kind(value).filter(|kind| *kind != Kind::List)?,
        DataType::List(element) | DataType::LargeList(element) | DataType::FixedSizeList(element, _) => {
            kind(element.data_type()).filter(|kind| *kind != Kind::List).map(|_| Kind::List)?
        }
        integer if integer.is_integer() => Kind::Integer,
        float if float.is_floating() || float.is_decimal() => Kind::Float,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Kind::Date,
        _ => return None,
    })
}

fn kind_of(reading: &Reading<'_>, name: &str, data_type: &DataType) -> Result<Kind> {
    match kind(data_type) {
        Some(kind) => Ok(kind),
        None => {
            let path = reading.path.display();
            let convert = match reading.format {
                "Parquet" => format!(
                    "duckdb -c \"COPY (SELECT * REPLACE (\\\"{name}\\\"::VARCHAR AS \\\"{name}\\\") FROM '{path}') \
                     TO 'new.parquet'\""
                ),
                IN_MEMORY => "cast the column before".to_owned(),
                _ => format!(
                    "python3 -c \"import pandas as p; t = p.read_feather('{path}'); t['{name}'] = \
                     t['{name}'].astype(str); t.to_parquet('new.parquet')\""
                ),
            };
            let message = format!(
                "column `{name}` holds {data_type}; text, numbers, dates, times of day, booleans and lists of these can \
                 be compared. As text: {convert}"
            );
            Err(Error::table(reading.path, message))
        }
    }
}
