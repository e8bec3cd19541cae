//! Pairs of items that are listed, decided by the branch.
//!
//! Computes  results += {(l, r, witness) : (l, r) a pair of records of listed items that the branch is the first to admit}
//! Layout    pairs of items in words, the left one in the lower half; lists, columns and path as in `crate::scan`
//! Launch    1-D, any number of blocks, `listed_shared_words`; scratch a column a thread
//! Cost      a glance for each pair of records; a walk of the path for what may hold
//! Next      the host downloads the results, and has heavy pairs of items done
//! Twin      `host::cpu`, which walks the same path

use super::compare::N_PAIRS;
use crate::block::Block;
use crate::primitives::lanes::warp_of_launch;
use crate::scan::Scan;
use crate::verify::{Pair, VERIFY_WORDS, Verify};
use crate::walk::Way;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::layout::{WARP, listed_shared_words};
use hyperblock_shared::text::Scratch;

const _: () = assert!(listed_shared_words(WARP) == VERIFY_WORDS);
const _: () = assert!(listed_shared_words(32 * WARP) == 32 * VERIFY_WORDS);

/// What is decided.
#[derive(Clone, Copy)]
pub struct Listed<'a, C> {
    /// What a pair is decided by, and where candidates go; there are no intervals.
    pub scan: Scan<'a, C>,
    /// Room for pairs.
    pub pairs: &'a [u64],
    /// The words of `OverlapCounters`.
    pub counters: &'a [AtomicU64],
}

/// The kernel's body. Does nothing if not all pairs found room.
#[inline(always)]
pub fn listed(
    block: &impl Block,
    listed: &Listed<'_, impl Columns>,
    way: impl Way,
    scratch: &mut (impl Scratch + ?Sized),
) {
    let verify = Verify::new(way, block.warp_ix() * VERIFY_WORDS);
    verify.begin(block);
    let n_pairs = listed.counters[N_PAIRS].load(Relaxed);
    let n_pairs = if n_pairs > listed.pairs.len() as u64 { 0 } else { n_pairs as u32 };
    let (warp, n_warps) = warp_of_launch(block);
    let mut first = warp * WARP;
    loop {
        // A full buffer means that the task is done again: whatever is left can be left.
        let is_full = block.ballot(listed.scan.results.is_full()) != 0;
        let is_finished = first >= n_pairs || is_full;
        let ix = first + block.lane();
        let passed = u32::from(!is_finished && ix < n_pairs);
        let pair = |_: u32| {
            // Past the last one it is not looked at.
            let word = listed.pairs.get(ix as usize).copied().unwrap_or(0);
            Pair { left: word as u32, right: (word >> 32) as u32 }
        };
        verify.all(block, &listed.scan, pair, passed, is_finished, scratch);
        if is_finished {
            return;
        }
        first += n_warps * WARP;
    }
}
