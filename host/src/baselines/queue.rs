//! A queue of tasks that all threads work on.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Threads take numbers below `n_tasks` from it, each only once.
pub(super) fn by_all<R: Send>(
    n_tasks: usize,
    work: impl Fn(&dyn Fn() -> Option<usize>) -> R + Sync,
) -> Vec<R> {
    let taken = AtomicUsize::new(0);
    let next = || Some(taken.fetch_add(1, Relaxed)).filter(|task| *task < n_tasks);
    rayon::broadcast(|_| work(&next))
}
