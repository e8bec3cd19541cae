//! What all blocks of a scan work on together, and where its candidates go.

use crate::block::Block;
use crate::primitives::lanes::below;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use hyperblock_shared::layout::{CANDIDATE_WORDS, Candidate};
use hyperblock_shared::path::Walk;
use hyperblock_shared::sweep::Sweep;

/// What all blocks of a scan work on together.
#[derive(Clone, Copy)]
pub struct Scan<'a, C> {
    /// The tables.
    pub columns: &'a C,
    /// The rules.
    pub path: Walk<'a>,
    /// The pairs.
    pub sweep: Sweep<'a>,
    /// By block: the stretches it has to do.
    pub slots: &'a [AtomicU64],
    /// A bit for each run of stretches.
    pub claimed: &'a [AtomicU32],
    /// Nanoseconds that shares took, as far as there is room.
    pub latencies: &'a [AtomicU32],
    /// Room for pairs of items, `HEAVY_WORDS` each.
    pub heavies: &'a [AtomicU32],
    /// The words of `SweepCounters`.
    pub counters: &'a [AtomicU32],
    /// Candidates.
    pub results: Results<'a>,
}

// The words of `SweepCounters`.
pub(crate) const N_HEAVY: usize = 0;
pub(crate) const N_TIMED: usize = 1;

/// Where candidates go.
#[derive(Clone, Copy)]
pub struct Results<'a> {
    /// Room for candidates, `CANDIDATE_WORDS` each.
    pub words: &'a [AtomicU32],
    /// How many slots of it were asked for, also beyond its end: then the task is done again with a larger one, or in parts.
    pub n_found: &'a AtomicU32,
}

impl Results<'_> {
    #[inline(always)]
    fn capacity(&self) -> u32 {
        (self.words.len() / CANDIDATE_WORDS) as u32
    }

    /// Whether more was found than there is room for.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.n_found.load(Relaxed) > self.capacity()
    }

    /// Appends the candidates of the lanes that have one. Slots past the end of the buffer are only counted: the host then
    /// knows that not all was found.
    #[inline(always)]
    pub(crate) fn emit(&self, block: &impl Block, left: u32, right: u32, witness: Option<u32>) {
        let found = block.ballot(witness.is_some());
        if found == 0 {
            return;
        }
        let n_found = found.count_ones();
        let capacity = self.capacity();
        let mut first = 0;
        if block.lane() == 0 {
            // Once the buffer is full nobody takes more work, and what is under way must not count past 2^32.
            let counter = self.n_found;
            first =
                if counter.load(Relaxed) > capacity { capacity } else { counter.fetch_add(n_found, Relaxed) };
        }
        let slot = block.broadcast(first, 0) + below(block, found);
        if let Some(rule) = witness
            && slot < capacity
        {
            write(self.words, slot, Candidate { left, right, rule });
        }
    }
}

fn write(results: &[AtomicU32], slot: u32, candidate: Candidate) {
    let words = &results[slot as usize * CANDIDATE_WORDS..][..CANDIDATE_WORDS];
    words[0].store(candidate.left, Relaxed);
    words[1].store(candidate.right, Relaxed);
    words[2].store(candidate.rule, Relaxed);
}
