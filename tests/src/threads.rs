//! The kernels on CPU threads: a block is as many OS threads, a warp's vote an exchange between 32 of them.
//!
//! Slow, and for tests alone: it runs the very source that runs on the GPU, barriers and all, where there is none. It
//! is stricter than a GPU, too: threads really run apart, indices are checked, lanes that take part in different
//! votes are found out, and so are result slots that are counted but not written.

use hyperblock::backend::{Backend, BackendKind, Outcome, Scan};
use hyperblock::encode::Encoded;
use hyperblock::plan::Program;
use hyperblock::{Candidate, Control, Result};
use hyperblock_device::block::Block;
use hyperblock_device::scan;
use hyperblock_shared::layout::{
    CANDIDATE_WORDS, NO_TILE, SCAN_SHARED_WORDS, ScanCounters, WARP, resume_words,
};
use hyperblock_shared::path::Walk;
use hyperblock_shared::text::scratch_words;
use hyperblock_shared::window::Task;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;

/// Right records in a tile: few, so that small tables have several.
const STRETCH: u32 = 7;

/// What a result slot holds before it is written; no record has this number.
const UNWRITTEN: u32 = u32::MAX;

/// A backend made of CPU threads.
#[derive(Debug)]
pub struct KernelOnThreads {
    threads_per_block: u32,
    n_blocks: u32,
    result_capacity: u32,
    memory: u64,
    most_launches: AtomicU32,
}

impl KernelOnThreads {
    /// So many blocks of so many threads, a multiple of 32, and a result buffer for at least a warp's candidates.
    pub fn new(threads_per_block: u32, n_blocks: u32, result_capacity: u32) -> Self {
        assert!(threads_per_block.is_multiple_of(WARP) && result_capacity >= WARP);
        Self {
            threads_per_block,
            n_blocks,
            result_capacity,
            memory: u64::MAX,
            most_launches: AtomicU32::new(0),
        }
    }

    /// With room for so many bytes of columns.
    pub fn with_memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// The most launches that any task took so far: more than one if the result buffer was full at least once.
    pub fn most_launches(&self) -> u32 {
        self.most_launches.load(Relaxed)
    }

    fn launch(&self, job: &scan::Scan<'_, Encoded>, n_scratch: u32) {
        let blocks: Vec<SharedBlock> =
            (0..self.n_blocks).map(|ix| SharedBlock::new(ix, self.threads_per_block)).collect();
        thread::scope(|scope| {
            for block in &blocks {
                for thread_ix in 0..self.threads_per_block {
                    scope.spawn(move || {
                        let mut scratch = vec![0u64; n_scratch as usize];
                        let body = || scan::scan(&Thread { block, thread_ix }, job, scratch.as_mut_slice());
                        if catch_unwind(AssertUnwindSafe(body)).is_err() {
                            // The others would wait at a barrier for ever; the message is out already.
                            std::process::abort();
                        }
                    });
                }
            }
        });
    }
}

impl Backend for KernelOnThreads {
    fn name(&self) -> String {
        format!("the kernel on {} × {} CPU threads", self.n_blocks, self.threads_per_block)
    }

    fn kind(&self) -> BackendKind {
        BackendKind::Cpu
    }

    fn pairs_per_task(&self) -> u64 {
        1 << 20
    }

    fn memory_for_columns(&self) -> Result<u64> {
        Ok(self.memory)
    }

    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        Ok(Box::new(ThreadScan { device: self, encoded, path: program.walk()? }))
    }
}

struct ThreadScan<'a> {
    device: &'a KernelOnThreads,
    encoded: &'a Encoded,
    path: Walk<'a>,
}

