//! Transitive closure on the CPU.
//!
//! All nodes of a component reach the same, so components stand for sources: 512 of them at a time, a bit
//! each, in the order in which neighbours reach much the same. Threads take such batches ([`rows`]), and
//! count what they reach or list it; lists are then copied out source by source.

mod rows;

use super::Cpu;
use super::semi_naive::semi_naive;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::threads::{self, on_each};
use crate::operators::closure::{
    ClosureOperator, Condensed, LoadedGraph, MOST_TUPLES, Piece, Rounds, Wanted, tuple,
};
use crate::read::edges::Graph;
use rayon::prelude::*;
use rows::{BATCH, Rows};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

impl ClosureOperator for Cpu {
    fn load_graph<'a>(&'a self, graph: &'a Graph) -> Result<Box<dyn LoadedGraph + 'a>> {
        Ok(Box::new(CpuGraph { graph }))
    }
}

/// A graph, as it is.
struct CpuGraph<'a> {
    graph: &'a Graph,
}

impl LoadedGraph for CpuGraph<'_> {
    fn edges(&self) -> Result<Cow<'_, [u64]>> {
        Ok(Cow::Borrowed(&self.graph.edges))
    }

    fn semi_naive(
        &self,
        sources: Range<u32>,
        rounds: Rounds,
        wanted: Wanted,
        control: &Control,
    ) -> Result<Option<Piece>> {
        semi_naive(self.graph, sources, rounds, wanted, control)
    }

    fn condensed(
        &self,
        condensed: &Condensed,
        sources: Range<u32>,
        wanted: Wanted,
        control: &Control,
    ) -> Result<Option<Piece>> {
        let start = Instant::now();
        let sources = Sources::new(condensed, sources);
        // Each single node without a self-loop has its own bit, and does not reach itself.
        let n_apart = sources.weighted.iter().filter(|it| !condensed.is_cyclic[it.0 as usize]).count() as u64;
        if !wanted.tuples {
            let count = |rows: &mut Rows<'_>, batch: &[(u32, u32)]| rows.count(batch);
            let counts = sources.batches(condensed, control, count)?;
            let n_tuples = counts.iter().sum::<u64>() - n_apart;
            let phases = vec![("rows", start.elapsed())];
            return Ok(Some(Piece { n_tuples, phases, ..Piece::default() }));
        }
        // As many as are listed; batches that would go beyond what a piece may hold are left.
        let n_listed = AtomicU64::new(0);
        let list = |rows: &mut Rows<'_>, batch: &[(u32, u32)]| {
            let n = rows.count(batch);
            (n_listed.fetch_add(n, Relaxed) + n <= MOST_TUPLES).then(|| rows.lists(batch))
        };
        let lists: Option<Vec<Lists>> = sources.batches(condensed, control, list)?.into_iter().collect();
        let Some(lists) = lists else { return Ok(None) };
        let rows = start.elapsed();
        let tuples = sources.tuples(condensed, &lists, n_listed.into_inner() - n_apart)?;
        let phases = vec![("rows", rows), ("write", start.elapsed() - rows)];
        Ok(Some(Piece { n_tuples: tuples.len() as u64, tuples, iterations: Vec::new(), phases }))
    }
}

/// What the components of a batch reach.
struct Lists {
    /// By component of the batch: where its list begins; and one more.
    starts: Vec<usize>,
    /// Nodes, ascending in each list.
    nodes: Vec<u32>,
}

/// The sources of a piece.
struct Sources {
    nodes: Range<u32>,
    /// Their components, ascending, and how many of the sources each has.
    weighted: Vec<(u32, u32)>,
}

impl Sources {
    fn new(condensed: &Condensed, nodes: Range<u32>) -> Self {
        let mut weights = vec![0u32; condensed.n_components() as usize];
        for &component in &condensed.components[nodes.start as usize..nodes.end as usize] {
            weights[component as usize] += 1;
        }
        let weighted = (0..).zip(weights).filter(|(_, weight)| *weight > 0).collect();
        Self { nodes, weighted }
    }

    /// What `work` makes of each batch, in order.
    fn batches<T: Send>(
        &self,
        condensed: &Condensed,
        control: &Control,
        work: impl Fn(&mut Rows<'_>, &[(u32, u32)]) -> T + Sync,
    ) -> Result<Vec<T>> {
        let batches: Vec<&[(u32, u32)]> = self.weighted.chunks(BATCH).collect();
        let next = AtomicUsize::new(0);
        let n_threads = threads::n_threads().min(batches.len());
        let take = || {
            let mut rows = Rows::new(condensed);
            let mut done = Vec::new();
            loop {
                let ix = next.fetch_add(1, Relaxed);
                let Some(batch) = batches.get(ix) else { return Ok(done) };
                control.check()?;
                done.push((ix, work(&mut rows, batch)));
                control.advance(batch.iter().map(|(_, weight)| u64::from(*weight)).sum());
            }
        };
        let mut all: Vec<(usize, T)> = Vec::with_capacity(batches.len());
        for part in on_each(n_threads, take) {
            all.extend(part?);
        }
        all.sort_unstable_by_key(|(ix, _)| *ix);
        Ok(all.into_iter().map(|(_, done)| done).collect())
    }

    /// The lists copied out, source by source.
    fn tuples(&self, condensed: &Condensed, lists: &[Lists], n_tuples: u64) -> Result<Vec<u64>> {
        let list = |source: u32| {
            let component = condensed.components[source as usize];
            let ix = self.weighted.partition_point(|(other, _)| *other < component);
            let Lists { starts, nodes } = &lists[ix / BATCH];
            (&nodes[starts[ix % BATCH]..starts[ix % BATCH + 1]], condensed.is_cyclic[component as usize])
        };
        let mut tuples = vec![0u64; n_tuples as usize];
        let mut rest = &mut tuples[..];
        let mut parts = Vec::with_capacity(self.nodes.len());
        for source in self.nodes.clone() {
            let (targets, is_cyclic) = list(source);
            let n = targets.len() - usize::from(!is_cyclic);
            let (own, after) = rest
                .split_at_mut_checked(n)
                .ok_or_else(|| Error::Internal("sources reach more than was counted".into()))?;
            rest = after;
            parts.push((source, targets, is_cyclic, own));
        }
        parts.into_par_iter().with_min_len(64).for_each(|(source, targets, is_cyclic, own)| {
            let is_target = |node: &&u32| is_cyclic || **node != source;
            for (to, &node) in own.iter_mut().zip(targets.iter().filter(is_target)) {
                *to = tuple(source, node);
            }
        });
        Ok(tuples)
    }
}

#[cfg(test)]
mod tests;
