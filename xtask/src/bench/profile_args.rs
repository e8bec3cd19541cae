//! What `cargo xtask bench profile` is asked: which kernels, and how large their jobs are.

use super::Devices;
use std::path::PathBuf;

/// Kernels that work together, with a job that they do.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum Family {
    /// The scan: 100,000 traffic accidents, fifty rules, all of them swept
    Scan,
    /// The hash join of keys: 4,000,000 rows of each side by Zipf's law with the exponent 0.8, counted and written
    Join,
    /// The hash join of a rule: 100,000 people, the same zip code and last names at most one edit apart
    Residual,
    /// The overlap join: 20,000 titles, jaccard of 3-grams >= 0.7
    Overlap,
    /// A single join of relations: a random graph of 1,000,000 edges with itself
    Relation,
    /// The transitive closure of p2p-Gnutella09, if it is there
    Closure,
    /// Entities of 10,000,000 pairs; by a bit matrix, of 20,000
    Cluster,
    /// Scores of 1,000,000 pairs of CDs: means and patterns
    Score,
    /// Sorted neighbourhoods: 200,000 CDs by two keys
    Neighbours,
}

/// The profiler's workload.
#[derive(clap::Args)]
pub(crate) struct ProfileArgs {
    /// A family of kernels; may be repeated [default: all whose data is there]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) family: Vec<Family>,
    /// Records, rows, pairs or edges of the job, for a quick look
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..))]
    pub(super) rows: Option<u32>,
    #[command(flatten)]
    pub(super) on: Devices,
    /// Launches of a job that are looked at, the first ones
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) most_launches: u32,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
    /// Do the job once in this way, and say nothing: what the profiler looks at
    #[arg(long, hide = true, value_name = "WAY")]
    pub(super) once: Option<String>,
}
