//! Integers decide: what both sides compute has no floating point, and neither have the kernels.
//!
//! A similarity in floating point may reach a threshold on one device and miss it on another. So `shared` may not even
//! name the types, and no instruction of a kernel works on them.

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder whose names end so.
fn files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the checkout") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, end, found);
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
}

/// Complains of lines with a word that starts like one of these.
fn assert_none(folder: &str, end: &str, words: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    files(&root.join(folder), end, &mut found);
    assert!(!found.is_empty(), "no {end} in {folder}");
    let mut faults = Vec::new();
    for path in found {
        // Tests may compare with other people's code.
        if path.ends_with("testing.rs") || path.components().any(|part| part.as_os_str() == "tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a file of the checkout");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for (ix, line) in code.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let mut pieces = code.split(|char: char| !char.is_alphanumeric() && char != '_');
            if pieces.any(|piece| words.contains(&piece)) {
                faults.push(format!("{}:{}: {}", path.display(), ix + 1, line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "floating point:\n{}", faults.join("\n"));
}

#[test]
fn shared_names_no_floating_point() {
    assert_none("shared/src", ".rs", &["f32", "f64"]);
}

#[test]
fn kernels_compute_without_floating_point() {
    assert_none("device", ".ptx", &["f16", "f16x2", "bf16", "f32", "f64"]);
}
