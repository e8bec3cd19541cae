//! A store: arrays in a file, with a header that says what they are.
//!
//! ```text
//! magic │ array │ array │ … │ header │ its length and checksum, magic
//! ```
//!
//! An array is cut into blocks, each with a checksum that is in the header; all threads write blocks, and read them. Nothing is
//! mapped: whoever shortens or changes the file meanwhile is found out by what was read. A store appears whole or not at
//! all, and only its owner may read it. What is not as it was written is no error here, but [`Damaged`]: the store can be made anew.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::sealed::{sealed, unsealed};
use bytemuck::{Pod, Zeroable, allocation::zeroed_vec, cast_slice, cast_slice_mut};
use crc32fast::hash;
use rayon::prelude::*;
use rkyv::{Archive, Deserialize, Serialize};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What a store begins and ends with; the last byte is the version of the layout.
const MAGIC: [u8; 8] = *b"hb-data\x01";
/// Bytes of a block.
const BLOCK: usize = 4 << 20;
/// Bytes at the end: the length of the header, its checksum, and the magic.
const END: usize = 8 + 4 + 8;
/// Where every array begins: at a multiple of the largest item.
const ALIGNED: u64 = 64;
/// The most bytes that a header may have: one that says more is none.
const MOST_HEADER: u64 = 1 << 30;

/// Where an array is in a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Array {
    at: u64,
    n_bytes: u64,
    /// By block.
    checksums: Vec<u32>,
}

/// That a store is not what was written, and how that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged(pub String);

/// A store that is being made.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    part: PathBuf,
    file: File,
    at: u64,
    is_whole: bool,
}

impl Writer {
    /// Begins a store, in a folder that is made where there is none. Nothing, if another process is making the same one.
    pub fn create(path: &Path) -> Result<Option<Self>> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Error::io(folder))?;
        }
        // The name is always the same, so that what a process which was killed left behind is written over.
        let part = path.with_extension("part");
        let options =
            || OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&part);
        let file = options().map_err(Error::io(&part))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(Error::io(&part)(error)),
        }
        // Whoever had it until now has put it in its place: it is no longer ours to write to.
        let is_ours =
            fs::metadata(&part).ok().zip(file.metadata().ok()).is_some_and(|(a, b)| a.ino() == b.ino());
        if !is_ours {
            return Ok(None);
        }
        file.set_len(0).map_err(Error::io(&part))?;
        Self::begun(path.to_owned(), part, file).map(Some)
    }

    /// A store without a name in a folder: nobody but this process ever sees it.
    pub fn unnamed(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(Error::io(folder))?;
        let mut writer = Self::begun(folder.to_owned(), PathBuf::new(), file)?;
        writer.is_whole = true;
        Ok(writer)
    }

    fn begun(path: PathBuf, part: PathBuf, file: File) -> Result<Self> {
        file.write_all_at(&MAGIC, 0).map_err(Error::io(&path))?;
        Ok(Self { path, part, file, at: MAGIC.len() as u64, is_whole: false })
    }

    /// Appends an array.
    pub fn array<T: Pod>(&mut self, items: &[T], control: &Control) -> Result<Array> {
        let at = self.at.next_multiple_of(ALIGNED);
        let bytes: &[u8] = cast_slice(items);
        let write = |(nth, block): (usize, &[u8])| {
            control.check()?;
            let place = at + (nth * BLOCK) as u64;
            self.file.write_all_at(block, place).map_err(Error::io(&self.path))?;
            Ok(hash(block))
        };
        let checksums = bytes.par_chunks(BLOCK).enumerate().map(write).gather_all()?;
        self.at = at + bytes.len() as u64;
        Ok(Array { at, n_bytes: bytes.len() as u64, checksums })
    }

    /// Ends the store with its header, and puts it in its place.
    pub fn finish(&mut self, header: &[u8]) -> Result<()> {
        let n_header = (header.len() as u64).to_le_bytes();
        let end = [&sealed(&[header, &n_header].concat())[..], &MAGIC].concat();
        let written = self.file.write_all_at(&end, self.at).and_then(|()| self.file.sync_data());
        written.and_then(|()| fs::rename(&self.part, &self.path)).map_err(Error::io(&self.path))?;
        self.is_whole = true;
        Ok(())
    }

    /// What was written so far, to be read by whoever knows where arrays are.
    pub fn into_reader(mut self) -> Result<Reader> {
        self.is_whole = true;
        let file = self.file.try_clone().map_err(Error::io(&self.path))?;
        Ok(Reader { file, len: self.at })
    }
}

