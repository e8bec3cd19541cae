//! Control: the one thing that the outside shares with a running job.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What the outside may do while a job runs: watch it, and stop it.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    n_compared: AtomicU64,
}

impl Control {
    /// Asks the job to stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// An error if the job was asked to stop.
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Pairs compared so far, for progress bars. Not exact while a task is split and repeated.
    pub fn n_compared(&self) -> u64 {
        self.n_compared.load(Relaxed)
    }

    /// Reports pairs as compared: for backends.
    pub fn advance(&self, n_pairs: u64) {
        self.n_compared.fetch_add(n_pairs, Relaxed);
    }

    /// Takes back what was reported since: the task is done again.
    pub(crate) fn back_to(&self, n_compared: u64) {
        self.n_compared.store(n_compared, Relaxed);
    }
}
