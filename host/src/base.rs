//! What every room stands on: errors, exact decimals, seeded numbers, clocks, budgets, data for a terminal, where outputs go, and how
//! the outside controls a job.

pub mod billionths;
pub mod budget;
pub mod compared;
pub mod control;
pub mod decimal;
pub mod error;
pub(crate) mod gather;
pub mod json;
pub mod kept;
pub mod latency;
pub(crate) mod list;
pub mod memory;
pub(crate) mod names;
pub mod paths;
pub mod progress;
pub(crate) mod random;
pub(crate) mod ranges;
pub mod sealed;
pub mod shown;
pub(crate) mod sphere;
pub mod spill;
pub mod stamp;
pub mod stdin;
pub mod stopwatch;
pub mod store;
pub mod target;
pub mod threads;
pub mod timeline;
