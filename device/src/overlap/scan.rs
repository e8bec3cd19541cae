//! Sums over an array in device memory: each word becomes the sum of those before it.
//!
//! Computes  words[ix] = words[0] + … + words[ix − 1]
//! Layout    tiles of `SUM_TILE` words, a word for each and one more
//! Launch    `totals`, `spread`: 1-D, any number of blocks, no shared memory; `starts`: one block, `SUM_WORDS`
//! Cost      words are read twice and written once
//! Next      `fill`, which takes places from slots; `probe`, which looks segments up

use super::warp_of_launch;
use crate::block::Block;
use crate::sums::{block_sums, warp_sums, warp_total};
use crate::unrolled::unrolled;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::{SUM_TILE, WARP};

/// Words that a lane loads at once.
const AT_ONCE: usize = 8;
/// Tiles that a thread sums up at once.
const TILES: usize = 4;

const _: () = assert!(SUM_TILE.is_multiple_of(WARP * AT_ONCE as u32));

/// The sum of each tile.
#[inline(always)]
pub fn totals(block: &impl Block, words: &[u32], tiles: &[AtomicU32]) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_tiles = tiles.len() as u32 - 1;
    let mut tile = warp;
    while tile < n_tiles {
        let mut sum = 0;
        for_each_row(tile, |first| {
            unrolled::<AT_ONCE>(|nth| {
                let ix = first + nth * WARP as usize + block.lane() as usize;
                sum += words.get(ix).copied().unwrap_or(0);
            });
        });
        let sum = warp_total(block, u64::from(sum)) as u32;
        if block.lane() == 0 {
            tiles[tile as usize].store(sum, Relaxed);
        }
        tile += n_warps;
    }
}

/// The sum of the tiles before each, and of all. One block.
#[inline(always)]
pub fn starts(block: &impl Block, tiles: &[AtomicU32]) {
    let n_tiles = tiles.len() - 1;
    let mut start = 0;
    let mut first = 0;
    while first < n_tiles {
        let own = first + block.thread_ix() as usize * TILES;
        let mut sums = [0; TILES];
        unrolled::<TILES>(|nth| {
            if own + nth < n_tiles {
                sums[nth] = tiles[own + nth].load(Relaxed);
            }
        });
        let (before, all) = block_sums(block, sums.iter().sum(), 0);
        let mut sum = start + before;
        unrolled::<TILES>(|nth| {
            if own + nth < n_tiles {
                tiles[own + nth].store(sum, Relaxed);
            }
            sum += sums[nth];
        });
        start += all;
        first += block.n_threads() as usize * TILES;
    }
    if block.thread_ix() == 0 {
        tiles[n_tiles].store(start, Relaxed);
    }
}

/// The sum of the words before each.
#[inline(always)]
pub fn spread(block: &impl Block, words: &[AtomicU32], tiles: &[u32]) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_tiles = tiles.len() as u32 - 1;
    let mut tile = warp;
    while tile < n_tiles {
        let mut start = tiles[tile as usize];
        for_each_row(tile, |first| {
            let place = |nth: usize| first + nth * WARP as usize + block.lane() as usize;
            let mut own = [0; AT_ONCE];
            unrolled::<AT_ONCE>(|nth| {
                if place(nth) < words.len() {
                    own[nth] = words[place(nth)].load(Relaxed);
                }
            });
            unrolled::<AT_ONCE>(|nth| {
                let upto_here = warp_sums(block, own[nth]);
                if place(nth) < words.len() {
                    words[place(nth)].store(start + upto_here - own[nth], Relaxed);
                }
                start += block.broadcast(upto_here, WARP - 1);
            });
        });
        tile += n_warps;
    }
}

/// The first words of what a warp loads at once, one after the other.
#[inline(always)]
fn for_each_row(tile: u32, mut step: impl FnMut(usize)) {
    let mut row = 0;
    while row < SUM_TILE {
        step(tile as usize * SUM_TILE as usize + row as usize);
        row += WARP * AT_ONCE as u32;
    }
}
