//! Plans: which predicates in which order, and by which access path each branch comes by its pairs.
//!
//! [`statistics`] and [`cost`] say what predicates let through and what they take; the generator makes a tree of the rules and
//! lays it out as a path; [`access`] chooses a [`sweep`], an [`overlap`] join or a [`join`] by a key for each branch;
//! [`partition`] cuts all pairs into areas and blocks, and [`task`] what is looked at there into tasks. Nothing here sees a
//! device.

pub mod access;
mod candidates;
mod conjunction;
pub mod cost;
mod expected;
mod generator;
pub mod join;
mod layout;
mod options;
mod order;
pub mod overlap;
pub mod partition;
pub mod path;
mod portable;
mod program;
mod redundancy;
mod sound;
pub mod statistics;
pub mod sweep;
pub mod task;
#[cfg(test)]
mod tests;
mod tree;
mod variant;
pub mod work;

pub use conjunction::Conjunction;
pub use generator::{Evidence, Plan};
pub use layout::PlannedStep;
pub use options::{
    AccessChoice, JoinChoice, PlanChoice, ScanOptions, SimilarityChoice, WalkChoice, WitnessChoice,
};
pub use portable::PortablePlan;
pub use program::{BranchSteps, Program};
pub use tree::{Node, Witness};
pub use variant::Variant;
