//! What the benchmarks of graphs and relations are asked.

use super::Devices;
use std::path::PathBuf;

/// How a closure is found.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum ClosureWay {
    /// Over components, by rows of bits
    Condense,
    /// By rounds of a join, with a hash table of all tuples
    SemiNaiveTable,
    /// By rounds of a join, with tuples sorted and merged
    SemiNaiveSort,
    /// By a breadth-first search from every node, counting only, on one thread of the CPU
    Search,
}

/// The graphs that all sides close.
#[derive(clap::Args)]
pub(crate) struct ClosurePeersArgs {
    /// A graph of the data sets; may be repeated [default: all that are there]
    #[arg(long, value_name = "NAME")]
    pub(super) graph: Vec<String>,
    #[command(flatten)]
    pub(super) on: Devices,
    /// What a run of another program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(super) most_seconds: u32,
    /// The memory that another program may take
    #[arg(long, value_name = "GB", default_value_t = 16)]
    pub(super) most_gigabytes: u32,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}

/// The graphs that are closed as a paper does it.
#[derive(clap::Args)]
pub(crate) struct ClosurePaperArgs {
    /// A graph of the data sets; may be repeated [default: all that are there]
    #[arg(long, value_name = "NAME")]
    pub(super) graph: Vec<String>,
    /// Which GPU
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) gpu: usize,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}

/// The relations that are joined.
#[derive(clap::Args)]
pub(crate) struct RelationArgs {
    /// Edges of a graph, with commas between
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        default_value = "1000000,2000000,3000000,4000000,5000000"
    )]
    pub(super) edges: Vec<u32>,
    /// How full a table may be, with commas between
    #[arg(long, value_name = "SHARE", value_delimiter = ',', default_value = "0.1,0.4")]
    pub(super) load_factor: Vec<f64>,
    #[command(flatten)]
    pub(super) on: Devices,
    /// Also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}

/// The closures' workload.
#[derive(clap::Args)]
pub(crate) struct ClosureArgs {
    /// A graph of the data sets; may be repeated [default: all that are there]
    #[arg(long, value_name = "NAME")]
    pub(super) graph: Vec<String>,
    /// How closures are found; may be repeated [default: all ways]
    #[arg(long, value_enum)]
    pub(super) way: Vec<ClosureWay>,
    /// How full the tables of rounds may be, with commas between [default: 0.5]
    #[arg(long, value_name = "SHARE", value_delimiter = ',')]
    pub(super) load_factor: Vec<f64>,
    #[command(flatten)]
    pub(super) on: Devices,
    /// The graph whose rounds are drawn and written, operator by operator
    #[arg(long, value_name = "NAME", default_value = "p2p-Gnutella04")]
    pub(super) rounds_of: String,
    /// Also write the figures, plots and the machine to files in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(super) save: Option<PathBuf>,
}

/// What is clustered.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ClusterWorkload {
    /// Any two of 20,000,000 records
    Random,
    /// All pairs within entities of 1 to 10 records, as many as records
    Entities,
}

/// The clustering's workload.
#[derive(clap::Args)]
pub(crate) struct ClusterArgs {
    /// A workload to measure; may be repeated [default: both]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) workload: Vec<ClusterWorkload>,
    /// Pairs [default: 10,000,000; where there is a GPU, 100,000,000 as well]
    #[arg(long, value_parser = clap::value_parser!(u64).range(2..=1 << 31))]
    pub(super) pairs: Option<u64>,
    /// Records that random pairs are of
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..i64::from(u32::MAX)))]
    pub(super) records: Option<u32>,
    #[command(flatten)]
    pub(super) on: Devices,
    /// Leave scipy out
    #[arg(long)]
    pub(super) no_peers: bool,
    /// Also write the figures and the machine to files in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(super) save: Option<PathBuf>,
}
