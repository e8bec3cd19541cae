//! `hyperblock fit`.

use super::FitArgs;
use super::run;
use super::say::answer;
use hyperblock::base::paths::keep_apart;
use hyperblock::fit::FitOptions;
use hyperblock::tell::evaluate::Truth;
use hyperblock::{Control, Result};

pub(crate) fn fit(args: &FitArgs, quiet: bool, control: &Control) -> Result<()> {
    // What can be refused at once is refused before any work is done. Weights that the rule file names are there to be made.
    let truth = args.truth.iter().map(|truth| ("the truth", truth.as_path()));
    let tables = args.tables.usual(&args.input)?;
    let read = args.plan.reads().chain(tables.reads()).chain(truth);
    keep_apart(&[("-o", &args.output)], &read.collect::<Vec<_>>())?;
    let device = args.device.open()?;
    control.runs_on(device.name());
    let job = args.plan.apply(tables.job()).prepare(&*device, control)?;
    run::keep_lookups(&job, &[("-o", &args.output)])?;
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
    for doubt in &fit.doubts {
        tracing::warn!("{doubt}");
    }
    if quiet {
        return Ok(());
    }
    answer(format_args!("{fit}"))
}
