//! Overlap joins on the CPU: threads index the prefixes of some values, then look up those of others ([`probe`]); or they go
//! over all pairs by their signatures ([`dense`]). Either way a few values at a time.

mod dense;
mod index;
mod probe;

use super::scan::CpuScan;
use super::verify::{Verify, Walker};
use crate::base::control::{Control, Steps};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::latency::Latency;
use crate::base::threads;
use crate::plan::overlap::{BlockJoin, OverlapJoin};
use crate::plan::path::OverlapMethod;
use crate::plan::sweep::ItemList;
use dense::{Dense, Signatures};
use hyperblock_shared::columns::{Columns, Point};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::measure::{ArchivedMeasure, Square, near};
use hyperblock_shared::overlap::{Class, NEVER, Overlap};
use hyperblock_shared::predicate::Test;
use index::Index;
use probe::Probe;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// Probing values that a thread takes at a time.
const BATCH: u32 = 64;
/// Points that a thread gathers at a time.
const POINTS_AT_ONCE: usize = 1 << 12;

impl CpuScan<'_> {
    /// The measure of an overlap join's lead.
    fn measure(&self, join: &OverlapJoin) -> Result<&ArchivedMeasure> {
        let measure = self.program.walk()?.predicate(join.sweep.settings.lead).measure();
        measure.ok_or_else(|| Error::Internal("an overlap join without a measure".into()))
    }

    /// The steps of an overlap join.
    pub(super) fn overlap_steps(&self, join: &OverlapJoin) -> Result<u64> {
        let blocks = join.blocks(self.measure(join)?, self.program.options().indexed);
        Ok(blocks.iter().map(|blocks| u64::from((blocks.probing.len() as u32).div_ceil(BATCH))).sum())
    }

    /// Appends an overlap join's candidates, or some of them if they are more than `most`. Pairs of items that stand for
    /// very many pairs of records come back; and how many pairs of records were compared, at most.
    pub(super) fn overlap(
        &self,
        join: &OverlapJoin,
        most: usize,
        control: &Control,
        steps: &Steps<'_>,
        found: &mut Vec<Candidate>,
    ) -> Result<(Vec<(u32, u32)>, u64)> {
        let measure = self.measure(join)?;
        let options = self.program.options();
        let (mut heavies, mut n_compared) = (Vec::new(), 0u64);
        let near = self.points(join)?;
        for blocks in join.blocks(measure, options.indexed) {
            control.check()?;
            let block = BlockJoin::new(join, &blocks, self.encoded, measure, &options);
            let overlap = block.borrow();
            let found_by = match join.method {
                OverlapMethod::Index => FoundBy::Index(Index::new(&overlap)),
                OverlapMethod::Dense => FoundBy::Signatures(Signatures::new(&overlap)),
            };
            let n_probing = overlap.probing.values.len() as u32;
            let (taken, n_found) = (AtomicUsize::new(0), AtomicUsize::new(found.len()));
            let work = || {
                let mut sweep = join.sweep.borrow();
                sweep.settings.is_decided |= near.is_some();
                let verify = Verify::new(Walker::new(self.encoded, self.program, &self.counts)?, &sweep);
                let mut seeker = Seeker::new(
                    Pairs { join, block: &block, overlap, near: near.as_ref(), verify },
                    &found_by,
                );
                let mut took = control.is_watched().then(Latency::default);
                let mut n_compared = 0u64;
                loop {
                    // The largest values come first: they take longest.
                    let before = taken.fetch_add(BATCH as usize, Relaxed);
                    if before >= n_probing as usize || n_found.load(Relaxed) > most {
                        break;
                    }
                    control.check()?;
                    let since = Instant::now();
                    let upto = n_probing - before as u32;
                    let n_before = seeker.pairs().verify.found.len();
                    n_compared = n_compared.saturating_add(seeker.seek(upto.saturating_sub(BATCH)..upto));
                    n_found.fetch_add(seeker.pairs().verify.found.len() - n_before, Relaxed);
                    took.iter_mut().for_each(|took| took.record(since.elapsed()));
                    steps.done(1);
                }
                took.iter().for_each(|took| control.watch(|latencies| latencies.intervals.add(took)));
                let Verify { found, heavies, .. } = seeker.into_pairs().verify;
                Ok((found, heavies, n_compared))
            };
            // Most of the threads would wake up to find that the work is done already.
            let n_threads = threads::n_threads().min(n_probing.div_ceil(BATCH) as usize);
            let parts: Vec<Result<_>> =
                (0..n_threads).into_par_iter().with_max_len(1).map(|_| work()).gather();
            for part in parts {
                let (candidates, heavy, compared) = part?;
                found.extend(candidates);
                heavies.extend(heavy);
                n_compared = n_compared.saturating_add(compared);
            }
            if found.len() > most {
                break;
            }
        }
        Ok((heavies, n_compared))
    }
}

