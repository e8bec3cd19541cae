//! `cargo xtask bench`: how fast the engine is, on work whose answer is known.
//!
//! Every benchmark asserts its counts, warms up, and reports medians with all devices side by side; [`against`] an older
//! commit, both take turns. The engine is only linked with the feature `bench` and in release; without it the command
//! builds and starts itself again.

#[cfg(feature = "bench")]
mod access;
#[cfg(feature = "bench")]
mod against;
#[cfg(feature = "bench")]
pub(crate) mod bars;
#[cfg(feature = "bench")]
mod chart;
#[cfg(feature = "bench")]
mod closure;
#[cfg(feature = "bench")]
mod closure_paper;
#[cfg(feature = "bench")]
mod closure_peers;
#[cfg(feature = "bench")]
mod cluster;
#[cfg(feature = "bench")]
mod cost;
#[cfg(feature = "bench")]
mod distance;
#[cfg(feature = "bench")]
mod gpudet;
mod graph_args;
mod growth;
#[cfg(feature = "bench")]
mod init;
#[cfg(feature = "bench")]
pub(crate) mod job;
pub(crate) mod job_args;
#[cfg(feature = "bench")]
mod join;
#[cfg(feature = "bench")]
mod join_peers;
#[cfg(feature = "bench")]
pub(crate) mod measure;
#[cfg(feature = "bench")]
pub(crate) mod pairs;
#[cfg(feature = "bench")]
mod panels;
#[cfg(feature = "bench")]
mod paper;
mod paper_args;
#[cfg(feature = "bench")]
pub(crate) mod peers;
#[cfg(feature = "bench")]
mod plan;
mod plan_args;
#[cfg(feature = "bench")]
mod planning;
#[cfg(feature = "bench")]
mod profile;
mod profile_args;
#[cfg(feature = "bench")]
mod quality;
#[cfg(feature = "bench")]
mod rapidfuzz;
#[cfg(feature = "bench")]
mod relation;
#[cfg(feature = "bench")]
mod report;
#[cfg(feature = "bench")]
pub(crate) mod scan;
mod schedule;
#[cfg(feature = "bench")]
mod score;
#[cfg(feature = "bench")]
mod setjoin;
#[cfg(feature = "bench")]
mod setjoin_peers;
mod sizes;
#[cfg(feature = "bench")]
mod spread;
mod spread_args;
#[cfg(feature = "bench")]
mod stacks;
#[cfg(feature = "bench")]
mod stand_in;
#[cfg(feature = "bench")]
mod workflow;
#[cfg(feature = "bench")]
pub(crate) mod workload;

use anyhow::{Context, Result, ensure};
use graph_args::{ClosureArgs, ClosurePaperArgs, ClosurePeersArgs, ClusterArgs, RelationArgs};
use job_args::{DistanceArgs, JobArgs, ReportArgs};
use std::path::PathBuf;

/// What `cargo xtask bench` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    against: AgainstArgs,
    #[command(subcommand)]
    command: Command,
}

/// An older program to run beside this one, for every benchmark that measures the engine alone.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct AgainstArgs {
    /// Build this older commit too, run both by turns, and print how much longer the new one takes
    #[arg(long, global = true, value_name = "COMMIT", help_heading = "Side by side")]
    against: Option<String>,
    /// Run these two programs by turns instead: of `job` two hyperblocks, else two xtasks with the feature bench
    #[arg(long, global = true, num_args = 2, value_names = ["OLD", "NEW"], help_heading = "Side by side")]
    binaries: Vec<PathBuf>,
    /// Rounds in which each side runs once; of `job` also without another side [default: 5 for `job`, else 3]
    #[arg(long, global = true, value_name = "N", help_heading = "Side by side")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,
    /// Begin no round that would not end within this time; the first round of everything is run in any case
    #[arg(long, global = true, value_name = "SECONDS", help_heading = "Side by side")]
    within: Option<u32>,
}

/// Where the engine is measured.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Devices {
    /// Devices to measure, as for `hyperblock --device`, with commas between or repeated [default: cpu, and cuda where there is one]
    #[arg(long, value_name = "DEVICE", value_delimiter = ',')]
    pub(crate) device: Vec<String>,
}

