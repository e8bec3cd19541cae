//! `hyperblock link` and `hyperblock dedupe`.

use super::checkpoint::CheckpointArgs;
use super::say::{answer, say};
use super::tables::deduped;
use super::{AnswerFormat, DedupeArgs, LinkArgs, OutputArgs, PlaceArgs, guards};
use hyperblock::base::json::indented;
use hyperblock::base::paths::keep_apart;
use hyperblock::base::stopwatch::{time, whole};
use hyperblock::base::target::Target;
use hyperblock::entities::score::Scoring;
use hyperblock::rules::ScoreMethod;
use hyperblock::tell::evaluate::Truth;
use hyperblock::tell::output::{Format, Output, Rows, ScoredRows};
use hyperblock::{Candidate, Control, Job, Kept, Prepared, Result};
use serde_json::Value;
use std::fmt::Display;
use std::mem::ManuallyDrop;
use std::path::Path;

pub(crate) fn link(args: &LinkArgs, summary: Option<AnswerFormat>, control: &Control) -> Result<()> {
    let tables = args.tables.linked(&args.input)?;
    let read = tables.reads().chain(args.plan.reads()).collect();
    let job = args.plan.apply(tables.job()).guards(args.guards.guards()).cache(args.cache.cache());
    let job = args.output.apply(job);
    let ran = run(&job, read, &args.output, (&args.device, &args.checkpoint), summary, control);
    args.checkpoint.close(ran, summary != Some(AnswerFormat::Text), control)
}

pub(crate) fn dedupe(args: &DedupeArgs, summary: Option<AnswerFormat>, control: &Control) -> Result<()> {
    let tables = deduped(&args.input, &args.tables)?;
    let read = tables.reads().chain(args.plan.reads()).collect();
    let job = args.plan.apply(tables.job());
    let job = args.output.apply(job.guards(args.guards.guards()).cache(args.cache.cache()));
    let ran = run(&job, read, &args.output, (&args.device, &args.checkpoint), summary, control);
    args.checkpoint.close(ran, summary != Some(AnswerFormat::Text), control)
}

impl OutputArgs {
    /// The job, made ready for what is asked.
    fn apply(&self, job: Job) -> Job {
        self.closer.apply(job).beside(self.columns.clone())
    }
}

