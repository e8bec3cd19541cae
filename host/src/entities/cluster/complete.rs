//! Complete linkage: agglomerative clustering in which two entities are as alike as the least alike pair
//! across them.
//!
//! A pair that is not in the list is not alike at all, so entities become one only if every pair across them
//! is listed: so they have no two records of one source, if pairs of one source are left out. The most alike two are next, among equally alike ones those with the smallest members, until no
//! two are left that may be. When two entities become one, what is alike to both stays alike to it, with the
//! lesser of the scores, and what is alike to one of them alone is forgotten. Each step forgets at least half
//! of what it looks at, so all steps together look at about as much as there are pairs.

use super::parts::Parts;
use crate::base::error::Result;
use crate::base::gather::Gather;
use hashbrown::HashMap;
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem::take;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The entity of each record, named by its smallest one.
pub(super) fn complete(parts: &Parts<'_>) -> Result<Vec<u32>> {
    let entities: Vec<AtomicU32> =
        (0..parts.components.len() as u32).into_par_iter().map(AtomicU32::new).gather();
    let set = |record: u32, entity: u32| entities[record as usize].store(entity, Relaxed);
    parts.for_each(|pairs| match pairs {
        [pair] => set(pair.right, pair.left),
        pairs => {
            let mut records: Vec<u32> = pairs.iter().flat_map(|pair| [pair.left, pair.right]).collect();
            records.sort_unstable();
            records.dedup();
            let merged = Linkage::new(&records, pairs).run();
            merged.into_iter().zip(&records).for_each(|(ix, &record)| set(record, records[ix as usize]));
        }
    })?;
    Ok(entities.into_iter().map(AtomicU32::into_inner).collect())
}

/// The entities of one component. They are named by their smallest member, and members by their place among
/// the records.
struct Linkage {
    /// By entity: what it is alike to, and how much.
    alike: Vec<HashMap<u32, u32>>,
    /// The most alike first, then the smaller names. What is no longer so is passed over.
    next: BinaryHeap<(u32, Reverse<u32>, Reverse<u32>)>,
}

impl Linkage {
    fn new(records: &[u32], pairs: &[ScoredPair]) -> Self {
        let mut alike: Vec<HashMap<u32, u32>> = vec![HashMap::new(); records.len()];
        let place = |record: u32| records.partition_point(|&other| other < record);
        let mut next = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let (left, right) = (place(pair.left), place(pair.right));
            alike[left].insert(right as u32, pair.score);
            alike[right].insert(left as u32, pair.score);
            next.push((pair.score, Reverse(left as u32), Reverse(right as u32)));
        }
        Self { alike, next: next.into() }
    }

    /// The entity of each member.
    fn run(mut self) -> Vec<u32> {
        let mut entities: Vec<u32> = (0..self.alike.len() as u32).collect();
        while let Some((score, Reverse(a), Reverse(b))) = self.next.pop() {
            if self.alike[a as usize].get(&b) == Some(&score) {
                self.merge(a, b);
                entities[b as usize] = a;
            }
        }
        // Names only ever become smaller, and those before are done.
        for ix in 0..entities.len() {
            entities[ix] = entities[entities[ix] as usize];
        }
        entities
    }

    /// Makes `b` a part of `a`, which is smaller.
    fn merge(&mut self, a: u32, b: u32) {
        let (to_a, to_b) = (take(&mut self.alike[a as usize]), take(&mut self.alike[b as usize]));
        let mut to_both = HashMap::with_capacity(to_a.len().min(to_b.len()));
        for (&other, &score) in to_a.iter().filter(|(other, _)| **other != b) {
            let of_other = &mut self.alike[other as usize];
            let Some(least) = to_b.get(&other).map(|&of_b| of_b.min(score)) else {
                of_other.remove(&a);
                continue;
            };
            to_both.insert(other, least);
            if least != score {
                of_other.insert(a, least);
                self.next.push((least, Reverse(a.min(other)), Reverse(a.max(other))));
            }
        }
        for &other in to_b.keys().filter(|other| **other != a) {
            self.alike[other as usize].remove(&b);
        }
        self.alike[a as usize] = to_both;
    }
}
