//! The bytes of an input: a file, read by ranges, or what was unpacked or came through a pipe, held in memory.
//!
//! Files are read and never mapped: whoever shortens a file that is mapped ends the program that looks at it. Instead each
//! thread reads its part of the lines block by block into a buffer of its own, and parses them while they are in the cache
//! ([`Source::lines`]). That is no slower, and no file is in memory as a whole.

use super::blocks::{self, Packed};
use super::pipe::Pipe;
use super::unpacked::{Packing, Unpacked, drain};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::stdin::{self, is_stdin};
use crate::base::threads;
use bytes::Bytes;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that a thread reads and parses at a time: they stay in its cache, and the call for them costs little beside it.
pub(super) const BLOCK: u64 = 1 << 18;
/// More parts than threads, so that none waits long for the others.
pub(super) const PARTS_PER_THREAD: u64 = 4;
/// Bytes that are read on at a time, where a line or record goes on behind the end of its block.
pub(super) const BEHIND: u64 = 1 << 12;

/// The bytes of an input.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    path: PathBuf,
    held: Held,
    /// Bytes of the input as it is packed.
    packed: u64,
}

#[derive(Clone, Debug)]
enum Held {
    File { file: Arc<File>, len: u64 },
    Memory(Bytes),
}

impl Source {
    /// Opens what is at `path`; `-` is standard input. What is packed is unpacked, to `most` bytes if that is said.
    pub(crate) fn open(path: &Path, most: Option<u64>, control: &Control) -> Result<Self> {
        if is_stdin(path) {
            return Self::of_stdin(most, control);
        }
        let metadata = path.metadata().map_err(Error::io(path))?;
        if metadata.is_dir() {
            return Err(Error::table(path, "this is a directory, not a table"));
        }
        // Pipes and devices have no length, and no place to go back to.
        if !metadata.is_file() || metadata.len() == 0 {
            let owned = path.to_owned();
            let pipe = Pipe::open(path, || File::open(owned), control)?;
            return Self::streamed(path, pipe, most, control);
        }
        let file = File::open(path).map_err(Error::io(path))?;
        Self::of_file(path, file, metadata.len(), most, control)
    }

    /// What is led into standard input: read by ranges if it is a file, or else as it comes.
    fn of_stdin(most: Option<u64>, control: &Control) -> Result<Self> {
        let path = Path::new(stdin::NAME);
        let mut file = stdin::open()?;
        let metadata = file.metadata().map_err(Error::io(path))?;
        // Of a file, somebody may have read the beginning.
        if metadata.is_file() && metadata.len() > 0 && matches!(file.stream_position(), Ok(0)) {
            return Self::of_file(path, file, metadata.len(), most, control);
        }
        Self::streamed(path, Pipe::open(path, || Ok(file), control)?, most, control)
    }

    fn of_file(path: &Path, file: File, len: u64, most: Option<u64>, control: &Control) -> Result<Self> {
        let held = Held::File { file: Arc::new(file), len };
        let source = Self { path: path.to_owned(), held, packed: len };
        let mut head = [0; Packing::HEAD];
        let n_head = len.min(head.len() as u64) as usize;
        source.fill(&mut head[..n_head], 0).map_err(Error::io(path))?;
        let Some(packing) = Packing::of(&head[..n_head]) else { return Ok(source) };
        let packed = Packed { len, fill: &|buffer, at| source.fill(buffer, at) };
        let blocks = match packing {
            Packing::Gzip => blocks::unpack(&packed, &source.unpacked(most), control),
            Packing::Zstd => None,
        };
        let unpacked = match blocks {
            Some(unpacked) => unpacked,
            None => source.unpacked(most).all_of(packing, source.reader(0), control)?,
        };
        Ok(Self { held: Held::Memory(unpacked.into()), ..source })
    }

    /// All that comes, which stays in memory.
    fn streamed(path: &Path, mut pipe: Pipe<'_>, most: Option<u64>, control: &Control) -> Result<Self> {
        let mut head = Vec::new();
        let read = (&mut pipe).take(Packing::HEAD as u64).read_to_end(&mut head);
        let whole = io::Cursor::new(head.clone()).chain(pipe);
        let mut n_bytes = 0;
        let count = |n: u64| {
            n_bytes += n;
            control.budget().hold(n_bytes, "a table that comes through a pipe, and stays").map(drop)
        };
        let bytes = match read {
            Ok(_) => match Packing::of(&head) {
                Some(packing) => Unpacked::of(path, most, 0).all_of(packing, whole, control)?,
                None => drain(path, whole, control, count)?,
            },
            Err(error) => {
                control.check()?;
                return Err(Error::io(path)(error));
            }
        };
        let packed = bytes.len() as u64;
        Ok(Self { path: path.to_owned(), held: Held::Memory(bytes.into()), packed })
    }

