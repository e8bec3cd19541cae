//! hyperblock finds the pairs of records that may be the same real-world thing: of one table (deduplicate) or of two
//! (link), exactly those that some rule allows, on a GPU or on the CPU.
//!
//! ```text
//! tables ─► read ─► encode ─┐
//! rules  ─► rules ──────────┴─► plan ─► run (operators on a device) ─► candidates ─► entities ─► tell
//! ```
//!
//! One direction, no way back. The rooms below stand in that order, from the base to the top, and a room uses only what
//! stands above it in this list: `cargo xtask test` looks. [`job`] walks from tables to scored candidates; start there.
//! [`resolve`] goes on to entities, [`fit`] to weights. [`graph`] stands beside that way. [`baselines`] are there to be compared with.

pub mod base;
pub mod baselines;
pub mod device;
pub mod encode;
pub mod entities;
pub mod fit;
pub mod graph;
pub mod inspect;
pub mod job;
pub mod operators;
pub mod plan;
pub mod read;
pub mod resolve;
pub mod rules;
pub mod run;
pub mod tell;

pub use base::control::Control;
pub use base::error::{Error, Result};
pub use device::DeviceChoice;
pub use fit::FitOptions;
pub use job::{Found, Guards, Job, Prepared, Pull, RuleSource};
pub use read::table::{Batches, IdSource, Input, ReadOptions};
pub use resolve::Resolve;
pub use tell::report::Summary;

pub use hyperblock_shared::layout::Candidate;
