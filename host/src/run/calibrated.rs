//! Calibrated rates: what access paths take on this device now, by some paths of the job over some of its records.
//!
//! Samples grow, each four times as large as the one before. Over each, the paths of the job's branches are chosen as they
//! would be for a job of that size; the choice is timed first, then other paths of one branch at a time. What they took beside
//! what was expected of them says by which `factors` the model's rates are off. All of it ends in a fifth of a second: a path
//! that may take longer than what is left is not begun, and what does not end by then is cancelled. Without a run that counts,
//! since the tables are small or for whatever else, the model's rates are kept. Candidates are never told to anybody.

mod factors;
#[cfg(test)]
mod tests;

use super::loaded::{Loaded, fits};
use super::measured::stretch;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::random::Random;
use crate::encode::Encoded;
use crate::operators::Backend;
use crate::operators::runs::sort;
use crate::operators::scan::Outcome;
use crate::plan::access::{self, Chosen};
use crate::plan::partition::{Area, whole};
use crate::plan::work::{Rates, Work};
use crate::plan::{Plan, Program};
use factors::{MOST, Run, factors};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// After that no path is begun, and what runs is cancelled.
const BUDGET: Duration = Duration::from_millis(200);
/// Jobs of fewer pairs are done before anything could be learnt from them.
const LEAST_PAIRS: u64 = 1 << 20;
/// Records of each side in the first sample, and how many times as many the next one has.
const FIRST_RECORDS: u32 = 1 << 9;
const GROWTH: u32 = 4;
/// Timed runs of a path, of which the shortest counts, after one that warms up.
const RUNS: u32 = 2;
/// Paths of a sample that are timed.
const MOST_PATHS: usize = 8;
/// Candidates that are held at most: 50 MB.
const MOST_CANDIDATES: usize = 1 << 22;
/// Milliseconds that a path may take whatever another one takes.
const SHORT: f64 = 1.0;

/// The rates of a plan, or what they are more likely to be on this device; `seed` chooses the records.
pub fn calibrated(
    device: &dyn Backend,
    encoded: &Encoded,
    plan: &Plan,
    is_one_table: bool,
    seed: u64,
) -> Rates {
    let mut runs = Vec::new();
    let n_pairs = whole(encoded.n_left, encoded.n_right, is_one_table).n_pairs();
    if n_pairs >= LEAST_PAIRS && !plan.rules.is_empty() {
        let calibrating = Calibrating { device, encoded, plan, is_one_table, seed };
        // What cannot be timed costs a worse choice at most, and the job itself says better what is wrong.
        if let Err(error) = calibrating.within_budget(&mut runs) {
            tracing::debug!("calibrated by {} runs: {error}", runs.len());
        }
    }
    let factors = factors(&runs);
    tracing::debug!(?factors, "calibrated by {} runs", runs.len());
    plan.rates.times(&factors)
}

/// What is calibrated.
struct Calibrating<'a> {
    device: &'a dyn Backend,
    encoded: &'a Encoded,
    plan: &'a Plan,
    is_one_table: bool,
    seed: u64,
}

