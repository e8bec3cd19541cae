//! `cargo xtask simulate`: how a job would scale over more GPUs than there are.
//!
//! The tasks of a workload are run and timed at one place. What they took, and how much they found, is then replayed through
//! the dealer that deals to real places ([`model`]), over a made-up machine with links of known bandwidth. What is printed is
//! simulated, and says so.

#[cfg(feature = "bench")]
mod model;
#[cfg(feature = "bench")]
mod replay;

use crate::bench::Workload;
use anyhow::Result;
use std::path::PathBuf;

/// What `cargo xtask simulate` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Numbers of GPUs, with commas between
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 2, 4, 8])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    gpus: Vec<u32>,
    /// The workload, as of `bench scan`
    #[arg(long, value_enum, default_value = "traffic")]
    workload: Workload,
    /// Records in generated tables
    #[arg(long)]
    rows: Option<u32>,
    /// Where its tasks are run and timed, as for `hyperblock --device`
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Tasks, about
    #[arg(long, value_name = "N", default_value_t = 64)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65_536))]
    partitions: u32,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

#[cfg(feature = "bench")]
pub(crate) fn run(args: &Args) -> Result<()> {
    replay::run(args)
}

#[cfg(not(feature = "bench"))]
pub(crate) fn run(_: &Args) -> Result<()> {
    crate::cargo::again()
}
