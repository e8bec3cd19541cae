//! The scan: every pair of a task against the path.
//!
//! Computes  results = {(l, r, witness) : (l, r) in the task, some rule holds}, in no particular order
//! Layout    task cut into tiles of an interval of left records by a stretch of right ones (`shared::window`)
//! Launch    1-D, a window of blocks of INTERVAL threads; 2 words of shared memory; scratch a column a thread
//! Cost      one walk of the path a pair; a warp's lanes hold 32 left records and look at the same right one
//! Next      the host drains the results; if a block stopped, it launches again
//! Twin      `host::cpu`, which walks the same path from a thread pool
//!
//! Blocks take tiles from one counter. A warp that finds pairs asks for its slots with one atomic addition. Once the
//! additions pass the end of the buffer, every later warp is past it too, so a warp that does not fit writes nothing,
//! remembers the right record it stopped at, and its block stops after the tile. The first such warp may straddle the
//! end: what lies before its slots is all there is to drain. After the drain the same launch goes on where it stopped.

use crate::block::Block;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use hyperblock_shared::columns::Columns;
use hyperblock_shared::layout::{CANDIDATE_WORDS, Candidate, NO_TILE, resume_words};
use hyperblock_shared::path::Walk;
use hyperblock_shared::text::Scratch;
use hyperblock_shared::window::{Task, Tile};

// The words of shared memory, `SCAN_SHARED_WORDS` in all.
const TILE: usize = 0;
const STOPPED: usize = 1;

/// What all blocks of a scan work on together.
#[derive(Clone, Copy)]
pub struct Scan<'a, C> {
    /// The tables.
    pub columns: &'a C,
    /// The rules.
    pub path: Walk<'a>,
    /// The pairs.
    pub task: Task,
    /// Right records in a tile.
    pub stretch: u32,
    /// The words of `ScanCounters`.
    pub counters: &'a [AtomicU32],
    /// For each block, the words of `resume_words`.
    pub resume: &'a [AtomicU32],
    /// Room for candidates, `CANDIDATE_WORDS` each.
    pub results: &'a [AtomicU32],
}

const NEXT_TILE: usize = 0;
const N_ASKED: usize = 1;
const STRADDLED_AT: usize = 2;
const N_STOPPED: usize = 3;

/// The kernel's body.
// Always: left to itself the compiler may call it, and hand over `scan` through local memory.
#[inline(always)]
pub fn scan(block: &impl Block, scan: &Scan<'_, impl Columns>, scratch: &mut (impl Scratch + ?Sized)) {
    let interval = block.n_threads();
    let n_tiles = scan.task.n_tiles(interval, scan.stretch) as u32;
    let n_words = resume_words(interval) as usize;
    let own = &scan.resume[block.block_ix() as usize * n_words..][..n_words];
    let (unfinished, stops) = (&own[0], &own[1..]);

    let mut resuming = unfinished.load(Relaxed) != NO_TILE;
    loop {
        if block.thread_ix() == 0 {
            let tile = if resuming {
                unfinished.load(Relaxed)
            } else {
                // Blocks past the end add to the counter once each, so it must not be near 2^32: see `n_tiles`.
                scan.counters[NEXT_TILE].fetch_add(1, Relaxed)
            };
            block.shared()[TILE].store(tile, Relaxed);
            block.shared()[STOPPED].store(0, Relaxed);
        }
        block.barrier();
        let tile_ix = block.shared()[TILE].load(Relaxed);
        if tile_ix >= n_tiles {
            return;
        }
        let tile = scan.task.tile(tile_ix, interval, scan.stretch);
        let stop = &stops[block.warp_ix() as usize];
        let from = if resuming { stop.load(Relaxed) } else { tile.right_from };
        let upto = scan_tile(block, scan, &tile, from, scratch);
        if block.lane() == 0 {
            stop.store(upto, Relaxed);
            if upto < tile.right_upto {
                block.shared()[STOPPED].store(1, Relaxed);
            }
        }
        block.barrier();
        let stopped = block.shared()[STOPPED].load(Relaxed) != 0;
        if block.thread_ix() == 0 && (stopped || resuming) {
            unfinished.store(if stopped { tile_ix } else { NO_TILE }, Relaxed);
        }
        if stopped {
            if block.thread_ix() == 0 {
                scan.counters[N_STOPPED].fetch_add(1, Relaxed);
            }
            return;
        }
        resuming = false;
        // Nobody may overwrite the shared words before all have read them.
        block.barrier();
    }
}

/// One warp's share of a tile. Returns the right record at which it stopped: the tile's end, or where results no
/// longer fitted.
#[inline(always)]
fn scan_tile(
    block: &impl Block,
    scan: &Scan<'_, impl Columns>,
    tile: &Tile,
    from: u32,
    scratch: &mut (impl Scratch + ?Sized),
) -> u32 {
    let left = tile.left_from + block.thread_ix();
    let capacity = (scan.results.len() / CANDIDATE_WORDS) as u32;
    for right in from..tile.right_upto {
        let witness = if left < tile.left_upto && scan.task.holds(left, right) {
            scan.path.witness(scan.columns, left, right, scratch, &mut ())
        } else {
            None
        };
        let found = block.ballot(witness.is_some());
        if found == 0 {
            continue;
        }
        let n_found = found.count_ones();
        let mut first = 0;
        if block.lane() == 0 {
            first = scan.counters[N_ASKED].fetch_add(n_found, Relaxed);
        }
        let first = block.broadcast(first, 0);
        if first + n_found > capacity {
            if first < capacity && block.lane() == 0 {
                scan.counters[STRADDLED_AT].store(first, Relaxed);
            }
            return right;
        }
        if let Some(rule) = witness {
            let before = found & ((1 << block.lane()) - 1);
            write(scan.results, first + before.count_ones(), Candidate { left, right, rule });
        }
    }
    tile.right_upto
}

fn write(results: &[AtomicU32], slot: u32, candidate: Candidate) {
    let words = &results[slot as usize * CANDIDATE_WORDS..][..CANDIDATE_WORDS];
    words[0].store(candidate.left, Relaxed);
    words[1].store(candidate.right, Relaxed);
    words[2].store(candidate.rule, Relaxed);
}
