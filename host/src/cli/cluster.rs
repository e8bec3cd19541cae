//! `hyperblock cluster`.

use super::AnswerFormat;
use super::ids::IdArgs;
use super::input::FileArgs;
use super::place::DeviceArgs;
use super::run::tell;
use super::say::say;
use clap::Args;
use hyperblock::base::decimal::Decimal;
use hyperblock::base::paths::keep_apart;
use hyperblock::base::stopwatch::{enter, time, whole};
use hyperblock::entities::cluster::{ClusterMethod, Clustered, Records, clustered};
use hyperblock::entities::survival::Survival;
use hyperblock::read::pairs::{PairFile, PairSource};
use hyperblock::read::previous::Previous;
use hyperblock::tell::apart::Apart;
use hyperblock::tell::clusters::ClusterSummary;
use hyperblock::tell::evaluate::Truth;
use hyperblock::tell::output::{ChangeRows, EntityRows, Format, Output};
use hyperblock::{Control, Input, Result};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    /// The pairs: CSV (also .gz, .zst), Parquet or Arrow, - for standard input
    ///
    /// With columns left and right, or id_a and id_b, or else the first two.
    pairs: PathBuf,
    /// Where the entities go: .csv, .tsv, .parquet or .arrow, or - for CSV on standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// How: components, center, complete or tiled-fw; of two tables also one-to-one, many-to-one or best
    ///
    /// components: all records that pairs connect. center: no chains, records join a centre that they are alike to. complete: no
    /// chains, all records of an entity are in pairs with each other. tiled-fw: as components, by a bit matrix that grows with the
    /// square of the records, for comparison. Of two tables also one-to-one (each record in one pair at most, which together weigh
    /// the most), many-to-one (each left record with the right one that it is most like) or best (pairs that are the best of both
    /// records). All but components and tiled-fw look at scores, on the CPU.
    #[arg(long, value_name = "METHOD", default_value_t)]
    method: ClusterMethod,
    /// Leave out pairs with a lower score, or with a lower probability where there are weights
    #[arg(long, value_name = "SCORE", value_parser = share)]
    threshold: Option<Decimal>,
    /// A table whose records are entities of their own if no pair names them. Of pairs of several tables, which say in columns
    /// left_source and right_source what table each id is of, all of those tables: the option again for each, or a pattern
    /// in quotes
    #[arg(long, value_name = "FILE")]
    records: Vec<PathBuf>,
    /// Left and right ids are of two tables
    #[arg(long)]
    two_tables: bool,
    /// The right table, as --records is the left one
    #[arg(long, value_name = "FILE", requires = "two_tables")]
    right_records: Option<PathBuf>,
    /// Keep the records of one source apart, as this column of those tables tells sources: no entity has two records of one
    ///
    /// Records without a source go anywhere. Of several tables, `source` is the table.
    #[arg(long, value_name = "COLUMN")]
    source: Option<String>,
    /// The column with the ids of those tables [default: the first column named id, else the row number]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// The column of the pairs with left ids
    #[arg(long, value_name = "COLUMN")]
    left: Option<String>,
    /// The column of the pairs with right ids
    #[arg(long, value_name = "COLUMN")]
    right: Option<String>,
    /// The column of the pairs with scores from 0 to 1, or with weights if it is named weight [default: score, or else weight]
    ///
    /// Without one all pairs are equally alike.
    #[arg(long, value_name = "COLUMN")]
    score: Option<String>,
    #[command(flatten)]
    ids: IdArgs,
    /// Matching pairs, labelled pairs or entities, to measure precision and recall against
    ///
    /// Pairs have columns id_a and id_b, labelled ones also label, entities id and entity_id. Entities and labels may cover a part.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Of several tables, measure pairs within a table too, as link --within finds them
    #[arg(long, requires = "truth")]
    within: bool,
    #[command(flatten)]
    file: FileArgs,
    #[command(flatten)]
    device: DeviceArgs,
}