    /// Bytes that are in memory.
    #[cfg(test)]
    pub(super) fn of_bytes(bytes: impl Into<Bytes>) -> Self {
        let held = Held::Memory(bytes.into());
        Self { path: "memory".into(), packed: 0, held }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn len(&self) -> u64 {
        match &self.held {
            Held::File { len, .. } => *len,
            Held::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// How much may be unpacked from it.
    pub(super) fn unpacked(&self, most: Option<u64>) -> Unpacked {
        Unpacked::of(&self.path, most, self.packed)
    }

    pub(crate) fn starts_with(&self, magic: &[u8]) -> Result<bool> {
        let mut head = vec![0; magic.len()];
        if self.len() < magic.len() as u64 {
            return Ok(false);
        }
        self.fill(&mut head, 0).map_err(Error::io(&self.path))?;
        Ok(head == magic)
    }

    /// Fills the buffer with the bytes from `at` on.
    pub(super) fn fill(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        let range = self.range(at, buffer.len() as u64)?;
        match &self.held {
            Held::File { file, .. } => read_exact_at(file, buffer, at),
            Held::Memory(bytes) => {
                buffer.copy_from_slice(&bytes[range]);
                Ok(())
            }
        }
    }

    /// The `len` bytes from `at` on. Nothing is allocated for what is not there.
    pub(super) fn bytes(&self, at: u64, len: u64) -> io::Result<Bytes> {
        let range = self.range(at, len)?;
        match &self.held {
            Held::Memory(bytes) => Ok(bytes.slice(range)),
            Held::File { .. } => {
                let mut buffer = vec![0; range.len()];
                self.fill(&mut buffer, at)?;
                Ok(buffer.into())
            }
        }
    }

    /// The bytes of a range, which are read into the buffer if they are not in memory.
    pub(super) fn window<'a>(&'a self, range: Range<u64>, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let (at, range) = (range.start, self.range(range.start, range.end - range.start)?);
        match &self.held {
            Held::Memory(bytes) => Ok(&bytes[range]),
            Held::File { .. } => {
                buffer.resize(range.len(), 0);
                self.fill(buffer, at)?;
                Ok(buffer)
            }
        }
    }

    fn range(&self, at: u64, len: u64) -> io::Result<Range<usize>> {
        match at.checked_add(len) {
            Some(end) if end <= self.len() => Ok(at as usize..end as usize),
            _ => {
                let message = format!("{len} bytes at {at} of a file that has {}", self.len());
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, message))
            }
        }
    }

    /// All of it, read by all threads.
    pub(crate) fn whole(&self, control: &Control) -> Result<Bytes> {
        let Held::File { len, .. } = &self.held else {
            return self.bytes(0, self.len()).map_err(Error::io(&self.path));
        };
        let mut bytes = Vec::new();
        let too_large = |_| Error::table(&self.path, format!("no memory for the {len} bytes of this file"));
        bytes.try_reserve_exact(*len as usize).map_err(too_large)?;
        bytes.resize(*len as usize, 0);
        bytes.par_chunks_mut(BLOCK as usize).enumerate().try_for_each(|(ix, part)| {
            control.check()?;
            self.fill(part, ix as u64 * BLOCK).map_err(Error::io(&self.path))
        })?;
        Ok(bytes.into())
    }

    /// Has all threads parse the lines from `first` on, each a part of them: `parse` adds some lines to what a part began
    /// as. Returns the parts in order; nothing, if `parse` can do nothing with some lines.
    pub(crate) fn lines<T: Send>(
        &self,
        first: u64,
        control: &Control,
        begin: impl Fn() -> T + Sync,
        parse: impl Fn(&mut T, &[u8]) -> Option<()> + Sync,
    ) -> Result<Option<Vec<T>>> {
        self.lines_by(BLOCK, first, control, begin, parse)
    }

    fn lines_by<T: Send>(
        &self,
        block: u64,
        first: u64,
        control: &Control,
        begin: impl Fn() -> T + Sync,
        parse: impl Fn(&mut T, &[u8]) -> Option<()> + Sync,
    ) -> Result<Option<Vec<T>>> {
        let n_blocks = self.len().saturating_sub(first).div_ceil(block);
        let n_parts = n_blocks.clamp(1, PARTS_PER_THREAD * threads::n_threads() as u64);
        let part = |ix: u64| {
            let (mut part, mut buffer) = (begin(), Vec::new());
            for ix in ix * n_blocks / n_parts..(ix + 1) * n_blocks / n_parts {
                control.check().map_err(Some)?;
                let range = first + ix * block..(first + (ix + 1) * block).min(self.len());
                let lines = self.lines_of(range, ix == 0, &mut buffer);
                let lines = lines.map_err(|error| Some(Error::io(&self.path)(error)))?;
                parse(&mut part, lines).ok_or(None)?;
            }
            Ok(part)
        };
        match (0..n_parts).into_par_iter().map(part).collect() {
            Ok(parts) => Ok(Some(parts)),
            Err(None) => Ok(None),
            Err(Some(error)) => Err(error),
        }
    }

