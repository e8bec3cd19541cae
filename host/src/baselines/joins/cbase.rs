//! Cbase: the parallel radix join.
//!
//! After both passes every pair of partitions is a task of a queue. Partitions that are much larger than the others are broken up
//! by further bits of the keys, which is all that is done about skew: rows of one key stay together.

use super::chained::Chained;
use super::radix::{BITS, Nothing, PASSED, Partitions, broken_up, partition};
use super::{Joined, Sink, Tuple};
use crate::baselines::queue::by_all;
use crate::operators::join::phases::Phases;
use rayon::prelude::*;
use std::borrow::Cow;

/// A partition is much larger than others, if it has so many times the average of rows, and more than fit into a cache.
const MUCH: usize = 4;
const CACHED: usize = 1 << 13;

/// Two partitions to be joined, and the bits of their keys that are alike.
pub(super) struct Task<'a> {
    left: Cow<'a, [Tuple]>,
    right: Cow<'a, [Tuple]>,
    alike: u32,
}

pub(super) fn join<S: Sink>(
    left: &[Tuple],
    right: &[Tuple],
    sink: impl Fn() -> S + Sync,
) -> (Vec<S>, Joined) {
    let mut phases = Phases::new();
    let (lefts, _) = partition(left, &Nothing);
    let (rights, _) = partition(right, &Nothing);
    let tasks = tasks(&lefts, &rights, left.len().max(right.len()));
    phases.end("partition");
    let sinks = run(&tasks, sink);
    phases.end("join");
    (sinks, Joined { phases: phases.list, ..Joined::default() })
}

/// The partitions of both sides, those that are much larger broken up.
pub(super) fn tasks<'a>(lefts: &'a Partitions, rights: &'a Partitions, n_rows: usize) -> Vec<Task<'a>> {
    let most = ((MUCH * n_rows) >> PASSED).max(CACHED);
    let whole = |(left, right): (&'a [Tuple], &'a [Tuple])| Task {
        left: Cow::Borrowed(left),
        right: Cow::Borrowed(right),
        alike: PASSED,
    };
    let tasks: Vec<Task<'_>> = lefts.all().zip(rights.all()).map(whole).collect();
    tasks.into_par_iter().with_max_len(1).flat_map_iter(|task| task.within(most)).collect()
}

/// Joins the tasks, which threads take from a queue.
pub(super) fn run<S: Sink>(tasks: &[Task<'_>], sink: impl Fn() -> S + Sync) -> Vec<S> {
    by_all(tasks.len(), |next| {
        let (mut sink, mut table) = (sink(), Chained::default());
        while let Some(Task { left, right, alike }) = next().map(|ix| &tasks[ix]) {
            table.join(left, right, *alike, &mut sink);
        }
        sink
    })
}

impl Task<'_> {
    /// Itself, or smaller ones, as far as keys differ.
    fn within(self, most: usize) -> Vec<Self> {
        let Self { left, right, alike } = &self;
        if left.len().max(right.len()) <= most || *alike >= u32::BITS {
            return vec![self];
        }
        let parts = broken_up(left, *alike).into_iter().zip(broken_up(right, *alike));
        let alike = alike + BITS;
        let part = |(left, right)| Task { left: Cow::Owned(left), right: Cow::Owned(right), alike };
        parts.map(part).flat_map(|part| part.within(most)).collect()
    }
}
