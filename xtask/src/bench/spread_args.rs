//! What `cargo xtask bench spread` is asked.

use std::path::PathBuf;

/// What is spread.
#[derive(clap::Args)]
pub(crate) struct SpreadArgs {
    /// People
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1000..))]
    pub(super) rows: u32,
    /// Without a zip code that a fifth of them share
    #[arg(long)]
    pub(super) even: bool,
    /// Cores that units are spread over
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) cores: u64,
    /// Memory of a task
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    pub(super) memory: u64,
    /// Records of a side, whatever the memory
    #[arg(long, value_name = "N")]
    pub(super) side: Option<u64>,
    /// Tell of each unit
    #[arg(long)]
    pub(super) units: bool,
    /// Append the figures to the results in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}
