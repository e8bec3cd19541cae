//! What the end-to-end tests are made of.
//!
//! A [`case`] is a job on paper: tables and rules as text. The [`oracle`] decides it pair by pair, on strings, with
//! nothing borrowed from the engine but the form of a rule; [`generate`] makes random cases; [`threads`] is a backend
//! that runs the kernels' own source on CPU threads, so they are tested where there is no GPU; [`small`] is one that has
//! little memory. [`program`] is the command line, and [`pages`] what people read about it.

pub mod apart;
pub mod case;
pub mod closures;
pub mod clusters;
pub mod each_rule;
pub mod generate;
pub mod joins;
pub mod neighbours;
pub mod oracle;
pub mod overlaps;
pub mod pages;
pub mod program;
pub mod relations;
pub mod scores;
pub mod several;
pub mod small;
pub mod spread;
pub mod survival;
pub mod threads;
