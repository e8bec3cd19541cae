//! Sums that may pass 32 bits: of a warp, of a block, of tiles.
//!
//! Computes  tiles[ix] = tiles[0] + … + tiles[ix − 1], and the sum of all behind the last one
//! Layout    a word for each tile and one more
//! Launch    one block, `WIDE_SUM_WORDS`
//! Cost      tiles are read and written once
//! Next      `compact`, `merge` and `join`, which find their places in them

use crate::block::Block;
use crate::unrolled::unrolled;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::WARP;

/// Tiles that a thread sums up at once.
const TILES: usize = 4;

/// The value of another lane.
#[inline(always)]
pub(super) fn broadcast(block: &impl Block, value: u64, lane: u32) -> u64 {
    let (low, high) = (block.broadcast(value as u32, lane), block.broadcast((value >> 32) as u32, lane));
    u64::from(low) | u64::from(high) << 32
}

/// The sum of what the lanes up to this one bring, this one's included.
#[inline(always)]
fn warp_sums(block: &impl Block, value: u64) -> u64 {
    let lane = block.lane();
    let mut sum = value;
    let mut distance = 1;
    while distance < WARP {
        let before = broadcast(block, sum, lane.wrapping_sub(distance) % WARP);
        if lane >= distance {
            sum += before;
        }
        distance *= 2;
    }
    sum
}

/// The sum of what the threads before this one bring, and of all. All threads come here together; `at` are
/// `WIDE_SUM_WORDS` words of shared memory.
#[inline(always)]
pub(super) fn block_sums(block: &impl Block, value: u64, at: u32) -> (u64, u64) {
    let (lane, warp, n_warps) = (block.lane(), block.warp_ix(), block.n_threads() / WARP);
    let get = |ix: u32| u64::from(block.shared(at + ix)) | u64::from(block.shared(at + WARP + ix)) << 32;
    let set = |ix: u32, sum: u64| {
        block.set_shared(at + ix, sum as u32);
        block.set_shared(at + WARP + ix, (sum >> 32) as u32);
    };
    let upto_here = warp_sums(block, value);
    if lane == WARP - 1 {
        set(warp, upto_here);
    }
    block.barrier();
    if warp == 0 {
        let of_warp = if lane < n_warps { get(lane) } else { 0 };
        let upto_warp = warp_sums(block, of_warp);
        if lane < n_warps {
            set(lane, upto_warp);
        }
    }
    block.barrier();
    let before_warp = if warp == 0 { 0 } else { get(warp - 1) };
    let all = get(n_warps - 1);
    // The words may be used again.
    block.barrier();
    (before_warp + upto_here - value, all)
}

/// The sum of the tiles before each, and of all, which `total` becomes too. One block.
#[inline(always)]
pub fn starts(block: &impl Block, tiles: &[AtomicU64], total: &AtomicU64) {
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
        total.store(start, Relaxed);
    }
}