/// The points of items, by side, whose chord may have at most this square. Of points with a cell in common many are not near
/// each other, and those are told apart here, where the points of a cell lie together.
struct Near {
    points: [Vec<Point>; 2],
    most: Square,
}

impl CpuScan<'_> {
    /// What decides the lead of an overlap join, if its values are points.
    fn points(&self, join: &OverlapJoin) -> Result<Option<Near>> {
        let ArchivedMeasure::Near { points, most, .. } = self.measure(join)? else { return Ok(None) };
        let Test::Compare { left, right, .. } =
            self.encoded.predicates[join.sweep.settings.lead as usize].test
        else {
            return Ok(None);
        };
        let points = self.encoded.points(points.to_native());
        let of = |list: &ItemList, operand: u32| {
            let (items, codes) = (list.items(), self.encoded.codes(operand));
            let point =
                |item| points[codes[items.records[items.places(item).start as usize] as usize] as usize];
            (0..list.len()).into_par_iter().with_min_len(POINTS_AT_ONCE).map(point).gather()
        };
        let lefts = of(&join.sweep.left, left);
        let rights = if join.is_self() { Vec::new() } else { of(&join.sweep.right, right) };
        Ok(Some(Near { points: [lefts, rights], most: most.get() }))
    }
}

/// What all threads find pairs by.
enum FoundBy {
    Index(Index),
    Signatures(Signatures),
}

/// A thread's way to find pairs.
enum Seeker<'a> {
    Probe(Probe<'a>),
    Dense(Dense<'a>),
}

impl<'a> Seeker<'a> {
    fn new(pairs: Pairs<'a>, found_by: &'a FoundBy) -> Self {
        match found_by {
            FoundBy::Index(index) => Self::Probe(Probe::new(pairs, index)),
            FoundBy::Signatures(signatures) => Self::Dense(Dense::new(pairs, signatures)),
        }
    }

    /// All pairs of some probing values. How many pairs of records that are at most.
    fn seek(&mut self, items: Range<u32>) -> u64 {
        match self {
            Self::Probe(probe) => items.map(|item| probe.look_up(item)).fold(0, u64::saturating_add),
            Self::Dense(dense) => {
                let n_met = items.clone().map(|item| dense.pairs.n_compared(item, u64::MAX));
                let n_met = n_met.fold(0, u64::saturating_add);
                dense.compare(items);
                n_met
            }
        }
    }

    fn pairs(&self) -> &Pairs<'a> {
        match self {
            Self::Probe(Probe { pairs, .. }) | Self::Dense(Dense { pairs, .. }) => pairs,
        }
    }

    fn into_pairs(self) -> Pairs<'a> {
        match self {
            Self::Probe(Probe { pairs, .. }) | Self::Dense(Dense { pairs, .. }) => pairs,
        }
    }
}

/// A thread's pairs that have enough in common.
struct Pairs<'a> {
    join: &'a OverlapJoin,
    block: &'a BlockJoin<'a>,
    overlap: Overlap<'a>,
    near: Option<&'a Near>,
    verify: Verify<'a>,
}

impl Pairs<'_> {
    /// Pairs of records that a probing value is in, if so many values were named to it.
    fn n_compared(&self, probing: u32, n_named: u64) -> u64 {
        self.join.n_pairs_of(&self.block.tables.blocks, &self.overlap, probing, n_named)
    }

    /// Two values of the blocks, which have.
    fn found(&mut self, indexed: u32, probing: u32) {
        let blocks = &self.block.tables.blocks;
        let (indexed, probing) = (blocks.indexed.start + indexed, blocks.probing.start + probing);
        let (left, right) = self.join.pair(blocks, indexed, probing);
        if let Some(Near { points: [lefts, rights], most }) = self.near {
            let rights = if self.join.is_self() { lefts } else { rights };
            if !near::holds(&lefts[left as usize], &rights[right as usize], *most) {
                return;
            }
        }
        self.verify.items(left, right);
    }
}

/// By class of indexed values: how many elements they and those of a probing class may lack of each other, both together;
/// below 0 they never meet.
fn room(overlap: &Overlap<'_>, class: u32) -> Vec<i32> {
    let len = overlap.probing.classes[class as usize].len;
    let room = |(other, &Class { len: of_other, .. }): (u32, &Class)| match overlap.least(class, other) {
        NEVER => -1,
        // No value has more than 2^24 elements.
        least => (len + of_other - 2 * least) as i32,
    };
    (0..).zip(overlap.indexed.classes).map(room).collect()
}
