//! Records that are in some pair, numbered anew: the rows of a matrix, and the matrix itself where the host has it.

use super::{ScoredPair, check_pairs};
use crate::base::error::{Error, Result};
use crate::base::memory::available_memory;
use hyperblock_shared::matrix::{self, PIVOT, n_words, place, stride};
use rayon::prelude::*;
use std::ops::Range;

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

    /// The matrix in the host's memory, with the bits of pairs, and each row's own.
    pub fn matrix(&self) -> Vec<u32> {
        let (n_rows, stride) = (self.n_rows(), stride(self.n_rows()));
        let mut words = vec![0u32; n_words(n_rows) as usize];
        let mut set = |row: u32, column: u32| {
            let (word, bit) = place(stride, row, column);
            words[word as usize] |= bit;
        };
        (0..n_rows).for_each(|row| set(row, row));
        for &(left, right) in &self.pairs {
            set(left, right);
            set(right, left);
        }
        words
    }

    /// By row of a closed matrix: the first row that it reaches.
    pub fn firsts(&self, words: &[u32]) -> Vec<u32> {
        let first = |row: &[u32]| {
            let (ix, word) = (0..).zip(row).find(|(_, word)| **word != 0)?;
            Some(ix * u32::BITS + word.trailing_zeros())
        };
        words.par_chunks((stride(self.n_rows()) as usize).max(1)).filter_map(first).collect()
    }

    /// An error if the host has no memory for the matrix.
    pub fn check_host(&self) -> Result<()> {
        let n_bytes = 4 * n_words(self.n_rows());
        match available_memory() {
            Some(free) if n_bytes > free => Err(too_large(self.n_rows(), n_bytes, free)),
            _ => Ok(()),
        }
    }

    /// Bands of rows, so large that two of them take no more than so many bytes; an error if that is not even one pivot each.
    pub fn bands(&self, n_bytes: u64) -> Result<Vec<Range<u32>>> {
        let all = matrix::n_rows(self.n_rows());
        let of_two_pivots = 2 * 4 * u64::from(PIVOT) * u64::from(stride(self.n_rows()));
        let n_pivots = n_bytes.checked_div(of_two_pivots).unwrap_or(1);
        if n_pivots == 0 {
            return Err(too_large(self.n_rows(), of_two_pivots, n_bytes));
        }
        let band = |start: u64, n: u64| start as u32..(start + n).min(all) as u32;
        let n = n_pivots.saturating_mul(u64::from(PIVOT)).min(all.max(1));
        Ok((0..all).step_by(n as usize).map(|start| band(start, n)).collect())
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
