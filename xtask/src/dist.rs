//! `cargo xtask dist`: what is given to others, below `target/dist`: the program in an archive, and the wheel.
//!
//! Both are linked against an old C library by Zig's linker, so that they run wherever there is one as old or newer. All else is in
//! them: the driver of a GPU is looked for when they run.

mod licences;
mod program;
mod wheel;

use anyhow::{Context, Result};
use std::env;
use std::ffi::OsString;
use std::path::Path;

/// The linker, from PyPI.
const ZIG: &str = "ziglang==0.17.0";

/// What `cargo xtask dist` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Build one of the two alone
    #[arg(value_enum)]
    what: Option<What>,
    /// Build the program a second time, in a copy of the last commit elsewhere, and compare: the archives must be the same bytes
    #[arg(long)]
    twice: bool,
}

/// What there is to give.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// An archive with the program, completions for shells, its manual and all licences
    Program,
    /// The package for Python
    Wheel,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.what != Some(What::Wheel) {
        program::build(args.twice)?;
    }
    if args.what != Some(What::Program) {
        wheel::build()?;
    }
    Ok(())
}

/// The path with the folder of this Python before all others: Zig is looked for in the first Python there.
fn path_with(python: &Path) -> Result<OsString> {
    let folder = python.parent().context("no folder")?;
    let others = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths([folder.to_owned()].into_iter().chain(env::split_paths(&others)))?)
}