pub(crate) fn cluster(args: &ClusterArgs, told: Option<AnswerFormat>, control: &Control) -> Result<()> {
    // What can be refused at once is refused before any work is done.
    Format::of(&args.output)?;
    if let Some(changes) = &args.ids.changes {
        Format::of(changes)?;
    }
    let changes = args.ids.changes.iter().map(|changes| ("--changes", changes.as_path()));
    let outputs: Vec<(&str, &Path)> = [("-o", args.output.as_path())].into_iter().chain(changes).collect();
    let source = args.source()?;
    keep_apart(&outputs, &args.reads(&source).collect::<Vec<_>>())?;
    let device = time("open", || args.device.open())?;
    if told == Some(AnswerFormat::Text) {
        say!("running on {}\n", device.name());
    }
    let reading = enter("read");
    let file = PairFile::read(&source, control)?;
    if (args.method.reads_scores() || args.source.is_some()) && !file.has_scores {
        tracing::warn!("no column `score`: all pairs count as equally alike");
    }
    let truth = match &args.truth {
        None => None,
        Some(path) => Some(time("truth", || Truth::of_pairs_of(path, &file, args.within, control))?),
    };
    let previous = args
        .ids
        .previous
        .as_ref()
        .map(|path| Previous::read(&path.as_path().into(), &file.left, file.right.as_ref(), control));
    let previous = previous.transpose()?;
    drop(reading);
    let records = Records {
        n: file.n_records(),
        first_right: file.right.as_ref().map(|_| file.left.len()),
        are_weights: file.are_weights,
        sources: file.sources.as_ref(),
    };
    let Clustered { entities, n_refused } =
        time("cluster", || clustered(&*device, records, &file.pairs, args.method, control))?;
    let writing = enter("write");
    let rows = EntityRows::new(&file.left, file.right.as_ref());
    let ids = OnceLock::new();
    let rows = if previous.is_some() { rows.named(&ids) } else { rows };
    let survival =
        previous.map(|previous| Survival::new(&previous, &entities, &file.left, file.right.as_ref()));
    let counts = survival.as_ref().map(|survival| survival.counts);
    let changes = survival.map(|Survival { ids: all, changes, .. }| {
        ids.get_or_init(|| all);
        changes
    });
    let mut output = Output::create(&args.output, rows.clone(), control)?;
    output.write(&(0..).zip(entities.iter().copied()).collect::<Vec<(u32, u32)>>())?;
    if let (Some(path), Some(changes)) = (&args.ids.changes, changes) {
        let mut output = Output::create(path, ChangeRows::new(rows, &ids), control)?;
        output.write(&changes)?;
        output.finish()?;
    }
    output.finish()?;
    drop(writing);
    if told.is_some() {
        let quality = truth.map(|truth| time("truth", || truth.of_entities(&entities)));
        let (n_entities, largest) = ClusterSummary::sizes(&entities);
        let summary = ClusterSummary {
            device: device.name(),
            method: args.method,
            apart: file.sources.as_ref().map(|sources| Apart::new(sources, n_refused)),
            n_rows: file.n_rows,
            n_pairs: file.pairs.len() as u64,
            n_records: file.n_records(),
            n_entities,
            largest,
            ids: counts,
            quality,
            stages: whole(),
        };
        tell(told, &summary, || summary.json());
    }
    Ok(())
}

impl ClusterArgs {
    /// What is read, with what people call it.
    fn reads<'a>(&'a self, source: &'a PairSource) -> impl Iterator<Item = (&'static str, &'a Path)> {
        let table = if self.two_tables { "the left table" } else { "the table of records" };
        let tables = source.records.iter().zip([table, "the right table"]);
        let tables = tables.flat_map(|(paths, what)| paths.iter().map(move |path| (what, path.as_path())));
        let truth = self.truth.iter().map(|path| ("the truth", path.as_path()));
        let pairs = [("the file of pairs", self.pairs.as_path())];
        pairs.into_iter().chain(tables).chain(truth).chain(self.ids.reads())
    }

    fn source(&self) -> Result<PairSource> {
        let mut records = Vec::new();
        for path in &self.records {
            match Input::matching(path)? {
                None => records.push(path.clone()),
                Some(files) => records.extend(files.iter().filter_map(Input::file).map(Path::to_owned)),
            }
        }
        Ok(PairSource {
            path: self.pairs.clone(),
            memory: None,
            delimiter: self.file.delimiter,
            most_unpacked: self.file.packed.max_unpacked,
            ids: [self.left.clone(), self.right.clone()],
            score: self.score.clone(),
            threshold: self.threshold,
            two_tables: self.two_tables,
            records: [records, self.right_records.iter().cloned().collect()],
            record_id: self.id.clone(),
            source: self.source.clone(),
        })
    }
}

fn share(text: &str) -> Result<Decimal, String> {
    let share = Decimal::parse(text).filter(|share| !share.is_negative() && *share <= Decimal::ONE);
    share.ok_or_else(|| "a number from 0 to 1".into())
}
