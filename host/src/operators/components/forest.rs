//! A forest that grows as pairs come: all threads hook them, and what is in one tree is one component.
//!
//! Parents of random records are nearly always out of the cache. So a thread first reads those of some pairs,
//! which the processor does side by side, and then follows each; one after the other, it would wait for every
//! one. Trees are made flat from the smallest record on, in place: what is above a record is smaller, and
//! mostly flat already.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use hyperblock_shared::components::{parent, root, unite};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Pairs that a thread takes at a time.
const PAIRS: usize = 1 << 14;
/// Records that it takes at a time.
const RECORDS: u32 = 1 << 16;
/// Pairs whose parents are read side by side, or records.
const AT_ONCE: usize = 32;

/// Records, and what pairs have made of them so far.
#[derive(Debug)]
pub struct Forest(Vec<AtomicU32>);

impl Forest {
    /// Bytes for each record.
    pub const EACH: u64 = 4;

    /// Records that are alone.
    pub fn new(n_records: u32) -> Self {
        Self((0..n_records).into_par_iter().map(AtomicU32::new).gather())
    }

    /// Makes one component of those that the records of each pair are in. The records must be there.
    pub fn hook<P: Sync>(
        &self,
        pairs: &[P],
        ends: impl Fn(&P) -> [u32; 2] + Sync,
        control: &Control,
    ) -> Result<()> {
        pairs.par_chunks(PAIRS).try_for_each(|chunk| {
            control.check()?;
            chunk.chunks(AT_ONCE).for_each(|pairs| hook(&self.0, pairs, &ends));
            Ok(())
        })
    }

    /// The component of each record, named by its smallest record.
    pub fn labels(self) -> Vec<u32> {
        let Self(parents) = self;
        let n_records = parents.len() as u32;
        // In this order: a bridge hands them out one by one.
        (0..n_records).step_by(RECORDS as usize).par_bridge().for_each(|first| {
            let end = first.saturating_add(RECORDS).min(n_records);
            (first..end).step_by(AT_ONCE).for_each(|first| compress(&parents, first, end));
        });
        parents.into_iter().map(AtomicU32::into_inner).collect()
    }
}

/// Hooks at most [`AT_ONCE`] pairs.
fn hook<P>(parents: &[AtomicU32], pairs: &[P], records: &impl Fn(&P) -> [u32; 2]) {
    let mut ends = [[0; 2]; AT_ONCE];
    let ends = &mut ends[..pairs.len()];
    for (ends, pair) in ends.iter_mut().zip(pairs) {
        *ends = records(pair).map(|record| parent(parents, record));
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
