//! Control: the one thing that the outside shares with a running job.

use crate::base::budget::Budget;
use crate::base::compared::Compared;
use crate::base::error::{Error, Result};
use crate::base::kept::Kept;
use crate::base::latency::Latencies;
use crate::base::progress::{Counters, Progress};
use crate::base::stopwatch::{Stopwatch, under_way};
use crate::base::timeline::Lane;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// What the outside may do while a job runs: watch it, and stop it.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    n_compared: AtomicU64,
    compared: Mutex<Compared>,
    progress: Counters,
    watch: Option<Arc<Watch>>,
    counts: Mutex<Vec<u64>>,
    kept: OnceLock<Kept>,
    budget: Budget,
}

/// What a job had reported at some moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    n_compared: u64,
    compared: Compared,
}

/// What unwinds the threads of a job that was asked to stop.
struct Stopped;

/// Latencies as they are recorded, from several threads.
#[derive(Debug, Default)]
pub struct Watch(Mutex<Latencies>);

impl Watch {
    /// Adds to them.
    pub fn record(&self, add: impl FnOnce(&mut Latencies)) {
        // Whoever panicked left whole numbers behind.
        add(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Control {
    /// Over a job whose latencies are recorded.
    #[doc(hidden)]
    pub fn watching() -> Self {
        Self { watch: Some(Arc::default()), ..Self::default() }
    }

    /// Over a job that may use so much memory.
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// The memory that the job may use.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Whether latencies are wanted; looking at the clock is not for free.
    #[doc(hidden)]
    pub fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Where latencies go, if they are wanted.
    #[doc(hidden)]
    pub fn watcher(&self) -> Option<Arc<Watch>> {
        self.watch.clone()
    }

    /// Adds to the latencies, if they are wanted.
    #[doc(hidden)]
    pub fn watch(&self, add: impl FnOnce(&mut Latencies)) {
        if let Some(watch) = &self.watch {
            watch.record(add);
        }
    }

    /// Does something, and notes on the timeline when, if that is wanted.
    #[doc(hidden)]
    pub fn note<T>(&self, lane: Lane, name: &'static str, act: impl FnOnce() -> T) -> T {
        let start = self.is_watched().then(Instant::now);
        let done = act();
        if let Some(start) = start {
            self.watch(|latencies| latencies.timeline.add(lane, name, start, Instant::now()));
        }
        done
    }

    /// Carries out an access path, or a part of one, and notes when, likewise: by the path's first step and what kind it is.
    /// Whatever it starts must have ended when it returns.
    #[doc(hidden)]
    pub fn path<T>(&self, (first_step, kind): (u32, &'static str), act: impl FnOnce() -> T) -> T {
        let start = self.is_watched().then(Instant::now);
        let done = act();
        start.into_iter().for_each(|start| self.path_took((first_step, kind), start));
        done
    }

    /// Notes that one was carried out from then until now, likewise.
    #[doc(hidden)]
    pub fn path_took(&self, (first_step, kind): (u32, &'static str), start: Instant) {
        self.watch(|latencies| {
            let end = Instant::now();
            *latencies.paths.entry(first_step).or_default() += end - start;
            latencies.timeline.add(Lane::here(), kind, start, end);
        });
    }

    /// Notes when a job was in which stage, likewise.
    pub(crate) fn note_stages(&self, watch: &Stopwatch) {
        self.watch(|latencies| {
            for (name, from, upto) in watch.spans() {
                latencies.timeline.add(Lane::Job, name, from, upto);
            }
        });
    }

    /// What was recorded so far: nothing, unless it was wanted.
    #[doc(hidden)]
    pub fn latencies(&self) -> Latencies {
        let mut latencies = Latencies::default();
        self.watch(|recorded| latencies = recorded.clone());
        latencies
    }

    /// Adds to what the steps of a path did, [`hyperblock_shared::counts::N_COUNTS`] a step: for backends that are to count.
    #[doc(hidden)]
    pub fn count(&self, counts: &[u64]) {
        let mut all = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let n_all = all.len().max(counts.len());
        all.resize(n_all, 0);
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
    }

    /// What was counted so far.
    #[doc(hidden)]
    pub fn counts(&self) -> Vec<u64> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks the job to stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// An error if the job was asked to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Whether the job was asked to stop: for what all threads do by the item, to do nothing from then on. Unwinding takes
    /// some microseconds, and so item by item it would take longer than the work.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// Unwinds the thread if the job was asked to stop: for comparisons of a sort and other places deep inside that have no
    /// error to return. Somebody above must [`guard`](Self::guard) them.
    #[doc(hidden)]
    pub fn pass(&self) {
        if self.is_cancelled() {
            // No panic: nothing is printed.
            resume_unwind(Box::new(Stopped));
        }
    }

    /// Runs work that may [`pass`](Self::pass) here and there. What unwinds because the job was asked to stop ends here, as
    /// an error; what panics goes on.
    pub fn guard<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        // Whatever was under way is dropped by those who own it, and nobody looks at it again.
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(done) => done,
            Err(cause) if cause.is::<Stopped>() => Err(Error::Interrupted),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Has the runs of tasks kept there; once.
    #[doc(hidden)]
    pub fn keep_runs(&self, kept: Kept) {
        // Whoever was there first stays.
        let _ = self.kept.set(kept);
    }

    /// Where the runs of tasks are kept, if they are.
    #[doc(hidden)]
    pub fn kept(&self) -> Option<&Kept> {
        self.kept.get()
    }

    /// Where the job is: for progress bars.
    pub fn progress(&self) -> Progress {
        self.progress.now(under_way(), self.n_compared())
    }

    /// Begins something of which there is so much.
    #[doc(hidden)]
    pub fn begin(&self, n: u64, things: &'static str) {
        self.progress.begin(n, things, false);
    }

    /// The same, of which each is reported as it is compared.
    pub fn begin_comparing(&self, n: u64, things: &'static str) {
        self.progress.begin(n, things, true);
    }

    /// Some of what was begun is done.
    #[doc(hidden)]
    pub fn did(&self, n: u64) {
        self.progress.did(n);
    }

    /// A scan turns to an access path of its plan, of so many.
    #[doc(hidden)]
    pub fn at_path(&self, nth: u32, n: u32) {
        self.progress.at_path(nth, n);
    }

    /// It is known where the job runs.
    pub fn runs_on(&self, device: String) {
        self.progress.runs_on(device);
    }

    /// Pairs compared so far, for progress bars. Not exact while a task is split and repeated.
    pub fn n_compared(&self) -> u64 {
        self.n_compared.load(Relaxed)
    }

    /// Reports pairs as compared: for backends.
    #[doc(hidden)]
    pub fn advance(&self, n_pairs: u64) {
        self.n_compared.fetch_add(n_pairs, Relaxed);
    }

    /// Reports how many pairs of records a task put beside each other, when it is done: for backends. Progress counts those that
    /// are ruled out as well.
    #[doc(hidden)]
    pub fn compare(&self, pairs: Compared) {
        *self.compared() += pairs;
    }

    fn compared(&self) -> MutexGuard<'_, Compared> {
        // Whoever panicked left whole numbers behind.
        self.compared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was reported so far.
    pub(crate) fn mark(&self) -> Mark {
        Mark { n_compared: self.n_compared(), compared: *self.compared() }
    }

    /// Takes back what was reported since: the task is done again.
    pub(crate) fn back_to(&self, before: Mark) {
        self.n_compared.store(before.n_compared, Relaxed);
        *self.compared() = before.compared;
    }

    /// Begins to count anew, and says what was counted until now.
    pub(crate) fn take_compared(&self) -> Compared {
        std::mem::take(&mut *self.compared())
    }

    /// Reports how far something is that is no task, from its beginning.
    pub(crate) fn is_at(&self, n: u64) {
        self.n_compared.store(n, Relaxed);
    }
}

/// A task on its way: its pairs, reported as its steps are done; and taken back, unless it is finished.
#[derive(Debug)]
pub struct Steps<'a> {
    control: &'a Control,
    n_pairs: u64,
    n_steps: u64,
    n_done: AtomicU64,
}

impl<'a> Steps<'a> {
    /// A task of `n_pairs` that takes so many steps.
    pub fn new(control: &'a Control, n_pairs: u64, n_steps: u64) -> Self {
        Self { control, n_pairs, n_steps, n_done: AtomicU64::new(0) }
    }

    /// Steps were done: their share of the pairs is compared.
    pub fn done(&self, n: u64) {
        let before = self.n_done.fetch_add(n, Relaxed);
        let pairs = |n_steps| share(self.n_pairs, n_steps, self.n_steps);
        self.control.advance(pairs(before + n) - pairs(before));
    }

    /// The task is done: whatever was not reported yet is.
    pub fn finish(mut self) {
        self.control.advance(self.n_pairs - self.reported());
        self.n_pairs = 0;
    }

    fn reported(&self) -> u64 {
        share(self.n_pairs, self.n_done.load(Relaxed), self.n_steps)
    }
}

impl Drop for Steps<'_> {
    /// A task that is not finished will be done again, if at all: what was reported is taken back. Others may have reported
    /// since.
    fn drop(&mut self) {
        self.control.n_compared.fetch_sub(self.reported(), Relaxed);
    }
}

/// The share of `n` that `part` has of `whole`, at most all.
fn share(n: u64, part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (u128::from(n) * u128::from(part.min(whole)) / u128::from(whole)) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn a_sort_is_left_when_the_job_is_to_stop() {
        let control = Control::default();
        let sort = |control: &Control| {
            let mut numbers: Vec<u32> = (0..10_000).rev().collect();
            control.guard(|| {
                numbers.par_sort_by_key(|number| {
                    control.pass();
                    *number
                });
                Ok(numbers[0])
            })
        };
        assert!(matches!(sort(&control), Ok(0)));
        control.cancel();
        assert!(matches!(sort(&control), Err(Error::Interrupted)));
    }

    #[test]
    #[should_panic(expected = "a defect")]
    fn a_panic_goes_on() {
        Control::default().guard(|| -> Result<()> { panic!("a defect") }).unwrap();
    }
}
