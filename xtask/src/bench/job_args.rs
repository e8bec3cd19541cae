//! What benchmarks of whole jobs are asked (`cargo xtask bench job`, `report`, `distance`): which jobs, of which
//! size, and beside whom.

use super::Devices;
use std::path::PathBuf;

/// What the program is started for.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum JobName {
    /// People with the same zip code and similar last names
    E1,
    /// People by three rules: zip code and last name, phone, year and description
    E2,
    /// People whose descriptions have similar words
    S1w,
    /// People whose descriptions have similar 3-grams
    S1g,
    /// People with similar streets
    S1l,
    /// The songs of the data set musicbrainz_20k, if it is there, to entities
    Songs,
    /// Generated CDs to entities, by sorted neighbourhoods and a score
    Cds,
}

/// The program's workload.
#[derive(clap::Args)]
pub(crate) struct JobArgs {
    /// A job to measure; may be repeated [default: all whose data is there]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) job: Vec<JobName>,
    /// People in the table of workloads/gen_people.py; of 10,000, 100,000 and 1,000,000 the right counts are known
    /// [default: 100,000; with --compare 1,000,000, and a tenth of them for programs that do not finish]
    #[arg(long, value_parser = clap::value_parser!(u32).range(100..))]
    pub(super) rows: Option<u32>,
    /// CDs in the generated table
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(2..))]
    pub(super) cds: u32,
    #[command(flatten)]
    pub(super) on: Devices,
    /// The hyperblock to measure [default: built from this checkout]
    #[arg(long, value_name = "FILE")]
    pub(super) program: Option<PathBuf>,
    /// The jobs over people beside DuckDB, Polars and rapidfuzz (Python, from PyPI), each at the largest size it finishes
    #[arg(long)]
    pub(super) compare: bool,
    /// With --compare, what a run of another program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "compare")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) most_seconds: u32,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}

/// Jobs with a report, and without.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// People of the first job
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(2..))]
    pub(super) rows: u32,
    /// The hyperblock to measure [default: built from this checkout]
    #[arg(long, value_name = "FILE")]
    pub(super) program: Option<PathBuf>,
    /// Also write the figures and the machine to files in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}

/// The points' workload.
#[derive(clap::Args)]
pub(crate) struct DistanceArgs {
    /// Points, as dense however many they are
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(2..=100_000_000))]
    pub(super) rows: u32,
    #[command(flatten)]
    pub(super) on: Devices,
    /// The hyperblock to measure [default: built from this checkout]
    #[arg(long, value_name = "FILE")]
    pub(super) program: Option<PathBuf>,
    /// Leave DuckDB out; the points are then read from CSV
    #[arg(long)]
    pub(super) no_peers: bool,
    /// Also write the figures and the machine to files in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}
