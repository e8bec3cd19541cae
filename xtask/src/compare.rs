//! `cargo xtask compare`: the engine beside other programs of PyPI, on the same files and with answers held against each other.
//!
//! A [`job`] says what is asked, and of whom; [`tables`] makes its files. A [`peer`] is a program with its pinned packages, in
//! an environment of its own, and a script that does the jobs; the engine is started by such a script, too ([`script`]), so
//! that all have the same clock, limits and measure of memory. [`check`] holds answers against ours: the same pairs, or how
//! many of them, or how near the truth. What was found is a [`row`] each; [`page`] writes table, picture and the pages that
//! show them. One that fails is reported at the end, and leaves the others as they are.
//!
//! The engine is only linked with the feature `bench`; without it the command builds and starts itself again.

#[cfg(feature = "bench")]
mod check;
#[cfg(feature = "bench")]
mod job;
#[cfg(feature = "bench")]
mod markers;
#[cfg(feature = "bench")]
mod measured;
#[cfg(feature = "bench")]
mod page;
#[cfg(feature = "bench")]
mod peer;
#[cfg(feature = "bench")]
mod row;
#[cfg(feature = "bench")]
mod script;
#[cfg(feature = "bench")]
mod tables;

use crate::figures::share;
use anyhow::Result;
use std::path::PathBuf;

/// What `cargo xtask compare` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The share of 1,000,000 people and 10,000,000 pairs, above 0, up to 1: with 0.05 all of it takes minutes
    #[arg(long, default_value_t = 1.0, value_parser = share)]
    scale: f64,
    /// A job to do; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    job: Vec<String>,
    /// Another program to run; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    peer: Vec<String>,
    /// What a run may take: then it is ended
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    most_seconds: u32,
    /// Measure again what was measured before
    #[arg(long)]
    again: bool,
    /// Where the table, the picture and the page go [default: results]
    #[arg(long, alias = "save", value_name = "DIR")]
    output: Option<PathBuf>,
    /// Measure nothing: write the table of README.md from what was saved
    #[arg(long)]
    readme: bool,
}

#[cfg(not(feature = "bench"))]
pub(crate) fn run(_: &Args) -> Result<()> {
    crate::cargo::again()
}

#[cfg(feature = "bench")]
pub(crate) fn run(args: &Args) -> Result<()> {
    let root = crate::cargo::root();
    // Python is started at the root, wherever this was.
    let output = std::path::absolute(args.output.clone().unwrap_or_else(|| root.join("results")))?;
    if args.readme {
        return page::write_readme(&root.join("README.md"), &output.join("compare"));
    }
    measured::run(args, &output)
}
