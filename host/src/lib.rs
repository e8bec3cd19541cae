//! hyperblock finds the pairs of records that may be the same real-world thing: of one table (deduplicate) or of two
//! (link), exactly those that some rule allows, on a GPU or on the CPU.
//!
//! ```text
//! tables ─► table ─► encode ─► statistics, cost ─┐
//! rules  ─► rules ─► plan ◄──────────────────────┴─► sweep, access, partition ─► schedule ─► backend (cpu, cuda) ─► candidates ─► score ─► cluster ─► output, evaluate ─► report
//! ```
//!
//! One direction, no way back: a module uses only what stands left of it, except that [`cost`] times predicates on a backend
//! and [`plan::explain`] prints what [`analyze`] counted. [`job`] walks from tables to scored candidates; start there.
//! [`resolve`] goes on to entities. [`closure`] and [`relation`] stand beside that way.

pub mod access;
pub mod analyze;
pub mod backend;
pub mod closure;
pub mod cluster;
pub mod control;
pub mod cost;
pub mod cpu;
pub mod cuda;
pub mod decimal;
pub mod encode;
pub mod error;
pub mod evaluate;
pub mod fit;
mod grouped;
pub mod job;
pub mod join;
pub mod json;
pub mod latency;
pub mod neighbours;
pub mod output;
pub mod overlap;
pub mod partition;
pub mod pieces;
pub mod plan;
mod random;
pub mod relation;
pub mod report;
pub mod resolve;
pub mod rules;
pub mod schedule;
pub mod score;
pub mod statistics;
pub mod sweep;
pub mod table;
pub mod why;

pub use backend::DeviceChoice;
pub use control::Control;
pub use error::{Error, Result};
pub use job::{Job, Prepared};
pub use resolve::Resolve;

pub use hyperblock_shared::layout::Candidate;
