//! The file formats, chosen by extension.

use super::Rows;
use crate::base::error::{Error, Result};
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A file format.
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

/// Rows of a batch in the formats that have batches.
pub(super) const ROWS_PER_BATCH: usize = 1 << 16;

/// Rows that a thread makes of them at a time.
const ROWS_PER_PART: usize = 1 << 13;

type Sink = BufWriter<Box<dyn Write + Send>>;

/// One of the formats' writers.
pub(super) enum Writer {
    Csv { file: Sink, delimiter: u8 },
    Parquet(Box<ArrowWriter<Sink>>),
    Arrow(Box<FileWriter<Sink>>),
}

impl Writer {
    pub(super) fn new(
        format: Format,
        file: Box<dyn Write + Send>,
        rows: &impl Rows,
    ) -> Result<Self, ArrowError> {
        let file = BufWriter::with_capacity(1 << 20, file);
        Ok(match format {
            Format::Csv | Format::Tsv => {
                let delimiter = if format == Format::Csv { b',' } else { b'\t' };
                let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(file);
                writer
                    .write_record(rows.schema().fields().iter().map(|field| field.name()))
                    .map_err(from_csv)?;
                let file = writer.into_inner().map_err(|error| error.into_error())?;
                Self::Csv { file, delimiter }
            }
            Format::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                Self::Parquet(Box::new(ArrowWriter::try_new(file, rows.schema(), Some(properties))?))
            }
            Format::Arrow => Self::Arrow(Box::new(FileWriter::try_new(file, &rows.schema())?)),
        })
    }

    /// Appends a batch, [`ROWS_PER_BATCH`] at most.
    pub(super) fn write<R: Rows>(&mut self, batch: &[R::Row], rows: &R) -> Result<(), ArrowError> {
        match self {
            Self::Csv { file, delimiter } => {
                // Rows are made by all threads, and written by one.
                let parts = batch.par_chunks(ROWS_PER_PART).map(|part| csv_rows(part, rows, *delimiter));
                for lines in parts.collect::<Result<Vec<Vec<u8>>, ArrowError>>()? {
                    file.write_all(&lines)?;
                }
            }
            Self::Parquet(writer) => writer.write(&rows.batch(batch)?)?,
            Self::Arrow(writer) => writer.write(&rows.batch(batch)?)?,
        }
        Ok(())
    }

    /// Writes the file's end and everything that is still buffered.
    pub(super) fn finish(self) -> Result<(), ArrowError> {
        match self {
            Self::Csv { mut file, .. } => file.flush()?,
            Self::Parquet(writer) => writer.into_inner()?.flush()?,
            Self::Arrow(writer) => writer.into_inner()?.flush()?,
        }
        Ok(())
    }
}

/// Rows as lines of CSV.
fn csv_rows<R: Rows>(part: &[R::Row], rows: &R, delimiter: u8) -> Result<Vec<u8>, ArrowError> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    for row in part {
        rows.write_csv(row, &mut writer).map_err(from_csv)?;
    }
    Ok(writer.into_inner().map_err(|error| error.into_error())?)
}

fn from_csv(error: csv::Error) -> ArrowError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        other => ArrowError::CsvError(format!("{other:?}")),
    }
}
