//! Scores of listed pairs of records.
//!
//! Computes  of the pairs whose score reaches what is asked for, which they are, and that; or the levels of all pairs
//! Layout    pairs of records in words, the left one in the lower half; scores a word each, those of 32 pairs together and in
//!           order, and for each 32 pairs two words: which are kept, and where their scores begin; or levels, two words a
//!           pair; columns as in `crate::scan`
//! Launch    1-D, any number of blocks, no shared memory; scratch a column a thread
//! Cost      for each attribute two scattered codes and two heads; where those do not tell, both values, and for texts of n
//!           and m symbols some n · m / 64 steps
//! Next      the host downloads as many scores as there are, and finds whose they are
//! Twin      `hyperblock_shared::score::result`, which `host::cpu` calls

use crate::block::Block;
use crate::primitives::lanes::below;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::columns::Columns;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::score::{Attribute, Tally, Wanted};
use hyperblock_shared::text::Scratch;

/// What is scored.
#[derive(Clone, Copy)]
pub struct ScoreWork<'a, C> {
    /// What the attributes read.
    pub columns: &'a C,
    /// In the order that they are looked at.
    pub attributes: &'a [Attribute],
    /// What values weigh of their own.
    pub terms: &'a [i32],
    /// Whose records are those of the columns. Nobody writes them.
    pub pairs: &'a [AtomicU64],
    /// What is to be computed.
    pub wanted: Wanted,
    /// Room for a word a pair, or two for levels.
    pub results: &'a [AtomicU32],
    /// Room for two words for each 32 pairs.
    pub warps: &'a [AtomicU32],
    /// How many scores there are, which was 0; unless these are levels.
    pub n_kept: &'a AtomicU32,
}

/// The body of the kernels, of which there is one for each kind of what is wanted: a thread then has registers for that alone.
/// The lanes of a warp look at the same attribute of different pairs.
#[inline(always)]
pub fn score(
    block: &impl Block,
    scored: &ScoreWork<'_, impl Columns>,
    scratch: &mut (impl Scratch + ?Sized),
) {
    let ScoreWork { columns, attributes, terms, pairs, wanted, results, warps, n_kept } = *scored;
    let warps_per_block = block.n_threads() / WARP;
    // In single words, of which a thread has few: there are less than 2^31 pairs, and as many threads at most.
    let n_pairs = pairs.len() as u32;
    let mut ix = (block.block_ix() * warps_per_block + block.warp_ix()) * WARP + block.lane();
    // All lanes of a warp, or none.
    while ix / WARP * WARP < n_pairs {
        let is_there = ix < n_pairs;
        let read = || {
            let pair = pairs[ix as usize].load(Relaxed);
            [pair as u32, (pair >> 32) as u32]
        };
        let mut tally =
            if is_there { Tally::new(attributes, columns, read(), wanted) } else { Tally::default() };
        for nth in 0..attributes.len() as u32 {
            // By its number, and pairs are read again for each: a thread has no registers to keep more than it must.
            let attribute = &attributes[nth as usize];
            if is_there {
                tally.look(attribute, terms, columns, read(), wanted, scratch);
            }
            // Some lanes were done at once, by codes or heads; they wait here, not at the end.
            block.warp_barrier();
        }
        let result = tally.result(wanted);
        if wanted == Wanted::Pattern {
            if is_there {
                results[2 * ix as usize].store(result as u32, Relaxed);
                results[2 * ix as usize + 1].store((result >> 32) as u32, Relaxed);
            }
        } else {
            let is_kept = is_there && wanted.keeps(result);
            let kept = block.ballot(is_kept);
            let mut start = 0;
            if block.lane() == 0 {
                start = n_kept.fetch_add(kept.count_ones(), Relaxed);
                let warp = (ix / WARP * 2) as usize;
                warps[warp].store(kept, Relaxed);
                warps[warp + 1].store(start, Relaxed);
            }
            let place = block.broadcast(start, 0) + below(block, kept);
            if is_kept {
                results[place as usize].store(result as u32, Relaxed);
            }
        }
        ix += block.n_blocks() * warps_per_block * WARP;
    }
}
