//! Stamps: what tells a file from another one, and from itself when it was changed.

use crate::base::error::{Error, Result};
use crate::base::stdin::is_stdin;
use rkyv::{Archive, Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file as it was at some time.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Stamp {
    /// Where it is, whole.
    pub path: String,
    /// Its bytes.
    pub len: u64,
    /// Its number on its disk.
    pub inode: u64,
    /// When it was changed: seconds, and billionths of one.
    pub modified: (i64, i64),
}

impl Stamp {
    /// That of a file; none, if it is a pipe or something else that can be read only once.
    pub fn of(path: &Path) -> Result<Option<Self>> {
        if is_stdin(path) {
            return Ok(None);
        }
        let file = fs::metadata(path).map_err(Error::io(path))?;
        if !file.is_file() {
            return Ok(None);
        }
        let whole = path.canonicalize().map_err(Error::io(path))?;
        Ok(Some(Self {
            path: whole.display().to_string(),
            len: file.len(),
            inode: file.ino(),
            modified: (file.mtime(), file.mtime_nsec()),
        }))
    }
}