impl Drop for Writer {
    /// What is half written is of no use; that it cannot be removed is no news either.
    fn drop(&mut self) {
        if !self.is_whole {
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// A store that is there.
#[derive(Debug)]
pub struct Reader {
    file: File,
    len: u64,
}

impl Reader {
    /// Opens a store, and has its header. Nothing, if there is none.
    pub fn open(path: &Path) -> Result<Option<(Self, Vec<u8>)>, Damaged> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Damaged(error.to_string())),
        };
        Self::of(file).map(Some)
    }

    /// The store in a file that is open.
    fn of(file: File) -> Result<(Self, Vec<u8>), Damaged> {
        let no_store = || Damaged("it is no store, or of another version".into());
        let len = file.metadata().map_err(|error| Damaged(error.to_string()))?.len();
        let mut reader = Self { file, len };
        let magic: [u8; MAGIC.len()] = reader.bytes(0)?;
        let end: [u8; END] = reader.bytes(len.checked_sub(END as u64).ok_or_else(no_store)?)?;
        let (Some(n_header), Some(last)) = (end.first_chunk(), end.last_chunk()) else {
            return Err(no_store());
        };
        if magic != MAGIC || *last != MAGIC {
            return Err(no_store());
        }
        let n_header = u64::from_le_bytes(*n_header);
        let n_end = n_header.checked_add(END as u64).filter(|_| n_header <= MOST_HEADER);
        let at = n_end.and_then(|n_end| len.checked_sub(n_end)).ok_or_else(no_store)?;
        let mut header = vec![0; n_header as usize + END - MAGIC.len()];
        reader.fill(&mut header, at)?;
        reader.len = at;
        unsealed(&header).ok_or_else(|| Damaged("its header was changed".into()))?;
        header.truncate(n_header as usize);
        Ok((reader, header))
    }

    fn bytes<const N: usize>(&self, at: u64) -> Result<[u8; N], Damaged> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, at)?;
        Ok(bytes)
    }

    fn fill(&self, bytes: &mut [u8], at: u64) -> Result<(), Damaged> {
        self.file.read_exact_at(bytes, at).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Damaged("it was shortened".into()),
            _ => Damaged(error.to_string()),
        })
    }

    /// Reads an array, by all threads.
    pub fn array<T: Pod + Zeroable + Send>(
        &self,
        array: &Array,
        control: &Control,
    ) -> Result<Vec<T>, Damaged> {
        let (n_bytes, size) = (array.n_bytes as usize, size_of::<T>());
        let end = array.at.checked_add(array.n_bytes).filter(|end| *end <= self.len);
        let n_blocks = n_bytes.div_ceil(BLOCK);
        if end.is_none() || n_bytes % size != 0 || n_blocks != array.checksums.len() {
            return Err(Damaged("its header does not fit its arrays".into()));
        }
        let mut items: Vec<T> = zeroed_vec(n_bytes / size);
        let blocks = cast_slice_mut::<T, u8>(&mut items).par_chunks_mut(BLOCK).zip(&array.checksums);
        blocks.enumerate().try_for_each(|(nth, (block, checksum))| {
            control.pass();
            self.fill(block, array.at + (nth * BLOCK) as u64)?;
            if hash(block) == *checksum { Ok(()) } else { Err(Damaged("it was changed".into())) }
        })?;
        Ok(items)
    }
}

#[cfg(test)]
mod tests;