fn run<'a>(
    job: &Job,
    mut read: Vec<(&'static str, &'a Path)>,
    args: &'a OutputArgs,
    (device, checkpoint): (&PlaceArgs, &CheckpointArgs),
    told: Option<AnswerFormat>,
    control: &Control,
) -> Result<()> {
    // JSON stands alone, for whoever reads it.
    let quiet = told != Some(AnswerFormat::Text);
    // What can be refused at once is refused before any work is done.
    if let Some(output) = &args.output {
        Format::of(output)?;
    }
    let mut outputs: Vec<_> = args.output.iter().map(|output| ("-o", output.as_path())).collect();
    outputs.extend(args.closer.outputs()?);
    read.extend(args.truth.iter().map(|truth| ("the truth", truth.as_path())));
    keep_apart(&outputs, &read)?;
    let (device, mut job) = device.prepare(job, checkpoint, quiet, control)?;
    checkpoint.open(&job, &*device, control)?;
    job.keep_ids();
    // The system takes memory back sooner than it could be handed back piece by piece.
    let (device, job) = (ManuallyDrop::new(device), ManuallyDrop::new(job));
    warn_of_subsumed(&job);
    guards::warn(&job);
    keep_weights(&job, &outputs)?;
    let mut truth = match &args.truth {
        None => None,
        Some(path) => Some(time("truth", || Truth::read(path, &job.left, job.second(), control))?),
    };
    let mut lookers = args.closer.lookers(&job, truth.as_ref(), control)?;
    let rows = job.rows();
    control.begin_comparing(job.n_to_compare(), "pairs");
    let (mut summary, pairs) = match job.scoring() {
        None => {
            let mut output = create(args, rows, control)?;
            let sink: &mut dyn FnMut(&[Candidate]) -> Result<()> = &mut |candidates| {
                if let Some(truth) = &mut truth {
                    time("truth", || truth.count(candidates));
                }
                lookers.look(candidates, None, truth.as_ref())?;
                output.as_mut().map_or(Ok(()), |output| output.write(candidates))
            };
            let summary = match args.count {
                true => job.run_unsorted(&**device, control, sink),
                false => job.run(&**device, control, sink),
            }?;
            (summary, written(output)?)
        }
        Some(scoring) => {
            scoring.check()?;
            let are_weights = scoring.method() == ScoreMethod::FellegiSunter;
            let mut output = create(args, ScoredRows { candidates: rows, are_weights }, control)?;
            let with_all = lookers.are_there();
            let mut take = |found: &[Candidate], scored: &[Kept]| {
                if let Some(truth) = &mut truth {
                    time("truth", || {
                        let kept: Vec<Candidate> = scored.iter().map(|(candidate, _)| *candidate).collect();
                        truth.count(&kept);
                    });
                }
                lookers.look(found, Some(scored), truth.as_ref())?;
                output.as_mut().map_or(Ok(()), |output| output.write(scored))
            };
            let summary = match with_all {
                true => job.run_all(&**device, control, &mut |all, kept| take(all, kept.unwrap_or_default())),
                false => job.run_scored(&**device, control, &mut |scored| take(&[], scored)),
            }?;
            (summary, written(output)?)
        }
    };
    let errors = lookers.tell(truth.as_ref(), None, &mut summary, (&**device, control))?;
    // Both are whole before one takes its place.
    let targets: Vec<Target> = [pairs, errors].into_iter().flatten().collect();
    if !targets.is_empty() {
        time("write", || targets.into_iter().try_for_each(Target::finish))?;
    }
    summary.quality = truth.map(|truth| time("truth", || truth.quality()));
    if args.count {
        // As many as a file would have rows.
        let n = summary.scored.map_or(summary.n_candidates(), |tally| tally.n_kept);
        answer(format_args!("{n}\n"))?;
    }
    summary.stages = whole();
    tell(told, &summary, || summary.json());
    Ok(())
}

/// Prints a summary as it is asked for, if it is.
pub(crate) fn tell(how: Option<AnswerFormat>, summary: &dyn Display, json: impl FnOnce() -> Value) {
    match how {
        None => {}
        Some(AnswerFormat::Text) => say!("{summary}"),
        Some(AnswerFormat::Json) => say!("{}\n", indented(&json())),
    }
}

/// Starts the output, if there is to be one.
fn create<'a, R: Rows>(args: &OutputArgs, rows: R, control: &'a Control) -> Result<Option<Output<'a, R>>> {
    args.output.as_ref().map(|path| Output::create(path, rows, control)).transpose()
}

/// Writes the rest of it, which takes its time too. It has yet to be put in its place.
fn written<R: Rows>(output: Option<Output<'_, R>>) -> Result<Option<Target>> {
    output.map(|output| time("write", || output.written())).transpose()
}

/// The weights are an input too, which is known when the rules are read.
pub(crate) fn keep_weights(job: &Prepared, outputs: &[(&str, &Path)]) -> Result<()> {
    let weights = job.scoring().and_then(Scoring::weights_file);
    keep_apart(
        outputs,
        &weights.map(|weights| ("the file of weights", weights)).into_iter().collect::<Vec<_>>(),
    )?;
    keep_lookups(job, outputs)
}

/// And so are the tables that rules look values up in.
pub(crate) fn keep_lookups(job: &Prepared, outputs: &[(&str, &Path)]) -> Result<()> {
    let lookups = job.lookups.iter().map(|table| ("a table that the rules look up", table.as_path()));
    keep_apart(outputs, &lookups.collect::<Vec<_>>())
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
