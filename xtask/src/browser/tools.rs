//! A browser, Node, and two packages from npm, which are pinned by the lock file in `tests/browser`: found, or installed to the
//! build folder.

use super::folder;
use crate::cargo::{at_root, output, root};
use crate::debian;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// What Debian calls them, and others.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The oldest Node that has a test runner with all that we use.
const OLDEST_NODE: u32 = 18;
/// Of `tests/browser`: they are copied, since a module finds packages beside itself.
const LOCK: &str = "package-lock.json";
const FILES: [&str; 3] = ["package.json", LOCK, ".npmrc"];

/// What drives a page.
pub(super) struct Tools {
    /// The browser.
    pub(super) chromium: PathBuf,
    /// The folder with the tests, and the packages beside them.
    pub(super) folder: PathBuf,
}

impl Tools {
    /// Finds them, and installs what is missing. The error says why they cannot be had.
    pub(super) fn find_or_install() -> Result<Self> {
        let mut missing = Vec::new();
        if browser().is_none() {
            // Its pages are set in a typeface that is here.
            missing.extend(["chromium", "fonts-inter"]);
        }
        match node() {
            None => missing.extend(["nodejs", "npm"]),
            Some(version) => ensure!(
                version >= OLDEST_NODE,
                "Node here is version {version}, and {OLDEST_NODE} or later is needed"
            ),
        }
        if !missing.is_empty() {
            let all = missing.join(", ");
            if !debian::is_here() {
                bail!("there is no browser or no Node (on Debian: {all})");
            }
            debian::install(&missing).with_context(|| format!("cannot install {all}"))?;
        }
        let chromium = browser().context("there is no browser")?;
        ensure!(node() >= Some(OLDEST_NODE), "there is no Node of version {OLDEST_NODE} or later");
        Ok(Self { chromium, folder: packages()? })
    }
}

fn browser() -> Option<PathBuf> {
    BROWSERS.iter().find_map(|name| {
        let found = output(at_root("sh").args(["-c", "command -v \"$0\"", name]))?;
        Some(PathBuf::from(found)).filter(|path| path.is_absolute())
    })
}

/// The version of Node, if npm is there too.
fn node() -> Option<u32> {
    output(at_root("npm").arg("--version"))?;
    let version = output(at_root("node").arg("--version"))?;
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}

/// The folder of the tests as they are now, with the packages of the lock file.
fn packages() -> Result<PathBuf> {
    let (from, to) = (root().join("tests/browser"), folder("tests"));
    fs::create_dir_all(&to)?;
    for entry in fs::read_dir(&to)? {
        let path = entry?.path();
        if is_module(&path) {
            fs::remove_file(&path)?;
        }
    }
    for entry in fs::read_dir(&from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        if is_module(&entry.path()) {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    // What was installed is known by its lock file, which is put there last.
    let (lock, installed) = (fs::read(from.join(LOCK))?, to.join("installed.json"));
    if fs::read(&installed).ok().as_ref() != Some(&lock) {
        for name in FILES {
            fs::copy(from.join(name), to.join(name)).with_context(|| format!("cannot copy {name}"))?;
        }
        let mut npm = at_root("npm");
        npm.current_dir(&to).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
        crate::cargo::run(&mut npm).context("cannot install playwright-core and axe from npm")?;
        fs::write(&installed, &lock)?;
    }
    Ok(to)
}

fn is_module(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "mjs")
}
