//! `hyperblock link` and `hyperblock dedupe`.

use super::AnswerFormat;
use super::budget::BudgetArgs;
use super::cache::CacheArgs;
use super::checkpoint::CheckpointArgs;
use super::closer::CloserArgs;
use super::colour::Headed;
use super::guards::{self, GuardArgs};
use super::input::InputArgs;
use super::place::PlaceArgs;
use super::plan::PlanArgs;
use super::report::LabelArgs;
use super::say::{answer, say};
use super::tables::{Tables, TablesArgs, deduped};
use clap::{ArgGroup, Args};
use hyperblock::base::json::indented;
use hyperblock::base::paths::keep_apart;
use hyperblock::base::stopwatch::{time, whole};
use hyperblock::base::target::Target;
use hyperblock::entities::score::Scoring;
use hyperblock::job::Beside;
use hyperblock::report::{Outcome, Report, Watching};
use hyperblock::rules::ScoreMethod;
use hyperblock::tell::evaluate::Truth;
use hyperblock::tell::output::{Format, Output, Rows, ScoredRows};
use hyperblock::{Candidate, Control, Kept, Prepared, Result};
use serde_json::Value;
use std::fmt::Display;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct LinkArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    pub(super) job: JobArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DedupeArgs {
    /// The table: CSV (also .gz, .zst), Parquet or Arrow, - for standard input
    ///
    /// Several, or a pattern of them in quotes ('parts/*.csv'), are taken as one, in which the column `source` says what each
    /// record's table is called (shop.csv.gz is shop).
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    pub(super) job: JobArgs,
}

/// What is the same for both.
#[derive(Args, Debug)]
pub(crate) struct JobArgs {
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    guards: GuardArgs,
    #[command(flatten)]
    pub(super) budget: BudgetArgs,
    #[command(flatten)]
    cache: CacheArgs,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
    #[command(flatten)]
    device: PlaceArgs,
    #[command(flatten)]
    plan: PlanArgs,
}

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("result").required(true).args(["output", "count"])))]
pub(super) struct OutputArgs {
    /// Where the pairs go: .csv, .tsv, .parquet or .arrow, or - for CSV on standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print only how many pairs there are, and write none
    #[arg(long)]
    count: bool,
    /// Add the values of these columns of both records to each pair: l.NAME, r.NAME, NAME (of both) or all
    ///
    /// l.NAME is of the left one, r.NAME of the right one, NAME of both, and all is all but the ids; comma-separated. They become the
    /// columns left_NAME and right_NAME, behind all others.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "output")]
    columns: Vec<Beside>,
    /// Matching pairs, labelled pairs or entities, to measure recall and precision against
    ///
    /// Pairs have columns id_a and id_b, labelled ones also label, entities id and entity_id. Entities and labels may cover a part.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    #[command(flatten)]
    closer: CloserArgs,
    #[command(flatten)]
    pub(super) report: LabelArgs,
}

pub(crate) fn link(args: &LinkArgs, summary: Option<AnswerFormat>, control: &Control) -> Result<()> {
    let asked = ("link", args.input.rules.as_path());
    run(&args.job, asked, &args.tables.linked(&args.input)?, summary, control)
}

pub(crate) fn dedupe(args: &DedupeArgs, summary: Option<AnswerFormat>, control: &Control) -> Result<()> {
    let asked = ("dedupe", args.input.rules.as_path());
    run(&args.job, asked, &deduped(&args.input, &args.tables)?, summary, control)
}

/// A command, and its rules.
type Command<'a> = (&'static str, &'a Path);

fn run(
    args: &JobArgs,
    command: Command<'_>,
    tables: &Tables<'_>,
    told: Option<AnswerFormat>,
    control: &Control,
) -> Result<()> {
    args.checkpoint.close(
        ran(args, command, tables, told, control),
        told != Some(AnswerFormat::Text),
        control,
    )
}

fn ran(
    asked: &JobArgs,
    (command, rules): Command<'_>,
    tables: &Tables<'_>,
    told: Option<AnswerFormat>,
    control: &Control,
) -> Result<()> {
    // JSON stands alone, for whoever reads it.
    let quiet = told != Some(AnswerFormat::Text);
    // What can be refused at once is refused before any work is done.
    let JobArgs { output: args, checkpoint, device, .. } = asked;
    if let Some(output) = &args.output {
        Format::of(output)?;
    }
    let mut outputs: Vec<_> = args.output.iter().map(|output| ("-o", output.as_path())).collect();
    outputs.extend(args.closer.outputs()?);
    outputs.extend(args.report.page.outputs());
    let truth = args.truth.iter().map(|truth| ("the truth", truth.as_path()));
    keep_apart(&outputs, &tables.reads().chain(asked.plan.reads()).chain(truth).collect::<Vec<_>>())?;
    let job = asked.plan.apply(tables.job()).guards(asked.guards.guards()).cache(asked.cache.cache());
    let (device, mut job) = device.prepare(
        &args.report.page.apply(args.closer.apply(job)).beside(args.columns.clone()),
        checkpoint,
        quiet,
        control,
    )?;
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
    let report = args.report.begin(command, rules)?;
    let watching =
        report.as_ref().map(|(_, asked)| Watching::new(&job, asked.label_sample, truth.as_ref(), control));
    let mut watching = watching.transpose()?;
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
                if let Some(watching) = &mut watching {
                    time("report", || watching.look(candidates, None, truth.as_ref()))?;
                }
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
            let with_scores = watching.is_some();
            let mut take = |found: &[Candidate], all_scored: &[Kept]| {
                let kept = watching.as_ref().map(|watching| watching.kept(all_scored));
                let scored = kept.as_deref().unwrap_or(all_scored);
                if let Some(truth) = &mut truth {
                    time("truth", || {
                        let kept: Vec<Candidate> = scored.iter().map(|(candidate, _)| *candidate).collect();
                        truth.count(&kept);
                    });
                }
                lookers.look(found, Some(scored), truth.as_ref())?;
                if let Some(watching) = &mut watching {
                    time("report", || watching.look(found, Some((all_scored, scored)), truth.as_ref()))?;
                }
                output.as_mut().map_or(Ok(()), |output| output.write(scored))
            };
            let summary = match with_all {
                _ if with_scores => job
                    .run_scores(&**device, control, &mut |all, scored| take(all, scored.unwrap_or_default())),
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
    summary.quality = truth.as_ref().map(|truth| time("truth", || truth.quality()));
    if args.count {
        // As many as a file would have rows.
        let n = summary.scored.map_or(summary.n_candidates(), |tally| tally.n_kept);
        answer(format_args!("{n}\n"))?;
    }
    summary.stages = whole();
    if let Some(((target, asked), watching)) = report.zip(watching) {
        let text = summary.to_string();
        let outcome = Outcome { summary: &summary, text: &text, truth: truth.as_ref(), entities: None };
        time("report", || Report::of_job(&asked, watching, &outcome, control)?.write(target))?;
        summary.stages = whole();
    }
    tell(told, &summary, || summary.json());
    Ok(())
}

/// Prints a summary as it is asked for, if it is.
pub(crate) fn tell(how: Option<AnswerFormat>, summary: &dyn Display, json: impl FnOnce() -> Value) {
    match how {
        None => {}
        Some(AnswerFormat::Text) => say!("{}", Headed(summary)),
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
