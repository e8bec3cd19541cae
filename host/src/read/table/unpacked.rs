//! How much may come out of a file.
//!
//! A few kilobytes of gzip, zstd or Parquet can hold gigabytes. Nobody has such a table, but files are damaged, and some are
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

    /// All that is in a packed file.
    pub(super) fn all_of(
        mut self,
        packing: Packing,
        packed: impl Read,
        control: &Control,
    ) -> Result<Vec<u8>> {
        let (path, n_read) = (self.path.clone(), Cell::new(0));
        let packed = BufReader::with_capacity(CHUNK, Counted { reader: packed, n_read: &n_read });
        let count = |n| {
            self.packed = self.packed.max(n_read.get());
            self.add(n)
        };
        match packing {
            Packing::Gzip => drain(&path, MultiGzDecoder::new(packed), control, count),
            Packing::Zstd => {
                let unpacked = zstd::Decoder::with_buffer(packed).map_err(Error::io(&path))?;
                drain(&path, ToldOf(unpacked), control, count)
            }
        }
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        self.total.fetch_add(self.n_own, Relaxed);
    }
}

/// What makes a file smaller as a whole. Its first bytes say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// So many bytes say it.
    pub(super) const HEAD: usize = 4;

    /// That of a file that begins so.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            // A frame, or one to be skipped, with which files begin that several threads packed.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Says of what is wrong within zstd that it is there, and what to do.
struct ToldOf<R>(R);

impl<R: Read> Read for ToldOf<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            // The system says what it says.
            _ if error.raw_os_error().is_some() => error,
            io::ErrorKind::UnexpectedEof => {
                io::Error::new(error.kind(), "the file ends within zstd; it was cut off, fetch it again")
            }
            kind => io::Error::new(kind, format!("damaged zstd: {error}; fetch it again, or pack it anew")),
        })
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
            unpacked.all_of(Packing::Gzip, &gzip[..], &Control::default())
        };
        assert_eq!(unpack(None).unwrap().len(), 1 << 20);
        assert_eq!(unpack(Some(1 << 20)).unwrap().len(), 1 << 20);
        let error = unpack(Some((1 << 20) - 1)).unwrap_err().to_string();
        let wanted = "bytes that unpack to more than 1048575, which a table seldom does; if it is not damaged, \
                      allow more with --max-unpacked";
        assert!(error.ends_with(wanted), "{error}");
    }

    fn unzstd(packed: &[u8], said: Option<u64>) -> Result<Vec<u8>> {
        let unpacked = Unpacked::of(Path::new("t.csv.zst"), said, packed.len() as u64);
        unpacked.all_of(Packing::Zstd, packed, &Control::default())
    }

    #[test]
    fn zstd_is_frame_after_frame_and_there_is_an_end_to_it() {
        let frame = |text: &[u8]| zstd::encode_all(text, 3).unwrap();
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0][..], b"size"].concat();
        let packed = [&skipped[..], &frame(b"id,name\n"), &skipped, &frame(&[b'a'; 1 << 20])].concat();
        assert_eq!(Packing::of(&packed), Some(Packing::Zstd));
        assert_eq!(Packing::of(&frame(b"")), Some(Packing::Zstd));
        assert_eq!(unzstd(&packed, None).unwrap(), [&b"id,name\n"[..], &[b'a'; 1 << 20]].concat());
        assert_eq!(unzstd(&packed, Some(8 + (1 << 20))).unwrap().len(), 8 + (1 << 20));
        let error = unzstd(&packed, Some(7 + (1 << 20))).unwrap_err().to_string();
        assert!(error.contains("bytes that unpack to more than 1048583"), "{error}");
    }

    #[test]
    fn damaged_zstd_is_an_error() {
        let text: Vec<u8> = (0..20_000u32).flat_map(|n| format!("{},", n * n % 1013).into_bytes()).collect();
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(true).unwrap();
        io::Write::write_all(&mut encoder, &text).unwrap();
        let packed = encoder.finish().unwrap();
        for len in [4, 5, packed.len() / 2, packed.len() - 1] {
            let error = unzstd(&packed[..len], None).unwrap_err().to_string();
            assert_eq!(
                error, "t.csv.zst: the file ends within zstd; it was cut off, fetch it again",
                "{len}"
            );
        }
        for at in (4..packed.len()).step_by(7) {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x10;
            match unzstd(&damaged, Some(1 << 20)) {
                // A bit of the header may be one that says nothing.
                Ok(unpacked) => assert_eq!(unpacked, text, "{at}"),
                Err(error) => assert!(error.to_string().starts_with("t.csv.zst: "), "{error}"),
            }
        }
        let error = unzstd(&[&packed[..], b"more"].concat(), None).unwrap_err().to_string();
        assert!(error.starts_with("t.csv.zst: damaged zstd: "), "{error}");
    }

    #[test]
    fn large_files_may_hold_more() {
        let most = |said, packed| Unpacked::of(Path::new("t"), said, packed).most();
        assert_eq!(most(None, 1), 4 << 30);
        assert_eq!(most(None, 1 << 30), 64 << 30);
        assert_eq!(most(Some(7), 1 << 30), 7);
    }
}
