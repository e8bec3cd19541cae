//! Output: rows in a CSV, Parquet or Arrow file.
//!
//! The file appears whole or not at all: rows go to a temporary file beside it, which takes its name only when all is
//! written and on disk. What a row looks like, each kind of result says in a file of its own ([`Rows`]).

mod candidates;
mod entities;
mod format;
mod iterations;
mod scored;
mod tuples;

pub use candidates::CandidateRows;
pub use entities::EntityRows;
pub use format::Format;
pub use iterations::IterationRows;
pub use scored::ScoredRows;
pub use tuples::TupleRows;

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::target::Target;
use crate::read::table::Ids;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use format::{ROWS_PER_BATCH, Writer};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What rows of one kind look like.
pub trait Rows: Sync {
    /// What a row is made of.
    type Row: Sync;

    /// The columns.
    fn schema(&self) -> SchemaRef;

    /// Rows as arrow has them.
    fn batch(&self, rows: &[Self::Row]) -> Result<RecordBatch, ArrowError>;

    /// A row as CSV has it.
    fn write_csv(&self, row: &Self::Row, writer: &mut csv::Writer<Vec<u8>>) -> csv::Result<()>;
}

/// A file of rows being written.
pub struct Output<'a, R> {
    writer: Writer,
    target: Target,
    rows: R,
    control: &'a Control,
}

impl<'a, R: Rows> Output<'a, R> {
    /// Starts the file. `-` is standard output, as CSV.
    pub fn create(path: &Path, rows: R, control: &'a Control) -> Result<Self> {
        let target = Target::create(path)?;
        let writer = Writer::new(Format::of(path)?, target.file()?, &rows).map_err(failed(path))?;
        Ok(Self { writer, target, rows, control })
    }

    /// Appends rows.
    pub fn write(&mut self, rows: &[R::Row]) -> Result<()> {
        for batch in rows.chunks(ROWS_PER_BATCH) {
            self.control.check()?;
            self.writer.write(batch, &self.rows).map_err(failed(self.target.path()))?;
        }
        Ok(())
    }

    /// Writes what is left, and puts the file in its place.
    pub fn finish(self) -> Result<()> {
        self.control.check()?;
        self.writer.finish().map_err(failed(self.target.path()))?;
        self.control.check()?;
        self.target.finish()
    }
}

/// For `map_err` on anything that writes.
fn failed(path: &Path) -> impl Fn(ArrowError) -> Error {
    move |error| {
        let source = match error {
            ArrowError::IoError(_, source) => source,
            other => io::Error::other(other),
        };
        Error::Io { path: path.to_owned(), source }
    }
}

/// A column of ids: those that are all integers stay integers.
fn id_field(name: &str, ids: &Ids) -> Field {
    let id_type = if ids.are_integers() { DataType::Int64 } else { DataType::LargeUtf8 };
    Field::new(name, id_type, false)
}

/// The ids of records.
fn id_array(ids: &Ids, records: impl Iterator<Item = u32>) -> ArrayRef {
    if ids.are_integers() {
        return Arc::new(records.map(|record| ids.integer(record)).collect::<Int64Array>());
    }
    let mut texts = LargeStringBuilder::new();
    records.for_each(|record| texts.append_value(ids.text(record)));
    Arc::new(texts.finish())
}
