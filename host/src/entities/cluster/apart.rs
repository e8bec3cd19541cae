//! Components that have several records of one source, taken apart.
//!
//! ```text
//! components ─┬─ no source twice ─► as they are
//!             └─ some source twice ─► pairs, from the most alike on: two entities become one,
//!                                     unless both have a record of one source
//! ```
//!
//! This is greedy, and so deterministic. What is refused once stays refused, since entities only grow: so the pairs that are
//! refused are those across entities.

use super::parts::{Parts, by_score};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::read::sources::Sources;
use hashbrown::HashSet;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The entity of each record, named by its smallest one.
pub(super) fn apart(parts: &Parts<'_>, sources: &Sources) -> Result<Vec<u32>> {
    let marked = crowded(parts.components, sources, parts.control)?;
    let begin = |record: u32| match parts.components[record as usize] {
        component if marked[component as usize] => AtomicU32::new(record),
        component => AtomicU32::new(component),
    };
    let entities: Vec<AtomicU32> = (0..parts.components.len() as u32).into_par_iter().map(begin).gather();
    parts.for_each_of(Some(&marked), |pairs| {
        let mut records: Vec<u32> = pairs.iter().flat_map(|pair| [pair.left, pair.right]).collect();
        records.sort_unstable();
        records.dedup();
        let place = |record: u32| records.partition_point(|&other| other < record) as u32;
        let mut groups = Groups::new(&records, sources);
        by_score(pairs);
        let n_refused =
            pairs.iter().filter(|pair| !groups.unite(place(pair.left), place(pair.right))).count();
        parts.refuse(n_refused);
        for (ix, name) in groups.names().into_iter().enumerate() {
            entities[records[ix] as usize].store(records[name as usize], Relaxed);
        }
    })?;
    Ok(entities.into_iter().map(AtomicU32::into_inner).collect())
}

/// By name, whether a component has several records of one source.
fn crowded(components: &[u32], sources: &Sources, control: &Control) -> Result<Vec<bool>> {
    let key = |record: u32| {
        let source = sources.of(record)?;
        Some(u64::from(components[record as usize]) << 32 | u64::from(source))
    };
    let mut keys: Vec<u64> = (0..components.len() as u32).into_par_iter().filter_map(key).collect();
    keys.par_sort_unstable();
    control.check()?;
    let mut marked = vec![false; components.len()];
    for two in keys.windows(2).filter(|two| two[0] == two[1]) {
        marked[(two[0] >> 32) as usize] = true;
    }
    Ok(marked)
}

/// The records of a component by their places, and the entities that they are in: a forest in which the smaller tree goes
/// below the root of the larger one.
struct Groups<'a> {
    records: &'a [u32],
    sources: &'a Sources,
    parents: Vec<u32>,
    sizes: Vec<u32>,
    /// By root, a bit for each source; where there are more than bits, several share one.
    bits: Vec<u64>,
    /// By record, the next one of its entity, in a ring.
    next: Vec<u32>,
    /// Root and source, if bits alone do not tell sources apart.
    taken: HashSet<(u32, u32)>,
}

impl<'a> Groups<'a> {
    fn new(records: &'a [u32], sources: &'a Sources) -> Self {
        let all = || 0..records.len() as u32;
        let source = |place: u32| sources.of(records[place as usize]);
        let bit = |place: u32| source(place).map_or(0, |source| 1 << (source % u64::BITS));
        let taken = match sources.n() <= u64::BITS {
            true => HashSet::new(),
            false => all().filter_map(|place| Some((place, source(place)?))).collect(),
        };
        Self {
            records,
            sources,
            parents: all().collect(),
            sizes: vec![1; records.len()],
            bits: all().map(bit).collect(),
            next: all().collect(),
            taken,
        }
    }

    /// Makes one entity of those of two records, unless both have a record of one source.
    fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return true;
        }
        let is_larger = self.sizes[a as usize] >= self.sizes[b as usize];
        let (large, small) = if is_larger { (a, b) } else { (b, a) };
        let are_exact = self.sources.n() <= u64::BITS;
        if self.bits[large as usize] & self.bits[small as usize] != 0
            && (are_exact || self.sources_of(small).any(|source| self.taken.contains(&(large, source))))
        {
            return false;
        }
        if !are_exact {
            let moved: Vec<u32> = self.sources_of(small).collect();
            for source in moved {
                self.taken.remove(&(small, source));
                self.taken.insert((large, source));
            }
        }
        self.parents[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
        self.bits[large as usize] |= self.bits[small as usize];
        self.next.swap(large as usize, small as usize);
        true
    }

    fn root(&mut self, mut place: u32) -> u32 {
        while self.parents[place as usize] != place {
            let above = self.parents[place as usize];
            self.parents[place as usize] = self.parents[above as usize];
            place = above;
        }
        place
    }

    /// The sources of the records of an entity.
    fn sources_of(&self, root: u32) -> impl Iterator<Item = u32> {
        let next = move |place: &u32| Some(self.next[*place as usize]).filter(|next| *next != root);
        let members = std::iter::successors(Some(root), next);
        members.filter_map(|place| self.sources.of(self.records[place as usize]))
    }

    /// Of each record the first one of its entity.
    fn names(mut self) -> Vec<u32> {
        let mut first = vec![u32::MAX; self.records.len()];
        (0..self.records.len() as u32)
            .map(|place| {
                let name = &mut first[self.root(place) as usize];
                *name = place.min(*name);
                *name
            })
            .collect()
    }
}
