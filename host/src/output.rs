//! Output: candidates as rows of `left, right, rule` in a CSV, Parquet or Arrow file.
//!
//! The file appears whole or not at all: rows go to a temporary file beside it, which takes its name only when all is
//! written and on disk.

mod format;
mod rows;
mod target;

pub use format::Format;

use crate::error::Result;
use crate::table::Ids;
use format::Writer;
use hyperblock_shared::layout::Candidate;
use std::path::Path;
use target::Target;

/// A file of candidates being written.
pub struct Output<'a> {
    writer: Writer,
    target: Target,
    names: Names<'a>,
}

/// What the numbers in a candidate stand for.
struct Names<'a> {
    left: &'a Ids,
    right: &'a Ids,
    rules: Vec<String>,
}

impl<'a> Output<'a> {
    /// Starts the file. `-` is standard output, as CSV. Ids of candidates are looked up in `left` and `right`.
    pub fn create(path: &Path, left: &'a Ids, right: &'a Ids, rules: Vec<String>) -> Result<Self> {
        let names = Names { left, right, rules };
        let target = Target::create(path)?;
        let writer = Writer::new(Format::of(path)?, target.file()?, &names).map_err(target.failed())?;
        Ok(Self { writer, target, names })
    }

    /// Appends rows.
    pub fn write(&mut self, candidates: &[Candidate]) -> Result<()> {
        self.writer.write(candidates, &self.names).map_err(self.target.failed())
    }

    /// Writes what is left, and puts the file in its place.
    pub fn finish(self) -> Result<()> {
        self.writer.finish().map_err(self.target.failed())?;
        self.target.finish()
    }
}
