//! How much may come out of a file.
//!
//! A few kilobytes of gzip or Parquet can hold gigabytes. Nobody has such a table, but files are damaged, and some are
//! made to be. What comes out is counted, and there is an end to it, which the user can move.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use flate2::bufread::MultiGzDecoder;
use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What every file may unpack to, in bytes.
const ALWAYS: u64 = 4 << 30;
/// What larger files may, for each of their bytes. Tables in gzip unpack to some ten times their size, and low
/// cardinalities in Parquet to some thirty.
const FOR_EACH_BYTE: u64 = 64;
/// Bytes that are unpacked at a time.
const CHUNK: usize = 1 << 18;

/// Bytes that a thread counts before it tells the others. So many too few may be known of each.
const BETWEEN_WORDS: u64 = 1 << 20;

/// Counts what comes out of a file.
pub(super) struct Unpacked {
    path: PathBuf,
    /// As the user says.
    said: Option<u64>,
    /// The size of the file; of a pipe, what was read so far.
    packed: u64,
    /// What all threads say they counted.
    total: Arc<AtomicU64>,
    /// What this one did not say yet.
    n_own: u64,
}

impl Unpacked {
    pub(super) fn of(path: &Path, said: Option<u64>, packed: u64) -> Self {
        Self { path: path.to_owned(), said, packed, total: Arc::default(), n_own: 0 }
    }

    fn most(&self) -> u64 {
        self.said.unwrap_or_else(|| self.packed.saturating_mul(FOR_EACH_BYTE).max(ALWAYS))
    }

    /// An error, if so many more bytes would be too many.
    pub(super) fn allow(&self, n_more: u64) -> Result<()> {
        let (most, packed) = (self.most(), self.packed);
        let n_bytes = self.total.load(Relaxed).saturating_add(self.n_own);
        if n_bytes.saturating_add(n_more) <= most {
            return Ok(());
        }
        let message = format!(
            "{packed} bytes that unpack to more than {most}, which a table seldom does; if it is not damaged, allow \
             more with --max-unpacked"
        );
        Err(Error::table(&self.path, message))
    }

    /// Counts them.
    pub(super) fn add(&mut self, n_more: u64) -> Result<()> {
        self.allow(n_more)?;
        self.n_own += n_more;
        if self.n_own >= BETWEEN_WORDS {
            self.total.fetch_add(std::mem::take(&mut self.n_own), Relaxed);
        }
        Ok(())
    }

    /// For the same file from the start, of which nothing is counted yet.
    pub(super) fn anew(&self) -> Self {
        Self::of(&self.path, self.said, self.packed)
    }

    /// For another thread: both count together.
    pub(super) fn shared(&self) -> Self {
        let mut other = self.anew();
        other.total = self.total.clone();
        other
    }

    /// All that is in a gzip file.
    pub(super) fn gzip(mut self, packed: impl Read, control: &Control) -> Result<Vec<u8>> {
        let (path, n_read) = (self.path.clone(), Cell::new(0));
        let packed = Counted { reader: packed, n_read: &n_read };
        let unpacked = MultiGzDecoder::new(BufReader::with_capacity(CHUNK, packed));
        drain(&path, unpacked, control, |n| {
            self.packed = self.packed.max(n_read.get());
            self.add(n)
        })
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        self.total.fetch_add(self.n_own, Relaxed);
    }
}

/// Counts what is read.
struct Counted<'a, R> {
    reader: R,
    n_read: &'a Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.n_read.set(self.n_read.get() + n as u64);
        Ok(n)
    }
}

/// All that a reader gives; `count` is asked before any of it is kept.
pub(super) fn drain(
    path: &Path,
    mut reader: impl Read,
    control: &Control,
    mut count: impl FnMut(u64) -> Result<()>,
) -> Result<Vec<u8>> {
    let (mut all, mut chunk) = (Vec::new(), vec![0; CHUNK]);
    loop {
        let read = reader.read(&mut chunk);
        control.check()?;
        let n = read.map_err(Error::io(path))?;
        if n == 0 {
            return Ok(all);
        }
        count(n as u64)?;
        let n_before = all.len();
        let no_memory = |_| Error::table(path, format!("no memory for more than {n_before} bytes of it"));
        all.try_reserve(n).map_err(no_memory)?;
        all.extend_from_slice(&chunk[..n]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn there_is_an_end_to_gzip() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&vec![b'a'; 1 << 20]).unwrap();
        let gzip = gzip.finish().unwrap();
        let unpack = |said| {
            let unpacked = Unpacked::of(Path::new("t.csv.gz"), said, gzip.len() as u64);
            unpacked.gzip(&gzip[..], &Control::default())
        };
        assert_eq!(unpack(None).unwrap().len(), 1 << 20);
        assert_eq!(unpack(Some(1 << 20)).unwrap().len(), 1 << 20);
        let error = unpack(Some((1 << 20) - 1)).unwrap_err().to_string();
        let wanted = "bytes that unpack to more than 1048575, which a table seldom does; if it is not damaged, \
                      allow more with --max-unpacked";
        assert!(error.ends_with(wanted), "{error}");
    }

    #[test]
    fn large_files_may_hold_more() {
        let most = |said, packed| Unpacked::of(Path::new("t"), said, packed).most();
        assert_eq!(most(None, 1), 4 << 30);
        assert_eq!(most(None, 1 << 30), 64 << 30);
        assert_eq!(most(Some(7), 1 << 30), 7);
    }
}
