//! gSSJoin (Ribeiro-Junior, Quirino, Ribeiro and Martins, SBBD 2016), on the CPU: an index of all elements, a score for each
//! pair, and no filters.
//!
//! A set looks all of its elements up. Each posting adds one to the score of its set, so that in the end scores are what is in
//! common, and nothing is compared once more; then all scores are gone over. Threads take sets from a queue, and each has an
//! array of scores: as many as there are sets, where a GPU has them for as many sets at once as fit. What the threshold is
//! makes no difference but for the pairs that are written.
//!
//! The engine's variant `noFilter` has the same index and looks up the same. What it does with a posting is another thing: it
//! has no scores. Sets whose sizes do not go together are passed over, signatures tell most of the others apart, and what is
//! left is compared, element by element, at the first posting of each pair. So it takes longer the lower the threshold is, and
//! scores take as long at any. `cargo xtask bench setjoin --way noFilter --baseline gssjoin` has both. On a GPU it is
//! `device::baselines::gssjoin`.

use super::ordered::Ordered;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::baselines::queue::by_all;
use crate::baselines::sink::Sink;
use hyperblock_shared::overlap::NEVER;

/// Sets that a thread takes at a time.
const BATCH: u32 = 64;
/// Scores of which it is first asked whether any is enough.
const CHUNK: usize = 64;

/// For each element, the places of the sets that have it, ascending.
struct Index {
    /// By element: one past its last posting.
    ends: Vec<usize>,
    places: Vec<u32>,
}

impl Index {
    fn new(sets: &Ordered<'_>) -> Self {
        let mut ends = vec![0; sets.n_elements];
        let each =
            || (0..sets.sets.len()).flat_map(|place| sets.sets.get(place).iter().map(move |e| (place, *e)));
        each().for_each(|(_, element)| ends[element as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // Where it starts: filling moves it to its end.
            sum += std::mem::replace(end, sum);
        }
        let mut places = vec![0; sum];
        for (place, element) in each() {
            let end = &mut ends[element as usize];
            places[*end] = place;
            *end += 1;
        }
        Self { ends, places }
    }

    #[inline]
    fn places(&self, element: u32) -> &[u32] {
        let element = element as usize;
        let start = if element == 0 { 0 } else { self.ends[element - 1] };
        &self.places[start..self.ends[element]]
    }
}

pub(super) fn join<S: Sink>(
    sets: &Ordered<'_>,
    sink: impl Fn() -> S + Sync,
    control: &Control,
) -> Result<Vec<S>> {
    let index = Index::new(sets);
    let n_sets = sets.sets.len();
    let sinks = by_all(n_sets.div_ceil(BATCH) as usize, |next| {
        let mut probe =
            Probe { sets, index: &index, scores: vec![0; n_sets as usize], size: 0, least: vec![] };
        let mut sink = sink();
        while let Some(task) = next() {
            // The last ones come first: they meet most.
            let upto = n_sets - task as u32 * BATCH;
            for place in upto.saturating_sub(BATCH)..upto {
                control.check()?;
                probe.score(place);
                probe.gather(place, &mut sink);
            }
        }
        Ok(sink)
    });
    sinks.into_iter().collect()
}

/// A thread that looks sets up.
struct Probe<'a> {
    sets: &'a Ordered<'a>,
    index: &'a Index,
    /// By place, up to that of the set at hand.
    scores: Vec<u32>,
    /// For sets of this size, by run: how many elements must be in common.
    size: u32,
    least: Vec<u32>,
}

impl Probe<'_> {
    /// Counts what a set has in common with each one before it.
    fn score(&mut self, place: u32) {
        for &element in self.sets.sets.get(place) {
            let places = self.index.places(element);
            let before = places.partition_point(|other| *other < place);
            for &other in &places[..before] {
                self.scores[other as usize] += 1;
            }
        }
    }

    /// Goes over the scores, and leaves none.
    fn gather(&mut self, place: u32, sink: &mut impl Sink) {
        let size = self.sets.sets.size(place);
        if size != self.size {
            let least = |(other, _): &(u32, _)| self.sets.least(size, *other).unwrap_or(NEVER);
            (self.size, self.least) = (size, self.sets.runs.iter().map(least).collect());
        }
        for ((_, places), &least) in self.sets.runs.iter().zip(&self.least) {
            let before = places.start.min(place)..places.end.min(place);
            let scores = &mut self.scores[before.start as usize..before.end as usize];
            for (chunk, others) in scores.chunks_mut(CHUNK).zip((before.start..).step_by(CHUNK)) {
                // Hardly any is, and the most of some is found by vectors.
                if chunk.iter().fold(0, |most, score| most.max(*score)) >= least {
                    let enough = (others..).zip(&*chunk).filter(|(_, score)| **score >= least);
                    enough.for_each(|(other, _)| {
                        let (left, right) = self.sets.pair(place, other);
                        sink.pair(left, right);
                    });
                }
                chunk.fill(0);
            }
        }
    }
}
