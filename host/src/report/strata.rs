//! Strata: candidates come in any order, each belongs to one stratum, and of each stratum those with the lowest tickets stay.
//!
//! A ticket follows from the seed and the pair alone. So what is drawn from a stratum is uniform, and the same whatever found the
//! candidates; and what is drawn for fewer is a part of what is drawn for more.

use crate::base::random::Random;
use crate::inspect::sample::Drawn;
use std::collections::BinaryHeap;

/// What is drawn so far.
#[derive(Clone, Debug)]
pub(super) struct Strata {
    /// So many of each.
    most: usize,
    /// By stratum: the lowest so far, the highest of them on top.
    lowest: Vec<BinaryHeap<Drawn>>,
    counts: Vec<u64>,
}

/// The key of tickets that a seed gives, as `sample` has it.
pub(super) fn key(seed: u64) -> u64 {
    Random::new(seed).next()
}

impl Strata {
    pub(super) fn new(n: usize, most: usize) -> Self {
        Self { most, lowest: vec![BinaryHeap::new(); n], counts: vec![0; n] }
    }

    /// Whether one that comes now would stay, as far as is known: whoever looks on from another thread asks before it hands on.
    pub(super) fn would_stay(&self, stratum: usize, drawn: &Drawn) -> bool {
        let lowest = &self.lowest[stratum];
        lowest.len() < self.most || lowest.peek().is_some_and(|highest| drawn < highest)
    }

    /// One that may stay. It is not counted.
    pub(super) fn offer(&mut self, stratum: usize, drawn: Drawn) {
        let lowest = &mut self.lowest[stratum];
        if lowest.len() < self.most {
            lowest.push(drawn);
        } else if let Some(mut highest) = lowest.peek_mut().filter(|highest| drawn < **highest) {
            *highest = drawn;
        }
    }

    /// So many more came.
    pub(super) fn count(&mut self, stratum: usize, n: u64) {
        self.counts[stratum] += n;
    }

    /// By stratum: how many came.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Those of these strata together, by falling right to be drawn.
    pub(super) fn lowest(&self, strata: std::ops::Range<usize>) -> Vec<Drawn> {
        let mut all: Vec<Drawn> = self.lowest[strata].iter().flatten().copied().collect();
        all.sort_unstable();
        all.truncate(self.most);
        all
    }
}
