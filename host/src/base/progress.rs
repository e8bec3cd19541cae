//! Progress: where a job is, for those who watch it.
//!
//! Whoever does something that takes long says how much there is of it (`begin`), and then what was done. Nobody waits for
//! anybody: watchers look when they like, and see about where things are.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where a job is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The stage that is under way.
    pub stage: Option<&'static str>,
    /// How much of what is under way was done.
    pub n_done: u64,
    /// Of how much; 0 if nobody knows.
    pub n_all: u64,
    /// And of what.
    pub things: &'static str,
    /// Which access path of the plan is taken, counted from 1, and of how many.
    pub path: Option<(u32, u32)>,
    /// Where the job runs, as soon as that is known.
    pub device: Option<String>,
}

/// What is counted.
#[derive(Debug, Default)]
pub(super) struct Counters {
    n_done: AtomicU64,
    n_all: AtomicU64,
    /// Whether what is done are comparisons, which are counted apart: they may be taken back.
    are_comparisons: AtomicBool,
    /// The number of the access path, and of all.
    path: AtomicU64,
    words: Mutex<Words>,
}

#[derive(Debug, Default)]
struct Words {
    things: &'static str,
    device: Option<String>,
}

impl Counters {
    fn words(&self) -> MutexGuard<'_, Words> {
        // Whoever panicked left whole words behind.
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self, n_all: u64, things: &'static str, are_comparisons: bool) {
        self.words().things = things;
        self.n_done.store(0, Relaxed);
        self.n_all.store(n_all, Relaxed);
        self.are_comparisons.store(are_comparisons, Relaxed);
        self.path.store(0, Relaxed);
    }

    pub(super) fn did(&self, n: u64) {
        self.n_done.fetch_add(n, Relaxed);
    }

    pub(super) fn at_path(&self, nth: u32, n: u32) {
        self.path.store(u64::from(nth) << 32 | u64::from(n), Relaxed);
    }

    pub(super) fn runs_on(&self, device: String) {
        self.words().device = Some(device);
    }

    /// As it is now; `n_compared` are the comparisons.
    pub(super) fn now(&self, stage: Option<&'static str>, n_compared: u64) -> Progress {
        let n_done = if self.are_comparisons.load(Relaxed) { n_compared } else { self.n_done.load(Relaxed) };
        let n_all = self.n_all.load(Relaxed);
        let path = self.path.load(Relaxed);
        let words = self.words();
        Progress {
            stage,
            n_done: n_done.min(n_all),
            n_all,
            things: words.things,
            path: (path != 0).then_some(((path >> 32) as u32 + 1, path as u32)),
            device: words.device.clone(),
        }
    }
}
