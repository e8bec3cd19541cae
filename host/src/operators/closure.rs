//! Transitive closure: which nodes of a directed graph are reached from which, by one edge or more.
//!
//! There are two methods, on every backend. *Condense*: nodes that reach each other are one component, and
//! what is left has no cycles, so that the sources that reach a component are those of the components before
//! it, as rows of bits ([`Condensed`]). *Semi-naive*: the closure so far is joined with the edges until
//! nothing is new, as in 'Towards Iterative Relational Algebra on the GPU' (USENIX ATC 2023). Either works
//! source by source, so a closure of any size is found in pieces ([`crate::graph::closure`]).

mod condensed;

pub use condensed::{Condensed, Levels};

pub use hyperblock_shared::relation::{first_of, second_of, tuple};

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::names::expected;
use crate::base::stopwatch::Stages;
use crate::operators::relations::LoadFactor;
use crate::read::edges::Graph;
use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;
use strum::{Display, EnumString, VariantNames};

/// What some sources reach.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// How many tuples there are.
    pub n_tuples: u64,
    /// The tuples, ascending, if they were wanted.
    pub tuples: Vec<u64>,
    /// What each round did, if there were any.
    pub iterations: Vec<Iteration>,
    /// What took how long, in order.
    pub phases: Vec<(&'static str, Duration)>,
}

/// A round of semi-naive evaluation.
#[derive(Clone, Debug, Default)]
pub struct Iteration {
    /// Tuples that the join made, repeated ones included.
    pub n_joined: u64,
    /// Those of them that are new.
    pub n_new: u64,
    /// Time by operator: join, deduplicate, union, clear.
    pub times: Stages,
}

/// What is wanted of a closure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Whether tuples come to the host. Else they stay on the device, and are counted.
    pub tuples: bool,
}

/// Tuples that a piece holds at most, where they come to the host: 512 MB.
pub const MOST_TUPLES: u64 = 1 << 26;

/// A backend that finds closures.
pub trait ClosureOperator {
    /// Brings a graph's edges to the device, ready for its transitive closure.
    fn load_graph<'a>(&'a self, graph: &'a Graph) -> Result<Box<dyn LoadedGraph + 'a>>;
}

/// A graph on a device. Pieces that do not fit into memory are none: fewer sources are to be asked for.
pub trait LoadedGraph {
    /// The edges, brought back if they are not here.
    fn edges(&self) -> Result<Cow<'_, [u64]>>;

    /// What some sources reach, by rounds of a join.
    fn semi_naive(
        &self,
        sources: Range<u32>,
        rounds: Rounds,
        wanted: Wanted,
        control: &Control,
    ) -> Result<Option<Piece>>;

    /// What some sources reach, by rows of bits over the graph's components.
    fn condensed(
        &self,
        condensed: &Condensed,
        sources: Range<u32>,
        wanted: Wanted,
        control: &Control,
    ) -> Result<Option<Piece>>;
}

/// How a closure is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum ClosureMethod {
    /// By rows of bits over the graph's components.
    #[default]
    Condense,
    /// By rounds of a join.
    SemiNaive,
}

/// How a round finds which of its tuples are new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum Deduplicate {
    /// By a hash table of all tuples.
    #[default]
    Table,
    /// By sorting and merging them.
    Sort,
}

/// How rounds of a join are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// What is new is found so.
    pub deduplicate: Deduplicate,
    /// How full tables may be.
    pub load: LoadFactor,
}
