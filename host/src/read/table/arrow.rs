//! Parquet and Arrow files. Every column becomes the text a person would write; its type gives its kind.

mod texts;

use super::{ColumnSchema, Contents, Keep, Kind, MAX_FIELD, field_too_long, name_columns};
use crate::base::error::{Error, Result};
use arrow_array::{LargeStringArray, RecordBatch, builder::LargeStringBuilder};
use arrow_ipc::reader::FileReader;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;

pub(super) fn is_parquet(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1")
}

pub(super) fn is_ipc(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ARROW1")
}

pub(super) fn read_parquet(path: &Path, keep: &Keep<'_>) -> Result<Contents> {
    let damaged =
        |error: parquet::errors::ParquetError| Error::table(path, format!("damaged Parquet: {error}"));
    let builder = ParquetRecordBatchReaderBuilder::try_new(open(path)?).map_err(damaged)?;
    let schema = builder.schema().clone();
    let kept = kept(&schema, keep);
    let mask = ProjectionMask::roots(builder.parquet_schema(), kept.iter().copied());
    let batches = builder.with_projection(mask).build().map_err(damaged)?;
    gather(path, &schema, &kept, batches)
}

pub(super) fn read_ipc(path: &Path, keep: &Keep<'_>) -> Result<Contents> {
    let damaged = |error: ArrowError| Error::table(path, format!("damaged Arrow file: {error}"));
    let schema = FileReader::try_new(open(path)?, None).map_err(damaged)?.schema();
    let kept = kept(&schema, keep);
    let batches = FileReader::try_new(open(path)?, Some(kept.clone())).map_err(damaged)?;
    gather(path, &schema, &kept, batches)
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(Error::io(path))
}

fn kept(schema: &SchemaRef, keep: &Keep<'_>) -> Vec<usize> {
    (0..schema.fields().len()).filter(|&ix| keep.keeps(schema.field(ix).name())).collect()
}

/// The kept columns of all batches as text.
fn gather(
    path: &Path,
    schema: &SchemaRef,
    kept: &[usize],
    batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>>,
) -> Result<Contents> {
    let names = name_columns(path, schema.fields().iter().map(|field| field.name().clone()))?;
    let mut columns: Vec<_> = names
        .into_iter()
        .map(|name| ColumnSchema {
            name,
            kind: Kind::Text,
            why_text: Some("the file declares it as text".into()),
        })
        .collect();
    for &ix in kept {
        columns[ix].kind = kind(path, &columns[ix].name, schema.field(ix).data_type())?;
    }
    let mut builders: Vec<_> = kept.iter().map(|_| LargeStringBuilder::new()).collect();
    let mut n_rows = 0;
    for batch in batches {
        let batch = batch.map_err(|error| Error::table(path, format!("after row {n_rows}: {error}")))?;
        for ((builder, &ix), array) in builders.iter_mut().zip(kept).zip(batch.columns()) {
            let texts = texts::texts(array).map_err(|error| {
                Error::table(path, format!("column `{}`, after row {n_rows}: {error}", columns[ix].name))
            })?;
            for (row, value) in texts.iter().enumerate() {
                let value = value.filter(|value| !value.is_empty());
                if let Some(value) = value.filter(|value| value.len() > MAX_FIELD) {
                    return Err(field_too_long(path, n_rows + row + 1, None, &columns[ix].name, value.len()));
                }
                builder.append_option(value);
            }
        }
        n_rows += batch.num_rows();
    }
    let mut values: Vec<Option<LargeStringArray>> = vec![None; columns.len()];
    for (mut builder, &ix) in builders.into_iter().zip(kept) {
        values[ix] = Some(builder.finish());
    }
    Ok(Contents { columns, values, n_rows })
}

fn kind(path: &Path, name: &str, data_type: &DataType) -> Result<Kind> {
    Ok(match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean | DataType::Null => {
            Kind::Text
        }
        DataType::Dictionary(_, value) => kind(path, name, value)?,
        integer if integer.is_integer() => Kind::Integer,
        float if float.is_floating() || float.is_decimal() => Kind::Float,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Kind::Date,
        other => {
            let message =
                format!("column `{name}` holds {other}; text, numbers, dates and booleans can be compared");
            return Err(Error::table(path, message));
        }
    })
}
