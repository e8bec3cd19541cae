//! The hash of everything the kernels are built from.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const CRATES: [&str; 2] = ["device", "shared"];

/// SHA-256 over the paths and contents of the sources, in the order of their paths.
pub(super) fn hash(root: &Path) -> Result<String> {
    let mut paths = Vec::new();
    for name in CRATES {
        paths.push(format!("{name}/Cargo.toml"));
        list(root, &format!("{name}/src"), &mut paths)?;
    }
    paths.sort();
    let mut hasher = Sha256::new();
    for path in &paths {
        let content = fs::read(root.join(path)).with_context(|| format!("cannot read {path}"))?;
        // The length stands between them, so that no two lists of files can look the same.
        hasher.update(format!("{path}\n{}\n", content.len()));
        hasher.update(&content);
    }
    Ok(hasher.finalize().iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}

/// All files below a folder, relative to the root, with `/` on every platform.
fn list(root: &Path, folder: &str, paths: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(root.join(folder)).with_context(|| format!("cannot read {folder}"))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(root, &path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}
