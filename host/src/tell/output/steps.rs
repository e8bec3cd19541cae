//! Steps: rows are made into parts of a file by all threads, while one of them writes those of the step before.
//!
//! Parts are cut at the same rows, however many threads there are and however rows come, and appended in order: so a file's
//! bytes depend on its rows alone.

use super::{Rows, failed};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::threads;
use arrow_schema::ArrowError;
use rayon::prelude::*;
use std::io::{BufWriter, Write};
use std::mem;
use std::path::{Path, PathBuf};

/// Where a file goes.
pub(super) type Sink = BufWriter<Box<dyn Write + Send>>;

/// The fewest rows of a step, where they are short: less is done about as soon as all threads are awake.
const LEAST: usize = 1 << 20;

/// How a format is made of rows: in parts, each by itself.
pub(super) trait Encode: Sync {
    /// The rows of a part, at most; a file's last may have fewer.
    const ROWS: usize;

    /// Some rows, ready to be appended.
    type Part: Send;

    /// The file, which takes parts in order.
    type File: Send;

    fn encode<R: Rows>(&self, rows: &[R::Row], kind: &R) -> Result<Self::Part, ArrowError>;

    fn append(file: &mut Self::File, part: Self::Part) -> Result<(), ArrowError>;

    /// Writes the file's end and everything that is still buffered.
    fn finish(file: Self::File) -> Result<(), ArrowError>;
}

/// A file that is written step by step.
pub(super) struct Steps<E: Encode> {
    path: PathBuf,
    encoder: E,
    file: E::File,
    /// The rows of a part.
    n_at_once: usize,
    /// What was made of the last step's rows.
    pending: Vec<E::Part>,
}

impl<E: Encode> Steps<E> {
    /// Into a file that begins already, for such rows.
    pub(super) fn new(path: &Path, (encoder, file): (E, E::File), rows: &impl Rows) -> Self {
        let n_at_once = rows.n_at_once(E::ROWS);
        Self { path: path.to_owned(), encoder, file, n_at_once, pending: Vec::new() }
    }

    /// The rows of a step; only the last may have fewer.
    pub(super) fn n_rows(&self) -> usize {
        threads::n_threads().max(LEAST / E::ROWS) * self.n_at_once
    }

    /// Makes parts of rows, and writes those of the step before.
    pub(super) fn step<R: Rows>(&mut self, rows: &[R::Row], kind: &R, control: &Control) -> Result<()> {
        let Self { path, encoder, file, n_at_once, pending } = self;
        let before = mem::take(pending);
        let encode = |rows: &[R::Row]| {
            control.check()?;
            encoder.encode(rows, kind).map_err(failed(path))
        };
        let (made, written) = rayon::join(
            || rows.par_chunks(*n_at_once).map(encode).collect::<Result<Vec<_>>>(),
            || before.into_iter().try_for_each(|part| E::append(file, part)).map_err(failed(path)),
        );
        written?;
        *pending = made?;
        Ok(())
    }

    /// Writes what is left, and the file's end.
    pub(super) fn finish(mut self) -> Result<()> {
        let finish = || {
            self.pending.into_iter().try_for_each(|part| E::append(&mut self.file, part))?;
            E::finish(self.file)
        };
        finish().map_err(failed(&self.path))
    }
}
