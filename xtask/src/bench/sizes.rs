//! Sizes of the scan: a grid of intervals and windows, and which of them is best.
//!
//! HyperBlocker (PVLDB 18(2), 2024) found its n_t and n_w, 256 and 1,024, by a grid search on each data set (section 6).
//! What is timed begins with encoded columns in memory and ends with all candidates back there. All sizes read the same
//! columns in the same place, take turns, and must find the same pairs in the same order. The CPU has as many intervals
//! under way as it has threads, so windows do not differ there.

#[cfg(feature = "bench")]
mod measured;

#[cfg(feature = "bench")]
pub(super) use measured::run;

use super::{Devices, Workload};
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

/// The grid, and what is scanned.
#[derive(clap::Args)]
pub(crate) struct SizesArgs {
    /// A workload to scan; may be repeated [default: levenshtein, papers and traffic]
    #[arg(long, value_enum, value_name = "NAME")]
    workload: Vec<Workload>,
    /// Records in generated tables, for a quick look
    #[arg(long)]
    rows: Option<u32>,
    /// Left items in an interval, with commas between: multiples of 32, from 32 to 512
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "64,128,256,512", value_parser = interval)]
    interval: Vec<u32>,
    /// Intervals under way at once, with commas between
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "256,1024,4096")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65_535))]
    window: Vec<u32>,
    /// Which access paths branches may have, as for `hyperblock --access`: sizes are those of sweeps
    #[arg(long, default_value = "sweep", value_name = "PATHS")]
    access: String,
    #[command(flatten)]
    on: Devices,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// As many as threads of a block may be.
fn interval(text: &str) -> Result<u32> {
    let n: u32 = text.parse().context("not a number")?;
    ensure!(n.is_multiple_of(32) && (32..=512).contains(&n), "must be a multiple of 32, from 32 to 512");
    Ok(n)
}

#[cfg(test)]
mod tests {
    use super::interval;

    #[test]
    fn intervals_are_whole_warps() {
        assert!(["32", "96", "512"].iter().all(|text| interval(text).is_ok()));
        assert!(["0", "16", "100", "544", "many"].iter().all(|text| interval(text).is_err()));
    }
}
