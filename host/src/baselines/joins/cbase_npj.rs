//! cbase-npj: no partitions. All threads build one chained table of the left side, and then all probe it.

use super::{Joined, Sink, Tuple};
use crate::base::gather::Gather;
use crate::baselines::queue::by_all;
use crate::operators::join::phases::Phases;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Tuples that a thread takes at a time.
const TOGETHER: usize = 1 << 14;

pub(super) fn join<S: Sink>(
    left: &[Tuple],
    right: &[Tuple],
    sink: impl Fn() -> S + Sync,
) -> (Vec<S>, Joined) {
    let mut phases = Phases::new();
    let n_heads = left.len().next_power_of_two();
    let head = |key: u32| key as usize & (n_heads - 1);
    // By place from 1 on, 0 ends a chain. Whoever hangs a tuple before a chain has the chain as its next.
    let heads: Vec<AtomicU32> = empty(n_heads);
    let next: Vec<AtomicU32> = empty(left.len());
    left.par_iter().with_min_len(TOGETHER).enumerate().for_each(|(place, tuple)| {
        let chain = heads[head(tuple.key)].swap(place as u32 + 1, Relaxed);
        next[place].store(chain, Relaxed);
    });
    phases.end("build");
    let tasks: Vec<&[Tuple]> = right.chunks(TOGETHER).collect();
    let sinks = by_all(tasks.len(), |next_task| {
        let mut sink = sink();
        for probe in std::iter::from_fn(next_task).flat_map(|ix| tasks[ix]) {
            let mut place = heads[head(probe.key)].load(Relaxed) as usize;
            while place > 0 {
                let tuple = left[place - 1];
                if tuple.key == probe.key {
                    sink.pair(tuple.row, probe.row);
                }
                place = next[place - 1].load(Relaxed) as usize;
            }
        }
        sink
    });
    phases.end("probe");
    (sinks, Joined { phases: phases.list, ..Joined::default() })
}

fn empty(n: usize) -> Vec<AtomicU32> {
    (0..n).into_par_iter().map(|_| AtomicU32::new(0)).gather()
}
