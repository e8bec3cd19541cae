//! Parquet: row groups whose columns threads encode, written one after the other.
//!
//! Integers are written as differences, bit-packed: ids come sorted or nearly so, and no table of values has to be built and
//! looked up in as for a dictionary.

use super::Rows;
use super::steps::{Encode, Sink};
use arrow_schema::{ArrowError, DataType, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use rayon::prelude::*;
use std::io::{self, Write};

/// What makes row groups.
pub(super) struct Parquet(ArrowRowGroupWriterFactory);

impl Parquet {
    /// A file with its beginning.
    pub(super) fn start(
        file: Sink,
        rows: &impl Rows,
    ) -> Result<(Self, Box<SerializedFileWriter<Sink>>), ArrowError> {
        let schema = rows.schema();
        let properties = properties(&schema);
        let (file, factory) =
            ArrowWriter::try_new(file, schema, Some(properties))?.into_serialized_writer()?;
        Ok((Self(factory), Box::new(file)))
    }
}

/// An error of the disk, as such.
fn from_parquet(error: ParquetError) -> ArrowError {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => (*source).into(),
            Err(source) => ArrowError::ExternalError(source),
        },
        other => other.into(),
    }
}

fn properties(schema: &Schema) -> WriterProperties {
    // Rows are sorted by the first column at most: statistics of pages would tell readers nothing that they skip by.
    let general = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let integers = schema.fields().iter().filter(|field| field.data_type() == &DataType::Int64);
    let properties = integers.fold(general, |properties, field| {
        let column = || ColumnPath::from(field.name().as_str());
        properties
            .set_column_dictionary_enabled(column(), false)
            .set_column_encoding(column(), Encoding::DELTA_BINARY_PACKED)
    });
    properties.build()
}

impl Encode for Parquet {
    /// A file has 32,767 row groups at most, and so 17 billion rows.
    const ROWS: usize = 1 << 19;
    type Part = Vec<ArrowColumnChunk>;
    type Room = ();
    type File = Box<SerializedFileWriter<Sink>>;

    fn encode<R: Rows>(&self, rows: &[R::Row], kind: &R, (): ()) -> Result<Self::Part, ArrowError> {
        let batch = kind.batch(rows)?;
        let schema = batch.schema();
        // The number says which keys a column is encrypted with, and none is.
        let writers = self.0.create_column_writers(0)?;
        let columns: Vec<_> = writers.into_iter().zip(schema.fields().iter().zip(batch.columns())).collect();
        let chunks = columns.into_par_iter().map(|(mut writer, (field, column))| {
            for leaf in compute_leaves(field, column)? {
                writer.write(&leaf)?;
            }
            writer.close()
        });
        Ok(chunks.collect::<Result<Vec<_>, ParquetError>>()?)
    }

    fn append(file: &mut Self::File, columns: Self::Part) -> Result<(), ArrowError> {
        let append = || {
            let mut group = file.next_row_group()?;
            for column in columns {
                column.append_to_row_group(&mut group)?;
            }
            group.close().map(drop)
        };
        append().map_err(from_parquet)
    }

    fn finish(file: Self::File) -> Result<(), ArrowError> {
        Ok(file.into_inner().map_err(from_parquet)?.flush()?)
    }
}
