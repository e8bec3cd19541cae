//! Files that are there whole or not at all.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static N_WRITTEN: AtomicU32 = AtomicU32::new(0);

/// Writes a file beside its place, then moves it there: whoever reads it sees the old one or the new one.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<()> {
    let mut partial = path.as_os_str().to_owned();
    // Two threads may write the same file, and two processes.
    let nth = N_WRITTEN.fetch_add(1, Relaxed);
    partial.push(format!(".{}-{nth}.partial", std::process::id()));
    let partial = Path::new(&partial);
    let written = (|| {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = BufWriter::new(File::create(partial)?);
        write(&mut file)?;
        file.flush()?;
        fs::rename(partial, path)
    })();
    if written.is_err() {
        // Nothing more to do about it: the first error is the one to report.
        drop(fs::remove_file(partial));
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}
