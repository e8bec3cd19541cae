//! Spilled runs: what does not fit into memory, in a file that has no name.
//!
//! ```text
//! runs, each sorted ─► blocks: packed, sealed, appended to the file       an index of them in memory
//!                        └─► range of keys: its rows of all runs ─► whoever sorts them
//! ```
//!
//! The file is made in a folder and loses its name at once, so that nothing is left of it however the process ends, and nobody
//! else can open it. A row is some numbers, and the first two of them are its key. Rows come back by ranges of keys: of each
//! run the blocks that may have some of the range are unpacked, by all threads, and what lies outside is dropped. No more than a
//! range is in memory, and blocks at its ends are unpacked twice.

mod block;

pub use block::{Row, packed, unpacked};

use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::threads;
use block::{BLOCK, key};
use rayon::prelude::*;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Blocks of a range, at least, where it has many rows: so many ends are worth it.
const BLOCKS_PER_RANGE: usize = 64;

/// Keys that are remembered of each block.
const MARKS_PER_BLOCK: usize = 16;

/// Rows of several runs, in a file.
#[derive(Debug)]
pub struct Spill<R> {
    file: File,
    folder: PathBuf,
    /// Bytes that were written.
    end: u64,
    /// Those of a run in order, one run after the other.
    blocks: Vec<Block>,
    n_rows: u64,
    /// The rows of a block, and every how many-th of them has its key in `marks`.
    block: usize,
    step: usize,
    marks: Vec<u64>,
    kind: PhantomData<R>,
}

/// Keys from one on, up to another one if it ends.
#[derive(Clone, Copy, Debug)]
pub struct KeyRange {
    from: u64,
    upto: Option<u64>,
}

/// What lies between keys that ascend, and after the last one.
pub fn ranges_between(edges: &[u64]) -> Vec<KeyRange> {
    let ends = edges.iter().skip(1).map(|&end| Some(end)).chain([None]);
    edges.iter().zip(ends).map(|(&from, upto)| KeyRange { from, upto }).collect()
}

/// Where a block is, and which keys it has.
#[derive(Clone, Copy, Debug)]
struct Block {
    at: u64,
    n_bytes: usize,
    first: u64,
    last: u64,
}

impl<R: Row> Spill<R> {
    /// A file in a folder, for ranges of about so many rows.
    pub fn new(folder: PathBuf, range: usize) -> Result<Self> {
        let file = tempfile::tempfile_in(&folder).map_err(|error| no_room(&folder, error))?;
        let block = (range / BLOCKS_PER_RANGE).clamp(1, BLOCK);
        Ok(Self {
            file,
            folder,
            end: 0,
            blocks: Vec::new(),
            n_rows: 0,
            block,
            step: (block / MARKS_PER_BLOCK).max(1),
            marks: Vec::new(),
            kind: PhantomData,
        })
    }

    /// Rows of all runs.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// Bytes in the file.
    pub fn n_bytes(&self) -> u64 {
        self.end
    }

    /// Adds a run, which is sorted by keys.
    pub fn add(&mut self, run: &[R]) -> Result<()> {
        self.marks.extend(run.iter().step_by(self.step).map(key));
        // A few for each thread: packed blocks wait in memory.
        for some in run.chunks(self.block * 2 * threads::n_threads()) {
            let packed: io::Result<Vec<Vec<u8>>> = some.par_chunks(self.block).map(packed).gather_all();
            let packed = packed.map_err(|error| no_room(&self.folder, error))?;
            for (rows, bytes) in some.chunks(self.block).zip(packed) {
                let (Some(first), Some(last)) = (rows.first().map(key), rows.last().map(key)) else {
                    continue;
                };
                self.file.write_all_at(&bytes, self.end).map_err(|error| no_room(&self.folder, error))?;
                self.blocks.push(Block { at: self.end, n_bytes: bytes.len(), first, last });
                self.end += bytes.len() as u64;
            }
        }
        self.n_rows += run.len() as u64;
        Ok(())
    }

    /// All keys as ranges that have about `most` rows each, unless one key has more; in order, and the last one is open.
    pub fn ranges(&self, most: usize) -> Vec<KeyRange> {
        let mut marks = self.marks.clone();
        marks.par_sort_unstable();
        let mut edges: Vec<u64> = marks.into_iter().step_by((most / self.step).max(1)).collect();
        edges.dedup();
        ranges_between(&edges)
    }

    /// The rows whose keys are in a range, which may be open at its end: each run's in order, one run after the other.
    pub fn range(&self, KeyRange { from, upto }: KeyRange) -> Result<Vec<R>> {
        let is_before_end = |key: u64| upto.is_none_or(|upto| key < upto);
        let has_some = |block: &&Block| block.last >= from && is_before_end(block.first);
        let blocks: Vec<&Block> = self.blocks.iter().filter(has_some).collect();
        let within = |block: &&Block| {
            let mut rows = self.read(block)?;
            rows.truncate(rows.partition_point(|row| is_before_end(key(row))));
            rows.drain(..rows.partition_point(|row| key(row) < from));
            Ok(rows)
        };
        let parts = blocks.par_iter().map(within).gather_all()?;
        let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        parts.into_iter().for_each(|rows| all.extend(rows));
        Ok(all)
    }

    /// The rows of a block, if it is as it was written.
    fn read(&self, block: &Block) -> Result<Vec<R>> {
        let mut bytes = vec![0; block.n_bytes];
        let read = self.file.read_exact_at(&mut bytes, block.at);
        match read.as_ref().err().map(io::Error::kind) {
            // It is shorter than what was written.
            Some(io::ErrorKind::UnexpectedEof) => return Err(self.changed()),
            _ => read.map_err(Error::io(&self.folder))?,
        }
        let is_own = |rows: &Vec<R>| {
            rows.first().map(key) == Some(block.first) && rows.last().map(key) == Some(block.last)
        };
        unpacked(&bytes).filter(is_own).ok_or_else(|| self.changed())
    }

    fn changed(&self) -> Error {
        let message = "a file that was kept here for a while is not what was written: the disk failed, or somebody \
                       changed it; run the job again, with another folder for --spill";
        Error::table(&self.folder, message)
    }
}

/// What is said when a file cannot be made or written.
fn no_room(folder: &Path, error: io::Error) -> Error {
    let message = format!(
        "what does not fit into memory cannot be kept here: {error}; name another folder with --spill"
    );
    Error::Io { path: folder.to_owned(), source: io::Error::new(error.kind(), message) }
}

#[cfg(test)]
mod tests;
