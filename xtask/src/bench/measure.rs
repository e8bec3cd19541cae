//! Times of repeated runs.

use anyhow::Result;
use std::time::{Duration, Instant};

/// Enough repetitions for a median.
const MOST_RUNS: usize = 7;
/// A device that needs longer than this for a run is measured once, and needs no warm-up.
const LONG: Duration = Duration::from_secs(10);

/// The times of some runs.
pub(super) struct Times(Vec<Duration>);

impl Times {
    /// Runs `work` once to warm up, then some times more.
    pub(super) fn of(mut work: impl FnMut() -> Result<()>) -> Result<Self> {
        let mut timed = || -> Result<Duration> {
            let start = Instant::now();
            work()?;
            Ok(start.elapsed())
        };
        let first = timed()?;
        if first > LONG {
            return Ok(Self(vec![first]));
        }
        let mut times = (0..MOST_RUNS).map(|_| timed()).collect::<Result<Vec<_>>>()?;
        times.sort_unstable();
        Ok(Self(times))
    }

    /// Times that were taken elsewhere, at least one.
    pub(super) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    pub(super) fn median(&self) -> f64 {
        self.0[self.0.len() / 2].as_secs_f64()
    }

    pub(super) fn fastest(&self) -> f64 {
        self.0[0].as_secs_f64()
    }

    pub(super) fn slowest(&self) -> f64 {
        self.0[self.0.len() - 1].as_secs_f64()
    }

    pub(super) fn n_runs(&self) -> usize {
        self.0.len()
    }
}