    /// The lines that start in a range, whole; if they are not in memory, they are read into the buffer. A line also
    /// starts where the first range does.
    fn lines_of<'a>(
        &'a self,
        range: Range<u64>,
        is_first: bool,
        buffer: &'a mut Vec<u8>,
    ) -> io::Result<&'a [u8]> {
        // The byte before a range says whether a line starts with it.
        let start = range.start - u64::from(!is_first);
        let n_own = (range.end - start) as usize;
        let bytes: &[u8] = match &self.held {
            Held::Memory(bytes) => &bytes[start as usize..],
            Held::File { .. } => {
                buffer.resize(n_own, 0);
                self.fill(buffer, start)?;
                if is_first || starts_a_line(buffer) {
                    self.read_on(buffer, range.end)?;
                }
                buffer
            }
        };
        // Without this, each block of one long line would look for its end.
        if n_own == 0 || !(is_first || starts_a_line(&bytes[..n_own])) {
            return Ok(&[]);
        }
        let line_end = |from: usize| {
            bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |ix| from + ix + 1)
        };
        let from = if is_first { 0 } else { line_end(0) };
        Ok(&bytes[from..line_end(n_own - 1)])
    }

    /// Reads what follows a block, up to the end of its last line or further.
    fn read_on(&self, part: &mut Vec<u8>, mut end: u64) -> io::Result<()> {
        let mut last = part.len().saturating_sub(1);
        while end < self.len() && !part[last..].contains(&b'\n') {
            last = part.len();
            let n_more = BEHIND.min(self.len() - end);
            part.resize(last + n_more as usize, 0);
            self.fill(&mut part[last..], end)?;
            end += n_more;
        }
        Ok(())
    }

    /// Reads on from a place.
    pub(crate) fn reader(&self, at: u64) -> SourceReader {
        SourceReader { source: self.clone(), at }
    }
}

/// Whether a line starts behind the first byte, which belongs to the block before.
fn starts_a_line(part: &[u8]) -> bool {
    part.split_last().is_some_and(|(_, before)| before.contains(&b'\n'))
}

/// A source, read from the front.
#[derive(Debug)]
pub(crate) struct SourceReader {
    source: Source,
    at: u64,
}

impl Read for SourceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = (buffer.len() as u64).min(self.source.len().saturating_sub(self.at)) as usize;
        self.source.fill(&mut buffer[..n], self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for SourceReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.source.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at =
            place.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a place before the file"))?;
        Ok(self.at)
    }
}

/// Fills the buffer; the file had as many bytes when it was opened.
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, at) {
            Ok(0) => {
                let message = "the file was shortened while it was read";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
            }
            Ok(n) => {
                buffer = &mut buffer[n..];
                at += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
use std::os::unix::fs::FileExt;

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn file(bytes: &[u8]) -> (tempfile::NamedTempFile, Source) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let source = Source::open(file.path(), None, &Control::default()).unwrap();
        (file, source)
    }

    proptest! {
        #[test]
        fn parts_are_whole_lines(text in "x[ab\n]{1,60}", first in 0u64..4, n_bytes in 1u64..9) {
            let first = first.min(text.len() as u64);
            let (_file, read) = file(text.as_bytes());
            for source in [Source::of_bytes(text.clone()), read] {
                let keep = |part: &mut Vec<Vec<u8>>, lines: &[u8]| {
                    part.push(lines.to_vec());
                    Some(())
                };
                let parts = source.lines_by(n_bytes, first, &Control::default(), Vec::new, keep);
                let parts = parts.unwrap().unwrap().concat();
                prop_assert_eq!(parts.concat(), &text.as_bytes()[first as usize..]);
                let full: Vec<_> = parts.iter().filter(|part| !part.is_empty()).collect();
                let ends = |part: &&&Vec<u8>| part.ends_with(b"\n");
                prop_assert!(full.iter().rev().skip(1).all(|part| ends(&part)), "{:?}", parts);
            }
        }
    }

    #[test]
    fn a_file_that_gets_shorter() {
        let (file, source) = file(&[b'a'; 100]);
        file.as_file().set_len(60).unwrap();
        let lines = source.lines(0, &Control::default(), || (), |(), _| Some(())).unwrap_err();
        let whole = source.whole(&Control::default()).unwrap_err();
        for error in [lines, whole] {
            assert!(error.to_string().ends_with(": the file was shortened while it was read"), "{error}");
        }
    }

    #[test]
    fn nothing_is_allocated_for_what_is_not_there() {
        let (_file, source) = file(b"abc");
        assert_eq!(source.bytes(1, 2).unwrap(), "bc");
        for (at, len) in [(1, 3), (4, 0), (0, u64::MAX), (u64::MAX, 1)] {
            assert!(source.bytes(at, len).is_err());
        }
    }

    #[test]
    fn who_is_told_to_stop_stops() {
        let (_file, source) = file(b"abc");
        let control = Control::default();
        control.cancel();
        assert!(matches!(source.lines(0, &control, || (), |(), _| Some(())), Err(Error::Interrupted)));
        assert!(matches!(source.whole(&control), Err(Error::Interrupted)));
    }
}
