//! Records that are in some pair, numbered anew: the rows of a matrix.

use super::{ScoredPair, check_pairs};
use crate::base::error::{Error, Result};
use rayon::prelude::*;

/// The rows of a matrix, and the pairs between them.
#[derive(Debug)]
pub struct Rows {
    n_records: u32,
    /// By row: the record, ascending.
    records: Vec<u32>,
    /// Pairs of different rows.
    pub pairs: Vec<(u32, u32)>,
}

impl Rows {
    /// A row for each record that is in a pair with another.
    pub fn new(n_records: u32, pairs: &[ScoredPair]) -> Result<Self> {
        check_pairs(n_records, pairs)?;
        let others = || pairs.par_iter().filter(|pair| pair.left != pair.right);
        let mut records: Vec<u32> = others().flat_map_iter(|pair| [pair.left, pair.right]).collect();
        records.par_sort_unstable();
        records.dedup();
        let row = |record: u32| records.partition_point(|&other| other < record) as u32;
        let pairs = others().map(|pair| (row(pair.left), row(pair.right))).collect();
        Ok(Self { n_records, records, pairs })
    }

    /// How many there are.
    pub fn n_rows(&self) -> u32 {
        self.records.len() as u32
    }

    /// The component of each record, from the first row that each row reaches.
    pub fn labels(&self, firsts: &[u32]) -> Vec<u32> {
        let mut labels: Vec<u32> = (0..self.n_records).collect();
        for (&record, &first) in self.records.iter().zip(firsts) {
            labels[record as usize] = self.records[first as usize];
        }
        labels
    }
}

/// A matrix of so many rows takes more memory than there is: what to do about it.
pub fn too_large(n_rows: u32, need: u64, free: u64) -> Error {
    Error::Job(format!(
        "the bit matrix of {n_rows} records in pairs takes {need} bytes of memory, {free} are free; \
         use --method components, which finds the same entities"
    ))
}
