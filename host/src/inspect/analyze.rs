//! Analysis: a job run on its device, so that each access path and each node of the tree can say what it really did.
//!
//! Once whole, for how long its parts take there; then by each access path alone, for how long that takes, with what the host
//! prepares for it; and once more with the steps of the path counted. Counting takes time, so that no time is of that run.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::latency::Latencies;
use crate::base::stopwatch::{Stages, Stopwatch};
use crate::job::Prepared;
use crate::operators::Backend;
use crate::plan::Program;
use crate::run::loaded::Loaded;
use crate::run::schedule;
use hashbrown::HashSet;
use hyperblock_shared::counts::{COMPUTED, N_COUNTS, PASSED, TESTED};
use std::time::{Duration, Instant};

/// A job as it went on a device.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The device.
    pub device: String,
    /// How long all of it took, from bringing it there, by stage.
    pub stages: Stages,
    /// What of the scan's time each access path was under way, by the clock of who waits for it: at several places, on average. What
    /// all of them leave of it went to lists, to the order of candidates and to waiting.
    pub shares: Vec<Duration>,
    /// How long its parts took, if that was watched.
    pub latencies: Latencies,
    /// How many pairs are candidates.
    pub n_candidates: u64,
    /// By access path.
    pub paths: Vec<PathRun>,
    /// By step: what it did. Nothing of steps that no path walks, since a key answers them.
    pub steps: Vec<Option<Counted>>,
}

/// What an access path did.
#[derive(Clone, Copy, Debug)]
pub struct PathRun {
    /// How long it took, once the columns are on the device.
    pub time: Duration,
    /// How many candidates it found that no path before it finds.
    pub n_candidates: u64,
}

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Pairs of records that came to it.
    pub tested: u64,
    /// How often its predicate was computed: not where it was known or remembered, and for two values once.
    pub computed: u64,
    /// Pairs of records that passed it.
    pub passed: u64,
}

impl Analysis {
    /// How long all of it took.
    pub fn time(&self) -> Duration {
        self.stages.total()
    }

    /// What access paths leave of the scan's time.
    pub fn rest(&self) -> Duration {
        self.stages.of("scan").saturating_sub(self.shares.iter().sum())
    }
}

/// By access path: its share of the scan's time.
pub(crate) fn shares(program: &Program, scan: Duration, latencies: &Latencies) -> Vec<Duration> {
    let places: HashSet<usize> = latencies.shared.iter().map(|task| task.place.0).collect();
    let n_places = places.len().max(1) as u32;
    let took = |first_step: &u32| latencies.paths.get(first_step).copied().unwrap_or_default() / n_places;
    let took: Vec<Duration> = program.paths().iter().map(|(steps, _)| took(&steps.start)).collect();
    // Runs are found on a thread of its own: it may be at it while the job is in another stage.
    let sum: Duration = took.iter().sum();
    let within = if sum > scan { scan.as_secs_f64() / sum.as_secs_f64() } else { 1.0 };
    let shares = took.into_iter().map(|took| if sum > scan { took.mul_f64(within) } else { took });
    shares.collect()
}

/// How often [`Prepared::analyze`] goes over all pairs.
pub const N_RUNS: u64 = 3;

impl Prepared {
    /// Runs the plan on `device`, to see what each part of it does; if `control` watches, also how long parts of the scan took.
    #[doc(hidden)]
    pub fn analyze(&self, device: &dyn Backend, control: &Control) -> Result<Analysis> {
        let watch = Stopwatch::default();
        let n_candidates = self.run(device, control, &mut |_| Ok(()))?.n_candidates();
        let (stages, latencies) = (watch.stages(), control.latencies());
        let program = self.plan.program();
        let shares = shares(program, stages.of("scan"), &latencies);
        let paths = (0..program.paths().len())
            .map(|nth| self.scanned(device, control, &program.by_path(nth)))
            .collect::<Result<Vec<_>>>()?;
        self.scanned(device, control, &program.counted())?;
        let counts = control.counts();
        let step = |ix: u32| {
            let is_walked = program.paths().iter().any(|(steps, _)| steps.contains(&ix));
            let counts = counts.get(ix as usize * N_COUNTS..).filter(|_| is_walked);
            let count = |of: usize| counts.and_then(|counts| counts.get(of)).copied().unwrap_or(0);
            let counted = Counted { tested: count(TESTED), computed: count(COMPUTED), passed: count(PASSED) };
            is_walked.then_some(counted)
        };
        let steps = (0..self.plan.steps().len() as u32).map(step).collect();
        Ok(Analysis { device: device.name(), stages, shares, latencies, n_candidates, paths, steps })
    }

    /// Scans all pairs once.
    fn scanned(&self, device: &dyn Backend, control: &Control, program: &Program) -> Result<PathRun> {
        control.guard(|| {
            let mut loaded = Loaded::new(device, &self.encoded, program)?;
            let (start, mut n_candidates) = (Instant::now(), 0);
            let most = schedule::MOST_CANDIDATES;
            schedule::run(&mut loaded, vec![self.area()], most, control, &mut |candidates| {
                n_candidates += candidates.len() as u64;
                Ok(())
            })?;
            Ok(PathRun { time: start.elapsed(), n_candidates })
        })
    }
}
