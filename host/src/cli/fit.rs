//! `hyperblock fit`.

use super::input::InputArgs;
use super::place::PlaceArgs;
use super::plan::PlanArgs;
use super::report::ReportArgs;
use super::run;
use super::say::answer;
use super::tables::TablesArgs;
use clap::Args;
use hyperblock::base::paths::keep_apart;
use hyperblock::base::stopwatch::whole;
use hyperblock::fit::{FitOptions, MOST_SAMPLED};
use hyperblock::report::Report;
use hyperblock::tell::evaluate::Truth;
use hyperblock::{Control, Result};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// Where the weights go: a TOML file, such as `weights` in [score] names
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Labels: all pairs that match, labels of some pairs, or entities of all records or of some
    ///
    /// Pairs have columns id_a and id_b, labelled ones also label, entities id and entity_id. m is then that of the labels, and so
    /// is the prior, which labels of some pairs do not tell.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// The probability that any two records match, where it is known [default: from labels, from `sure` in [score], or else
    /// from the candidates]
    #[arg(long, value_name = "P", value_parser = probability)]
    prior: Option<f64>,
    /// Random pairs to look at for u, at most 10,000,000; rarer levels are counted in all pairs
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().sample, value_parser = clap::value_parser!(u64).range(1..=MOST_SAMPLED))]
    sample: u64,
    /// The same seed draws the same random pairs
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().seed)]
    seed: u64,
    /// Rounds of estimation at most, for each rule
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().rounds, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    #[command(flatten)]
    pub(super) report: ReportArgs,
    #[command(flatten)]
    device: PlaceArgs,
    #[command(flatten)]
    plan: PlanArgs,
}

pub(crate) fn fit(args: &FitArgs, quiet: bool, control: &Control) -> Result<()> {
    // What can be refused at once is refused before any work is done. Weights that the rule file names are there to be made.
    let truth = args.truth.iter().map(|truth| ("the truth", truth.as_path()));
    let tables = args.tables.usual(&args.input)?;
    let read = args.plan.reads().chain(tables.reads()).chain(truth);
    let outputs: Vec<_> = [("-o", args.output.as_path())].into_iter().chain(args.report.outputs()).collect();
    keep_apart(&outputs, &read.collect::<Vec<_>>())?;
    let device = args.device.open()?;
    control.runs_on(device.name());
    let job = args.report.apply(args.plan.apply(tables.job())).prepare(&*device, control)?;
    run::keep_lookups(&job, &outputs)?;
    let report = args.report.begin("fit", &args.input.rules)?;
    let truth = match &args.truth {
        None => None,
        Some(path) => Some(Truth::read(path, &job.left, job.second(), control)?),
    };
    let FitArgs { seed, sample, rounds, prior, .. } = *args;
    let options = FitOptions { seed, sample, rounds, prior };
    control.begin_comparing(job.n_to_compare(), "pairs");
    let fit = job.fit(&*device, control, options, truth.as_ref())?;
    control.check()?;
    fit.weights.write(&args.output)?;
    if let Some((target, asked)) = report {
        let report = Report::of_fit(&asked, &job, (&fit.weights, &fit.to_string()), control)?;
        report.ran(&device.name(), whole().total()).write(target)?;
    }
    for doubt in &fit.doubts {
        tracing::warn!("{doubt}");
    }
    if quiet {
        return Ok(());
    }
    answer(format_args!("{fit}"))
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && *number < 1.0);
    number.ok_or_else(|| "expected a number between 0 and 1".to_owned())
}
