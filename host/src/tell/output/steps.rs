//! Steps: rows are made into parts of a file by all threads, while one of them writes those of the step before.
//!
//! Parts are cut at the same rows, however many threads there are and however rows come, and appended in order: so a file's
//! bytes depend on its rows alone.

use super::{Rows, failed};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::base::threads;
use arrow_schema::ArrowError;
use rayon::prelude::*;
use std::io::{BufWriter, Write};
use std::mem;
use std::path::{Path, PathBuf};

/// Where a file goes.
pub(super) type Sink = BufWriter<Box<dyn Write + Send>>;

/// The fewest rows of a step, where they are short: less is done about as soon as all threads are awake. What is made of so many is
/// written before it has left the caches.
const LEAST: usize = 1 << 18;

/// Where there are more threads, so many parts for each of them, or so many rows: else those that are done first would wait.
const PARTS_EACH: usize = 4;
const MOST: usize = 1 << 20;

/// How a format is made of rows: in parts, each by itself.
pub(super) trait Encode: Sync {
    /// The rows of a part, at most; a file's last may have fewer.
    const ROWS: usize;

    /// Some rows, ready to be appended.
    type Part: Send;

    /// What is left of a part that was appended: to make another one in.
    type Room: Default + Send;

    /// The file, which takes parts in order.
    type File: Send;

    fn encode<R: Rows>(&self, rows: &[R::Row], kind: &R, room: Self::Room) -> Result<Self::Part, ArrowError>;

    fn append(file: &mut Self::File, part: Self::Part) -> Result<Self::Room, ArrowError>;

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
    /// What is left of the steps before.
    rooms: Vec<E::Room>,
}

impl<E: Encode> Steps<E> {
    /// Into a file that begins already, for such rows.
    pub(super) fn new(path: &Path, (encoder, file): (E, E::File), rows: &impl Rows) -> Self {
        let n_at_once = rows.n_at_once(E::ROWS);
        Self { path: path.to_owned(), encoder, file, n_at_once, pending: Vec::new(), rooms: Vec::new() }
    }

    /// The rows of a step; only the last may have fewer.
    pub(super) fn n_rows(&self) -> usize {
        let n_threads = threads::n_threads();
        let for_each = (PARTS_EACH * n_threads).min(MOST / E::ROWS).max(n_threads);
        for_each.max(LEAST / E::ROWS) * self.n_at_once
    }

    /// Makes parts of rows, and writes those of the step before.
    pub(super) fn step<R: Rows>(&mut self, rows: &[R::Row], kind: &R, control: &Control) -> Result<()> {
        let Self { path, encoder, file, n_at_once, pending, rooms } = self;
        let before = mem::take(pending);
        let encode = |(rows, room): (&[R::Row], E::Room)| {
            control.check()?;
            encoder.encode(rows, kind, room).map_err(failed(path))
        };
        let mut own = mem::take(rooms);
        own.resize_with(rows.len().div_ceil(*n_at_once), E::Room::default);
        let (made, written) = rayon::join(
            || rows.par_chunks(*n_at_once).zip(own).map(encode).gather_all(),
            || before.into_iter().map(|part| E::append(file, part)).collect::<Result<_, _>>(),
        );
        *rooms = written.map_err(failed(path))?;
        *pending = made?;
        Ok(())
    }

    /// Writes what is left, and the file's end.
    pub(super) fn finish(mut self) -> Result<()> {
        let finish = || {
            self.pending.into_iter().try_for_each(|part| E::append(&mut self.file, part).map(drop))?;
            E::finish(self.file)
        };
        finish().map_err(failed(&self.path))
    }
}
