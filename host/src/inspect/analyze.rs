//! Analysis: a job run under watch, so that every node of its tree can say what it really did.
//!
//! Counts do not depend on the device, and times of nodes are only comparable within one: both are taken on CPU threads.
//! Every pair is counted; one in [`EVERY`] is timed, since looking at the clock costs more than most predicates do. How
//! evenly the work is divided does depend on the device: [`OnDevice`] is what it was like there.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::latency::Latencies;
use crate::encode::Encoded;
use crate::plan::Plan;
use hyperblock_shared::path::{Branch, Observer, Walk};
use hyperblock_shared::text::scratch_words;
use hyperblock_shared::window::Task;
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// One pair in so many is timed.
const EVERY: u32 = 61;

/// What each step of a path did.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// By step.
    pub steps: Vec<Counted>,
    /// How many pairs are candidates.
    pub n_candidates: u64,
    /// How long it took, under watch.
    pub time: Duration,
    /// The same job on the device that it is for, if it was run there too.
    pub on_device: Option<OnDevice>,
}

/// A job as it went on a device.
#[derive(Clone, Debug)]
pub struct OnDevice {
    /// The device.
    pub name: String,
    /// How long all of it took, from bringing it there.
    pub time: Duration,
    /// How long its parts took.
    pub latencies: Latencies,
}

/// What one step did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Pairs that came to it.
    pub tested: u64,
    /// Pairs for which its predicate was computed, not remembered.
    pub computed: u64,
    /// Pairs that passed it.
    pub passed: u64,
    /// Nanoseconds spent in it, on all threads together.
    pub nanoseconds: f64,
}

/// Walks all pairs of a task.
pub(crate) fn analyze(encoded: &Encoded, plan: &Plan, task: &Task, control: &Control) -> Result<Analysis> {
    let start = Instant::now();
    let walk = plan.program().walk()?;
    let n_steps = plan.steps().len();
    let clock = clock_cost();
    let n_scratch = scratch_words(encoded.longest()) as usize;
    let empty = || (vec![Counted::default(); n_steps], 0);
    let (steps, n_candidates) = (task.left_from..task.left_upto)
        .into_par_iter()
        .map_init(
            || vec![0; n_scratch],
            |scratch, left| {
                control.check()?;
                let (mut counts, mut n_candidates) = empty();
                let rights = if task.half == 1 { task.right_from.max(left + 1) } else { task.right_from };
                for right in rights..task.right_upto {
                    let timed = (left ^ right).wrapping_mul(0x9e37_79b1) % EVERY == 0;
                    let pair = Pair { walk, encoded, left, right };
                    n_candidates += u64::from(pair.count(&mut counts, scratch, timed.then_some(clock)));
                }
                control.advance(u64::from(task.right_upto.saturating_sub(rights)));
                Ok((counts, n_candidates))
            },
        )
        .try_reduce(empty, |(mut a, n_a), (b, n_b)| {
            a.iter_mut().zip(b).for_each(|(a, b)| a.add(b));
            Ok((a, n_a + n_b))
        })?;
    Ok(Analysis { steps, n_candidates, time: start.elapsed(), on_device: None })
}

struct Pair<'a> {
    walk: Walk<'a>,
    encoded: &'a Encoded,
    left: u32,
    right: u32,
}

impl Pair<'_> {
    /// Walks the path; whether the pair is a candidate.
    fn count(self, counts: &mut [Counted], scratch: &mut [u64], clock: Option<Duration>) -> bool {
        let Self { walk, encoded, left, right } = self;
        let witness = match clock {
            None => walk.witness(Branch::WHOLE, encoded, left, right, scratch, &mut Counting { counts }),
            Some(clock) => {
                let mut timing = Timing { counting: Counting { counts }, clock, since: Instant::now() };
                walk.witness(Branch::WHOLE, encoded, left, right, scratch, &mut timing)
            }
        };
        witness.is_some()
    }
}

impl Counted {
    fn add(&mut self, other: Self) {
        self.tested += other.tested;
        self.computed += other.computed;
        self.passed += other.passed;
        self.nanoseconds += other.nanoseconds;
    }
}

struct Counting<'a> {
    counts: &'a mut [Counted],
}

impl Observer for Counting<'_> {
    fn tested(&mut self, step: u32, holds: bool, computed: bool) {
        let count = &mut self.counts[step as usize];
        count.tested += 1;
        count.computed += u64::from(computed);
        count.passed += u64::from(holds);
    }

    fn reached(&mut self, step: u32) {
        let count = &mut self.counts[step as usize];
        count.tested += 1;
        count.passed += 1;
    }
}

struct Timing<'a> {
    counting: Counting<'a>,
    clock: Duration,
    since: Instant,
}

impl Observer for Timing<'_> {
    fn tested(&mut self, step: u32, holds: bool, computed: bool) {
        let now = Instant::now();
        let took = now.duration_since(self.since).saturating_sub(self.clock);
        self.counting.counts[step as usize].nanoseconds += took.as_nanos() as f64 * f64::from(EVERY);
        self.counting.tested(step, holds, computed);
        self.since = Instant::now();
    }

    fn reached(&mut self, step: u32) {
        self.counting.reached(step);
        self.since = Instant::now();
    }
}

/// What looking at the clock costs.
fn clock_cost() -> Duration {
    const LOOKS: u32 = 1000;
    let start = Instant::now();
    for _ in 0..LOOKS {
        std::hint::black_box(Instant::now());
    }
    start.elapsed() / LOOKS
}