/// A benchmark.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// All pairs of some tables under some rules, one workload after the other: pairs a second on each device
    Scan(ScanArgs),
    /// The path by which the plan comes by pairs, beside every other one that it may take, on each device
    Access(AccessArgs),
    /// The workload `levenshtein` on the CPU, beside rapidfuzz's `process.cdist` (Python, from PyPI) on the same names
    Rapidfuzz(RapidfuzzArgs),
    /// The join of two columns of keys, from no skew to much: counted, materialised, and with heavy keys apart
    Join(JoinArgs),
    /// The join on the CPU, counted, beside DuckDB's and Polars' (Python, from PyPI) of the same keys
    JoinPeers(JoinPeersArgs),
    /// Titles with a similar set of q-grams, from similar to very similar: by overlap joins and by the scan
    Setjoin(SetjoinArgs),
    /// The same on the CPU, beside py_stringsimjoin and SetSimilaritySearch (Python, from PyPI)
    SetjoinPeers(SetjoinPeersArgs),
    /// The transitive closure of graphs: over components, by rounds of a join, and by a search from every node
    Closure(ClosureArgs),
    /// The closure on the CPU, counted, beside DuckDB's recursive query (Python, from PyPI) and Ascent (from crates.io)
    ClosurePeers(ClosurePeersArgs),
    /// The closure on a GPU as its paper has it: in pinned, pageable and unified memory, and with a join that is not fused
    ClosurePaper(ClosurePaperArgs),
    /// A single join of a random graph, and of a string of edges, with itself: building its table, and joining
    Relation(RelationArgs),
    /// Pairs into entities: connected components of very many pairs, and all methods on few, beside scipy (Python, from PyPI)
    Cluster(ClusterArgs),
    /// A million points at most a kilometre apart, from a Parquet file to a file of pairs, beside DuckDB (Python, from PyPI)
    Distance(DistanceArgs),
    /// Pairs of CDs scored by artist, title, tracks, genre and year: pairs a second on each device
    Score(ScoreArgs),
    /// What a report adds to a job: a million people, and two public data sets, with it and without by turns
    Report(ReportArgs),
    /// The cost model trained on timings of which a part is noise: how well it still orders predicates
    Cost(CostArgs),
    /// CDs through the whole workflow, from the file to entities: read, sort, pair neighbours, score, cluster
    Workflow(WorkflowArgs),
    /// Rules in the planned order and in every variant's: times by number of predicates and of rules
    Plan(plan_args::PlanArgs),
    /// Planning beside the scan: from short values to very long ones, and from one rule to thousands
    Planning(PlanningArgs),
    /// Jobs whose tasks are dealt to several places: each schedule, from few tasks to very many
    Schedule(schedule::ScheduleArgs),
    /// Intervals and windows of the scan, all with all: which of them is best
    Sizes(sizes::SizesArgs),
    /// Entities of seven data sets by weights that are fitted without labels, beside Splink's (Python, from PyPI)
    Quality(QualityArgs),
    /// Rules that nobody wrote, by `init`, on 18 data sets: recall, candidates a record, and how good entities are
    Init(InitArgs),
    /// A job spread over units, in one process: the CPU time of covering and solving, beside that of one run
    Spread(spread_args::SpreadArgs),
    /// GPUDet's Table 1 on its CDs: three configurations, the paper's precision, recall and F-measure beside ours; or other windows
    Gpudet(paper_args::GpudetArgs),
    /// HyperBlocker's own row of Tables 3 and 4: restaurants and citations, the paper's quality, time and memory beside ours
    Paper(paper_args::PaperArgs),
    /// Kernels under NVIDIA's profiler, family by family: active threads, branches and cycles of a warp; needs `ncu`
    Profile(profile_args::ProfileArgs),
    /// The program itself from file to file: seven jobs, with the time of every stage, or beside other programs
    Job(JobArgs),
    /// The program itself over more and more records: time and memory of every stage, and how they grow
    Growth(growth::GrowthArgs),
}

