//! The CPU backend: sweeps, divided among the threads of a pool as they are among the blocks of a GPU.
//!
//! A thread takes a stretch of right items at a time, screens it for each left item of the interval with the widest
//! vectors that the machine has ([`screen`]), and verifies what passes by walking the path ([`verify`]).

mod screen;
mod verify;

use crate::backend::{Backend, BackendKind, Outcome, Scan};
use crate::control::{Control, Steps};
use crate::encode::Encoded;
use crate::error::Result;
use crate::latency::Latency;
use crate::partition::blocks;
use crate::plan::Program;
use crate::sweep::{self, ItemList, Sweep};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::stealing::{Division, Taker, interval_of};
use hyperblock_shared::text::scratch_words;
use hyperblock_shared::window::Task;
use screen::Screening;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use verify::Verify;

/// Pairs of records that are done about as soon as another thread is awake.
const PAIRS_PER_THREAD: u64 = 1 << 12;

/// All cores of the process's thread pool.
#[derive(Debug)]
pub struct Cpu(());

impl Cpu {
    /// The CPU is always there.
    #[expect(clippy::new_without_default, reason = "opening a device is an act, not a default")]
    pub fn new() -> Self {
        Self(())
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        let n = rayon::current_num_threads();
        format!("cpu ({n} {})", if n == 1 { "thread" } else { "threads" })
    }

    fn kind(&self) -> BackendKind {
        BackendKind::Cpu
    }

    fn memory_for_columns(&self) -> Result<u64> {
        // They are there already, and are only borrowed.
        Ok(u64::MAX)
    }

    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        load(encoded, program)
    }
}

/// A scan on the CPU: there is nothing to bring anywhere.
pub fn load<'a>(encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
    program.walk()?;
    Ok(Box::new(CpuScan { encoded, program }))
}

struct CpuScan<'a> {
    encoded: &'a Encoded,
    program: &'a Program,
}

impl Scan for CpuScan<'_> {
    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let mut sweeps = Vec::new();
        for block in blocks(task) {
            sweeps.extend(sweep::sweeps(self.encoded, self.program, &block)?);
        }
        let n_stretches = sweeps.iter().map(|sweep| u64::from(sweep.n_stretches())).sum();
        let steps = Steps::new(control, task.n_pairs(), n_stretches);
        let interval = self.program.options().interval;
        for sweep in &sweeps {
            let heavies = self.sweep(sweep, most, control, Some(&steps), found)?;
            if !heavies.is_empty() {
                self.sweep(&sweep.of_heavy(&heavies, interval)?, most, control, None, found)?;
            }
            if found.len() > most {
                return Ok(Outcome::TooMany);
            }
        }
        steps.finish();
        Ok(Outcome::Done)
    }
}

impl CpuScan<'_> {
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
        let n_threads = rayon::current_num_threads().min(n_useful.max(1) as usize);
        let slots: Vec<AtomicU64> = (0..n_threads).map(|_| AtomicU64::new(0)).collect();
        let claimed: Vec<AtomicU32> =
            (0..sweep.intervals.len().div_ceil(32)).map(|_| AtomicU32::new(0)).collect();
        let division = Division {
            firsts: &sweep.firsts,
            slots: &slots,
            claimed: &claimed,
            policy: sweep.settings.policy,
        };
        let walk = self.program.walk()?;
        let n_found = AtomicUsize::new(found.len());
        let work = |thread: usize| {
            let borrowed = sweep.borrow();
            let scratch = vec![0u64; scratch_words(self.encoded.longest()) as usize];
            let sequential = self.program.options().sequential;
            let mut verify = Verify::new(self.encoded, walk, &borrowed, sequential, scratch);
            let mut screen = Screening::new(&borrowed, walk);
            let mut taker = Taker::new(thread as u32);
            let mut shares = control.is_watched().then(Shares::default);
            while let Some(stretch) = division.next(&mut taker, || shares.iter_mut().for_each(Shares::end)) {
                shares.iter_mut().for_each(Shares::begin);
                control.check()?;
                if n_found.load(Relaxed) > most {
                    break;
                }
                let ix = interval_of(&sweep.firsts, stretch);
                let nth = stretch - sweep.firsts[ix as usize];
                let part = sweep.intervals[ix as usize].part(nth, sweep.settings.stretch);
                let before = verify.found.len();
                screen.stretch(part, &mut |left, right| verify.items(left, right));
                n_found.fetch_add(verify.found.len() - before, Relaxed);
                if let Some(steps) = steps {
                    steps.done(1);
                }
            }
            if let Some(shares) = shares {
                control.watch(|latencies| latencies.intervals.add(&shares.took));
            }
            Ok((verify.found, verify.heavies))
        };
        let parts = match n_threads {
            1 => vec![work(0)],
            _ => rayon::broadcast(|thread| (thread.index() < n_threads).then(|| work(thread.index())))
                .into_iter()
                .flatten()
                .collect(),
        };
        let mut heavies = Vec::new();
        for part in parts {
            let (candidates, heavy) = part?;
            found.extend(candidates);
            heavies.extend(heavy);
        }
        Ok(heavies)
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
