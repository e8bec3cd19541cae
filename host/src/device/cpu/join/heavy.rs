//! Heavy keys: the pairs of one are the product of its left and its right rows, and no table is needed to
//! find them.
//!
//! The product is cut into pieces of left rows, which threads take one by one. Each piece meets all right
//! rows, some at a time, so that both stay in the nearest cache. Where a side is joined with itself the
//! product is a triangle: a piece meets itself, and the pieces after it.

use super::Consumer;
use super::partition::{Division, Partitioned};
use crate::base::gather::Gather;
use rayon::prelude::*;

/// A side's rows of heavy keys, by chunk.
pub(super) struct Rows(Vec<(Vec<u32>, Vec<u32>)>);

impl Rows {
    /// The tuples without their hashes, which say nothing any more.
    pub(super) fn new(side: &Partitioned<u64>, division: &Division) -> Self {
        let rows = |tuples: &[u64]| tuples.iter().map(|&tuple| tuple as u32).collect();
        match division.heavy.n_keys() {
            0 => Self(Vec::new()),
            _ => Self(
                side.chunks
                    .par_iter()
                    .map(|chunk| (rows(chunk.heavy(division)), chunk.heavy_starts(division)))
                    .gather(),
            ),
        }
    }

    /// The rows of a key, in pieces of at most `len`.
    fn pieces(&self, key: usize, len: usize) -> Vec<&[u32]> {
        let of = |starts: &[u32]| starts[key] as usize..starts[key + 1] as usize;
        self.0.iter().flat_map(|(rows, starts)| rows[of(starts)].chunks(len)).collect()
    }
}

/// All that there is to do about heavy keys.
pub(super) struct Products<'a> {
    /// By key.
    lefts: Vec<Vec<&'a [u32]>>,
    /// By key; none, if a side is joined with itself.
    rights: Option<Vec<Vec<&'a [u32]>>>,
    /// Keys, and pieces of their left rows.
    tasks: Vec<(usize, usize)>,
}

impl<'a> Products<'a> {
    pub(super) fn new(left: &'a Rows, right: Option<&'a Rows>, n_keys: u32, piece: usize) -> Self {
        let pieces = |rows: &'a Rows| (0..n_keys as usize).map(|key| rows.pieces(key, piece)).collect();
        let lefts: Vec<Vec<_>> = pieces(left);
        let tasks =
            lefts.iter().enumerate().flat_map(|(key, lefts)| (0..lefts.len()).map(move |ix| (key, ix)));
        Self { tasks: tasks.collect(), rights: right.map(pieces), lefts }
    }

    pub(super) fn n_tasks(&self) -> usize {
        self.tasks.len()
    }

    /// Pairs that all tasks have together.
    pub(super) fn n_pairs(&self) -> u64 {
        let n_rows = |pieces: &[&[u32]]| pieces.iter().map(|piece| piece.len() as u64).sum::<u64>();
        let lefts = self.lefts.iter().map(|pieces| n_rows(pieces));
        match &self.rights {
            Some(rights) => lefts.zip(rights).map(|(n, pieces)| n * n_rows(pieces)).sum(),
            None => lefts.map(|n| n * n.saturating_sub(1) / 2).sum(),
        }
    }

    /// Does a task, unless nobody wants it any more.
    pub(super) fn run(&self, task: usize, consumer: &mut impl Consumer) {
        let (key, ix) = self.tasks[task];
        let left = self.lefts[key][ix];
        let rights = match &self.rights {
            Some(rights) => &rights[key][..],
            None => {
                consumer.within(left);
                &self.lefts[key][ix + 1..]
            }
        };
        for right in rights {
            if consumer.is_done() {
                return;
            }
            consumer.heavy(left, right);
        }
    }
}
