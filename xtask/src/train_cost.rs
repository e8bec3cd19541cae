//! `cargo xtask train-cost`: teaches the cost model what predicates cost on a device.
//!
//! 1. [`workload`] draws tables and some hundred predicates over them, of every measure.
//! 2. [`timings`] times each of them on the device, by the median of several runs.
//! 3. [`learn`] trains the network on most of the timings; [`ndcg`] judges on the rest, which training never sees, how
//!    well the predicted costs order predicates, since order is all that the plan wants of them.
//!
//! The engine is only linked with the feature `bench`; without it the command builds and starts itself again.

#[cfg(feature = "bench")]
mod adam;
#[cfg(feature = "bench")]
pub(crate) mod learn;
#[cfg(feature = "bench")]
pub(crate) mod ndcg;
#[cfg(feature = "bench")]
pub(crate) mod timings;
#[cfg(feature = "bench")]
mod workload;

use anyhow::Result;
use std::path::PathBuf;

/// What `cargo xtask train-cost` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) workload: WorkloadArgs,
    /// The file to write [default: host/cost/cpu.toml or host/cost/cuda.toml]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write every timing, with its features, to this CSV file
    #[arg(long, value_name = "FILE")]
    timings: Option<PathBuf>,
}

/// What is timed, and where.
#[derive(clap::Args)]
pub(crate) struct WorkloadArgs {
    /// The device, as for `hyperblock --device`
    #[arg(long, default_value = "cpu")]
    pub(crate) device: String,
    /// The same seed gives the same tables, predicates and first weights
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Records in each table
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub(crate) rows: u32,
}

#[cfg(not(feature = "bench"))]
pub(crate) fn run(_: &Args) -> Result<()> {
    crate::cargo::again()
}

#[cfg(feature = "bench")]
pub(crate) fn run(args: &Args) -> Result<()> {
    use crate::replace::replace;
    use std::io::Write;

    let taken = timings::take(&args.workload)?;
    if let Some(path) = &args.timings {
        replace(path, |file| taken.write(file))?;
    }
    let (training, validation) = timings::split(&taken.timings, args.workload.seed);
    let model = learn::train(&training, taken.backend, &taken.machine, args.workload.seed);
    println!("{} timings to train on, {} to judge by", training.len(), validation.len());
    for (name, timings) in [("training", &training), ("validation", &validation)] {
        println!("{name:10}  {}", learn::errors(&model, timings));
    }
    let measured: Vec<f64> = validation.iter().map(|timing| timing.nanoseconds).collect();
    let by_model: Vec<f64> = validation.iter().map(|timing| model.predict(&timing.features)).collect();
    let by_table: Vec<f64> = validation.iter().map(|timing| timing.static_cost).collect();
    for (name, predicted) in [("the model", &by_model), ("the static table", &by_table)] {
        println!("NDCG of {name:16}  {}", ndcg::judge(predicted, &measured, args.workload.seed));
    }
    let default = || crate::cargo::root().join("host/cost").join(format!("{}.toml", taken.backend));
    let path = args.output.clone().unwrap_or_else(default);
    replace(&path, |file| write!(file, "{model}"))?;
    println!("wrote {}", path.display());
    Ok(())
}
