//! Times of repeated runs, and what is run.

use anyhow::Result;
use hyperblock::operators::Backend;
use hyperblock::plan::{Evidence, Plan, Program, ScanOptions, Variant};
use hyperblock::rules::RuleSet;
use hyperblock::run::loaded::Loaded;
use hyperblock::run::schedule;
use hyperblock::{Candidate, Control, Prepared};
use std::time::{Duration, Instant};

/// Enough repetitions for a median.
const MOST_RUNS: usize = 7;
/// A device that needs longer than this for a run is measured once, and needs no warm-up.
pub(crate) const LONG: Duration = Duration::from_secs(10);

/// The times of some runs.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// Runs `work` once to warm up, then some times more.
    pub(crate) fn of(mut work: impl FnMut() -> Result<()>) -> Result<Self> {
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

    /// The same of several works, from 0 to `n`, which take turns: what else the machine does hits all alike.
    /// One that takes longer than `long` is measured once.
    pub(crate) fn in_turns(
        n: usize,
        long: Duration,
        mut work: impl FnMut(usize) -> Result<()>,
    ) -> Result<Vec<Self>> {
        let mut all: Vec<Vec<Duration>> = vec![Vec::new(); n];
        for round in 0..=MOST_RUNS {
            for (ix, times) in all.iter_mut().enumerate() {
                if times.last().is_some_and(|time| *time > long) {
                    continue;
                }
                let start = Instant::now();
                work(ix)?;
                let took = start.elapsed();
                if round == 1 {
                    // That was to warm up.
                    times.clear();
                }
                times.push(took);
            }
        }
        Ok(all.into_iter().map(Self::new).collect())
    }

    /// Times that were taken elsewhere, at least one.
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    pub(crate) fn median(&self) -> f64 {
        self.0[self.0.len() / 2].as_secs_f64()
    }

    pub(crate) fn fastest(&self) -> f64 {
        self.0[0].as_secs_f64()
    }

    pub(crate) fn slowest(&self) -> f64 {
        self.0[self.0.len() - 1].as_secs_f64()
    }

    pub(crate) fn n_runs(&self) -> usize {
        self.0.len()
    }
}

/// Brings a job's columns and a path over them to the device, scans all pairs and counts the candidates: what is timed.
pub(crate) fn scan(job: &Prepared, program: &Program, device: &dyn Backend) -> Result<u64> {
    let mut n_found = 0;
    scan_to(job, program, device, &mut |candidates| n_found += candidates.len() as u64)?;
    Ok(n_found)
}

/// The same for who looks at the candidates, which come in order.
pub(crate) fn scan_to(
    job: &Prepared,
    program: &Program,
    device: &dyn Backend,
    sink: &mut dyn FnMut(&[Candidate]),
) -> Result<()> {
    let mut loaded = Loaded::new(device, &job.encoded, program)?;
    schedule::run(
        &mut loaded,
        vec![job.area()],
        schedule::MOST_CANDIDATES,
        &Control::default(),
        &mut |candidates| {
            sink(candidates);
            Ok(())
        },
    )?;
    Ok(())
}

/// A job's plan once more, with parts of the engine switched off and with other options.
pub(crate) fn replanned(job: &Prepared, variants: &[Variant], options: ScanOptions) -> Result<Plan> {
    let Plan { rules, costs, statistics, rates, .. } = &job.plan;
    let evidence = Evidence {
        statistics: statistics.clone(),
        costs: costs.clone(),
        rates: *rates,
        beside: None,
        is_one_table: job.second().is_none(),
    };
    Ok(Plan::new(RuleSet::new(rules.clone()), &job.encoded, evidence, variants, options)?)
}

/// A checksum with one word more. Where each stands counts, too.
pub(crate) fn checksum(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::{LONG, MOST_RUNS, Times};

    #[test]
    fn works_take_turns() {
        let mut order = Vec::new();
        let times = Times::in_turns(3, LONG, |ix| {
            order.push(ix);
            Ok(())
        });
        // Once more to warm up.
        assert_eq!(order, [0, 1, 2].repeat(MOST_RUNS + 1));
        assert!(times.unwrap().iter().all(|times| times.n_runs() == MOST_RUNS));
        assert!(Times::in_turns(1, LONG, |_| anyhow::bail!("broken")).is_err());
    }
}
