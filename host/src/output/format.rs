//! The file formats, chosen by extension.

use crate::error::{Error, Result};
use arrow_array::RecordBatch;
use arrow_csv::WriterBuilder;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A file format for candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.csv`, and standard output.
    Csv,
    /// `.tsv`.
    Tsv,
    /// `.parquet`, `.pq`.
    Parquet,
    /// `.arrow`, `.feather`, `.ipc`.
    Arrow,
}

impl Format {
    /// The format that a file's name asks for.
    pub fn of(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Csv);
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Ok(Self::Csv),
            "tsv" | "tab" => Ok(Self::Tsv),
            "parquet" | "pq" => Ok(Self::Parquet),
            "arrow" | "feather" | "ipc" => Ok(Self::Arrow),
            _ if path.starts_with("/dev") => Ok(Self::Csv),
            _ => Err(Error::Job(format!(
                "{}: the output's extension must be .csv, .tsv, .parquet or .arrow (or - for standard output)",
                path.display()
            ))),
        }
    }
}

type Sink = BufWriter<Box<dyn Write + Send>>;

/// One of the formats' writers.
pub(super) enum Writer {
    Csv(Box<arrow_csv::Writer<Sink>>),
    Parquet(Box<ArrowWriter<Sink>>),
    Arrow(Box<FileWriter<Sink>>),
}

impl Writer {
    pub(super) fn new(
        format: Format,
        file: Box<dyn Write + Send>,
        schema: SchemaRef,
    ) -> Result<Self, ArrowError> {
        let file = BufWriter::with_capacity(1 << 20, file);
        Ok(match format {
            Format::Csv | Format::Tsv => {
                let delimiter = if format == Format::Csv { b',' } else { b'\t' };
                let mut writer = WriterBuilder::new().with_header(true).with_delimiter(delimiter).build(file);
                // The header comes with the first batch: an empty result has one too.
                writer.write(&RecordBatch::new_empty(schema))?;
                Self::Csv(Box::new(writer))
            }
            Format::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                Self::Parquet(Box::new(ArrowWriter::try_new(file, schema, Some(properties))?))
            }
            Format::Arrow => Self::Arrow(Box::new(FileWriter::try_new(file, &schema)?)),
        })
    }

    pub(super) fn write(&mut self, rows: &RecordBatch) -> Result<(), ArrowError> {
        match self {
            Self::Csv(writer) => writer.write(rows),
            Self::Parquet(writer) => Ok(writer.write(rows)?),
            Self::Arrow(writer) => writer.write(rows),
        }
    }

    /// Writes the file's end and everything that is still buffered.
    pub(super) fn finish(self) -> Result<(), ArrowError> {
        match self {
            Self::Csv(writer) => writer.into_inner().flush()?,
            Self::Parquet(writer) => writer.into_inner()?.flush()?,
            Self::Arrow(writer) => writer.into_inner()?.flush()?,
        }
        Ok(())
    }
}
