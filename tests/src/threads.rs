//! The kernels on CPU threads, as [`block`] makes blocks of them.
//!
//! Slow, and for tests alone: it runs the very source that runs on the GPU, barriers and all, where there is none. It
//! is stricter than a GPU, too: indices are checked, lanes that take part in different votes are found out, and so are result slots
//! that are counted but not written.

mod baselines;
mod block;
mod closure;
mod cluster;
mod condensed;
mod elements;
mod join;
mod kept;
mod listing;
mod neighbours;
mod overlap;
mod relation;
mod score;

pub use baselines::ThreadBaseline;
pub use overlap::{Compared, holds_together};

use block::{Thread, launch};
use hyperblock::encode::Encoded;
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{ClosureOperator, LoadedGraph};
use hyperblock::operators::components::{Components, ComponentsOperator};
use hyperblock::operators::join::{Join, JoinOperator};
use hyperblock::operators::neighbours::{Neighbours, NeighboursOperator, Orders};
use hyperblock::operators::relations::{Relations, RelationsOperator};
use hyperblock::operators::scan::{HandKept, Keep, Outcome, Scan, ScanOperator};
use hyperblock::operators::scores::{PairScores, ScoresOperator, Tests};
use hyperblock::plan::access::Access;
use hyperblock::plan::cost::BackendKind;
use hyperblock::plan::join::KeyColumn;
use hyperblock::plan::partition::Area;
use hyperblock::plan::path::KeyMethod;
use hyperblock::plan::sweep::Sweep;
use hyperblock::plan::task::Task;
use hyperblock::plan::{Program, WalkChoice};
use hyperblock::read::edges::Graph;
use hyperblock::{Candidate, Control, Result};
use hyperblock_device::scan;
use hyperblock_device::walk::{ByDescent, Counted, StepByStep};
use hyperblock_shared::counts::Counts;
use hyperblock_shared::layout::ScoredPair;
use hyperblock_shared::layout::{CANDIDATE_WORDS, HEAVY_WORDS, WARP, scan_shared_words};
use hyperblock_shared::packing::Packing;
use hyperblock_shared::text::scratch_words;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Right items in a stretch: few, so that small tables have several.
const STRETCH: u32 = 40;

/// What a result slot holds before it is written; no record has this number.
const UNWRITTEN: u32 = u32::MAX;

/// A backend made of CPU threads.
#[derive(Debug)]
pub struct KernelOnThreads {
    threads_per_block: u32,
    n_blocks: u32,
    result_capacity: u32,
    memory: u64,
    most_heavies: u32,
    n_too_many: AtomicU32,
    n_heavies: AtomicU32,
    n_giants: AtomicU32,
    n_kept_there: AtomicU32,
}

impl KernelOnThreads {
    /// So many blocks of so many threads, a multiple of 32, and a result buffer for so many candidates.
    pub fn new(threads_per_block: u32, n_blocks: u32, result_capacity: u32) -> Self {
        assert!(threads_per_block.is_multiple_of(WARP) && result_capacity > 0);
        Self {
            threads_per_block,
            n_blocks,
            result_capacity,
            memory: u64::MAX,
            most_heavies: 16,
            n_too_many: AtomicU32::new(0),
            n_heavies: AtomicU32::new(0),
            n_giants: AtomicU32::new(0),
            n_kept_there: AtomicU32::new(0),
        }
    }

    /// With room for so many bytes of columns.
    pub fn with_memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// With room for so many heavy pairs of items.
    pub fn with_room_for_heavies(self, most_heavies: u32) -> Self {
        Self { most_heavies, ..self }
    }

    /// How many tasks found the result buffer too small.
    pub fn n_too_many(&self) -> u32 {
        self.n_too_many.load(Relaxed)
    }

    /// How many pairs of items were handed on.
    pub fn n_heavies(&self) -> u32 {
        self.n_heavies.load(Relaxed)
    }

    /// How often a giant component was found.
    pub fn n_giants(&self) -> u32 {
        self.n_giants.load(Relaxed)
    }

    /// How many tasks had their candidates scored where they were found.
    pub fn n_kept_there(&self) -> u32 {
        self.n_kept_there.load(Relaxed)
    }

    fn launch(&self, job: &scan::Scan<'_, Encoded>, walk: Walking<'_>, n_scratch: u32) {
        let n_shared = scan_shared_words(self.threads_per_block);
        launch(job.slots.len() as u32, self.threads_per_block, n_shared, |thread| {
            let mut scratch = vec![0u64; n_scratch as usize];
            let scratch = scratch.as_mut_slice();
            match walk.choice {
                WalkChoice::StepByStep => scan::scan(thread, job, StepByStep, scratch),
                WalkChoice::ByDescent => scan::scan(thread, job, ByDescent, scratch),
                WalkChoice::Counted => scan::scan(thread, job, Counted(walk.counts), scratch),
            }
        });
    }
}

