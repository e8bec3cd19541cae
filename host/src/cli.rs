//! The commands and their options, as `--help` shows them.

pub(crate) mod bar;
pub(crate) mod budget;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod checkpoint;
pub(crate) mod closer;
pub(crate) mod closure;
pub(crate) mod cluster;
pub(crate) mod devices;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod guards;
pub(crate) mod ids;
pub(crate) mod init;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod panics;
pub(crate) mod profile;
pub(crate) mod progress;
pub(crate) mod resolve;
pub(crate) mod run;
pub(crate) mod sample;
pub(crate) mod say;
pub(crate) mod signal;
pub(crate) mod tables;
pub(crate) mod why;

use budget::BudgetArgs;
use cache::CacheArgs;
use checkpoint::{CheckpointArgs, TASKS};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use closer::CloserArgs;
use guards::{BlockArgs, GuardArgs};
use hyperblock::device::{self, DeviceList, Schedule, Several};
use hyperblock::entities::cluster::ClusterMethod;
use hyperblock::fit::{FitOptions, MOST_SAMPLED};
use hyperblock::job::Beside;
use hyperblock::operators::Backend;
use hyperblock::plan::cost::CostSource;
use hyperblock::plan::statistics::{BUCKETS, SelectivitySource};
use hyperblock::plan::{
    AccessChoice, JoinChoice, PlanChoice, ScanOptions, SimilarityChoice, Variant, WitnessChoice,
};
use hyperblock::{Control, DeviceChoice, Error, Job, Prepared};
use ids::IdArgs;
use say::say;
use std::path::{Path, PathBuf};
use tables::TablesArgs;

/// Finds the pairs of records that may be the same thing: exactly the pairs that some rule allows.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 110, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print no summary and no progress, only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// How to show progress
    #[arg(long, global = true, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) progress: progress::Show,
    /// How link, dedupe, resolve, cluster and closure print their summary, on standard error
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) summary: AnswerFormat,
    /// Say more about what is done; twice for still more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Show what is in tables: kinds, missing and distinct values, lengths, frequent values, likely keys, placeholders
    Profile(profile::ProfileArgs),
    /// Write a first rule file for a table, or for two: keys, similarities and a score, each with the reason
    Init(init::InitArgs),
    /// Find pairs across two tables, or across each two of several
    Link(LinkArgs),
    /// Find pairs within one table, or several as one, each unordered pair once
    Dedupe(DedupeArgs),
    /// Put the records of pairs that are alike into entities
    Cluster(cluster::ClusterArgs),
    /// Find, score and cluster in one go: an entity for each record of one table, or of several
    Resolve(ResolveArgs),
    /// Show how rules would be evaluated, without evaluating them
    Explain(ExplainArgs),
    /// Show why two records are a candidate, or why not: every rule, both values, what the measures say
    Why(WhyArgs),
    /// Check rules and tables without running them: what is wrong, and what each rule would find and take
    Check(check::CheckArgs),
    /// Show a few candidates with their records, and where these differ
    Sample(sample::SampleArgs),
    /// Estimate the weights of a score by Fellegi and Sunter's model from the tables alone, without labels
    ///
    /// m, how probable a level is where records match, u, how probable it is where they do not, and the share of
    /// matches are estimated by expectation maximisation over the candidates that the rules and neighbourhoods find. All
    /// three are among candidates, not among all pairs. A level that never comes up counts as half a pair.
    Fit(FitArgs),
    /// Find which nodes of a directed graph reach which: its transitive closure
    Closure(closure::ClosureArgs),
    /// List the devices that --device can name
    Devices,
}

