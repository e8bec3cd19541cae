//! Access paths as nodes of the plan: a file for each type, with what it takes and how it is told. A path names predicates by
//! their places among the plan's. So it is about any tables that the rules are about, and is written to bytes with the plan.
//! Estimates say how much of everything there is ([`crate::plan::sweep`], [`crate::plan::overlap`], [`crate::plan::access`]);
//! a path says what that comes to, as [`Work`](super::work::Work).

mod key;
mod overlap;
mod sweep;

pub(crate) use key::KeyPairs;
pub use key::{Inner, KeyMethod, KeyPath};
pub(crate) use overlap::OverlapCounts;
pub use overlap::{ElementKind, OverlapMethod, OverlapPath};
pub(crate) use sweep::SweepCounts;
pub use sweep::SweepPath;

use rkyv::{Archive, Deserialize, Serialize};
use serde_json::Value;

/// How a branch, or a part of one, comes by its pairs.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum AccessPath {
    /// Items within reach of each other, through a screen.
    Sweep(SweepPath),
    /// Values that have enough in common.
    Overlap(OverlapPath),
    /// Records with the same key.
    Join(KeyPath),
}

impl AccessPath {
    /// The predicates that hold on every pair it hands on, or that it screens by.
    pub fn predicates(&self) -> Vec<u32> {
        match self {
            Self::Sweep(path) => path.lead.into_iter().collect(),
            Self::Overlap(path) => vec![path.lead],
            Self::Join(path) => {
                path.equalities.iter().copied().chain(path.inner.map(|inner| inner.lead)).collect()
            }
        }
    }

    /// For people, with predicates as `predicate` says them.
    pub fn describe(&self, predicate: &dyn Fn(u32) -> String) -> String {
        match self {
            Self::Sweep(path) => path.describe(predicate),
            Self::Overlap(path) => path.describe(predicate),
            Self::Join(path) => path.describe(predicate),
        }
    }

    /// For programs, likewise.
    pub fn json(&self, predicate: &dyn Fn(u32) -> String) -> Value {
        match self {
            Self::Sweep(path) => path.json(predicate),
            Self::Overlap(path) => path.json(predicate),
            Self::Join(path) => path.json(predicate),
        }
    }
}
