//! The file formats, chosen by extension.

use super::arrow::Arrow;
use super::csv::Csv;
use super::parquet::Parquet;
use super::steps::Steps;
use super::{Rows, failed};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
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

/// One of the formats' writers.
pub(super) enum Writer {
    Csv(Steps<Csv>),
    Parquet(Steps<Parquet>),
    Arrow(Steps<Arrow>),
}

impl Writer {
    /// Begins a file, in the format that `path` asks for.
    pub(super) fn new(path: &Path, file: Box<dyn Write + Send>, rows: &impl Rows) -> Result<Self> {
        let file = BufWriter::with_capacity(1 << 20, file);
        let begun = match Format::of(path)? {
            Format::Csv => Csv::start(b',', file, rows).map(|begun| Self::Csv(Steps::new(path, begun, rows))),
            Format::Tsv => {
                Csv::start(b'\t', file, rows).map(|begun| Self::Csv(Steps::new(path, begun, rows)))
            }
            Format::Parquet => {
                Parquet::start(file, rows).map(|begun| Self::Parquet(Steps::new(path, begun, rows)))
            }
            Format::Arrow => Arrow::start(file, rows).map(|begun| Self::Arrow(Steps::new(path, begun, rows))),
        };
        begun.map_err(failed(path))
    }

    /// The rows of a step; only the last may have fewer.
    pub(super) fn n_rows(&self) -> usize {
        match self {
            Self::Csv(steps) => steps.n_rows(),
            Self::Parquet(steps) => steps.n_rows(),
            Self::Arrow(steps) => steps.n_rows(),
        }
    }

    /// Takes the rows of a step.
    pub(super) fn step<R: Rows>(&mut self, rows: &[R::Row], kind: &R, control: &Control) -> Result<()> {
        match self {
            Self::Csv(steps) => steps.step(rows, kind, control),
            Self::Parquet(steps) => steps.step(rows, kind, control),
            Self::Arrow(steps) => steps.step(rows, kind, control),
        }
    }

    /// Writes what is left, and the file's end.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Csv(steps) => steps.finish(),
            Self::Parquet(steps) => steps.finish(),
            Self::Arrow(steps) => steps.finish(),
        }
    }
}
