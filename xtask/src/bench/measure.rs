//! Times of repeated runs, and what is run.

use anyhow::Result;
use hyperblock::backend::Backend;
use hyperblock::plan::Program;
use hyperblock::{Control, Prepared, partition, schedule};
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

/// Brings a job's columns and a path over them to the device, scans all pairs and counts the candidates: what is timed.
pub(super) fn scan(job: &Prepared, program: &Program, device: &dyn Backend) -> Result<u64> {
    let mut loaded = device.load(&job.encoded, program)?;
    let tasks = partition::stripes(job.task(), device.pairs_per_task());
    let mut n_found = 0;
    schedule::run(&mut *loaded, tasks, schedule::MOST_CANDIDATES, &Control::default(), &mut |candidates| {
        n_found += candidates.len() as u64;
        Ok(())
    })?;
    Ok(n_found)
}
