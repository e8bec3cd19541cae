//! Parquet.
//!
//! All threads read it, each a column of a row group ([`groups`]). If anything is wrong with it, all is read once more from
//! the front, by one thread, which says what is wrong where.

mod groups;
mod nesting;

use super::guard::Reading;
use super::{Columns, gather};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::read::table::source::{Source, SourceReader};
use crate::read::table::unpacked::Unpacked;
use crate::read::table::{Contents, Keep};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use groups::Groups;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::LogicalType;
use parquet::file::reader::{ChunkReader, Length};
use std::io::BufReader;
use std::sync::Arc;

pub(in crate::read::table) fn read(
    source: &Source,
    keep: &Keep<'_>,
    unpacked: Unpacked,
    control: &Control,
) -> Result<Contents> {
    let reading = Reading { path: source.path(), format: "Parquet" };
    let in_schema = || "in its schema".to_owned();
    reading.guard(in_schema, || check_nesting(source))?;
    let metadata =
        reading.guard(in_schema, || ArrowReaderMetadata::load(source, ArrowReaderOptions::new()))?;
    let mut columns = Columns::of(&reading, metadata.schema(), keep)?;
    for column in &mut columns.kept {
        let field = metadata.parquet_schema().root_schema().get_fields().get(column.ix);
        let logical = field.and_then(|field| field.get_basic_info().logical_type_ref());
        column.is_uuid |= logical == Some(&LogicalType::Uuid);
    }
    let metadata = viewed(&metadata, &columns).unwrap_or(metadata);
    let groups = Groups { reading, source, metadata: &metadata, columns: &columns, control };
    if let Some((texts, n_rows)) = groups.read(&unpacked.anew()) {
        return columns.finish(&reading, texts, n_rows);
    }
    let batches = reading.guard(in_schema, || {
        let kept = columns.kept.iter().map(|column| column.ix);
        let mask = ProjectionMask::roots(metadata.parquet_schema(), kept);
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(source.clone(), metadata);
        builder.with_projection(mask).build()
    })?;
    gather(&reading, columns, batches, unpacked, control)
}

/// Refuses a file whose groups no stack is deep enough for.
fn check_nesting(source: &Source) -> std::result::Result<(), String> {
    const TRAILER: u64 = 8;
    let shown = |error: std::io::Error| error.to_string();
    let end = source.len().checked_sub(TRAILER).ok_or("it is cut off")?;
    let mut n_footer = [0; 4];
    source.fill(&mut n_footer, end).map_err(shown)?;
    let n_footer = u64::from(u32::from_le_bytes(n_footer));
    // What else is wrong with it, the reader says better.
    let Some(start) = end.checked_sub(n_footer) else { return Ok(()) };
    let footer = source.bytes(start, n_footer).map_err(shown)?;
    match nesting::deepest(&footer) {
        Some(deepest) if deepest > nesting::DEEPEST => {
            Err(format!("groups in groups, more than {}", nesting::DEEPEST))
        }
        _ => Ok(()),
    }
}

/// The same file with its texts as views. A value that many rows share is then there once, however long it is.
fn viewed(metadata: &ArrowReaderMetadata, columns: &Columns) -> Option<ArrowReaderMetadata> {
    let schema: &SchemaRef = metadata.schema();
    let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
    for column in &columns.kept {
        let field = &mut fields[column.ix];
        if let Some(view) = view(field.data_type()) {
            *field = Arc::new(field.as_ref().clone().with_data_type(view));
        }
    }
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let options = ArrowReaderOptions::new().with_schema(schema);
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).ok()
}

fn view(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => Some(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary => Some(DataType::BinaryView),
        DataType::Dictionary(_, value) => view(value),
        _ => None,
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.len()
    }
}

impl ChunkReader for Source {
    type T = BufReader<SourceReader>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::new(self.reader(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        Ok(self.bytes(start, length as u64)?)
    }
}
