//! `cargo xtask train-cost`: teaches the cost model what predicates cost on a device.
//!
//! 1. [`workload`] draws tables and some hundred predicates over them, of every measure.
//! 2. [`timings`] times each of them on the device, by the median of several runs.
//! 3. [`learn`] trains the network on most of the timings. [`crate::ndcg`] judges on the rest, which training never sees, how
//!    well the predicted costs order predicates, since order is all that the plan wants of them; the root of the mean squared
//!    error says how far off they are.
//! 4. [`crate::paths`] forces each access path of some jobs, and fits what a unit of work takes. It is judged likewise, by
//!    other jobs.
//!
//! The engine is only linked with the feature `bench`; without it the command builds and starts itself again.

#[cfg(feature = "bench")]
mod adam;
#[cfg(feature = "bench")]
pub(crate) mod learn;
#[cfg(feature = "bench")]
pub(crate) mod timings;
#[cfg(feature = "bench")]
mod workload;

use anyhow::Result;
#[cfg(feature = "bench")]
use hyperblock::plan::cost::CostModel;
use std::path::PathBuf;

/// What `cargo xtask train-cost` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) workload: WorkloadArgs,
    /// The file to write [default: host/cost/cpu.toml or host/cost/cuda.toml]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Train one part alone, and leave the other as it is
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// Records in the tables that access paths are timed on, at most
    #[arg(long, default_value_t = 60_000, value_name = "ROWS")]
    path_rows: u32,
    /// Also write every timing, with its features, to this CSV file
    #[arg(long, value_name = "FILE")]
    timings: Option<PathBuf>,
}

/// What is trained.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The network for what predicates cost
    Predicates,
    /// The rates of access paths
    Paths,
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
    use crate::ndcg;
    use crate::replace::replace;

    if args.only == Some(Part::Paths) {
        return write_model(args, &with_paths(args, builtin(args)?)?);
    }
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
    let (rates, figures) = (builtin(args)?.rates, timings::open(&args.workload)?.figures());
    let model = CostModel { rates, figures, ..model };
    match args.only {
        Some(_) => write_model(args, &model),
        None => write_model(args, &with_paths(args, model)?),
    }
}

/// The model of the device that comes with the program; if it was made on another one, scaled.
#[cfg(feature = "bench")]
fn builtin(args: &Args) -> Result<CostModel> {
    let device = timings::open(&args.workload)?;
    Ok(CostModel::builtin(device.kind())?.on(device.figures()))
}

/// Paths that are furthest off, for people to look at.
#[cfg(feature = "bench")]
const WORST: usize = 10;

/// A model with rates that are fitted to what paths take on the device.
#[cfg(feature = "bench")]
fn with_paths(args: &Args, model: CostModel) -> Result<CostModel> {
    use crate::paths;

    let mut timed = Vec::new();
    let device = timings::open(&args.workload)?;
    for job in paths::generated(args.path_rows)? {
        let of_job = paths::time(&job, &*device)?;
        timed.extend(of_job.into_iter().map(|one| (job.is_for_training, one)));
    }
    let part = |is_for_training: bool| -> Vec<&paths::Timed> {
        timed.iter().filter(|(of, _)| *of == is_for_training).map(|(_, one)| one).collect()
    };
    let (training, validation) = (part(true), part(false));
    let rates = paths::fit(&training, model.rates);
    let expected = |one: &paths::Timed| paths::expected(&one.work, &rates);
    for (name, timed) in [("training", &training), ("validation", &validation)] {
        println!("{name:10}  {}", paths::Accuracy::new(timed, expected));
    }
    let mut all: Vec<&paths::Timed> = timed.iter().map(|(_, one)| one).collect();
    let off = |one: &paths::Timed| expected(one) / one.took;
    all.sort_by(|a, b| off(b).ln().abs().total_cmp(&off(a).ln().abs()));
    for one in all.iter().take(WORST) {
        println!("{:8.2} times the {:.2} ms that it took: {}: {}", off(one), one.took, one.job, one.path);
    }
    Ok(CostModel { rates, ..model }.rounded())
}

#[cfg(feature = "bench")]
fn write_model(args: &Args, model: &CostModel) -> Result<()> {
    use std::io::Write;

    let default = || crate::cargo::root().join("host/cost").join(format!("{}.toml", model.backend));
    let path = args.output.clone().unwrap_or_else(default);
    crate::replace::replace(&path, |file| write!(file, "{model}"))?;
    println!("wrote {}", path.display());
    Ok(())
}
