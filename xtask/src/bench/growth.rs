//! Growth: whole jobs over more and more records, from file to file, with the time of each stage and the most memory.
//!
//! Work should grow as the tables do. What a stage takes is held against the number of records: the slope of the line through
//! both on logarithmic axes, 1 where it is proportional. Candidates may grow faster, and what is done with them. People are
//! those of `cargo xtask gen people --skew 0.8 --seed 7`, accidents those of `cargo xtask gen traffic --seed 7`.

#[cfg(feature = "bench")]
mod measured;

#[cfg(feature = "bench")]
pub(super) use measured::{MIXED, people, run};

use super::Devices;
use std::path::PathBuf;

/// What is asked, and of whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum GrowthJob {
    /// Four rules: phone; email and year; birth date and last name; zip code, street and first name
    Mixed,
    /// The same zip code and similar last names: very many candidates
    Zips,
    /// Traffic accidents of 16 columns, fifty rules
    Traffic,
}

/// How far it grows.
#[derive(clap::Args)]
pub(crate) struct GrowthArgs {
    /// A job to measure; may be repeated [default: mixed]
    #[arg(long, value_enum, value_name = "NAME")]
    job: Vec<GrowthJob>,
    /// Records, with commas between [default: 250,000, 1,000,000 and 4,000,000]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(100..))]
    rows: Vec<u32>,
    #[command(flatten)]
    on: Devices,
    /// What is written: csv, tsv, parquet or arrow; or count, where candidates are counted only
    #[arg(long, value_name = "FORMAT", default_value = "csv", value_parser = ["csv", "tsv", "parquet", "arrow", "count"])]
    format: String,
    /// With what is encoded taken from a cache, which the run that is not counted makes
    #[arg(long)]
    cache: bool,
    /// With so much memory
    #[arg(long, value_name = "MIB")]
    memory: Option<u32>,
    /// With so much of a GPU's memory
    #[arg(long, value_name = "MIB")]
    device_memory: Option<u32>,
    /// Runs of each, after one that is not counted
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The hyperblock to measure [default: built from this checkout]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}
