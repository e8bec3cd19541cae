//! `hyperblock link` and `hyperblock dedupe`.

use super::{DedupeArgs, DeviceArgs, LinkArgs, OutputArgs, progress};
use hyperblock::tell::evaluate::Truth;
use hyperblock::tell::output::{CandidateRows, Format, Output, ScoredRows};
use hyperblock::{Candidate, Control, Error, Job, Prepared, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub(crate) fn link(args: &LinkArgs, quiet: bool) -> Result<()> {
    let job = args.input.job(&args.left, Some(&args.right), args.right_id.as_ref());
    run(&args.plan.apply(job), &args.output, &args.device, quiet)
}

pub(crate) fn dedupe(args: &DedupeArgs, quiet: bool) -> Result<()> {
    let job = args.plan.apply(args.input.job(&args.table, None, None));
    run(&job, &args.output, &args.device, quiet)
}

fn run(job: &Job, args: &OutputArgs, device: &DeviceArgs, quiet: bool) -> Result<()> {
    // What can be refused at once is refused before any work is done.
    Format::of(&args.output)?;
    let device = device.open()?;
    if !quiet {
        eprintln!("running on {}", device.name());
    }
    let control = stop_on_signal(Control::default())?;

    let job = job.prepare(&*device)?;
    warn_of_subsumed(&job);
    let mut truth = match &args.truth {
        None => None,
        Some(path) => Some(Truth::read(path, &job.left, job.second())?),
    };
    let rows = CandidateRows { left: &job.left.ids, right: &job.right().ids, rules: job.witnesses() };
    let n_pairs = job.task().n_pairs();
    let mut summary = match job.scoring() {
        None => {
            let mut output = Output::create(&args.output, rows)?;
            let summary = progress::watch(n_pairs, quiet, &control, || {
                job.run(&*device, &control, &mut |candidates| {
                    if let Some(truth) = &mut truth {
                        truth.count(candidates);
                    }
                    output.write(candidates)
                })
            })?;
            control.check()?;
            output.finish()?;
            summary
        }
        Some(scoring) => {
            scoring.check()?;
            let mut output = Output::create(&args.output, ScoredRows(rows))?;
            let summary = progress::watch(n_pairs, quiet, &control, || {
                job.run_scored(&*device, &control, &mut |_, scored| {
                    if let Some(truth) = &mut truth {
                        let kept: Vec<Candidate> = scored.iter().map(|(candidate, _)| *candidate).collect();
                        truth.count(&kept);
                    }
                    output.write(scored)
                })
            })?;
            control.check()?;
            output.finish()?;
            summary
        }
    };
    summary.quality = truth.map(|truth| truth.quality());
    if !quiet {
        eprint!("{summary}");
    }
    Ok(())
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

/// The first Ctrl-C ends the job in good order, with nothing half-written; the second ends the process.
pub(crate) fn stop_on_signal(control: Control) -> Result<Arc<Control>> {
    let control = Arc::new(control);
    let (asked, watched) = (AtomicBool::new(false), control.clone());
    ctrlc::set_handler(move || {
        if asked.swap(true, Relaxed) {
            std::process::exit(130);
        }
        watched.cancel();
    })
    .map_err(|error| Error::Internal(format!("no handler for Ctrl-C: {error}")))?;
    Ok(control)
}
