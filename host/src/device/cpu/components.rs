//! Connected components on the CPU: all threads hook pairs into one forest.
//!
//! Parents of random records are nearly always out of the cache. So a thread first reads those of some pairs,
//! which the processor does side by side, and then follows each; one after the other, it would wait for every
//! one. Trees are made flat from the smallest record on, in place: what is above a record is smaller, and
//! mostly flat already.

use super::Cpu;
use super::matrix::CpuMatrix;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::operators::components::{Components, ComponentsOperator, Phases, check_pairs};
use hyperblock_shared::components::{parent, root, unite};
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

/// Pairs that a thread takes at a time.
const PAIRS: usize = 1 << 14;
/// Records that it takes at a time.
const RECORDS: u32 = 1 << 16;
/// Pairs whose parents are read side by side, or records.
const AT_ONCE: usize = 32;

impl ComponentsOperator for Cpu {
    fn load_components<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        Ok(Box::new(CpuComponents::load(n_records, pairs)?))
    }

    fn load_matrix<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        Ok(Box::new(CpuMatrix::load(n_records, pairs)?))
    }
}

struct CpuComponents<'a> {
    n_records: u32,
    pairs: &'a [ScoredPair],
    labels: Vec<u32>,
}

impl<'a> CpuComponents<'a> {
    fn load(n_records: u32, pairs: &'a [ScoredPair]) -> Result<Self> {
        check_pairs(n_records, pairs)?;
        Ok(Self { n_records, pairs, labels: Vec::new() })
    }
}

impl Components for CpuComponents<'_> {
    fn run(&mut self, control: &Control) -> Result<Phases> {
        let start = Instant::now();
        let parents: Vec<AtomicU32> = (0..self.n_records).into_par_iter().map(AtomicU32::new).collect();
        self.pairs.par_chunks(PAIRS).try_for_each(|chunk| {
            control.check()?;
            chunk.chunks(AT_ONCE).for_each(|pairs| hook(&parents, pairs));
            Ok(())
        })?;
        let hooked = Instant::now();
        // In this order: a bridge hands them out one by one.
        (0..self.n_records).step_by(RECORDS as usize).par_bridge().for_each(|first| {
            let end = first.saturating_add(RECORDS).min(self.n_records);
            (first..end).step_by(AT_ONCE).for_each(|first| compress(&parents, first, end));
        });
        self.labels = parents.into_iter().map(AtomicU32::into_inner).collect();
        Ok(vec![("hook", hooked - start), ("compress", hooked.elapsed())])
    }

    fn labels(self: Box<Self>) -> Result<Vec<u32>> {
        Ok(self.labels)
    }
}

/// Hooks at most [`AT_ONCE`] pairs.
fn hook(parents: &[AtomicU32], pairs: &[ScoredPair]) {
    let mut ends = [[0; 2]; AT_ONCE];
    let ends = &mut ends[..pairs.len()];
    for (ends, pair) in ends.iter_mut().zip(pairs) {
        *ends = [parent(parents, pair.left), parent(parents, pair.right)];
    }
    for ends in &mut *ends {
        *ends = ends.map(|record| parent(parents, record));
    }
    for [left, right] in ends {
        unite(parents, *left, *right);
    }
}

/// Gives [`AT_ONCE`] records their roots for parents, or fewer before `end`.
fn compress(parents: &[AtomicU32], first: u32, end: u32) {
    let mut above = [[0; 2]; AT_ONCE];
    for (record, above) in (first..end).zip(&mut above) {
        above[0] = parent(parents, record);
    }
    for (record, above) in (first..end).zip(&mut above) {
        // Nothing is read for those that are roots.
        above[1] = if above[0] == record { record } else { parent(parents, above[0]) };
    }
    for (record, [own, grand]) in (first..end).zip(above) {
        if own != grand {
            parents[record as usize].store(root(parents, grand), Relaxed);
        }
    }
}
