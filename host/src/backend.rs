//! Backends: what can run operators. The engine sees them only through these traits.

use crate::closure::{Graph, LoadedGraph};
use crate::cluster::{Components, Scored};
use crate::control::{Control, Watch};
use crate::cpu::Cpu;
use crate::cuda::Cuda;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::join::{Join, Side};
use crate::neighbours::{Neighbours, Orders};
use crate::plan::Program;
use crate::relation::Relations;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::Attribute;
use hyperblock_shared::window::Task;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Something that can run operators.
pub trait Backend: Send + Sync {
    /// For people: which device this is.
    fn name(&self) -> String;

    /// Which cost model goes with it.
    fn kind(&self) -> BackendKind;

    /// The bytes of a job's columns that the device can hold at once; `pieces` splits what is larger.
    fn memory_for_columns(&self) -> Result<u64>;

    /// From now on, tells `watch` how long each copy to or from the device takes; nobody, if there is none. A device
    /// without memory of its own has nothing to tell.
    fn watch(&self, _watch: Option<Arc<Watch>>) {}

    /// Brings a job's columns and path to the device, ready to scan.
    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>>;

    /// Brings two columns of keys to the device, ready to join; of one (`right` is none), pairs of different rows.
    fn load_join<'a>(&'a self, left: Side<'a>, right: Option<Side<'a>>) -> Result<Box<dyn Join + 'a>>;

    /// Brings pairs of so many records to the device, ready to find their connected components.
    fn load_components<'a>(&'a self, n_records: u32, pairs: &'a [Scored])
    -> Result<Box<dyn Components + 'a>>;

    /// Brings columns to the device, ready to score pairs of their records.
    fn load_scores<'a>(
        &'a self,
        encoded: &'a Encoded,
        attributes: &'a [Attribute],
    ) -> Result<Box<dyn PairScores + 'a>>;

    /// Brings records in the order of their keys to the device, ready to be paired with those near them.
    fn load_neighbours<'a>(&'a self, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>>;

    /// The same by the closure of a bit matrix: see [`crate::cluster::Method::TiledFw`].
    fn load_matrix<'a>(&'a self, n_records: u32, pairs: &'a [Scored]) -> Result<Box<dyn Components + 'a>>;

    /// Operators on relations.
    fn relations(&self) -> Box<dyn Relations + '_>;

    /// Brings a graph's edges to the device, ready for its transitive closure.
    fn load_graph<'a>(&'a self, graph: &'a Graph) -> Result<Box<dyn LoadedGraph + 'a>>;
}

/// The kinds of devices that have cost models of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendKind {
    /// The CPU backend.
    Cpu,
    /// The CUDA backend.
    Cuda,
}

impl FromStr for BackendKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda),
            _ => Err("expected cpu or cuda".into()),
        }
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        })
    }
}

/// The scan of all pairs of a task, with a job loaded.
pub trait Scan {
    /// Appends the task's candidates to `found`, in any order, and stops early once there are more than `most`.
    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome>;
}

/// The scores of pairs of records, with their columns loaded. The records must be there.
pub trait PairScores {
    /// The weighted mean of each pair, in billionths; of one below `least` only that it is below it.
    fn means(&mut self, pairs: &[[u32; 2]], least: u32, control: &Control) -> Result<Vec<u32>>;

    /// The levels of each pair's attributes.
    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>>;
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All candidates were found.
    Done,
    /// There are more than were allowed; what was found is not all.
    TooMany,
}

/// What the user asked for with `--device`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU where there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU with this number.
    Cuda(usize),
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => match text.strip_prefix("cuda:").map(str::parse) {
                Some(Ok(ordinal)) => Ok(Self::Cuda(ordinal)),
                _ => Err("expected auto, cpu, cuda or cuda:N".into()),
            },
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

/// Opens the device that was asked for; of a GPU's memory, at most `device_memory` bytes are used.
pub fn open(choice: DeviceChoice, device_memory: Option<u64>) -> Result<Box<dyn Backend>> {
    let cuda = |ordinal| Ok(Cuda::open(ordinal)?.with_memory(device_memory.unwrap_or(u64::MAX)));
    match choice {
        DeviceChoice::Cpu => Ok(Box::new(Cpu::new())),
        DeviceChoice::Cuda(ordinal) => Ok(Box::new(cuda(ordinal)?)),
        DeviceChoice::Auto => match cuda(0) {
            Ok(gpu) => Ok(Box::new(gpu)),
            Err(Error::NoDevice { reason, .. }) => {
                tracing::info!("no GPU: {reason}");
                Ok(Box::new(Cpu::new()))
            }
            Err(error) => {
                // There is a GPU and it does not work: that is worth a word even when nobody asked for it by name.
                tracing::warn!("the GPU is left aside: {error}");
                Ok(Box::new(Cpu::new()))
            }
        },
    }
}