#[derive(Args, Debug)]
pub(crate) struct LinkArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    guards: GuardArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    cache: CacheArgs,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    device: PlaceArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DedupeArgs {
    /// The table: CSV (also .gz), Parquet or Arrow. Several, or a pattern of them in quotes ('parts/*.csv'), are taken as one, in
    /// which the column `source` says what each record's table is called (shop.csv.gz is shop)
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    guards: GuardArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    cache: CacheArgs,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    device: PlaceArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ResolveArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// Where the entities go: .csv, .tsv, .parquet or .arrow, or - for CSV on standard output. One row a record: id and
    /// entity_id, the id of the entity's first record; of two tables also which table, of several its name, as source
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where the pairs go that entities were made of, with rule and score
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Add the values of these columns of both records to each of these pairs: l.NAME, r.NAME, NAME (of both) or all, as link does
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "pairs")]
    columns: Vec<Beside>,
    /// How entities are made of pairs: components (all records that pairs connect), center (records join the centre that they are
    /// most like, and do not chain), complete (all pairs of an entity must be there), tiled-fw (components by the closure
    /// of a bit matrix, for comparison); of two tables also one-to-one (each record in one pair at most, which together weigh
    /// the most), many-to-one (each left record with the right one that it is most like) or best (pairs that are the best of
    /// both records)
    #[arg(long, value_name = "METHOD", default_value_t)]
    method: ClusterMethod,
    /// Keep the records of one source apart, as this column tells sources: no entity has two records of one. Records without a
    /// source go anywhere. Of two tables, both have the column
    #[arg(long, value_name = "COLUMN")]
    source: Option<String>,
    #[command(flatten)]
    ids: IdArgs,
    /// Matching pairs (columns id_a, id_b), labelled pairs (id_a, id_b, label) or entities (id, entity_id), to measure every
    /// step against: pairwise and B-cubed precision, recall and F1. Entities and labels may cover a part
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Where precision, recall and F1 at all thresholds go, as CSV; a picture of them (.svg) and a table of how many pairs of
    /// a probability were right (.reliability.csv) stand beside it. All scored pairs then stay in memory
    #[arg(long, value_name = "FILE", requires = "truth")]
    curve: Option<PathBuf>,
    #[command(flatten)]
    closer: CloserArgs,
    #[command(flatten)]
    guards: GuardArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    cache: CacheArgs,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    device: PlaceArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// Run the job on the device too, and print beside what was expected what each access path took there, what each node did,
    /// and how long intervals, tasks, waits, transfers and kernels took
    #[arg(long)]
    pub(crate) analyze: bool,
    /// Print what is in the columns: distinct and missing values, lengths, the most frequent values
    #[arg(long)]
    stats: bool,
    /// How to print the plan
    #[arg(long, value_enum, default_value_t)]
    format: PlanFormat,
    #[command(flatten)]
    block: BlockArgs,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    device: PlaceArgs,
}

/// Where shares of pairs come from.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum Selectivity {
    /// Counted, or estimated from samples
    #[default]
    Sampled,
    /// From the evenness of buckets
    Evenness,
}

/// How a plan is printed.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
pub(crate) enum PlanFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For Graphviz
    Dot,
}

#[derive(Args, Debug)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// Where the weights go: a TOML file, such as `weights` in [score] names
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The same seed draws the same random pairs
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().seed)]
    seed: u64,
    /// Random pairs to look at for u, at most 10,000,000; rarer levels are counted in all pairs
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().sample, value_parser = clap::value_parser!(u64).range(1..=MOST_SAMPLED))]
    sample: u64,
    /// Rounds of estimation at most, for each rule
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().rounds, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// The probability that any two records match, where it is known [default: from labels, from `sure` in [score], or else
    /// from the candidates]
    #[arg(long, value_name = "P", value_parser = probability)]
    prior: Option<f64>,
    /// Labels: all pairs that match (columns id_a, id_b), labels of some pairs (id_a, id_b, label), or entities of all records
    /// or of some (id, entity_id). m is then that of the labels, and so is the prior, which labels of some pairs do not tell
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    device: PlaceArgs,
}

