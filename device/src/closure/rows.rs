//! The rows of components: who reaches them.
//!
//! Computes  rows[c] = bits of c's own nodes | rows of c's predecessors
//! Layout    rows by place, a level after the other; a row is whole columns of 32 words
//! Launch    `own`: 1-D, a thread a source; `rows`: 1-D, a block a column at a time; no shared memory
//! Cost      a row is read once for each successor; a barrier a level
//! Next      `count` and `write` turn rows round
//!
//! Columns have nothing to do with each other: a block keeps to its own and needs no other block, so that any
//! number of levels is one launch. Within a level, warps take components.

use crate::block::Block;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::{ClosureSizes, Target, WARP};

/// Predecessors that are loaded at once.
const AT_ONCE: usize = 4;

/// Sets the bit of each source in the row of its component.
#[inline(always)]
pub fn own(block: &impl Block, targets: &[u32], rows: &[AtomicU32], sizes: &ClosureSizes) {
    let n_threads = block.n_blocks() * block.n_threads();
    let mut source = block.block_ix() * block.n_threads() + block.thread_ix();
    while source < sizes.n_sources {
        let Target { place, .. } = Target::from_word(targets[(sizes.first_source + source) as usize]);
        let ix = word_ix(place, source / WARP, sizes);
        rows[ix].fetch_or(1 << (source % WARP), Relaxed);
        source += n_threads;
    }
}

/// Joins to each row those of its predecessors.
#[inline(always)]
pub fn rows(
    block: &impl Block,
    levels: &[u32],
    [starts, predecessors]: [&[u32]; 2],
    rows: &[AtomicU32],
    sizes: &ClosureSizes,
) {
    let n_warps = block.n_threads() / WARP;
    let mut column = block.block_ix();
    while column < sizes.row_words / WARP {
        let word = column * WARP + block.lane();
        // Nothing comes before the first level.
        let mut level = 1;
        while level + 1 < levels.len() {
            let end = levels[level + 1];
            let mut place = levels[level] + block.warp_ix();
            while place < end {
                let before = rows[word_ix(place, word, sizes)].load(Relaxed);
                let mut row = before;
                let mut from = starts[place as usize];
                let upto = starts[place as usize + 1];
                while from < upto {
                    // The last one again, where there are no more: it changes nothing, and all loads are
                    // under way at once.
                    let mut words = [0; AT_ONCE];
                    unrolled::<AT_ONCE>(|nth| {
                        let predecessor = predecessors[(from + nth as u32).min(upto - 1) as usize];
                        words[nth] = rows[word_ix(predecessor, word, sizes)].load(Relaxed);
                    });
                    unrolled::<AT_ONCE>(|nth| row |= words[nth]);
                    from += AT_ONCE as u32;
                }
                if row != before {
                    rows[word_ix(place, word, sizes)].store(row, Relaxed);
                }
                place += n_warps;
            }
            block.barrier();
            level += 1;
        }
        column += block.n_blocks();
    }
}

/// Where a word of a row is.
#[inline(always)]
fn word_ix(place: u32, word: u32, sizes: &ClosureSizes) -> usize {
    place as usize * sizes.row_words as usize + word as usize
}
