//! What the benchmarks of the papers' own tables are asked.

use super::Devices;
use std::path::PathBuf;

/// Where the paper's configurations run.
#[derive(clap::Args)]
pub(crate) struct GpudetArgs {
    /// Both sorted neighbourhoods with these windows instead, with commas between
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..))]
    pub(super) window: Vec<u32>,
    /// Also score by an order for each attribute, as the paper does: a pair has what it is near by
    #[arg(long, conflicts_with = "window")]
    pub(super) by_attribute: bool,
    /// CDs that are made in the shape of the paper's, where those are not there
    #[arg(long)]
    pub(super) generated: bool,
    #[command(flatten)]
    pub(super) on: Devices,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}

/// Who is set beside the paper.
#[derive(clap::Args)]
pub(crate) struct PaperArgs {
    /// Papers that are made in the shape of DBLP's and ACM's, where data sets are not there
    #[arg(long)]
    pub(super) generated: bool,
    /// A data set, such as dblp_acm; may be repeated [default: all that are there]
    #[arg(long, value_name = "NAME")]
    pub(super) data: Vec<String>,
    /// Without a part, as for `hyperblock --variant`: noEPG and noHO have rows of their own in Table 4
    #[arg(long, value_name = "NAMES")]
    pub(super) variant: Option<String>,
    #[command(flatten)]
    pub(super) on: Devices,
    /// Runs of each, after one that is not counted
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) runs: u32,
    /// The hyperblock to measure [default: built from this checkout]
    #[arg(long, value_name = "FILE")]
    pub(super) program: Option<PathBuf>,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}
