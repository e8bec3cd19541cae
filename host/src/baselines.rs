//! Baselines: what the papers compare themselves with, and their own algorithms where the engine goes another way.
//!
//! Nothing of the product imports from here. `cargo xtask bench` runs them beside the engine, on the same work and machine, so
//! that a ratio which a paper claims can be looked at; `docs/papers.md` says which paper has which. Each is written as
//! what it is, with the means that its authors had, and each answers to the same tests as the operator that it stands beside.

mod by_attribute;
pub mod joins;
mod queue;
pub mod sets;
mod sink;

pub use by_attribute::by_attribute;
