//! Files as bytes: mapped into memory, or unpacked if they are gzip.

#![expect(unsafe_code, reason = "mapping a file is unsafe because others may change it; see below")]

use crate::base::error::{Error, Result};
use flate2::read::MultiGzDecoder;
use memmap2::Mmap;
use std::fs::File;
use std::io::Read;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file.
pub(crate) enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

pub(crate) fn map(path: &Path) -> Result<Bytes> {
    let mut file = File::open(path).map_err(Error::io(path))?;
    let metadata = file.metadata().map_err(Error::io(path))?;
    if metadata.is_dir() {
        return Err(Error::table(path, "this is a directory, not a table"));
    }
    if !metadata.is_file() {
        // A pipe or a device has no length to map.
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(Error::io(path))?;
        return unpack(path, Bytes::Owned(bytes));
    }
    if metadata.len() == 0 {
        return Err(Error::table(path, "the file is empty; a table starts with a header"));
    }
    // SAFETY: the map is read-only and private to us. If another process truncates the file meanwhile, reading it
    // raises SIGBUS, as with every program that maps its input; bytes that change under us are re-validated as UTF-8
    // field by field when they are copied out, never before.
    let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path))?;
    unpack(path, Bytes::Mapped(map))
}

fn unpack(path: &Path, bytes: Bytes) -> Result<Bytes> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(&*bytes).read_to_end(&mut unpacked).map_err(Error::io(path))?;
    Ok(Bytes::Owned(unpacked))
}
