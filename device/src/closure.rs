//! Transitive closure over the components of a graph: kernels that run one after the other.
//!
//! ```text
//! own ─► rows ─► count ─► sum ─► (the host: where each source's tuples begin) ─► write
//! ```
//!
//! A component has a row with a bit for each source of the piece. [`own()`] sets those of its own nodes,
//! [`rows()`] joins to it the rows of its predecessors, level by level. Then rows are turned round, 32
//! targets by 32 sources at a time, to see what each source reaches: [`count()`] counts it by part of the
//! targets, [`sum()`] says how many stand before each part, and [`write()`] writes the tuples, ascending.

mod rows;
mod turned;

pub use rows::{own, rows};
pub use turned::{Turned, count, sum, write};
