//! Scores of listed pairs of records.
//!
//! Computes  results[p] = the weighted mean of the attributes of pairs[p], in billionths, or their levels
//! Layout    pairs of records in words, the left one in the lower half; a word of results for each pair, two if it is levels;
//!           columns as in `crate::scan`
//! Launch    1-D, any number of blocks, no shared memory; scratch a column a thread
//! Cost      for each attribute two scattered codes and two heads; where those do not tell, both values, and for texts of n
//!           and m symbols some n · m / 64 steps
//! Next      the host downloads the results
//! Twin      `hyperblock_shared::score::result`, which `host::cpu` calls

use crate::block::Block;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
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
    /// Whose records are those of the columns.
    pub pairs: &'a [u64],
    /// What is to be computed.
    pub wanted: Wanted,
    /// Room for it.
    pub results: &'a [AtomicU32],
}

/// The kernel's body. The lanes of a warp look at the same attribute of different pairs.
#[inline(always)]
pub fn score(
    block: &impl Block,
    scored: &ScoreWork<'_, impl Columns>,
    scratch: &mut (impl Scratch + ?Sized),
) {
    let ScoreWork { columns, attributes, pairs, wanted, results } = *scored;
    let warps_per_block = block.n_threads() / WARP;
    let n_warps = (block.n_blocks() * warps_per_block) as usize;
    let mut first = (block.block_ix() * warps_per_block + block.warp_ix()) as usize * WARP as usize;
    while first < pairs.len() {
        let ix = first + block.lane() as usize;
        let pair = pairs.get(ix).map(|&pair| [pair as u32, (pair >> 32) as u32]);
        let mut tally = pair.map(|pair| Tally::new(attributes, columns, pair, wanted)).unwrap_or_default();
        for attribute in attributes {
            if let Some(pair) = pair {
                tally.look(attribute, columns, pair, wanted, scratch);
            }
            // Some lanes were done at once, by codes or heads; they wait here, not at the end.
            block.warp_barrier();
        }
        if pair.is_some() {
            let result = tally.result(wanted);
            match wanted {
                Wanted::Mean { .. } => results[ix].store(result as u32, Relaxed),
                Wanted::Pattern => {
                    results[2 * ix].store(result as u32, Relaxed);
                    results[2 * ix + 1].store((result >> 32) as u32, Relaxed);
                }
            }
        }
        first += n_warps * WARP as usize;
    }
}
