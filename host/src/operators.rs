//! Operators: what a device can do, a contract a file.
//!
//! A backend offers an operator by implementing its contract. Each has two parts: the operator brings its inputs to the
//! device (`load…`), and what comes back runs there, over and over if it is asked to. Stages above see devices through
//! these traits alone; [`crate::device`] opens them.

pub mod closure;
pub mod components;
pub mod join;
pub mod neighbours;
pub mod relations;
pub mod runs;
pub mod scan;
pub mod scores;

use crate::base::control::Watch;
use crate::base::error::Result;
use crate::encode::Ready;
use crate::plan::cost::{BackendKind, Figures};
use closure::ClosureOperator;
use components::ComponentsOperator;
use join::JoinOperator;
use neighbours::NeighboursOperator;
use relations::RelationsOperator;
use scan::ScanOperator;
use scores::ScoresOperator;
use std::sync::Arc;

/// A device that is open: what it is, and all operators.
pub trait Backend:
    ScanOperator
    + JoinOperator
    + ScoresOperator
    + NeighboursOperator
    + ComponentsOperator
    + RelationsOperator
    + ClosureOperator
    + Send
    + Sync
{
    /// For people: which device this is.
    fn name(&self) -> String;

    /// Which cost model goes with it.
    #[doc(hidden)]
    fn kind(&self) -> BackendKind;

    /// What it has, if it is a GPU: costs that were learnt on another one are scaled by it.
    #[doc(hidden)]
    fn figures(&self) -> Option<Figures> {
        None
    }

    /// Whether it is several places, a GPU and the CPU among them.
    #[doc(hidden)]
    fn has_cpu_beside(&self) -> bool {
        false
    }

    /// The bytes of a job's columns that the device can hold at once; what is larger is loaded in pieces.
    #[doc(hidden)]
    fn memory_for_columns(&self) -> Result<u64>;

    /// The most bytes of its own memory that were used at once, if it has some and can tell.
    fn peak_memory(&self) -> Option<u64> {
        None
    }

    /// Brings a column to where it will be needed, while others are still encoded. That is a chance and no duty: what was not
    /// brought is brought when a job is loaded.
    #[doc(hidden)]
    fn bring(&self, _column: Ready) {}

    /// From now on, tells `watch` how long each copy to or from the device takes; nobody, if there is none. A device
    /// without memory of its own has nothing to tell.
    #[doc(hidden)]
    fn watch(&self, _watch: Option<Arc<Watch>>) {}
}
