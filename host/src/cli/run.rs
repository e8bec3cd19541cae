//! `hyperblock link` and `hyperblock dedupe`.

use super::say::say;
use super::{DedupeArgs, LinkArgs, OutputArgs, PlaceArgs, progress};
use hyperblock::base::paths::keep_apart;
use hyperblock::entities::score::Scoring;
use hyperblock::rules::ScoreMethod;
use hyperblock::tell::evaluate::Truth;
use hyperblock::tell::output::{CandidateRows, Format, Output, ScoredRows};
use hyperblock::{Candidate, Control, Job, Prepared, Result};
use std::path::Path;

pub(crate) fn link(args: &LinkArgs, quiet: bool, control: &Control) -> Result<()> {
    let read = args.input.reads(&args.left, Some(&args.right)).chain(args.plan.reads()).collect();
    let job = args.input.job(&args.left, Some(&args.right), args.right_id.as_ref());
    run(&args.plan.apply(job), read, &args.output, &args.device, quiet, control)
}

pub(crate) fn dedupe(args: &DedupeArgs, quiet: bool, control: &Control) -> Result<()> {
    let read = args.input.reads(&args.table, None).chain(args.plan.reads()).collect();
    let job = args.plan.apply(args.input.job(&args.table, None, None));
    run(&job, read, &args.output, &args.device, quiet, control)
}

fn run<'a>(
    job: &Job,
    mut read: Vec<(&'static str, &'a Path)>,
    args: &'a OutputArgs,
    device: &PlaceArgs,
    quiet: bool,
    control: &Control,
) -> Result<()> {
    // What can be refused at once is refused before any work is done.
    Format::of(&args.output)?;
    let outputs = [("-o", args.output.as_path())];
    read.extend(args.truth.iter().map(|truth| ("the truth", truth.as_path())));
    keep_apart(&outputs, &read)?;
    let device = device.open()?;
    if !quiet {
        say!("running on {}\n", device.name());
    }
    let job = job.prepare(&*device, control)?;
    warn_of_subsumed(&job);
    keep_weights(&job, &outputs)?;
    let mut truth = match &args.truth {
        None => None,
        Some(path) => Some(Truth::read(path, &job.left, job.second(), control)?),
    };
    let rows = CandidateRows { left: &job.left.ids, right: &job.right().ids, rules: job.witnesses() };
    let n_pairs = job.n_to_compare();
    let mut summary = match job.scoring() {
        None => {
            let mut output = Output::create(&args.output, rows, control)?;
            let summary = progress::watch(n_pairs, quiet, control, || {
                job.run(&*device, control, &mut |candidates| {
                    if let Some(truth) = &mut truth {
                        truth.count(candidates);
                    }
                    output.write(candidates)
                })
            })?;
            output.finish()?;
            summary
        }
        Some(scoring) => {
            scoring.check()?;
            let are_weights = scoring.method() == ScoreMethod::FellegiSunter;
            let rows = ScoredRows { candidates: rows, are_weights };
            let mut output = Output::create(&args.output, rows, control)?;
            let summary = progress::watch(n_pairs, quiet, control, || {
                job.run_scored(&*device, control, &mut |_, scored| {
                    if let Some(truth) = &mut truth {
                        let kept: Vec<Candidate> = scored.iter().map(|(candidate, _)| *candidate).collect();
                        truth.count(&kept);
                    }
                    output.write(scored)
                })
            })?;
            output.finish()?;
            summary
        }
    };
    summary.quality = truth.map(|truth| truth.quality());
    if !quiet {
        say!("{summary}");
    }
    Ok(())
}

/// The weights are an input too, which is known when the rules are read.
pub(crate) fn keep_weights(job: &Prepared, outputs: &[(&str, &Path)]) -> Result<()> {
    let weights = job.scoring().and_then(Scoring::weights_file);
    keep_apart(
        outputs,
        &weights.map(|weights| ("the file of weights", weights)).into_iter().collect::<Vec<_>>(),
    )
}

/// Says which rules are for nothing.
pub(crate) fn warn_of_subsumed(job: &Prepared) {
    for subsumed in &job.subsumed {
        let name = |rule: usize| &job.plan.rules[rule].name;
        tracing::warn!(
            "every pair that rule `{}` allows is allowed by `{}`",
            name(subsumed.rule),
            name(subsumed.by)
        );
    }
}
