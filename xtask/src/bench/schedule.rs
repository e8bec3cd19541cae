//! Schedules: jobs whose tasks are dealt to several places, by each schedule and in few tasks or very many.
//!
//! As Figures 7(a) and 7(c) of HyperBlocker (2024): by number of devices, and by number of partitions. Places may be shares
//! of one device, so that schedules differ on one GPU, or on none. `levenshtein` is even, for all intervals of distinct names are
//! about as long as each other; `traffic` is skewed, as its keys are. What is timed begins with encoded columns in memory and
//! ends with all candidates in order. Every run must find all of them.

#[cfg(feature = "bench")]
mod measured;

#[cfg(feature = "bench")]
pub(super) use measured::run;

use super::Workload;
use std::path::PathBuf;

/// What is shared, and among whom.
#[derive(clap::Args)]
pub(crate) struct ScheduleArgs {
    /// A workload to share; may be repeated [default: levenshtein and traffic]
    #[arg(long, value_enum, value_name = "NAME")]
    workload: Vec<Workload>,
    /// Records in generated tables, for a quick look
    #[arg(long)]
    rows: Option<u32>,
    /// Places, as for `hyperblock --devices`; may be repeated [default: cpu, cpu/2 and cpu/4, and the same of a GPU where there
    /// is one, and that with the CPU beside it]
    #[arg(long, value_name = "LIST")]
    devices: Vec<String>,
    /// Tasks, with commas between [default: 1, 4, 16, 64, 256 and 1024]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65_536))]
    partitions: Vec<u32>,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}
