//! The CPU backend: sweeps, divided among the threads of a pool as they are among the blocks of a GPU.
//!
//! A thread takes a stretch of right items at a time, screens it for each left item of the interval with the widest
//! vectors that the machine has ([`screen`]), and verifies what passes by walking the path ([`verify`]). Where records are
//! joined by a key ([`join`]), the path is walked for each pair with the same one ([`residual`]); where values are joined by
//! what they have in common ([`overlap`]), for each pair that has enough. Sorted neighbourhoods
//! ([`neighbours`]) are walked by all threads, and pairs are scored as they are listed ([`score`]).

mod closure;
mod components;
mod join;
mod matrix;
mod neighbours;
mod overlap;
mod relation;
mod residual;
mod score;
mod screen;
mod semi_naive;
mod verify;

use crate::access::{Access, KeyJoin, accesses};
use crate::backend::{Backend, BackendKind, Outcome, PairScores, Scan};
use crate::closure::{Graph, LoadedGraph};
use crate::cluster::{Components, Scored};
use crate::control::{Control, Steps};
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::join::{Join, Side};
use crate::latency::Latency;
use crate::neighbours::{Neighbours, Orders};
use crate::partition::blocks;
use crate::plan::Program;
use crate::relation::Relations;
use crate::sweep::{ItemList, Sweep};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::Attribute;
use hyperblock_shared::stealing::{Division, Taker, interval_of};
use hyperblock_shared::sweep::Order;
use hyperblock_shared::window::Task;
use residual::{Residual, Shared};
use screen::Screening;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use verify::{Verify, Walker};

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

    fn load_join<'a>(&'a self, left: Side<'a>, right: Option<Side<'a>>) -> Result<Box<dyn Join + 'a>> {
        load_join(left, right)
    }

    fn load_components<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [Scored],
    ) -> Result<Box<dyn Components + 'a>> {
        load_components(n_records, pairs)
    }

    fn load_matrix<'a>(&'a self, n_records: u32, pairs: &'a [Scored]) -> Result<Box<dyn Components + 'a>> {
        load_matrix(n_records, pairs)
    }

    fn load_scores<'a>(
        &'a self,
        encoded: &'a Encoded,
        attributes: &'a [Attribute],
    ) -> Result<Box<dyn PairScores + 'a>> {
        Ok(load_scores(encoded, attributes))
    }

    fn load_neighbours<'a>(&'a self, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>> {
        Ok(load_neighbours(orders))
    }

    fn relations(&self) -> Box<dyn Relations + '_> {
        relations()
    }

    fn load_graph<'a>(&'a self, graph: &'a Graph) -> Result<Box<dyn LoadedGraph + 'a>> {
        load_graph(graph)
    }
}

/// Relational operators on the CPU.
pub fn relations() -> Box<dyn Relations> {
    Box::new(relation::CpuRelations)
}

/// A graph on the CPU: it is there already.
pub fn load_graph(graph: &Graph) -> Result<Box<dyn LoadedGraph + '_>> {
    Ok(Box::new(closure::CpuGraph { graph }))
}

/// Scores on the CPU: there is nothing to bring anywhere.
pub fn load_scores<'a>(encoded: &'a Encoded, attributes: &'a [Attribute]) -> Box<dyn PairScores + 'a> {
    Box::new(score::CpuScores { encoded, attributes })
}

/// Connected components on the CPU, likewise.
pub fn load_components<'a>(n_records: u32, pairs: &'a [Scored]) -> Result<Box<dyn Components + 'a>> {
    Ok(Box::new(components::CpuComponents::load(n_records, pairs)?))
}

/// The same by the closure of a bit matrix.
pub fn load_matrix<'a>(n_records: u32, pairs: &'a [Scored]) -> Result<Box<dyn Components + 'a>> {
    Ok(Box::new(matrix::CpuMatrix::load(n_records, pairs)?))
}

/// Sorted neighbourhoods on the CPU, likewise.
pub fn load_neighbours(orders: &Orders) -> Box<dyn Neighbours + '_> {
    Box::new(neighbours::CpuNeighbours::new(orders))
}

/// A join on the CPU, likewise.
pub fn load_join<'a>(left: Side<'a>, right: Option<Side<'a>>) -> Result<Box<dyn Join + 'a>> {
    for Side { keys, rows } in [Some(left), right].into_iter().flatten() {
        if keys.len() >= u32::MAX as usize {
            return Err(Error::Job("too many rows for one join".into()));
        }
        if rows.is_some_and(|rows| rows.len() != keys.len()) {
            return Err(Error::Internal("a side of a join has not as many rows as keys".into()));
        }
    }
    Ok(Box::new(join::CpuJoin::load(left, right)))
}

/// A scan on the CPU, likewise.
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
        let mut all = Vec::new();
        for block in blocks(task) {
            all.extend(accesses(self.encoded, self.program, &block)?);
        }
        let n_steps = |access: &Access| match access {
            Access::Sweep(sweep) => Ok(u64::from(sweep.n_stretches())),
            Access::Join(join) => Ok(residual::n_steps(join.n_pairs)),
            Access::Overlap(join) => self.overlap_steps(join),
        };
        let n_steps = all.iter().map(n_steps).sum::<Result<u64>>()?;
        let steps = Steps::new(control, task.n_pairs(), n_steps);
        let interval = self.program.options().interval;
        for access in &all {
            match access {
                Access::Sweep(sweep) => {
                    let heavies = self.sweep(sweep, most, control, Some(&steps), found)?;
                    if !heavies.is_empty() {
                        self.sweep(&sweep.of_heavy(&heavies, interval)?, most, control, None, found)?;
                    }
                }
                Access::Join(join) => self.join(join, most, control, Some(&steps), found)?,
                Access::Overlap(join) => {
                    let heavies = self.overlap(join, most, control, &steps, found)?;
                    if !heavies.is_empty() {
                        self.join(&join.heavy(self.program, &heavies), most, control, None, found)?;
                    }
                }
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
            let mut verify = Verify::new(Walker::new(self.encoded, self.program)?, &borrowed);
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
        let walker = Walker::new(self.encoded, self.program)?;
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
