//! Blocks of threads: a warp is an OS thread, and its 32 lanes take turns on it, each on a stack of its own.
//!
//! Warps really run apart. Lanes of one go on from one wait to the next, and another one begins each time. An OS thread for each lane
//! would spend nearly all of its time on changing to the next one that waits.

use super::atomics;
use generator::Gn;
use hyperblock_device::block::Block;
use hyperblock_shared::layout::WARP;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst};
use std::thread;
use std::time::Instant;

/// Bytes of a lane's stack, of which memory is only what it comes to.
const STACK: usize = 1 << 20;

/// Runs a kernel's body on so many blocks of so many threads, with so many words of shared memory each.
pub(super) fn launch(n_blocks: u32, n_threads: u32, n_shared: u32, body: impl Fn(&Thread<'_>) + Sync) {
    let blocks: Vec<SharedBlock> =
        (0..n_blocks).map(|ix| SharedBlock::new(ix, n_blocks, n_threads, n_shared)).collect();
    let body = &body;
    thread::scope(|scope| {
        for block in &blocks {
            for first in (0..n_threads).step_by(WARP as usize) {
                scope.spawn(move || run_warp(block, first, body));
            }
        }
    });
}

/// Runs the lanes of a warp, from its first thread on. Where a lane waits, the next one goes on; which one begins is another one each
/// time, so that nothing can count on it.
fn run_warp(block: &SharedBlock, first: u32, body: &(impl Fn(&Thread<'_>) + Sync)) {
    let lane = |thread_ix| {
        // In words.
        Gn::<()>::new_scoped_opt(STACK / size_of::<usize>(), move |mut lane| {
            let wait = RefCell::new(|| lane.yield_with(()));
            let thread = Thread { block, thread_ix, turn: Cell::new(false), wait: &wait };
            if catch_unwind(AssertUnwindSafe(|| body(&thread))).is_err() {
                // The others would wait at a barrier for ever; the message is out already.
                std::process::abort();
            }
        })
    };
    let mut lanes: Vec<_> = (first..first + WARP).map(lane).collect();
    let mut n_rounds = 0;
    while lanes.iter().any(|lane| !lane.is_done()) {
        let (from, n_lanes) = (7 * n_rounds, lanes.len());
        for nth in 0..n_lanes {
            let lane = &mut lanes[(from + nth) % n_lanes];
            if !lane.is_done() {
                lane.resume();
            }
        }
        n_rounds += 1;
        // It may be other warps that these wait for.
        if block.n_blocks * block.n_threads > WARP {
            thread::yield_now();
        }
    }
}

/// What the threads of a block have in common.
struct SharedBlock {
    block_ix: u32,
    n_blocks: u32,
    n_threads: u32,
    shared: Vec<AtomicU32>,
    barrier: Barrier,
    warps: Vec<Warp>,
    started: Instant,
}

/// Where the lanes of a warp meet.
struct Warp {
    /// In turns, so that nobody overwrites what others still read.
    meetings: [Meeting; 2],
    barrier: Barrier,
}

/// What the lanes of a warp brought.
struct Meeting {
    /// What they meet for (see [`Vote`]).
    vote: AtomicU32,
    ballot: AtomicU32,
    /// By lane.
    values: Vec<AtomicU32>,
}

impl Meeting {
    fn new() -> Self {
        Self { vote: AtomicU32::new(0), ballot: AtomicU32::new(0), values: atomics(WARP, 0) }
    }
}

/// Threads wait for each other by making room for the next one: nearly all of them wait nearly always, and the one that
/// has come this far last wakes nobody.
struct Barrier {
    n_threads: u32,
    n_waiting: AtomicU32,
    n_met: AtomicU32,
}

impl Barrier {
    fn new(n_threads: u32) -> Self {
        Self { n_threads, n_waiting: AtomicU32::new(0), n_met: AtomicU32::new(0) }
    }

    /// Waits for all; the last one to come does something for all of them.
    fn meet(&self, thread: &Thread<'_>, last: impl FnOnce()) {
        let n_met = self.n_met.load(SeqCst);
        if self.n_waiting.fetch_add(1, SeqCst) + 1 == self.n_threads {
            last();
            self.n_waiting.store(0, SeqCst);
            self.n_met.fetch_add(1, SeqCst);
            return;
        }
        while self.n_met.load(SeqCst) == n_met {
            thread.wait.borrow_mut()();
        }
    }
}

/// What lanes meet for.
#[derive(Clone, Copy)]
enum Vote {
    Ballot = 1,
    Broadcast = 2,
    Barrier = 3,
}

impl SharedBlock {
    fn new(block_ix: u32, n_blocks: u32, n_threads: u32, n_shared: u32) -> Self {
        let warp = |_| Warp { meetings: [Meeting::new(), Meeting::new()], barrier: Barrier::new(WARP) };
        Self {
            block_ix,
            n_blocks,
            n_threads,
            // Shared memory starts with whatever was left there.
            shared: atomics(n_shared, 0xdead_beef),
            barrier: Barrier::new(n_threads),
            warps: (0..n_threads / WARP).map(warp).collect(),
            started: Instant::now(),
        }
    }
}

/// One thread of a block.
pub(super) struct Thread<'a> {
    block: &'a SharedBlock,
    thread_ix: u32,
    /// Which of the warp's meetings is next.
    turn: Cell<bool>,
    /// Lets others go on.
    wait: &'a RefCell<dyn FnMut() + 'a>,
}

impl Thread<'_> {
    /// Puts a value down, and gives what all lanes brought. It is there until the next meeting but one, which begins with nothing: nobody
    /// comes to the next one before all have left the one before that.
    fn meet(&self, vote: Vote, value: u32) -> &Meeting {
        let warp = &self.block.warps[self.warp_ix() as usize];
        let turn = usize::from(self.turn.replace(!self.turn.get()));
        let meeting = &warp.meetings[turn];
        match meeting.vote.compare_exchange(0, vote as u32, Relaxed, Relaxed) {
            Ok(_) => {}
            Err(other) => assert_eq!(other, vote as u32, "lanes of a warp take part in different votes"),
        }
        if let Vote::Ballot = vote {
            meeting.ballot.fetch_or(value << self.lane(), Relaxed);
        } else {
            meeting.values[self.lane() as usize].store(value, Relaxed);
        }
        warp.barrier.meet(self, || {
            let before = &warp.meetings[1 - turn];
            before.vote.store(0, Relaxed);
            before.ballot.store(0, Relaxed);
        });
        meeting
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

    fn n_blocks(&self) -> u32 {
        self.block.n_blocks
    }

    fn shared_add(&self, ix: u32, n: u32) -> u32 {
        self.block.shared[ix as usize].fetch_add(n, Relaxed)
    }

    fn shared_exchange(&self, ix: u32, word: u32) -> u32 {
        self.block.shared[ix as usize].swap(word, Relaxed)
    }

    fn shared_swap(&self, ix: u32, expected: u32, word: u32) -> u32 {
        match self.block.shared[ix as usize].compare_exchange(expected, word, Relaxed, Relaxed) {
            Ok(before) | Err(before) => before,
        }
    }

    fn shared(&self, ix: u32) -> u32 {
        self.block.shared[ix as usize].load(Relaxed)
    }

    fn set_shared(&self, ix: u32, word: u32) {
        self.block.shared[ix as usize].store(word, Relaxed);
    }

    fn shared_quad(&self, ix: u32) -> [u32; 4] {
        assert!(ix.is_multiple_of(4), "four words at once begin at a multiple of four");
        std::array::from_fn(|nth| self.shared(ix + nth as u32))
    }

    fn set_shared_quad(&self, ix: u32, words: [u32; 4]) {
        assert!(ix.is_multiple_of(4), "four words at once begin at a multiple of four");
        (0..).zip(words).for_each(|(nth, word)| self.set_shared(ix + nth, word));
    }

    fn barrier(&self) {
        self.block.barrier.meet(self, || {});
    }

    fn warp_barrier(&self) {
        self.meet(Vote::Barrier, 0);
    }

    fn nanoseconds(&self) -> u64 {
        self.block.started.elapsed().as_nanos() as u64
    }

    fn ballot(&self, vote: bool) -> u32 {
        self.meet(Vote::Ballot, u32::from(vote)).ballot.load(Relaxed)
    }

    fn broadcast(&self, value: u32, lane: u32) -> u32 {
        self.meet(Vote::Broadcast, value).values[lane as usize].load(Relaxed)
    }
}
