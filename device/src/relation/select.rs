//! Selection from sorted words: each once, and of those only what another sorted array lacks.
//!
//! Computes  a bit for each word that is kept; then the words that are
//! Layout    tiles of `SELECT_TILE` words, a mask for each 32 of them, and by tile how many are kept
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      words are read twice and written once; each looks for itself in the other array, in the logarithm of its length
//! Next      between the two, `starts` says where a tile's words go

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::{below, warp_of_launch};
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::layout::WARP;
use hyperblock_shared::relation::SELECT_TILE;

/// Masks that a warp makes at once.
const AT_ONCE: usize = 8;
/// Masks of a tile.
const MASKS: u32 = SELECT_TILE / WARP;

/// Marks the first of equal words, unless it is among the `others`; counts what is marked of each tile.
#[inline(always)]
pub fn mark(block: &impl Block, words: &[u64], others: &[u64], masks: &[AtomicU32], tiles: &[AtomicU64]) {
    let (warp, n_warps) = warp_of_launch(block);
    let (warp, n_warps) = (u64::from(warp), u64::from(n_warps));
    let (lane, n_tiles) = (block.lane(), tiles.len() as u64 - 1);
    let is_kept = |ix: usize| match words.get(ix) {
        None => false,
        Some(&word) => {
            let is_first = ix == 0 || words.get(ix - 1) != Some(&word);
            is_first && !contains(others, word)
        }
    };
    let mut tile = warp;
    while tile < n_tiles {
        let first = tile as usize * SELECT_TILE as usize + lane as usize;
        let (mut own_mask, mut n_kept) = (0, 0);
        let mut row = 0;
        while row < MASKS {
            let mut kept = [false; AT_ONCE];
            unrolled::<AT_ONCE>(|nth| kept[nth] = is_kept(first + (row as usize + nth) * WARP as usize));
            // Looks may be of different lengths.
            block.warp_barrier();
            unrolled::<AT_ONCE>(|nth| {
                let mask = block.ballot(kept[nth]);
                if lane == row + nth as u32 {
                    own_mask = mask;
                }
                n_kept += mask.count_ones();
            });
            row += AT_ONCE as u32;
        }
        masks[tile as usize * MASKS as usize + lane as usize].store(own_mask, Relaxed);
        if lane == 0 {
            tiles[tile as usize].store(u64::from(n_kept), Relaxed);
        }
        tile += n_warps;
    }
}

/// Whether a word is among sorted ones.
#[inline(always)]
fn contains(sorted: &[u64], word: u64) -> bool {
    let (mut from, mut upto) = (0, sorted.len());
    while from < upto {
        let middle = from + (upto - from) / 2;
        match sorted.get(middle) {
            Some(&other) if other == word => return true,
            Some(&other) if other < word => from = middle + 1,
            _ => upto = middle,
        }
    }
    false
}

/// Writes what was marked, from where each tile starts.
#[inline(always)]
pub fn compact(block: &impl Block, words: &[u64], masks: &[u32], starts: &[u64], kept: &impl Words) {
    let (warp, n_warps) = warp_of_launch(block);
    let (warp, n_warps) = (u64::from(warp), u64::from(n_warps));
    let (lane, n_tiles) = (block.lane(), starts.len() as u64 - 1);
    let mut tile = warp;
    while tile < n_tiles {
        let first = tile as usize * SELECT_TILE as usize + lane as usize;
        let own_mask = masks[tile as usize * MASKS as usize + lane as usize];
        let mut start = starts[tile as usize];
        let mut row = 0;
        while row < MASKS {
            let mut own = [0; AT_ONCE];
            unrolled::<AT_ONCE>(|nth| {
                let ix = first + (row as usize + nth) * WARP as usize;
                own[nth] = words.get(ix).copied().unwrap_or(0);
            });
            unrolled::<AT_ONCE>(|nth| {
                let mask = block.broadcast(own_mask, row + nth as u32);
                if mask >> lane & 1 == 1 {
                    let place = start + u64::from(below(block, mask));
                    kept.set(place, own[nth]);
                }
                start += u64::from(mask.count_ones());
            });
            row += AT_ONCE as u32;
        }
        tile += n_warps;
    }
}
