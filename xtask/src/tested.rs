//! What is tested: all tests, the program that they run, and the native module of the Python package, built by one call of cargo.
//!
//! Which features of a dependency are on follows from all that a call asks for, and what is to have others is compiled once more. Asked
//! for together, tests, program and module are of the same objects, and the library, which takes minutes, is compiled once.

use crate::cargo::{cargo, run, target};
use anyhow::Result;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::path::PathBuf;

/// Tells tests which program to run.
pub(crate) const PROGRAM: &str = "HYPERBLOCK_PROGRAM";
/// What stands for all: clippy looks at the same.
pub(crate) const ALL: [&str; 2] = ["--workspace", "--all-features"];

/// Builds it.
pub(crate) fn build() -> Result<()> {
    run(cargo().arg("build").args(ALL).args(["--tests", "--bin", "hyperblock", "--lib"]))
}

/// The program, after [`build`].
pub(crate) fn program() -> PathBuf {
    target().join("debug").join(format!("hyperblock{EXE_SUFFIX}"))
}

/// The native module, after [`build`].
pub(crate) fn module() -> PathBuf {
    target().join("debug").join(format!("{DLL_PREFIX}_native{DLL_SUFFIX}"))
}
