//! Output: rows in a CSV, Parquet or Arrow file.
//!
//! The file appears whole or not at all: rows go to a temporary file beside it, which takes its name only when all is
//! written and on disk. What a row looks like, each kind of result says in a file of its own ([`Rows`]). Rows wait until there
//! are enough of them for all threads, and are then written in one step (`steps`).

mod arrow;
mod candidates;
mod changes;
mod csv;
mod entities;
mod format;
mod ids;
mod iterations;
mod parquet;
mod scored;
mod steps;
#[cfg(test)]
mod tests;
mod tuples;
mod values;

pub use candidates::CandidateRows;
pub use changes::ChangeRows;
pub use csv::Lines;
pub use entities::EntityRows;
pub use format::Format;
pub use iterations::IterationRows;
pub use scored::ScoredRows;
pub use tuples::TupleRows;

pub(crate) use ids::{IdColumn, SourceColumn};
pub(crate) use values::{SideColumn, ValueColumns, Values, side_by_side};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::target::Target;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use format::Writer;
use std::path::Path;
use std::{io, mem};

/// What rows of one kind look like.
pub trait Rows: Sync {
    /// What a row is made of.
    type Row: Copy + Send + Sync;

    /// The columns.
    fn schema(&self) -> SchemaRef;

    /// Rows as arrow has them.
    fn batch(&self, rows: &[Self::Row]) -> Result<RecordBatch, ArrowError>;

    /// How many rows are made at once by each thread: of so many at most, a power of two.
    #[doc(hidden)]
    fn n_at_once(&self, most: usize) -> usize {
        most
    }

    /// A row as a line of CSV.
    #[doc(hidden)]
    fn write_csv(&self, row: &Self::Row, lines: &mut Lines);

    /// Rows as lines of CSV, one after the other.
    #[doc(hidden)]
    fn write_all_csv(&self, rows: &[Self::Row], lines: &mut Lines) {
        rows.iter().for_each(|row| self.write_csv(row, lines));
    }
}

/// A file of rows being written.
pub struct Output<'a, R: Rows> {
    writer: Writer,
    target: Target,
    rows: R,
    /// The rows of a step; only the last may have fewer.
    n_rows: usize,
    /// Too few for a step.
    waiting: Vec<R::Row>,
    control: &'a Control,
}

impl<'a, R: Rows> Output<'a, R> {
    /// Starts the file. `-` is standard output, as CSV.
    pub fn create(path: &Path, rows: R, control: &'a Control) -> Result<Self> {
        Self::create_at(Target::create(path)?, rows, control)
    }

    /// The same at a place that was made ready before.
    #[doc(hidden)]
    pub fn create_at(target: Target, rows: R, control: &'a Control) -> Result<Self> {
        let writer = Writer::new(target.path(), target.file()?, &rows)?;
        let n_rows = writer.n_rows();
        Ok(Self { writer, target, rows, n_rows, waiting: Vec::new(), control })
    }

    /// Appends rows.
    pub fn write(&mut self, mut rows: &[R::Row]) -> Result<()> {
        if !self.waiting.is_empty() {
            let (first, rest) = rows.split_at(rows.len().min(self.n_rows - self.waiting.len()));
            self.waiting.extend_from_slice(first);
            rows = rest;
            if self.waiting.len() < self.n_rows {
                return Ok(());
            }
            let mut waiting = mem::take(&mut self.waiting);
            self.step(&waiting)?;
            waiting.clear();
            self.waiting = waiting;
        }
        let steps = rows.chunks_exact(self.n_rows);
        let rest = steps.remainder();
        for rows in steps {
            self.step(rows)?;
        }
        self.waiting.extend_from_slice(rest);
        Ok(())
    }

    fn step(&mut self, rows: &[R::Row]) -> Result<()> {
        self.control.check()?;
        self.writer.step(rows, &self.rows, self.control)
    }

    /// Writes what is left, and puts the file in its place.
    pub fn finish(self) -> Result<()> {
        self.written()?.finish()
    }

    /// Writes what is left. The file is whole then, and has yet to be put in its place.
    #[doc(hidden)]
    pub fn written(mut self) -> Result<Target> {
        let rest = mem::take(&mut self.waiting);
        self.step(&rest)?;
        self.writer.finish()?;
        self.control.check()?;
        Ok(self.target)
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
