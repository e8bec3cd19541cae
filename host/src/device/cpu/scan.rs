//! The scan on the CPU: sweeps, joins and overlap joins, divided among the threads of a pool.

use super::residual::{self, Residual, Shared};
use super::screen::Screening;
use super::verify::{Verify, Walker};
use super::{Cpu, join};
use crate::base::compared::Compared;
use crate::base::control::{Control, Steps};
use crate::base::error::Result;
use crate::base::latency::Latency;
use crate::base::threads::{self, on_each};
use crate::encode::Encoded;
use crate::operators::scan::{Outcome, Scan, ScanOperator};
use crate::plan::Program;
use crate::plan::access::{Access, KeyJoin, OVERLAP, Unlisted};
use crate::plan::partition::Area;
use crate::plan::path::KeyMethod;
use crate::plan::sweep::{ItemList, Sweep};
use crate::plan::task::Task;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::stealing::{Division, Taker, interval_of};
use hyperblock_shared::sweep::Order;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// Pairs of records that are done about as soon as another thread is awake.
const PAIRS_PER_THREAD: u64 = 1 << 12;

impl ScanOperator for Cpu {
    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        program.walk()?;
        let counts = (0..program.n_counts()).map(|_| AtomicU64::new(0)).collect();
        Ok(Box::new(CpuScan { encoded, program, counts }))
    }
}

/// A job where it lies.
pub(super) struct CpuScan<'a> {
    pub(super) encoded: &'a Encoded,
    pub(super) program: &'a Program,
    /// What the steps of the path did in the task under way, if that is counted.
    pub(super) counts: Vec<AtomicU64>,
}

impl Scan for CpuScan<'_> {
    fn task(&self, encoded: &Encoded, program: &Program, area: &Area, control: &Control) -> Result<Task> {
        Task::unlisted_if(encoded, program, area, Self::is_around, control)
    }

    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let task = task.listed_unless(self.encoded, self.program, Self::is_around, control)?;
        self.counts.iter_mut().for_each(|count| *count.get_mut() = 0);
        let n_steps = |access: &Access| match access {
            Access::Sweep(sweep) => Ok(u64::from(sweep.n_stretches())),
            Access::Join(join) => Ok(residual::n_steps(join.n_pairs)),
            Access::Overlap(join) => self.overlap_steps(join),
        };
        let n_steps = task.accesses.iter().map(n_steps).sum::<Result<u64>>()?
            + task.unlisted.iter().map(Self::steps_around).sum::<u64>();
        let steps = Steps::new(control, task.n_pairs, n_steps);
        let n_paths = task.unlisted.len() + task.accesses.len();
        let mut compared = Vec::with_capacity(n_paths);
        let looked_at =
            task.unlisted.iter().map(Part::Unlisted).chain(task.accesses.iter().map(Part::Listed));
        for (nth, part) in (0..).zip(looked_at) {
            control.at_path(nth, n_paths as u32);
            let n_compared = control.path((part.first_step(), part.kind()), || match part {
                Part::Unlisted(unlisted) => self.near(unlisted, most, control, &steps, found),
                Part::Listed(access) => self.access(access, most, control, &steps, found),
            });
            compared.push(n_compared?);
            if found.len() > most {
                return Ok(Outcome::TooMany);
            }
        }
        let counts: Vec<u64> = self.counts.iter_mut().map(|count| *count.get_mut()).collect();
        control.count(&counts);
        control.compare(Task::by_paths(self.program, compared.into_iter()));
        steps.finish();
        Ok(Outcome::Done)
    }
}

/// A part of a task.
#[derive(Clone, Copy)]
enum Part<'a> {
    Unlisted(&'a Unlisted),
    Listed(&'a Access),
}

impl Part<'_> {
    fn kind(self) -> &'static str {
        match self {
            // Nothing else is left unlisted here.
            Self::Unlisted(_) => OVERLAP,
            Self::Listed(access) => access.kind(),
        }
    }

    fn first_step(self) -> u32 {
        match self {
            Self::Unlisted(unlisted) => unlisted.first_step(),
            Self::Listed(access) => access.first_step(),
        }
    }
}

