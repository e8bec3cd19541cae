//! The rules of the house that no lint knows.
//!
//! Every source file begins with a `//!` that tells what it is for, stays short enough to be read in one go, and is
//! named for what it holds. `unsafe` stays behind its fences, and imports point one way ([`walls`]).

mod imports;
mod walls;

use crate::cargo::root;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const MAX_LINES: usize = 600;
const NAMES_THAT_SAY_NOTHING: [&str; 3] = ["mod.rs", "utils.rs", "common.rs"];
/// The files and folders that may hold `unsafe`.
const FENCES: [&str; 5] = [
    "device/src/nvptx.rs",
    "device/src/nvptx/",
    "host/src/device/cuda/",
    "host/src/cli/memory.rs",
    "python/src/capsules.rs",
];
const KEYWORD: &str = "unsafe";

pub(crate) fn run() -> Result<()> {
    let root = root();
    let mut files = Vec::new();
    files_below(&root, ".rs", &mut files)?;
    files.sort();
    let read =
        |file: &Path| fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()));
    let mut texts = BTreeMap::new();
    for file in &files {
        let path = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        texts.insert(path, read(file)?);
    }
    let mut complaints: Vec<String> = texts.iter().flat_map(|(path, text)| complain(path, text)).collect();
    complaints.extend(walls::complain(&texts));
    for name in members(&read(&root.join("Cargo.toml"))?) {
        let manifest = read(&root.join(name.as_str()).join("Cargo.toml"))?;
        complaints.extend(walls::complain_of_manifest(&name, &manifest));
    }
    if !complaints.is_empty() {
        bail!("{} to tidy up:\n  {}", complaints.len(), complaints.join("\n  "));
    }
    println!("{} source files are tidy", files.len());
    Ok(())
}

/// The crates that the workspace's manifest lists.
fn members(manifest: &str) -> Vec<String> {
    let line = manifest.lines().find(|line| line.starts_with("members")).unwrap_or_default();
    line.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// All files below a folder whose names end so, except in hidden folders and in what is built.
pub(crate) fn files_below(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "out" {
                files_below(&entry.path(), ending, files)?;
            }
        } else if name.ends_with(ending) {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// What is wrong with a file.
fn complain(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if !text.starts_with("//!") {
        complaints.push(format!("{path}:1: begin with a `//!` line that tells what the file is for"));
    }
    let n_lines = text.lines().count();
    if n_lines > MAX_LINES {
        complaints.push(format!("{path}: {n_lines} lines: split what is longer than {MAX_LINES}"));
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    if NAMES_THAT_SAY_NOTHING.contains(&name) {
        complaints.push(format!("{path}: name the file for what it holds"));
    }
    if !FENCES.iter().any(|fence| path.starts_with(fence)) {
        for (ix, line) in text.lines().enumerate().filter(|(_, line)| is_unsafe(line)) {
            complaints.push(format!("{path}:{}: `{KEYWORD}` outside its fences: {}", ix + 1, line.trim()));
        }
    }
    complaints
}

/// Whether code on this line, not a comment, opens something unsafe.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.split(KEYWORD).skip(1).any(|rest| {
        ["{", "fn ", "impl ", "impl<", "extern "].iter().any(|what| rest.trim_start().starts_with(what))
    })
}

#[cfg(test)]
mod tests {
    use super::{KEYWORD, MAX_LINES, complain};

    fn check(path: &str, text: &str, complaints: &[&str]) {
        let found = complain(path, text);
        assert_eq!(found.len(), complaints.len(), "{found:?}");
        for (found, expected) in found.iter().zip(complaints) {
            assert!(found.contains(expected), "{found:?} says nothing of {expected:?}");
        }
    }

    #[test]
    fn a_tidy_file_passes() {
        check("host/src/plan.rs", "//! Plans.\n\nfn plan() {}\n", &[]);
    }

    #[test]
    fn a_file_tells_its_story_first() {
        check(
            "host/src/plan.rs",
            "use std::collections::BTreeMap;
use std::fs;\n//! Plans.\n",
            &["plan.rs:1: begin"],
        );
        check("host/src/plan.rs", "", &["begin"]);
    }

    #[test]
    fn long_files_are_split() {
        let lines = |n: usize| format!("//! Long.\n{}", "\n".repeat(n - 1));
        check("a.rs", &lines(MAX_LINES), &[]);
        check("a.rs", &lines(MAX_LINES + 1), &["601 lines"]);
    }

    #[test]
    fn names_say_something() {
        check("host/src/plan/mod.rs", "//! Plans.\n", &["name the file"]);
        check("utils.rs", "//! Things.\n", &["name the file"]);
        check("host/src/in_common.rs", "//! Things.\n", &[]);
    }

    #[test]
    fn unsafe_stays_behind_its_fences() {
        for what in
            ["{ f() }", "fn f() {}", "impl Send for X {}", "impl<T> Send for X<T> {}", "extern \"C\" {}"]
        {
            let text = format!("//! Story.\n{KEYWORD} {what}\n");
            check("host/src/plan.rs", &text, &["plan.rs:2: "]);
            for fenced in ["device/src/nvptx.rs", "host/src/device/cuda/launch/scan.rs"] {
                check(fenced, &text, &[]);
            }
        }
        let harmless = format!("//! Story.\n// {KEYWORD} {{ }} is for others\n#![deny({KEYWORD}_code)]\n");
        check("host/src/plan.rs", &harmless, &[]);
    }
}
