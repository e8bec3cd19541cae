//! Connected components of pairs of records, by hooking or by the closure of a bit matrix.

mod forest;
mod rows;

pub use forest::Forest;
pub use rows::{Rows, too_large};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;
use std::time::Duration;

/// A backend that finds connected components.
pub trait ComponentsOperator {
    /// Brings pairs of so many records to the device, ready to find their connected components.
    fn load_components<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>>;

    /// The same by the closure of a bit matrix, which grows with the square of the records.
    fn load_matrix<'a>(&'a self, n_records: u32, pairs: &'a [ScoredPair])
    -> Result<Box<dyn Components + 'a>>;
}

/// What took how long, in order.
pub type Phases = Vec<(&'static str, Duration)>;

/// Pairs that are loaded on a device, and a way to find their connected components there; it can be gone over
/// and over.
pub trait Components {
    /// Finds them.
    fn run(&mut self, control: &Control) -> Result<Phases>;

    /// What the last run found: the component of each record, named by its smallest record.
    fn labels(self: Box<Self>) -> Result<Vec<u32>>;
}

/// An error if a pair names a record that there is not: for backends.
pub fn check_pairs(n_records: u32, pairs: &[ScoredPair]) -> Result<()> {
    let is_wrong = |pair: &ScoredPair| pair.left.max(pair.right) >= n_records;
    match pairs.par_iter().position_any(is_wrong) {
        None => Ok(()),
        Some(ix) => {
            let ScoredPair { left, right, .. } = pairs[ix];
            Err(Error::Job(format!("pair {ix} is of records {left} and {right}, but there are {n_records}")))
        }
    }
}