#[derive(Args, Debug)]
pub(crate) struct WhyArgs {
    /// The id of one record; of the left table, if there are two. Where an id stands in several tables, shop:17 is the one of shop
    #[arg(allow_negative_numbers = true)]
    left_id: String,
    /// The id of the other
    #[arg(allow_negative_numbers = true)]
    right_id: String,
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,
}

/// How a command answers.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AnswerFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct InputArgs {
    /// The rules: a TOML file of [[rules]] with a name and a `when`, an SQL condition over l. and r., and of
    /// [[neighbourhoods]] with a `key` and a `window`, which are approximate: pairs outside the windows are not looked at. Or
    /// [[pairs]] with `all = true`: every pair, if they are not too many
    #[arg(short, long, value_name = "FILE")]
    rules: PathBuf,
    /// What rules call a column that tables name differently: NAME=COLUMN,COLUMN is the first of these that a table has, if it has
    /// no column NAME itself; shop.cost is the column cost of the table shop alone. It comes before [columns] of the rules
    #[arg(long, value_name = "NAME=COLUMNS", value_parser = tables::map)]
    map: Vec<(String, Vec<String>)>,
    /// The column with the ids [default: the first column named id, else the row number]; of several tables, of those that have it
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// What separates fields in CSV: one ASCII character, or `tab` [default: a comma; a tab for .tsv]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// Read at most so much from a packed file, such as 500M, 8G or 1T [default: 4G, or 64 times the file's size]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_unpacked: Option<u64>,
}