/// What the scan compares, and by which rules.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Workload {
    /// 262,144 distinct names, levenshtein_similarity >= 0.8
    Levenshtein,
    /// The same names, jaro_winkler >= 0.9
    JaroWinkler,
    /// 100,000 titles, jaccard of 3-grams >= 0.7
    Jaccard,
    /// 1,000,000 people, the same zip code and last names at most one edit apart
    Equality,
    /// 100,000 papers with 100,000 others, ten rules of equalities and jaro_winkler
    Papers,
    /// 100,000 traffic accidents of 16 columns, fifty rules
    Traffic,
    /// The data set dblp_scholar_1to1, if it is there: jaro_winkler >= 0.9 of titles or authors
    Scholar,
}

/// Jobs whose paths are forced.
#[derive(clap::Args)]
pub(crate) struct AccessArgs {
    /// Only jobs whose name has this in it; may be repeated
    #[arg(long, value_name = "TEXT")]
    job: Vec<String>,
    /// Records in generated tables, and titles of files, at most: for a quick look [default: 20,000 titles, else as they are]
    #[arg(long)]
    rows: Option<u32>,
    #[command(flatten)]
    on: Devices,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// The scan's workloads.
#[derive(clap::Args)]
pub(crate) struct ScanArgs {
    /// A workload to measure; may be repeated [default: all whose data is there]
    #[arg(long, value_enum, value_name = "NAME")]
    workload: Vec<Workload>,
    /// Records in generated tables, for a quick look
    #[arg(long)]
    rows: Option<u32>,
    #[command(flatten)]
    on: Devices,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// The names that both sides compare.
#[derive(clap::Args)]
pub(crate) struct RapidfuzzArgs {
    /// Distinct names to compare
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(2..))]
    rows: u32,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// What is done about heavy keys: two ways of ours, and baselines.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum JoinWay {
    /// They are found, and joined apart
    Skew,
    /// Nothing: all keys are alike
    Plain,
    /// CPU: the paper's baseline, a radix join of two passes with chained tables; large partitions are broken up
    Cbase,
    /// CPU: its other baseline, one chained table that all threads share
    CbaseNpj,
    /// CPU: the paper's own, heavy keys joined while the right side is partitioned
    Csh,
    /// GPU: the paper's baseline, two passes into lists of buckets with chained tables; long lists are cut
    Gbase,
    /// GPU: the paper's own, the keys that come up most in large partitions joined apart
    Gsh,
}