/// How paths are walked, and where that is counted.
#[derive(Clone, Copy)]
struct Walking<'a> {
    choice: WalkChoice,
    counts: Counts<'a>,
}

impl Backend for KernelOnThreads {
    fn name(&self) -> String {
        format!("the kernel on {} × {} CPU threads", self.n_blocks, self.threads_per_block)
    }

    fn kind(&self) -> BackendKind {
        BackendKind::Cpu
    }

    fn memory_for_columns(&self) -> Result<u64> {
        Ok(self.memory)
    }
}

impl ScanOperator for KernelOnThreads {
    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        Ok(Box::new(ThreadScan { device: self, encoded, program }))
    }
}

impl ComponentsOperator for KernelOnThreads {
    fn load_components<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        Ok(Box::new(cluster::ThreadComponents::load(self, n_records, pairs)?))
    }

    fn load_matrix<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        Ok(Box::new(cluster::ThreadMatrix::load(self, n_records, pairs)?))
    }
}

impl JoinOperator for KernelOnThreads {
    fn load_join<'a>(
        &'a self,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Result<Box<dyn Join + 'a>> {
        Ok(Box::new(join::ThreadJoin::load(self, left, right)))
    }
}

impl NeighboursOperator for KernelOnThreads {
    fn load_neighbours<'a>(&'a self, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>> {
        Ok(Box::new(neighbours::ThreadNeighbours::new(self, orders)?))
    }
}

impl ScoresOperator for KernelOnThreads {
    fn load_scores<'a>(&'a self, encoded: &'a Encoded, tests: Tests) -> Result<Box<dyn PairScores + 'a>> {
        Ok(Box::new(score::ThreadScores { device: self, encoded, tests }))
    }
}

impl RelationsOperator for KernelOnThreads {
    fn relations(&self) -> Box<dyn Relations + '_> {
        Box::new(relation::ThreadRelations(self))
    }
}

impl ClosureOperator for KernelOnThreads {
    fn load_graph<'a>(&'a self, graph: &'a Graph) -> Result<Box<dyn LoadedGraph + 'a>> {
        Ok(Box::new(closure::ThreadGraph { device: self, graph }))
    }
}

struct ThreadScan<'a> {
    device: &'a KernelOnThreads,
    encoded: &'a Encoded,
    program: &'a Program,
}