impl Scan for ThreadScan<'_> {
    /// Launch, drain, and again until no block has anything left.
    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let device = self.device;
        let n_tiles = task.n_tiles(device.threads_per_block, STRETCH) as u32;
        let resume = atomics(device.n_blocks * resume_words(device.threads_per_block), NO_TILE);
        let mut counters = ScanCounters::START;
        for n_launches in 1.. {
            device.most_launches.fetch_max(n_launches, Relaxed);
            let counted = [counters.next_tile, counters.n_asked, counters.straddled_at, counters.n_stopped]
                .map(AtomicU32::new);
            let results = atomics(device.result_capacity * CANDIDATE_WORDS as u32, UNWRITTEN);
            let job = scan::Scan {
                columns: self.encoded,
                path: self.path,
                task: *task,
                stretch: STRETCH,
                counters: &counted,
                resume: &resume,
                results: &results,
            };
            device.launch(&job, scratch_words(self.encoded.longest()));
            let [next_tile, n_asked, straddled_at, n_stopped] = counted.map(AtomicU32::into_inner);
            counters = ScanCounters { next_tile, n_asked, straddled_at, n_stopped };
            drain(&results, counters.n_written(device.result_capacity), found);
            if found.len() > most {
                return Ok(Outcome::TooMany);
            }
            if counters.n_stopped == 0 {
                break;
            }
            control.check()?;
            counters = ScanCounters { next_tile: next_tile.min(n_tiles), ..ScanCounters::START };
        }
        Ok(Outcome::Done)
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

/// What the threads of a block have in common.
struct SharedBlock {
    block_ix: u32,
    n_threads: u32,
    shared: Vec<AtomicU32>,
    barrier: Barrier,
    warps: Vec<Warp>,
}

/// Where the lanes of a warp meet.
struct Warp {
    /// By lane: what it brought, and for what (see [`Vote`]).
    slots: Vec<AtomicU64>,
    barrier: Barrier,
}

/// What lanes meet for.
#[derive(Clone, Copy)]
enum Vote {
    Ballot = 1,
    Broadcast = 2,
}

impl SharedBlock {
    fn new(block_ix: u32, n_threads: u32) -> Self {
        let warp = |_| Warp {
            slots: (0..WARP).map(|_| AtomicU64::new(0)).collect(),
            barrier: Barrier::new(WARP as usize),
        };
        Self {
            block_ix,
            n_threads,
            // Shared memory starts with whatever was left there.
            shared: atomics(SCAN_SHARED_WORDS, 0xdead_beef),
            barrier: Barrier::new(n_threads as usize),
            warps: (0..n_threads / WARP).map(warp).collect(),
        }
    }
}

/// One thread of a block.
struct Thread<'a> {
    block: &'a SharedBlock,
    thread_ix: u32,
}

impl Thread<'_> {
    /// Puts a value down and sees what all lanes brought. The second wait keeps the slots until all have read them.
    fn exchange(&self, vote: Vote, value: u32) -> [u32; WARP as usize] {
        let warp = &self.block.warps[self.warp_ix() as usize];
        let tag = (vote as u64) << 32;
        warp.slots[self.lane() as usize].store(tag | u64::from(value), Relaxed);
        warp.barrier.wait();
        let brought = std::array::from_fn(|lane| {
            let slot = warp.slots[lane].load(Relaxed);
            assert_eq!(slot >> 32, tag >> 32, "lanes of a warp take part in different votes");
            slot as u32
        });
        warp.barrier.wait();
        brought
    }
}

impl Block for Thread<'_> {
    fn thread_ix(&self) -> u32 {
        self.thread_ix
    }

    fn n_threads(&self) -> u32 {
        self.block.n_threads
    }

    fn block_ix(&self) -> u32 {
        self.block.block_ix
    }

    fn shared(&self) -> &[AtomicU32] {
        &self.block.shared
    }

    fn barrier(&self) {
        self.block.barrier.wait();
    }

    fn ballot(&self, vote: bool) -> u32 {
        let votes = self.exchange(Vote::Ballot, u32::from(vote));
        (0..).zip(votes).fold(0, |ballot, (lane, vote)| ballot | (vote << lane))
    }

    fn broadcast(&self, value: u32, lane: u32) -> u32 {
        self.exchange(Vote::Broadcast, value)[lane as usize]
    }
}
