//! Equi-joins: which rows of two columns of keys have the same key.
//!
//! After 'CPU and GPU Hash Joins on Skewed Data' (2025): rows are partitioned by the hash of their key, and partitions
//! are joined one by one where memory is nearest. Keys that very many rows have, *heavy* ones, are found by sampling before,
//! and go a way of their own: all their pairs are a product of two lists, which is multiplied where pairs are counted, and
//! written by everyone together where they are wanted. `cpu::join` and `cuda::join` do it; a loaded join can be run over
//! and over.

pub(crate) mod buffer;
pub(crate) mod phases;

use crate::base::error::Result;
use crate::plan::join::{JoinMethod, KeyColumn};
use std::time::Duration;

/// A backend that joins.
pub trait JoinOperator {
    /// Brings two columns of keys to the device, ready to join; of one (`right` is none), pairs of different rows.
    fn load_join<'a>(
        &'a self,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Result<Box<dyn Join + 'a>>;
}

/// What is wanted of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Their number.
    Count,
    /// All of them, into a buffer that is overwritten when it is full.
    Pairs {
        /// Pairs that it holds, or some more; at least 1.
        capacity: usize,
    },
}

/// What a run of a join did.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    /// The exact number of pairs.
    pub n_pairs: u64,
    /// Keys that were joined apart.
    pub n_heavy: u32,
    /// What took how long, in order.
    pub phases: Vec<(&'static str, Duration)>,
}

/// Two sides that are loaded on a device; or one, of which the pairs of different rows are wanted, each once, with the
/// smaller row number left.
pub trait Join {
    /// Joins them.
    fn run(&mut self, method: JoinMethod, output: Output) -> Result<Joined>;

    /// The pairs of the last run, in any order: all of them, if its buffer held them; none, if it only counted.
    fn pairs(&self) -> Result<Vec<(u32, u32)>>;
}