/// The joins' workload.
#[derive(clap::Args)]
pub(crate) struct JoinArgs {
    /// Rows of each side
    #[arg(long, default_value_t = 32_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// An exponent of Zipf's law, from 0 to 2; may be repeated [default: 0 to 1 in steps of 0.1]
    #[arg(long, value_name = "EXPONENT", value_parser = crate::r#gen::exponent)]
    s: Vec<f64>,
    #[command(flatten)]
    on: Devices,
    /// What is done about heavy keys; may be repeated [default: skew and plain]
    #[arg(long, value_enum)]
    method: Vec<JoinWay>,
    /// CSH looks at one of so many left rows
    #[arg(long, value_name = "ROWS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    one_of: u32,
    /// CSH takes a key for heavy that it sees so often
    #[arg(long, value_name = "TIMES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    at_least: u32,
    /// GSH joins so many keys of a large partition apart
    #[arg(long, value_name = "KEYS", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=31))]
    top: u32,
    /// Pairs in the buffer for materialised results, which is overwritten when it is full
    #[arg(long, value_name = "PAIRS", default_value_t = 1 << 27)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    buffer: u32,
    /// Leave out what would go through more pairs than this; counting with heavy keys apart never does
    ///
    /// [default: 2e11 on the CPU, and on a GPU by gbase, or where pairs are materialised with all keys alike; else none]
    #[arg(long, value_name = "PAIRS")]
    most_pairs: Option<u64>,
    /// Also write the figures, plots and the machine to files in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// The keys that all sides join.
#[derive(clap::Args)]
pub(crate) struct JoinPeersArgs {
    /// Rows of each side
    #[arg(long, default_value_t = 4_000_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    rows: u32,
    /// An exponent of Zipf's law, from 0 to 2; may be repeated [default: 0, 0.5, 0.8 and 1]
    #[arg(long, value_name = "EXPONENT", value_parser = crate::r#gen::exponent)]
    s: Vec<f64>,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// How CDs are compared.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
#[value(rename_all = "kebab-case")]
pub(crate) enum ScoreMeasure {
    /// jaro_winkler of artist, title and tracks
    JaroWinkler,
    /// levenshtein_similarity of artist, title and tracks
    Levenshtein,
    /// jaccard of the words of artist, title and tracks
    Jaccard,
}

/// Whose rules are drafted.
#[derive(clap::Args)]
pub(crate) struct InitArgs {
    /// These data sets alone
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    data: Vec<String>,
    /// Keep the rule files in this folder
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,
    /// Append the figures to the results in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// Whose entities are measured.
#[derive(clap::Args)]
pub(crate) struct QualityArgs {
    /// A data set, such as febrl4; may be repeated [default: all seven that are there]
    #[arg(long, value_name = "NAME")]
    data: Vec<String>,
    /// Without Splink
    #[arg(long)]
    alone: bool,
    /// Also write the figures, the machine and how reliable probabilities are to files in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// The scores' workload.
#[derive(clap::Args)]
pub(crate) struct ScoreArgs {
    /// CDs, of which half are dirty copies
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(2..))]
    rows: u32,
    /// Pairs of them to score
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// How they are compared; may be repeated [default: all]
    #[arg(long, value_enum)]
    measure: Vec<ScoreMeasure>,
    #[command(flatten)]
    on: Devices,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// Titles whose sets of q-grams are joined.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum SetjoinData {
    /// 100,000 titles of papers, a third of them dirty copies; generated, if the file is not there
    Titles,
    /// The data set acl_titles, if it is there: 110,486 titles, each with its authors
    AclTitles,
    /// The data set imdb_titles, if it is there: 128,072 titles of films
    ImdbTitles,
    /// The data set post_titles, if it is there: 300,000 titles of posts
    PostTitles,
}

/// How titles with a similar set are found.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
#[value(rename_all = "camelCase")]
pub(crate) enum SetjoinWay {
    /// By an overlap join with an index
    Join,
    /// By one without, which goes over the signatures of all pairs whose lengths go together
    Dense,
    /// By one without prefixes and without a positional filter, as gSSJoin
    NoFilter,
    /// By one that does not look at signatures
    NoBitmap,
    /// By a sweep over all pairs whose lengths go together
    Scan,
    /// By whichever the planner takes
    Cheapest,
}

/// What overlap joins are compared with.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum SetjoinBaseline {
    /// An index of prefixes, and sizes; one thread
    AllPairs,
    /// The same with a positional filter; one thread
    Ppjoin,
    /// An index of all elements and a score for each pair, without filters; all threads
    Gssjoin,
    /// The same on a GPU, if one is measured
    GssjoinGpu,
}

/// The overlap joins' workload.
#[derive(clap::Args)]
pub(crate) struct SetjoinArgs {
    /// Titles to join; may be repeated [default: all that are there]
    #[arg(long, value_enum, value_name = "NAME")]
    data: Vec<SetjoinData>,
    /// Characters in an element; may be repeated [default: 2 and 3]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    q: Vec<u32>,
    /// The least Jaccard similarity; may be repeated [default: 0.9 to 0.5 in steps of 0.1]
    #[arg(long, value_name = "SIMILARITY", value_parser = similarity)]
    threshold: Vec<f64>,
    /// How they are found; may be repeated [default: all ways]
    #[arg(long, value_enum)]
    way: Vec<SetjoinWay>,
    /// What to compare them with; may be repeated [default: nothing]
    #[arg(long, value_enum, value_name = "NAME")]
    baseline: Vec<SetjoinBaseline>,
    #[command(flatten)]
    on: Devices,
    /// Only the first titles of each file, for a quick look
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rows: Option<u32>,
    /// Leave a way out for lower thresholds once a run took longer; a baseline is stopped, too [default: 60 on the CPU; else none]
    #[arg(long, value_name = "SECONDS")]
    most_seconds: Option<u32>,
    /// Also write the figures, plots and the machine to files in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// The titles that all sides join.
#[derive(clap::Args)]
pub(crate) struct SetjoinPeersArgs {
    /// The first so many titles
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(2..))]
    rows: u32,
    /// The least Jaccard similarity of 3-grams; may be repeated [default: 0.8 and 0.5]
    #[arg(long, value_name = "SIMILARITY", value_parser = similarity)]
    threshold: Vec<f64>,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// How CDs are sorted, and how far apart those are that are paired.
const CD_KEYS: [&str; 2] = ["title", "tracks"];
const CD_WINDOW: u32 = 20;

/// The workflow's workload.
#[derive(clap::Args)]
pub(crate) struct WorkflowArgs {
    /// CDs in the table, a tenth of them duplicates; several with commas between. Generated, if the file is not there
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1800000")]
    #[arg(value_parser = clap::value_parser!(u32).range(2..))]
    rows: Vec<u32>,
    /// A key that CDs are sorted by; may be repeated
    #[arg(long, default_values_t = CD_KEYS.map(str::to_owned))]
    key: Vec<String>,
    /// The window: CDs whose places differ by less are paired
    #[arg(long, value_name = "N", default_value_t = CD_WINDOW, value_parser = clap::value_parser!(u32).range(2..))]
    near: u32,
    /// Runs to take the median of, after one that is not counted
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    #[command(flatten)]
    on: Devices,
    /// Also write the figures and the machine, and of several sizes a plot, to files in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// The planner's own time.
#[derive(clap::Args)]
pub(crate) struct PlanningArgs {
    /// Only 50 rules over so many people; may be repeated [default: 10,000 and 1,000,000, and all else]
    #[arg(long)]
    rows: Vec<u32>,
    /// Only what it takes to know the cost of a predicate, measured and predicted, of the data set dblp_acm, if it is there
    #[arg(long, conflicts_with = "rows")]
    costs: bool,
    /// With --costs, papers that are made in the shape of dblp_acm
    #[arg(long, requires = "costs")]
    generated: bool,
    /// The device, as for `hyperblock --device`
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: String,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// The cost model's workload.
#[derive(clap::Args)]
pub(crate) struct CostArgs {
    #[command(flatten)]
    workload: crate::train_cost::WorkloadArgs,
    /// Timings that `train-cost --timings` wrote, instead of new ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["device", "rows"])]
    timings: Option<PathBuf>,
    /// Also write the figures, a plot and the machine to files in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// Of sets: above 0, where all would be alike, up to 1.
fn similarity(text: &str) -> Result<f64> {
    let similarity: f64 = text.parse().context("not a number")?;
    ensure!(similarity > 0.0 && similarity <= 1.0, "must be above 0, and at most 1");
    Ok(similarity)
}

#[cfg(feature = "bench")]
pub(crate) fn run(args: &Args) -> Result<()> {
    let sides = &args.against;
    if sides.are_asked() && !matches!(args.command, Command::Job(_)) {
        return against::run(&args.command, sides);
    }
    match &args.command {
        Command::Scan(args) => scan::run(args),
        Command::Access(args) => access::run(args),
        Command::Rapidfuzz(args) => rapidfuzz::run(args),
        Command::Join(args) => join::run(args),
        Command::JoinPeers(args) => join_peers::run(args),
        Command::Setjoin(args) => setjoin::run(args),
        Command::SetjoinPeers(args) => setjoin_peers::run(args),
        Command::Closure(args) => closure::run(args),
        Command::ClosurePeers(args) => closure_peers::run(args),
        Command::ClosurePaper(args) => closure_paper::run(args),
        Command::Relation(args) => relation::run(args),
        Command::Cluster(args) => cluster::run(args),
        Command::Distance(args) => distance::run(args),
        Command::Score(args) => score::run(args),
        Command::Report(args) => report::run(args),
        Command::Sizes(args) => sizes::run(args),
        Command::Quality(args) => quality::run(args),
        Command::Init(args) => init::run(args),
        Command::Spread(args) => spread::run(args),
        Command::Gpudet(args) => gpudet::run(args),
        Command::Cost(args) => cost::run(args),
        Command::Workflow(args) => workflow::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Planning(args) => planning::run(args),
        Command::Schedule(args) => schedule::run(args),
        Command::Paper(args) => paper::run(args),
        Command::Profile(args) => profile::run(args),
        Command::Job(args) => job::run(args, sides),
        Command::Growth(args) => growth::run(args),
    }
}

#[cfg(not(feature = "bench"))]
pub(crate) fn run(_: &Args) -> Result<()> {
    crate::cargo::again()
}
