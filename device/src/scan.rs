//! The scan of one branch: a sweep's pairs, screened; what passes, verified.
//!
//! Computes  results += {(l, r, witness) : (l, r) a pair of the sweep that the branch is the first to admit}, in any order
//! Layout    two lists of items, left ones in intervals with their range of right ones (`shared::sweep`, `shared::window`)
//! Launch    1-D, a window of blocks, a thread for each item of an interval; `scan_shared_words`; scratch a column a thread
//! Cost      some ten instructions a pair for the screen; a walk of the path for what passes
//! Next      the host downloads the results, and sweeps over the heavy pairs of items
//! Twin      `host::cpu`, which screens with SIMD and verifies with the same path
//!
//! A block takes a stretch at a time (`shared::stealing`). A warp's lanes hold 32 left items; 32 right ones are staged in
//! shared memory, and each lane makes a mask of those that pass its screen ([`crate::screen`]). Few do, and where one lane has work the others
//! would wait. So pairs that pass are queued, and gone on with when there is one for every lane ([`crate::verify`]).

use crate::block::Block;
use crate::screen::{GROUPS_WORDS, Groups};
use crate::verify::{Pair, VERIFY_WORDS, Verify};
use crate::walk::Way;
use crate::work::N_TIMED;
pub use crate::work::{Results, Scan};
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::layout::{WARP, scan_shared_words};
use hyperblock_shared::stealing::{Division, Taker, interval_of};
use hyperblock_shared::sweep::Sweep;
use hyperblock_shared::text::Scratch;
use hyperblock_shared::window::Interval;

// The block's own words of shared memory: the stretch it took, the run or the interval to claim next, and since when it has its
// share, two words. The warps' words begin at `OWN_WORDS`: those of their groups, then those of their verification.
const TAKEN: u32 = 0;
const NEXT_CLAIM: u32 = 1;
const SINCE: u32 = 2;
const OWN_WORDS: u32 = 4;
const WARP_WORDS: u32 = GROUPS_WORDS + VERIFY_WORDS;

const _: () = assert!(scan_shared_words(WARP) == OWN_WORDS + WARP_WORDS);
const _: () = assert!(scan_shared_words(32 * WARP) == OWN_WORDS + 32 * WARP_WORDS);

/// No stretch is left.
const NONE: u32 = u32::MAX;

/// The kernel's body.
// Always: left to itself the compiler may call it, and hand over `scan` through local memory.
#[inline(always)]
pub fn scan(
    block: &impl Block,
    scan: &Scan<'_, impl Columns>,
    way: impl Way,
    scratch: &mut (impl Scratch + ?Sized),
) {
    let own = OWN_WORDS + block.warp_ix() * WARP_WORDS;
    begin(block);
    let groups = Groups::new(block, own);
    let verify = Verify::new(way, own + GROUPS_WORDS);
    verify.begin(block);
    let mut is_finished = false;
    loop {
        if !is_finished && groups.is_done(block) {
            match next(block, scan) {
                Some(part) => groups.begin(block, &part),
                None => is_finished = true,
            }
        }
        let passed = if groups.is_done(block) { 0 } else { groups.next(block, scan) };
        let pair = |passed: u32| Pair {
            left: groups.left(block),
            right: groups.group(block) + passed.trailing_zeros(),
        };
        verify.all(block, scan, pair, passed, is_finished, scratch);
        if is_finished {
            return;
        }
    }
}

// What a block knows of the stretches that it takes lies in shared memory; the first lane alone looks at it.

fn begin(block: &impl Block) {
    if block.thread_ix() == 0 {
        block.set_shared(NEXT_CLAIM, Taker::new(block.block_ix()).next);
        block.set_shared(SINCE, 0);
        block.set_shared(SINCE + 1, 0);
    }
}

/// The block's next stretch, as a part of its interval. All threads take part together.
#[inline(always)]
fn next(block: &impl Block, scan: &Scan<'_, impl Columns>) -> Option<Interval> {
    let Sweep { intervals, firsts, settings, .. } = scan.sweep;
    // Nobody may overwrite the shared word before all have read it.
    block.barrier();
    if block.warp_ix() == 0 {
        let stretch = take(block, scan);
        if block.lane() == 0 {
            block.set_shared(TAKEN, stretch);
        }
    }
    block.barrier();
    let stretch = block.shared(TAKEN);
    if stretch == NONE {
        return None;
    }
    let ix = interval_of(firsts, stretch);
    Some(intervals[ix as usize].part(stretch - firsts[ix as usize], settings.stretch))
}

/// What the first warp does for all: lane 0 takes and claims, and all lanes look for a block to rob.
#[inline(always)]
fn take(block: &impl Block, scan: &Scan<'_, impl Columns>) -> u32 {
    let Scan { sweep, slots, claimed, .. } = *scan;
    let division = Division { firsts: sweep.firsts, slots, claimed, policy: sweep.settings.policy };
    let slot = block.block_ix();
    loop {
        let (mut stretch, mut is_poor) = (NONE, false);
        // A full buffer means that the task is done again: whatever is left can be left.
        if block.lane() == 0 && !scan.results.is_full() {
            loop {
                if let Some(taken) = division.take(slot) {
                    stretch = taken;
                    break;
                }
                note(block, scan, false);
                let mut taker = Taker { slot, next: block.shared(NEXT_CLAIM) };
                let claimed = division.claim(&mut taker);
                block.set_shared(NEXT_CLAIM, taker.next);
                let Some(share) = claimed else {
                    is_poor = true;
                    break;
                };
                division.put(slot, share);
                note(block, scan, true);
            }
        }
        if block.broadcast(u32::from(is_poor), 0) == 0 {
            return stretch;
        }
        let victim = division.richest(block.lane(), WARP);
        let rich = block.ballot(victim.is_some());
        if rich == 0 {
            return NONE;
        }
        // Blocks that look at the same time should not all rob the same one.
        let turned = block.block_ix() % WARP;
        let chosen = (rich.rotate_right(turned).trailing_zeros() + turned) % WARP;
        let victim = block.broadcast(victim.unwrap_or(0), chosen);
        if block.lane() == 0
            && let Some(share) = division.rob(victim)
        {
            division.put(slot, share);
            note(block, scan, true);
        }
    }
}

/// Notes when the block got a share, or how long it took, if anyone wants to know.
#[inline(always)]
fn note(block: &impl Block, scan: &Scan<'_, impl Columns>, has_share: bool) {
    if scan.latencies.is_empty() {
        return;
    }
    let now = block.nanoseconds();
    let since = u64::from(block.shared(SINCE)) | u64::from(block.shared(SINCE + 1)) << 32;
    let start = if has_share { now } else { 0 };
    block.set_shared(SINCE, start as u32);
    block.set_shared(SINCE + 1, (start >> 32) as u32);
    if since == 0 || has_share {
        return;
    }
    let took = now.saturating_sub(since).min(u64::from(u32::MAX)) as u32;
    let ix = scan.counters[N_TIMED].fetch_add(1, Relaxed);
    if let Some(slot) = scan.latencies.get(ix as usize) {
        slot.store(took, Relaxed);
    }
}