/// How the planner and the scan work; the result is the same whatever they do.
#[derive(Args, Debug)]
struct PlanArgs {
    /// Switch parts of the engine off, to see what they are worth, comma-separated: of the planner noEPG, noPO, noRO,
    /// COrder, SOrder; of the scan noSeq, noPSW, noStealing, noQueue (noHO: all four), noFilter, noBitmap,
    /// noDictionary
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = variant)]
    variant: Vec<Variant>,
    /// Left items in an interval of the scan, and so threads in a block: a multiple of 32, from 32 to 512
    #[arg(long, value_name = "N", default_value_t = ScanOptions::default().interval, value_parser = interval)]
    interval: u32,
    /// Blocks of the scan that are under way at once on a GPU
    #[arg(long, value_name = "N", default_value_t = ScanOptions::default().window, value_parser = clap::value_parser!(u32).range(1..=65535))]
    window: u32,
    /// What to make of the equalities that all rules of a branch ask for: cheapest (together they are a key; records with
    /// the same one are found by a hash join or a sweep, and keys that very many have are screened by another predicate),
    /// skew (the same, always by a hash join), plain (a hash join, all keys alike) or none (no key: a similarity or a number
    /// leads the scan, and an equality only where there is neither)
    #[arg(long, value_name = "METHOD", default_value_t)]
    join: JoinChoice,
    /// What to make of a similarity that leads a branch: cheapest (whichever of the others is expected to cost least), sweep
    /// (all pairs of values whose lengths go together are screened by their symbols or tokens), join (an index of rare tokens
    /// or q-grams finds the pairs) or dense (all pairs whose lengths go together are screened by their tokens or q-grams)
    #[arg(long, value_name = "HOW", default_value_t)]
    similarity: SimilarityChoice,
    /// Which access paths branches may have: cheapest (all that there are, of which the one is taken that is expected to take
    /// least) or sweep (sweeps alone, to compare variants of the scan over the same pairs)
    #[arg(long, value_name = "PATHS", default_value_t, conflicts_with_all = ["join", "similarity"])]
    access: AccessChoice,
    /// Which plan is made: cheapest, or paper (as HyperBlocker has it: one tree, predicates by (1 - sp) / cost, siblings by
    /// falling score; all pairs are walked through it, without a lead, until the first witness; the column `rule` is empty)
    #[arg(long, value_name = "PLAN", default_value_t, conflicts_with_all = ["access", "join", "similarity"])]
    plan: PlanChoice,
    /// Which rule the column `rule` names: first (of the rules that allow a pair, the first in the file) or any (none: the
    /// column is empty, and pairs are done with sooner)
    #[arg(long, value_name = "RULE", default_value_t)]
    witness: WitnessChoice,
    /// Where the planner takes the share of pairs from that a predicate lets through: sampled (counted, or estimated from
    /// samples), or evenness (as HyperBlocker does: from how evenly values fall into buckets)
    #[arg(long, value_name = "SOURCE", value_enum, default_value_t)]
    selectivity: Selectivity,
    /// Buckets of --selectivity evenness
    #[arg(long, value_name = "K", default_value_t = BUCKETS, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    buckets: u32,
    /// Where the planner takes the cost of predicates and paths from: model (a network trained on timings), a .toml file with
    /// such a network (of `cargo xtask train-cost`), measured (here and now: some milliseconds a predicate, and 0.2 s at most
    /// for paths) or static
    #[arg(long, value_name = "SOURCE", default_value_t)]
    cost: CostSource,
}

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("result").required(true).args(["output", "count"])))]
pub(crate) struct OutputArgs {
    /// Where the pairs go: .csv, .tsv, .parquet or .arrow, or - for CSV on standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print only how many pairs there are, and write none
    #[arg(long)]
    count: bool,
    /// Add the values of these columns of both records to each pair: l.NAME of the left one, r.NAME of the right one, NAME of both, or
    /// all but the ids; comma-separated. They become the columns left_NAME and right_NAME, behind all others
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "output")]
    columns: Vec<Beside>,
    /// Matching pairs (columns id_a, id_b), labelled pairs (id_a, id_b, label) or entities (id, entity_id), to measure recall
    /// and precision against. Entities and labels may cover a part
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    #[command(flatten)]
    closer: CloserArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DeviceArgs {
    /// Where to run: auto (a GPU where there is one), cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE", default_value_t)]
    device: DeviceChoice,
    /// Use at most this much of the GPU's memory; what does not fit is done in pieces [default: what is free]
    #[arg(long, value_name = "MIB")]
    device_memory: Option<u32>,
    /// CPU threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Where a job runs: at one place, or at several.
#[derive(Args, Debug)]
pub(crate) struct PlaceArgs {
    #[command(flatten)]
    one: DeviceArgs,
    /// Share the work among several places: a list such as cuda:0,cuda:1,cpu, or all. cuda:0/4 stands for four places, each
    /// with a quarter of that GPU's memory, and cpu/2 for two, each with half of the threads
    #[arg(long, value_name = "LIST", conflicts_with = "device")]
    devices: Option<DeviceList>,
    /// How tasks are dealt to places: steal (the longest first; who has nothing left takes from the fullest queue),
    /// bounded-hash (as HyperBlocker does: the next place on a circle that is free), even-split or round-robin
    #[arg(long, value_name = "HOW", default_value_t, requires = "devices")]
    schedule: Schedule,
    /// Cut the work into about so many tasks [default: some for each place, none of them too short to pay]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    partitions: Option<u32>,
}

impl PlaceArgs {
    /// Whether a job is cut into tasks there.
    pub(crate) fn has_tasks(&self) -> bool {
        self.devices.is_some() || self.partitions.is_some()
    }

    /// Starts the threads and opens the places that were asked for.
    fn open(&self) -> hyperblock::Result<Box<dyn Backend>> {
        self.start_threads()?;
        self.opened(None)
    }

    /// Starts the threads that were asked for.
    pub(crate) fn start_threads(&self) -> hyperblock::Result<()> {
        start_threads(self.one.threads)
    }

    /// Prepares a job, with the places opened while its tables are read.
    pub(crate) fn prepare(
        &self,
        job: &Job,
        checkpoint: &CheckpointArgs,
        quiet: bool,
        control: &Control,
    ) -> hyperblock::Result<(Box<dyn Backend>, Prepared)> {
        self.start_threads()?;
        job.prepare_while_opening(|| self.announced(checkpoint, quiet, control), control)
    }

    /// Opens the places, and says which they are.
    pub(crate) fn announced(
        &self,
        checkpoint: &CheckpointArgs,
        quiet: bool,
        control: &Control,
    ) -> hyperblock::Result<Box<dyn Backend>> {
        let device = self.opened(checkpoint.checkpoint.as_ref().map(|_| TASKS))?;
        control.runs_on(device.name());
        if !quiet {
            say!("running on {}\n", device.name());
        }
        Ok(device)
    }

    /// With so many tasks at least, if nobody asks for another number.
    fn opened(&self, tasks: Option<usize>) -> hyperblock::Result<Box<dyn Backend>> {
        let partitions = self.partitions.map(|n| n as usize).or(tasks);
        match (&self.devices, partitions) {
            (None, None) => self.one.opened(),
            (Some(list), _) => device::open_all(list, self.one.device_memory(), self.schedule, partitions),
            // One place, with a number of tasks.
            (None, Some(_)) => {
                let device = self.one.opened()?;
                Ok(Box::new(Several::new(vec![(device, None)], self.schedule, partitions)?))
            }
        }
    }
}

impl PlanArgs {
    /// What is read, with what people call it.
    fn reads(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        match &self.cost {
            CostSource::File(path) => Some(("the file of costs", path.as_path())).into_iter(),
            CostSource::Model | CostSource::Measured | CostSource::Static => None.into_iter(),
        }
    }

    fn apply(&self, job: Job) -> Job {
        let Self { interval, window, join, similarity, access, plan, witness, .. } = *self;
        let options = ScanOptions::default();
        let scan = ScanOptions { interval, window, join, similarity, access, plan, witness, ..options };
        let selectivity = match self.selectivity {
            Selectivity::Sampled => SelectivitySource::Sampled,
            Selectivity::Evenness => SelectivitySource::Evenness { buckets: self.buckets },
        };
        job.variants(self.variant.clone()).scan_options(scan).cost(self.cost.clone()).selectivity(selectivity)
    }
}

impl DeviceArgs {
    /// Starts the threads and opens the device that were asked for.
    fn open(&self) -> hyperblock::Result<Box<dyn Backend>> {
        start_threads(self.threads)?;
        self.opened()
    }

    fn opened(&self) -> hyperblock::Result<Box<dyn Backend>> {
        device::open(self.device, self.device_memory())
    }

    /// The bytes of a GPU's memory that may be used, if somebody says so.
    fn device_memory(&self) -> Option<u64> {
        self.device_memory.map(|mebibytes| u64::from(mebibytes) << 20)
    }
}

/// Starts so many threads, or as many as there are cores. Later they would be started too, but then it is too late for an
/// error if they cannot be.
pub(crate) fn start_threads(n: Option<u16>) -> hyperblock::Result<()> {
    rayon::ThreadPoolBuilder::new().num_threads(n.unwrap_or(0).into()).build_global().map_err(|error| {
        let message = "threads cannot be started";
        Error::Job(format!("{message}: {error}; ask for fewer with --threads, or for more memory"))
    })
}

fn variant(text: &str) -> Result<Variant, String> {
    text.trim().parse()
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && *number < 1.0);
    number.ok_or_else(|| "expected a number between 0 and 1".to_owned())
}

fn interval(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(n @ 32..=512) if n % 32 == 0 => Ok(n),
        _ => Err("a multiple of 32, from 32 to 512".into()),
    }
}

/// Bytes, or thousands of them as computers count.
fn size(text: &str) -> Result<u64, String> {
    let wrong = || "a number of bytes, or of K, M, G or T of them".to_owned();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << unit).ok_or_else(wrong)
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [b'"' | b'\n' | b'\r'] => Err("a quote or a line end cannot separate fields".into()),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("one ASCII character, or `tab`".into()),
    }
}
