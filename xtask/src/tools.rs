//! Programs of crates.io that some commands need: built once, below `target/tools`.

use crate::cargo::{at_root, cargo, output, run, target};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// A program, in the version that it was tried in.
pub(crate) struct Tool {
    /// As crates.io and the program itself call it.
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Instead of its default features.
    pub(crate) features: &'static str,
}

impl Tool {
    /// Where it is, if it is there: on the path, or below `target/tools`.
    pub(crate) fn found(&self) -> Option<PathBuf> {
        let is_there = |program: &PathBuf| {
            let said = output(at_root(program).arg("--version"));
            said.is_some_and(|said| {
                said.split_whitespace().any(|word| word.trim_start_matches('v') == self.version)
            })
        };
        [PathBuf::from(self.name), self.place()].into_iter().find(is_there)
    }

    /// The same; where there is none, it is built.
    pub(crate) fn installed(&self) -> Result<PathBuf> {
        if let Some(program) = self.found() {
            return Ok(program);
        }
        println!("building {} {} (some minutes, once)", self.name, self.version);
        let what = ["install", self.name, "--version", self.version, "--locked", "--no-default-features"];
        let mut install = cargo();
        install.args(what).args(["--features", self.features]).arg("--root").arg(target().join("tools"));
        run(&mut install).with_context(|| format!("cannot install {} from crates.io", self.name))?;
        Ok(self.place())
    }

    fn place(&self) -> PathBuf {
        target().join("tools/bin").join(self.name).with_extension(std::env::consts::EXE_EXTENSION)
    }
}
