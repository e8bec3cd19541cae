//! Output: candidates as rows of `left, right, rule` in a CSV, Parquet or Arrow file.
//!
//! The file appears whole or not at all: rows go to a temporary file beside it, which takes its name only when all is
//! written and on disk.

mod format;
mod target;

pub use format::Format;

use crate::error::Result;
use crate::table::Ids;
use arrow_array::builder::{LargeStringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use format::Writer;
use hyperblock_shared::layout::Candidate;
use std::path::Path;
use std::sync::Arc;
use target::Target;

/// Rows that are converted at a time.
const ROWS_PER_BATCH: usize = 1 << 16;

/// A file of candidates being written.
pub struct Output<'a> {
    writer: Writer,
    target: Target,
    schema: SchemaRef,
    left: &'a Ids,
    right: &'a Ids,
    rules: Vec<String>,
}

impl<'a> Output<'a> {
    /// Starts the file. `-` is standard output, as CSV. Ids of candidates are looked up in `left` and `right`.
    pub fn create(path: &Path, left: &'a Ids, right: &'a Ids, rules: Vec<String>) -> Result<Self> {
        let format = Format::of(path)?;
        let schema = Arc::new(Schema::new(vec![
            Field::new("left", id_type(left), false),
            Field::new("right", id_type(right), false),
            Field::new(
                "rule",
                DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
                false,
            ),
        ]));
        let target = Target::create(path)?;
        let writer = Writer::new(format, target.file()?, schema.clone()).map_err(target.failed())?;
        Ok(Self { writer, target, schema, left, right, rules })
    }

    /// Appends rows.
    pub fn write(&mut self, candidates: &[Candidate]) -> Result<()> {
        for chunk in candidates.chunks(ROWS_PER_BATCH) {
            let rows = self.rows(chunk).map_err(self.target.failed())?;
            self.writer.write(&rows).map_err(self.target.failed())?;
        }
        Ok(())
    }

    /// Writes what is left, and puts the file in its place.
    pub fn finish(self) -> Result<()> {
        self.writer.finish().map_err(self.target.failed())?;
        self.target.finish()
    }

    fn rows(&self, candidates: &[Candidate]) -> Result<RecordBatch, ArrowError> {
        let mut rules = StringDictionaryBuilder::<Int32Type>::new();
        for candidate in candidates {
            rules.append(&self.rules[candidate.rule as usize])?;
        }
        let left = ids(self.left, candidates.iter().map(|candidate| candidate.left));
        let right = ids(self.right, candidates.iter().map(|candidate| candidate.right));
        RecordBatch::try_new(self.schema.clone(), vec![left, right, Arc::new(rules.finish())])
    }
}

fn id_type(ids: &Ids) -> DataType {
    if ids.are_integers() { DataType::Int64 } else { DataType::LargeUtf8 }
}

fn ids(ids: &Ids, records: impl Iterator<Item = u32>) -> ArrayRef {
    if ids.are_integers() {
        return Arc::new(records.map(|record| ids.integer(record)).collect::<Int64Array>());
    }
    let mut texts = LargeStringBuilder::new();
    records.for_each(|record| texts.append_value(ids.text(record)));
    Arc::new(texts.finish())
}