impl CpuScan<'_> {
    /// Appends an access's candidates, or some of them if they are more than `most`. How many pairs of records were compared.
    fn access(
        &self,
        access: &Access,
        most: usize,
        control: &Control,
        steps: &Steps<'_>,
        found: &mut Vec<Candidate>,
    ) -> Result<Compared> {
        match access {
            Access::Sweep(sweep) => {
                let heavies = self.sweep(sweep, most, control, Some(steps), found)?;
                if !heavies.is_empty() {
                    let heavy = sweep.of_heavy(&heavies, self.program.options().interval)?;
                    self.sweep(&heavy, most, control, None, found)?;
                }
                Ok(access.compared())
            }
            Access::Join(join) => {
                self.records(join, most, control, Some(steps), found)?;
                Ok(access.compared())
            }
            Access::Overlap(join) => {
                let (heavies, n_compared) = self.overlap(join, most, control, steps, found)?;
                if !heavies.is_empty() {
                    self.records(&join.heavy(self.program, &heavies), most, control, None, found)?;
                }
                Ok(Compared::at_most(n_compared))
            }
        }
    }

    /// Appends a sweep's candidates, or some of them if they are more than `most`; pairs of items that stand for very many
    /// pairs of records come back.
    fn sweep(
        &self,
        sweep: &Sweep,
        most: usize,
        control: &Control,
        steps: Option<&Steps<'_>>,
        found: &mut Vec<Candidate>,
    ) -> Result<Vec<(u32, u32)>> {
        // Most of the threads would wake up to find that the work is done already.
        let n_useful = n_pairs_of_records(sweep).div_ceil(PAIRS_PER_THREAD).min(sweep.n_stretches().into());
        let n_threads = threads::n_threads().min(n_useful.max(1) as usize);
        let policy = sweep.settings.policy;
        let n_slots = policy.n_slots(n_threads as u32, sweep.intervals.len() as u32);
        let slots: Vec<AtomicU64> = (0..n_slots).map(|_| AtomicU64::new(0)).collect();
        let n_claims = policy.n_runs(n_slots, sweep.n_stretches()).div_ceil(32);
        let claimed: Vec<AtomicU32> = (0..n_claims).map(|_| AtomicU32::new(0)).collect();
        let division = Division { firsts: &sweep.firsts, slots: &slots, claimed: &claimed, policy };
        let next_slot = AtomicU32::new(0);
        let walk = self.program.walk()?;
        let n_found = AtomicUsize::new(found.len());
        let work = || {
            let borrowed = sweep.borrow();
            let mut verify = Verify::new(Walker::new(self.encoded, self.program, &self.counts)?, &borrowed);
            let mut screen = Screening::new(&borrowed, walk);
            let mut shares = control.is_watched().then(Shares::default);
            // A slot for each thread; or if there are more, whoever is done begins the next, as a GPU does with blocks.
            let begun = || Some(next_slot.fetch_add(1, Relaxed)).filter(|&slot| slot < n_slots);
            while let Some(slot) = begun() {
                let mut taker = Taker::new(slot);
                while let Some(stretch) =
                    division.next(&mut taker, || shares.iter_mut().for_each(Shares::end))
                {
                    shares.iter_mut().for_each(Shares::begin);
                    control.check()?;
                    if n_found.load(Relaxed) > most {
                        break;
                    }
                    let ix = interval_of(&sweep.firsts, stretch);
                    let nth = stretch - sweep.firsts[ix as usize];
                    let part = sweep.intervals[ix as usize].part(nth, sweep.settings.stretch);
                    let before = verify.found.len();
                    // Of long values even a few pairs take long.
                    screen.stretch(part, &mut |left, right| {
                        control.pass();
                        verify.items(left, right);
                    });
                    n_found.fetch_add(verify.found.len() - before, Relaxed);
                    if let Some(steps) = steps {
                        steps.done(1);
                    }
                }
            }
            if let Some(shares) = shares {
                control.watch(|latencies| latencies.intervals.add(&shares.took));
            }
            Ok((verify.found, verify.heavies))
        };
        let mut heavies = Vec::new();
        for part in on_each(n_threads, work) {
            let (candidates, heavy) = part?;
            found.extend(candidates);
            heavies.extend(heavy);
        }
        Ok(heavies)
    }

    /// Appends the candidates among records with the same key, as they are to be found.
    fn records(
        &self,
        join: &KeyJoin,
        most: usize,
        control: &Control,
        steps: Option<&Steps<'_>>,
        found: &mut Vec<Candidate>,
    ) -> Result<()> {
        if join.found_by == KeyMethod::Hash {
            return self.join(join, most, control, steps, found);
        }
        // Nothing is handed on: items are records.
        let sweep = join.as_sweep(&self.program.options())?;
        self.sweep(&sweep, most, control, None, found)?;
        if let Some(steps) = steps {
            steps.done(residual::n_steps(join.n_pairs));
        }
        Ok(())
    }

    /// Appends a join's candidates, or some of them if they are more than `most`.
    fn join(
        &self,
        join: &KeyJoin,
        most: usize,
        control: &Control,
        steps: Option<&Steps<'_>>,
        found: &mut Vec<Candidate>,
    ) -> Result<()> {
        let right = (join.order() != Order::Unordered).then(|| join.right.side());
        let n_found = AtomicUsize::new(found.len());
        let branch = join.settings.branch(true);
        let shared = Shared { order: join.order(), branch, most, n_found: &n_found, control, steps };
        let walker = Walker::new(self.encoded, self.program, &self.counts)?;
        let residual = || Residual::new(shared, walker.clone());
        let (parts, _) = join::join(join.left.side(), right, join.method, join.n_pairs, residual);
        control.check()?;
        for part in parts {
            found.extend(part.found);
            if let Some(took) = part.took {
                control.watch(|latencies| latencies.intervals.add(&took));
            }
        }
        Ok(())
    }
}

/// What the pairs of items stand for, if all items had equally many records.
fn n_pairs_of_records(sweep: &Sweep) -> u64 {
    let per_item = |list: &ItemList| (list.records.len() as u64).div_ceil(u64::from(list.len()).max(1));
    sweep.n_pairs().saturating_mul(per_item(&sweep.left)).saturating_mul(per_item(&sweep.right))
}

/// A thread's shares of a sweep, timed: from the first stretch that it takes of one until its slot is empty.
#[derive(Default)]
struct Shares {
    since: Option<Instant>,
    took: Latency,
}

impl Shares {
    /// A stretch was taken; if nothing is under way, it is the first of a share.
    fn begin(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// The slot is empty.
    fn end(&mut self) {
        if let Some(since) = self.since.take() {
            self.took.record(since.elapsed());
        }
    }
}
