//! Standard input among files: `-`, which can be read once.

use crate::base::error::{Error, Result};
use std::fs::{File, Metadata};
use std::io::{IsTerminal, stdin};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What messages call it.
pub(crate) const NAME: &str = "standard input";

/// Whether a path means it. A file of that name is `./-`.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// What is led into it, where that can be said.
pub(crate) fn metadata() -> Option<Metadata> {
    let file = stdin().as_fd().try_clone_to_owned().map(File::from);
    file.and_then(|file| file.metadata()).ok()
}

/// Opens it, once.
pub(crate) fn open() -> Result<File> {
    static IS_READ: AtomicBool = AtomicBool::new(false);
    let stdin = stdin();
    if stdin.is_terminal() {
        let message =
            "- is standard input, and that is a terminal; lead a file or a command into it, or name a file";
        return Err(Error::Job(message.into()));
    }
    if IS_READ.swap(true, Relaxed) {
        return Err(Error::Job("- is standard input, which is read once; name the other file".into()));
    }
    stdin.as_fd().try_clone_to_owned().map(File::from).map_err(Error::io(Path::new(NAME)))
}
