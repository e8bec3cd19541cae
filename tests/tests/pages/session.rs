//! The commands of a page, run one after the other in a folder that has what the page's readers have.

use hyperblock_tests::pages::page::Command;
use hyperblock_tests::pages::{root, said};
use hyperblock_tests::program::program;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use tempfile::TempDir;

/// A folder with a copy of `examples/`.
pub(crate) struct Session(TempDir);

/// Where a public data set is, if it is here.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let named = std::env::var_os("HYPERBLOCK_DATA").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared/data")).join(name);
    folder.is_dir().then_some(folder)
}

impl Session {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(&root().join("examples"), &folder.path().join("examples"));
        Self(folder)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("a file can be written");
    }

    /// Runs a command of the page; complains if it fails, or says something else than the page shows.
    pub(crate) fn run(&self, command: &Command) -> Result<(), String> {
        let here = self.0.path();
        if let Some(from) = command.data.as_deref().and_then(data) {
            // Not a copy: some are large, and commands do not write over what they read.
            let to = here.join(command.data.as_deref().unwrap_or_default());
            if !to.exists() {
                link(&from, &to).map_err(|error| format!("{}: {error}", to.display()))?;
            }
        }
        let output = here.join(".said");
        let file = fs::File::create(&output).expect("a file can be created");
        let beside = program().parent().expect("the program is in a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = process::Command::new("sh");
        shell.args(["-c", &command.text]).current_dir(here);
        shell.env("PATH", format!("{}:{path}", beside.display()));
        // Pages show the CPU, and no log.
        shell.env("CUDA_VISIBLE_DEVICES", "").env_remove("RUST_LOG");
        shell.stdin(Stdio::null()).stdout(file.try_clone().expect("a file has a second handle")).stderr(file);
        let status = shell.status().map_err(|error| format!("sh does not start: {error}"))?;
        let said = String::from_utf8_lossy(&fs::read(&output).expect("what it said is a file")).into_owned();
        if !status.success() {
            return Err(format!("`{}` failed ({status}):\n{said}", command.text));
        }
        said::compare(&command.shown, &said).map_err(|error| format!("`{}`: {error}", command.text))
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder can be listed") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("an entry has a type").is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a file can be copied");
        }
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    copy(from, to);
    Ok(())
}