impl Calibrating<'_> {
    /// Adds runs until the time is up.
    fn within_budget(&self, runs: &mut Vec<Run>) -> Result<()> {
        let (control, until) = (&Control::default(), Instant::now() + BUDGET);
        thread::scope(|scope| {
            let (done, alarm) = channel::<()>();
            let wait = move || {
                if alarm.recv_timeout(BUDGET) == Err(RecvTimeoutError::Timeout) {
                    control.cancel();
                }
            };
            let waiting = thread::Builder::new().spawn_scoped(scope, wait);
            waiting.map_err(|error| Error::Job(format!("cannot start a thread: {error}")))?;
            let ended = control.guard(|| self.all(runs, control, until));
            drop(done);
            ended
        })
    }

    /// Sample after sample.
    fn all(&self, runs: &mut Vec<Run>, control: &Control, until: Instant) -> Result<()> {
        let n_records = self.encoded.n_left.max(self.encoded.n_right);
        let mut n = FIRST_RECORDS;
        loop {
            let before = runs.len();
            let sample = self.sample(n);
            if !fits(self.device, &sample)? {
                return Ok(());
            }
            self.by_paths(&sample, runs, control, until)?;
            if runs.len() == before || n >= n_records {
                return Ok(());
            }
            n = n.saturating_mul(GROWTH);
        }
    }

    /// Neighbouring records, so many of each side.
    fn sample(&self, n: u32) -> Encoded {
        let Encoded { n_left, n_right, .. } = *self.encoded;
        let mut random = Random::new(self.seed);
        let left = stretch(n_left, n, &mut random);
        let right = if self.is_one_table { left.clone() } else { stretch(n_right, n, &mut random) };
        self.encoded.restrict(left, right)
    }

    /// Times a sample by the paths that are chosen for it, and by others.
    fn by_paths(
        &self,
        sample: &Encoded,
        runs: &mut Vec<Run>,
        control: &Control,
        until: Instant,
    ) -> Result<()> {
        let rates = &self.plan.rates;
        let area = whole(sample.n_left, sample.n_right, self.is_one_table);
        let mut program = self.plan.program().over(sample)?;
        let mut chosen = self.plan.choose(rates, sample, &program, self.is_one_table)?;
        let own = rates.milliseconds(&taken(&chosen));
        for (branch, nth) in paths(&chosen) {
            chosen[branch].alternatives.swap(0, nth);
            let work = taken(&chosen);
            let expected = rates.milliseconds(&work);
            // As slow as the slowest until now.
            let slow = runs.iter().map(|run| run.took / run.expected.iter().sum::<f64>()).fold(1.0, f64::max);
            let left = until.saturating_duration_since(Instant::now()).as_secs_f64() * 1e3;
            let is_short = f64::from(1 + RUNS) * slow * expected < left;
            if is_short && expected > 0.0 && expected < MOST * own.max(SHORT) {
                program = program.with_paths(access::paths(&chosen));
                let took = self.time(sample, &program, &area, control)?;
                tracing::debug!(
                    ?took,
                    expected,
                    "{} records by path {nth} of branch {branch}",
                    sample.n_left
                );
                runs.extend(took.map(|took| Run { expected: rates.by_bottleneck(&work), took }));
            }
            chosen[branch].alternatives.swap(0, nth);
        }
        Ok(())
    }

    /// The milliseconds that a program takes, as the scan of a job; nothing if it finds very much.
    fn time(
        &self,
        sample: &Encoded,
        program: &Program,
        area: &Area,
        control: &Control,
    ) -> Result<Option<f64>> {
        let mut loaded = Loaded::whole(self.device, sample, program)?;
        let (mut least, mut found, mut room) = (f64::INFINITY, Vec::new(), Vec::new());
        for nth in 0..=RUNS {
            control.check()?;
            found.clear();
            let start = Instant::now();
            if loaded.run(area, MOST_CANDIDATES, control, &mut found)? == Outcome::TooMany {
                return Ok(None);
            }
            sort(&mut found, &mut room, control)?;
            if nth > 0 {
                least = least.min(start.elapsed().as_secs_f64() * 1e3);
            }
        }
        // A clock may stand still.
        Ok(Some(least.max(1e-6)))
    }
}

/// The paths that are timed: branch, and which of its alternatives. The choice first; then what is expected to take least of
/// each branch in turn.
fn paths(chosen: &[Chosen]) -> Vec<(usize, usize)> {
    let n_most = chosen.iter().map(|it| it.alternatives.len()).max().unwrap_or(0);
    let all = (0..n_most).flat_map(|nth| (0..chosen.len()).map(move |branch| (branch, nth)));
    let is_new =
        |&(branch, nth): &(usize, usize)| nth < chosen[branch].alternatives.len() && (nth > 0 || branch == 0);
    all.filter(is_new).take(MOST_PATHS).collect()
}

/// The work of the paths that are taken.
fn taken(chosen: &[Chosen]) -> Work {
    let first = chosen.iter().filter_map(|it| it.alternatives.first());
    first.fold(Work::default(), |sum, it| sum + it.work)
}
