//! `hyperblock resolve`.

use super::budget::BudgetArgs;
use super::cache::CacheArgs;
use super::checkpoint::CheckpointArgs;
use super::closer::CloserArgs;
use super::guards::{self, GuardArgs};
use super::ids::IdArgs;
use super::input::InputArgs;
use super::place::PlaceArgs;
use super::plan::PlanArgs;
use super::report::LabelArgs;
use super::tables::TablesArgs;
use super::{AnswerFormat, run};
use clap::Args;
use hyperblock::base::paths::keep_apart;
use hyperblock::base::stopwatch::{enter, time, whole};
use hyperblock::base::target::Target;
use hyperblock::entities::cluster::ClusterMethod;
use hyperblock::job::Beside;
use hyperblock::report::{Outcome, Report, Watching};
use hyperblock::rules::ScoreMethod;
use hyperblock::tell::output::{ChangeRows, EntityRows, Format, Output, ScoredRows};
use hyperblock::{Control, Resolve, Result, Watch};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[derive(Args, Debug)]
pub(crate) struct ResolveArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// Where the entities go: .csv, .tsv, .parquet or .arrow, or - for CSV on standard output
    ///
    /// One row a record: id and entity_id, the id of the entity's first record; of two tables also which table, of several its
    /// name, as source.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where the pairs go that entities were made of, with rule and score
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Add the values of these columns of both records to each of these pairs: l.NAME, r.NAME, NAME (of both) or all, as link does
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "pairs")]
    columns: Vec<Beside>,
    /// How entities are made of pairs: components, center, complete or tiled-fw; of two tables also one-to-one, many-to-one or best
    ///
    /// components: all records that pairs connect. center: records join the centre that they are most like, and do not chain.
    /// complete: all pairs of an entity must be there. tiled-fw: components by the closure of a bit matrix, for comparison. Of two
    /// tables also one-to-one (each record in one pair at most, which together weigh the most), many-to-one (each left record
    /// with the right one that it is most like) or best (pairs that are the best of both records).
    #[arg(long, value_name = "METHOD", default_value_t)]
    method: ClusterMethod,
    /// Keep the records of one source apart, as this column tells sources: no entity has two records of one
    ///
    /// Records without a source go anywhere. Of two tables, both have the column.
    #[arg(long, value_name = "COLUMN")]
    source: Option<String>,
    #[command(flatten)]
    ids: IdArgs,
    /// Matching pairs, labelled pairs or entities, to measure every step against
    ///
    /// Pairs have columns id_a and id_b, labelled ones also label, entities id and entity_id. Told are pairwise and B-cubed
    /// precision, recall and F1. Entities and labels may cover a part.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Where precision, recall and F1 at all thresholds go, as CSV
    ///
    /// A picture of them (.svg) and a table of how many pairs of a probability were right (.reliability.csv) stand beside it. All
    /// scored pairs then stay in memory.
    #[arg(long, value_name = "FILE", requires = "truth")]
    curve: Option<PathBuf>,
    #[command(flatten)]
    closer: CloserArgs,
    #[command(flatten)]
    pub(super) report: LabelArgs,
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

pub(crate) fn resolve(args: &ResolveArgs, summary: Option<AnswerFormat>, control: &Control) -> Result<()> {
    args.checkpoint.close(resolved(args, summary, control), summary != Some(AnswerFormat::Text), control)
}

