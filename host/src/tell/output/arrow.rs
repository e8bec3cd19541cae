//! Arrow: batches that threads make, written as they lie in memory.

use super::Rows;
use super::steps::{Encode, Sink};
use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use std::io::Write;

/// What makes batches.
pub(super) struct Arrow;

impl Arrow {
    /// A file with its schema.
    pub(super) fn start(file: Sink, rows: &impl Rows) -> Result<(Self, Box<FileWriter<Sink>>), ArrowError> {
        Ok((Self, Box::new(FileWriter::try_new(file, &rows.schema())?)))
    }
}

impl Encode for Arrow {
    const ROWS: usize = 1 << 16;
    type Part = RecordBatch;
    type Room = ();
    type File = Box<FileWriter<Sink>>;

    fn encode<R: Rows>(&self, rows: &[R::Row], kind: &R, (): ()) -> Result<RecordBatch, ArrowError> {
        kind.batch(rows)
    }

    fn append(file: &mut Self::File, batch: RecordBatch) -> Result<(), ArrowError> {
        file.write(&batch)
    }

    fn finish(file: Self::File) -> Result<(), ArrowError> {
        Ok(file.into_inner()?.flush()?)
    }
}