impl Scan for ThreadScan<'_> {
    fn task(&self, encoded: &Encoded, program: &Program, area: &Area, control: &Control) -> Result<Task> {
        Task::unlisted(encoded, program, area, control)
    }

    /// A launch for each sweep, and for what it hands on.
    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let device = self.device;
        let n_found = AtomicU32::new(0);
        let results = atomics(device.result_capacity * CANDIDATE_WORDS as u32, UNWRITTEN);
        let counts: Vec<AtomicU64> = (0..self.program.n_counts()).map(|_| AtomicU64::new(0)).collect();
        let walk = Walking { choice: self.program.options().walk, counts: Counts(&counts) };
        let lister = listing::Lister { device, encoded: self.encoded, program: self.program };
        let mut listed = Vec::new();
        for unlisted in &task.unlisted {
            listed.extend(lister.accesses(unlisted)?);
        }
        for access in task.accesses.iter().chain(&listed) {
            let sweep = match access {
                Access::Sweep(sweep) => sweep.clone(),
                Access::Join(join) if join.found_by == KeyMethod::Hash => {
                    let results = scan::Results { words: &results, n_found: &n_found };
                    join::residual(device, join, self.encoded, self.program, (results, walk))?;
                    continue;
                }
                Access::Join(join) => join.as_sweep(&self.program.options())?,
                Access::Overlap(join) => {
                    let results = scan::Results { words: &results, n_found: &n_found };
                    let (encoded, program) = (self.encoded, self.program);
                    let heavies = overlap::overlap(device, join, encoded, program, (results, walk))?;
                    device.n_heavies.fetch_add(heavies.len() as u32, Relaxed);
                    if !heavies.is_empty() {
                        let heavy = join.heavy(self.program, &heavies);
                        join::residual(device, &heavy, self.encoded, self.program, (results, walk))?;
                    }
                    continue;
                }
            };
            // A block has as many threads as an interval has items; stretches are short, so that there are several.
            let sweep = sweep.resized(device.threads_per_block, STRETCH)?;
            // Once the buffer is full, blocks would start only to stop.
            if n_found.load(Relaxed) > device.result_capacity {
                break;
            }
            let heavies = self.sweep(&sweep, &results, &n_found, walk)?;
            device.n_heavies.fetch_add(heavies.len() as u32, Relaxed);
            if !heavies.is_empty() {
                let heavy = sweep.of_heavy(&heavies, device.threads_per_block)?;
                let heavies = self.sweep(&heavy, &results, &n_found, walk)?;
                assert!(heavies.is_empty(), "records are not heavy");
            }
        }
        control.check()?;
        let n_found = n_found.into_inner();
        if n_found > device.result_capacity {
            device.n_too_many.fetch_add(1, Relaxed);
            return Ok(Outcome::TooMany);
        }
        let n_before = found.len();
        drain(&results, n_found, found);
        if let Some(packing) = self.packing() {
            relation::sorted(device, packing, &mut found[n_before..]);
        }
        control.count(&counts.iter().map(|count| count.load(Relaxed)).collect::<Vec<_>>());
        control.advance(task.n_pairs);
        control.compare(task.compared(self.program));
        Ok(if found.len() > most { Outcome::TooMany } else { Outcome::Done })
    }

    fn keeps(&self) -> bool {
        self.packing().is_some()
    }

    fn run_kept(
        &mut self,
        task: &Task,
        keep: &Keep<'_>,
        control: &Control,
        hand_on: HandKept<'_>,
    ) -> Result<Option<Outcome>> {
        let Some(packing) = self.packing() else { return Ok(None) };
        if keep.encoded.n_bytes() > self.device.memory {
            return Ok(None);
        }
        let mut found = Vec::new();
        if self.run(task, usize::MAX, control, &mut found)? == Outcome::TooMany {
            return Ok(Some(Outcome::TooMany));
        }
        self.device.n_kept_there.fetch_add(1, Relaxed);
        let words = found.into_iter().map(|candidate| packing.pack(candidate)).collect();
        let words = kept::SortedWords { device: self.device, words, packing };
        words.keep_on(self.program.n_rules(), keep, hand_on)?;
        Ok(Some(Outcome::Done))
    }
}

impl ThreadScan<'_> {
    fn packing(&self) -> Option<Packing> {
        let Encoded { n_left, n_right, .. } = *self.encoded;
        Packing::new(n_left, n_right, self.program.n_rules()).map(|(packing, _)| packing)
    }

    fn sweep(
        &self,
        sweep: &Sweep,
        results: &[AtomicU32],
        n_found: &AtomicU32,
        walk: Walking<'_>,
    ) -> Result<Vec<(u32, u32)>> {
        let n_blocks = sweep.settings.policy.n_slots(self.device.n_blocks, sweep.intervals.len() as u32);
        let n_blocks = n_blocks.min(sweep.n_stretches()).max(1);
        let slots: Vec<AtomicU64> = (0..n_blocks).map(|_| AtomicU64::new(0)).collect();
        let heavies = atomics(self.device.most_heavies * HEAVY_WORDS as u32, UNWRITTEN);
        let counters = atomics(2, 0);
        let job = scan::Scan {
            columns: self.encoded,
            path: self.program.walk()?,
            sweep: sweep.borrow(),
            slots: &slots,
            claimed: &atomics(sweep.settings.policy.n_runs(n_blocks, sweep.n_stretches()).div_ceil(32), 0),
            latencies: &atomics(3, UNWRITTEN),
            heavies: &heavies,
            counters: &counters,
            results: scan::Results { words: results, n_found },
        };
        let n_scratch = scratch_words(self.encoded.longest());
        self.device.launch(&job, walk, n_scratch);
        let n_heavy = counters[0].load(Relaxed).min(self.device.most_heavies);
        let word = |ix: u32| {
            let word = heavies[ix as usize].load(Relaxed);
            assert!(word != UNWRITTEN, "a pair of items was counted and not written");
            word
        };
        Ok((0..n_heavy).map(|ix| (word(2 * ix), word(2 * ix + 1))).collect())
    }
}

fn atomics(n: u32, value: u32) -> Vec<AtomicU32> {
    (0..n).map(|_| AtomicU32::new(value)).collect()
}

fn drain(results: &[AtomicU32], n_written: u32, found: &mut Vec<Candidate>) {
    for slot in results.chunks(CANDIDATE_WORDS).take(n_written as usize) {
        let [left, right, rule] = [0, 1, 2].map(|ix| slot[ix].load(Relaxed));
        assert!(![left, right, rule].contains(&UNWRITTEN), "a slot was counted and not written");
        found.push(Candidate { left, right, rule });
    }
}