fn resolved(args: &ResolveArgs, told: Option<AnswerFormat>, control: &Control) -> Result<()> {
    // JSON stands alone, for whoever reads it.
    let quiet = told != Some(AnswerFormat::Text);
    // What can be refused at once is refused before any work is done.
    Format::of(&args.output)?;
    if let Some(pairs) = &args.pairs {
        Format::of(pairs)?;
    }
    if let Some(changes) = &args.ids.changes {
        Format::of(changes)?;
    }
    // The table, the picture, and the other table.
    let curves = args
        .curve
        .as_ref()
        .map(|curve| [curve.clone(), curve.with_extension("svg"), curve.with_extension("reliability.csv")]);
    let outputs: Vec<(&str, &Path)> = [("-o", args.output.as_path())]
        .into_iter()
        .chain(args.pairs.iter().map(|pairs| ("--pairs", pairs.as_path())))
        .chain(args.ids.changes.iter().map(|changes| ("--changes", changes.as_path())))
        .chain(args.closer.outputs()?)
        .chain(args.report.page.outputs())
        .chain(curves.iter().flatten().map(|curve| ("--curve", curve.as_path())))
        .collect();
    let truth = args.truth.iter().map(|truth| ("the truth", truth.as_path()));
    let tables = args.tables.usual(&args.input)?;
    let read = tables.reads().chain(args.plan.reads()).chain(truth).chain(args.ids.reads());
    keep_apart(&outputs, &read.collect::<Vec<_>>())?;
    let job =
        args.report.page.apply(args.closer.apply(args.plan.apply(tables.job()))).beside(args.columns.clone());
    let job = job.guards(args.guards.guards()).cache(args.cache.cache());
    let mut resolve = Resolve::new(job).method(args.method);
    if let Some(truth) = &args.truth {
        resolve = resolve.truth(truth);
    }
    if let Some(previous) = &args.ids.previous {
        resolve = resolve.previous(previous.as_path());
    }
    if let Some(source) = &args.source {
        resolve = resolve.source(source);
    }
    if args.curve.is_some() {
        resolve = resolve.with_curve();
    }
    args.device.start_threads()?;
    let (device, resolve) =
        resolve.prepare_while_opening(|| args.device.announced(&args.checkpoint, quiet, control), control)?;
    // The system takes memory back sooner than it could be handed back piece by piece.
    let (device, resolve) = (ManuallyDrop::new(device), ManuallyDrop::new(resolve));
    let job = &resolve.job;
    args.checkpoint.open(job, &**device, control)?;
    run::warn_of_subsumed(job);
    guards::warn(job);
    run::keep_weights(job, &outputs)?;
    let right = job.second().map(|right| &right.ids);
    let ids = OnceLock::new();
    let rows = EntityRows::new(&job.left.ids, right);
    let rows = if args.ids.previous.is_some() { rows.named(&ids) } else { rows };
    let mut entities = Output::create(&args.output, rows.clone(), control)?;
    let changes = &args.ids.changes;
    let changes =
        changes.as_ref().map(|path| Output::create(path, ChangeRows::new(rows.clone(), &ids), control));
    let mut changes = changes.transpose()?;
    let rows = job.rows();
    let mut pairs = match &args.pairs {
        None => None,
        Some(path) => {
            let are_weights =
                job.scoring().is_some_and(|scoring| scoring.method() == ScoreMethod::FellegiSunter);
            Some(Output::create(path, ScoredRows { candidates: rows, are_weights }, control)?)
        }
    };
    let n_pairs = job.n_to_compare();
    control.begin_comparing(n_pairs, "pairs");
    let mut lookers = args.closer.lookers(job, resolve.truth(), control)?;
    let report = args.report.begin("resolve", &args.input.rules)?;
    let watching =
        report.as_ref().map(|(_, asked)| Watching::new(job, asked.label_sample, resolve.truth(), control));
    let mut watching = watching.transpose()?;
    let with_scores = watching.is_some();
    let is_watched = lookers.are_there() || with_scores;
    let watch: &mut Watch<'_> = &mut |found, scored| {
        let Some(watching) = &mut watching else { return lookers.look(found, scored, resolve.truth()) };
        let kept = scored.map(|scored| watching.kept(scored));
        lookers.look(found, kept.as_deref(), resolve.truth())?;
        time("report", || watching.look(found, scored.zip(kept.as_deref()), resolve.truth()))
    };
    let watch = is_watched.then_some(watch);
    let mut resolved = resolve.run_looked(&**device, control, watch, with_scores, &mut |kept| {
        pairs.as_mut().map_or(Ok(()), |pairs| pairs.write(kept))
    })?;
    let found = &mut resolved.summary.found;
    let errors = lookers.tell(resolve.truth(), Some(&resolved.entities), found, (&**device, control))?;
    let writing = enter("write");
    if let Some(survival) = resolved.survival {
        ids.get_or_init(|| survival.ids);
        changes.as_mut().map_or(Ok(()), |changes| changes.write(&survival.changes))?;
    }
    let members: Vec<(u32, u32)> = (0..).zip(resolved.entities.iter().copied()).collect();
    entities.write(&members)?;
    // All are whole before one takes its place.
    let pairs = pairs.map(Output::written).transpose()?;
    let changes = changes.map(Output::written).transpose()?;
    let entities = entities.written()?;
    [pairs, errors, changes, Some(entities)].into_iter().flatten().try_for_each(Target::finish)?;
    if let Some(([table, picture, reliability], curve)) = curves.zip(resolved.curve) {
        Target::write(&table, curve.csv().as_bytes())?;
        Target::write(&picture, curve.svg().as_bytes())?;
        Target::write(&reliability, curve.reliability().as_bytes())?;
    }
    drop(writing);
    resolved.summary.found.stages = whole();
    if let Some(((target, asked), watching)) = report.zip(watching) {
        let text = resolved.summary.to_string();
        let entities = Some((&resolved.entities[..], args.method));
        let outcome =
            Outcome { summary: &resolved.summary.found, text: &text, truth: resolve.truth(), entities };
        time("report", || Report::of_job(&asked, watching, &outcome, control)?.write(target))?;
        resolved.summary.found.stages = whole();
    }
    run::tell(told, &resolved.summary, || resolved.summary.json());
    Ok(())
}
