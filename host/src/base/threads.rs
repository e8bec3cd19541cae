//! Threads of a job's own, for programs that run several jobs, or that fork: rayon's global pool does not outlive a fork, and has as
//! many threads for all jobs together as the first one asked for.

use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::panic::resume_unwind;
use std::thread;

/// Threads to run jobs on. Without, a job runs on those of rayon's global pool.
///
/// ```
/// use hyperblock::Threads;
///
/// let threads = Threads::new(Some(2))?;
/// assert_eq!(threads.run(|| 6 * 7), 42);
/// # Ok::<(), hyperblock::Error>(())
/// ```
#[derive(Debug)]
pub struct Threads(ThreadPool);

thread_local! {
    /// Whether this thread is one of them.
    static IS_OURS: Cell<bool> = const { Cell::new(false) };
}

impl Threads {
    /// So many, or as many as there are cores.
    pub fn new(n: Option<usize>) -> Result<Self> {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        // One of them waits for what the others find.
        let n = n.unwrap_or_else(cores).max(1).saturating_add(1);
        let pool = ThreadPoolBuilder::new().num_threads(n).start_handler(|_| IS_OURS.set(true)).build();
        pool.map(Self).map_err(|error| Error::Job(format!("cannot start {n} threads: {error}")))
    }

    /// Does `work` on them.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.0.install(work)
    }
}

/// How many threads share work here.
pub(crate) fn n_threads() -> usize {
    rayon::current_num_threads() - usize::from(IS_OURS.get())
}

/// Does the same on so many threads at once.
pub(crate) fn on_each<R: Send>(n_threads: usize, work: impl Fn() -> R + Sync) -> Vec<R> {
    match n_threads {
        0 => Vec::new(),
        1 => vec![work()],
        // Of a pool's threads one may be waiting for what is done here.
        _ if rayon::current_thread_index().is_some() => {
            (0..n_threads).into_par_iter().with_max_len(1).map(|_| work()).gather()
        }
        _ => rayon::broadcast(|thread| (thread.index() < n_threads).then(&work))
            .into_iter()
            .flatten()
            .collect(),
    }
}

/// Does `other` beside `here`, which stays on this thread: on a thread of the pool that this one is of, so that all that `other` does
/// is done there; else on a thread of its own.
pub(crate) fn beside<A: Send, B>(
    name: &str,
    other: impl FnOnce() -> A + Send,
    here: impl FnOnce() -> B,
) -> Result<(A, B)> {
    // In a pool of one nobody would be left to do it.
    if rayon::current_thread_index().is_none() || rayon::current_num_threads() == 1 {
        return thread::scope(|scope| {
            let other = thread::Builder::new().name(name.into()).spawn_scoped(scope, other);
            let other = other.map_err(Error::no_thread)?;
            let here = here();
            Ok((other.join().unwrap_or_else(|panic| resume_unwind(panic)), here))
        });
    }
    let mut done = None;
    let here = rayon::in_place_scope(|scope| {
        scope.spawn(|_| done = Some(other()));
        here()
    });
    let lost = || Error::Internal(format!("{name} did not run"));
    Ok((done.ok_or_else(lost)?, here))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    #[test]
    fn two_sides_talk_on_any_number_of_threads() {
        let talk = || {
            let (said, heard) = sync_channel(0);
            let other = move || (0..100).for_each(|number| said.send(number).unwrap());
            beside("talk", other, || heard.iter().sum::<u32>()).unwrap().1
        };
        assert_eq!(talk(), 4950);
        for n in 1..4 {
            assert_eq!(Threads::new(Some(n)).unwrap().run(talk), 4950);
        }
        let alone = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(alone.install(talk), 4950);
    }

    #[test]
    fn what_is_done_beside_is_done_on_the_same_threads() {
        let threads = Threads::new(Some(1)).unwrap();
        let ((), n) = threads.run(|| beside("count", || (), rayon::current_num_threads).unwrap());
        let (of_other, ()) = threads.run(|| beside("count", rayon::current_num_threads, || ()).unwrap());
        assert_eq!((n, of_other), (2, 2));
    }

    #[test]
    fn each_does_its_part_while_one_waits() {
        let work = || on_each(3, || 1).len();
        assert_eq!(work(), 3.min(rayon::current_num_threads()));
        for n in 1..4 {
            let (n_done, ()) = Threads::new(Some(n)).unwrap().run(|| beside("each", work, || ()).unwrap());
            assert_eq!(n_done, 3);
            assert_eq!(Threads::new(Some(n)).unwrap().run(n_threads), n);
        }
    }

    #[test]
    #[should_panic(expected = "as it says")]
    fn a_panic_goes_on() {
        let _ = Threads::new(Some(2)).unwrap().run(|| beside("panic", || panic!("as it says"), || ()));
    }
}
