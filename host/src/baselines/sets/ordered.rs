//! Sets in the order of their sizes: what a set may meet are then those before it, from some place on.

use super::{Sets, least};
use hyperblock_shared::measure::ArchivedMeasure;
use std::ops::Range;

/// The sets that are not empty, from small to large.
pub(super) struct Ordered<'a> {
    pub(super) measure: &'a ArchivedMeasure,
    /// By place.
    pub(super) sets: Sets,
    /// Sizes, ascending, each with the places of its sets.
    pub(super) runs: Vec<(u32, Range<u32>)>,
    /// By place: which record it is.
    records: Vec<u32>,
    /// One past the last element.
    pub(super) n_elements: usize,
}

impl<'a> Ordered<'a> {
    pub(super) fn new(sets: &Sets, measure: &'a ArchivedMeasure) -> Self {
        let mut records: Vec<u32> = (0..sets.len()).filter(|&record| sets.size(record) > 0).collect();
        records.sort_by_key(|&record| sets.size(record));
        let mut runs: Vec<(u32, Range<u32>)> = Vec::new();
        for (place, &record) in (0..).zip(&records) {
            match runs.last_mut() {
                Some((size, places)) if *size == sets.size(record) => places.end = place + 1,
                _ => runs.push((sets.size(record), place..place + 1)),
            }
        }
        let n_elements = sets.elements.iter().max().map_or(0, |&last| last as usize + 1);
        let sets = Sets::new(records.iter().map(|&record| sets.get(record)));
        Self { measure, sets, runs, records, n_elements }
    }

    /// The first place of a set that is at least so large.
    pub(super) fn first(&self, size: u32) -> u32 {
        let run = self.runs.partition_point(|(other, _)| *other < size);
        self.runs.get(run).map_or(self.sets.len(), |(_, places)| places.start)
    }

    /// What sets of these sizes need in common.
    pub(super) fn least(&self, x: u32, y: u32) -> Option<u32> {
        least(self.measure, x, y)
    }

    /// The records in two places, the smaller number first.
    #[inline]
    pub(super) fn pair(&self, a: u32, b: u32) -> (u32, u32) {
        let (a, b) = (self.records[a as usize], self.records[b as usize]);
        (a.min(b), a.max(b))
    }
}
