//! Scores of listed pairs of records.
//!
//! Computes  of the pairs whose score reaches what is asked for, which they are, and that; or the levels of all pairs
//! Layout    pairs of records in words, the left one in the lower half; results are two words each: the place of a pair and
//!           its score, in no order; or, by pair, its levels; columns as in `crate::scan`
//! Launch    1-D, any number of blocks, no shared memory; scratch a column a thread
//! Cost      for each attribute two scattered codes and two heads; where those do not tell, both values, and for texts of n
//!           and m symbols some n · m / 64 steps
//! Next      the host downloads as many results as there are
//! Twin      `hyperblock_shared::score::result`, which `host::cpu` calls

use crate::block::Block;
use crate::primitives::lanes::below;
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
    /// What values weigh of their own.
    pub terms: &'a [i32],
    /// Whose records are those of the columns.
    pub pairs: &'a [u64],
    /// What is to be computed.
    pub wanted: Wanted,
    /// Room for two words a pair.
    pub results: &'a [AtomicU32],
    /// How many results there are, which was 0; unless these are levels.
    pub n_kept: &'a AtomicU32,
}

/// The kernel's body. The lanes of a warp look at the same attribute of different pairs.
#[inline(always)]
pub fn score(
    block: &impl Block,
    scored: &ScoreWork<'_, impl Columns>,
    scratch: &mut (impl Scratch + ?Sized),
) {
    let ScoreWork { columns, attributes, terms, pairs, wanted, results, n_kept } = *scored;
    let warps_per_block = block.n_threads() / WARP;
    let n_warps = (block.n_blocks() * warps_per_block) as usize;
    let mut first = (block.block_ix() * warps_per_block + block.warp_ix()) as usize * WARP as usize;
    while first < pairs.len() {
        let ix = first + block.lane() as usize;
        let pair = pairs.get(ix).map(|&pair| [pair as u32, (pair >> 32) as u32]);
        let mut tally = pair.map(|pair| Tally::new(attributes, columns, pair, wanted)).unwrap_or_default();
        for attribute in attributes {
            if let Some(pair) = pair {
                tally.look(attribute, terms, columns, pair, wanted, scratch);
            }
            // Some lanes were done at once, by codes or heads; they wait here, not at the end.
            block.warp_barrier();
        }
        let result = tally.result(wanted);
        let (low, high, place) = match wanted {
            Wanted::Pattern => (result as u32, (result >> 32) as u32, pair.map(|_| ix)),
            Wanted::Mean { .. } | Wanted::Weight { .. } => {
                let is_kept = pair.is_some() && wanted.keeps(result);
                let all = block.ballot(is_kept);
                let first = match block.lane() == 0 && all != 0 {
                    true => n_kept.fetch_add(all.count_ones(), Relaxed),
                    false => 0,
                };
                let place = (block.broadcast(first, 0) + below(block, all)) as usize;
                (ix as u32, result as u32, is_kept.then_some(place))
            }
        };
        if let Some(place) = place {
            results[2 * place].store(low, Relaxed);
            results[2 * place + 1].store(high, Relaxed);
        }
        first += n_warps * WARP as usize;
    }
}
