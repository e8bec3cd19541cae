//! Sums of what the threads before this one bring: of a warp, of a block.

use crate::block::Block;
use hyperblock_shared::layout::WARP;

/// The sum of what the lanes up to this one bring, this one's included.
#[inline(always)]
pub(crate) fn warp_sums(block: &impl Block, value: u32) -> u32 {
    let lane = block.lane();
    let mut sum = value;
    let mut distance = 1;
    while distance < WARP {
        let before = block.broadcast(sum, lane.wrapping_sub(distance) % WARP);
        if lane >= distance {
            sum += before;
        }
        distance *= 2;
    }
    sum
}

/// The sum of what all lanes bring.
#[inline(always)]
pub(crate) fn warp_total(block: &impl Block, value: u64) -> u64 {
    let mut sum = value;
    let mut distance = WARP / 2;
    while distance > 0 {
        let lane = block.lane() ^ distance;
        let (low, high) = (block.broadcast(sum as u32, lane), block.broadcast((sum >> 32) as u32, lane));
        sum += u64::from(low) | u64::from(high) << 32;
        distance /= 2;
    }
    sum
}

/// The sum of what the threads before this one bring, and of all. All threads come here together; `at` are
/// `SUM_WORDS` words of shared memory.
#[inline(always)]
pub(crate) fn block_sums(block: &impl Block, value: u32, at: u32) -> (u32, u32) {
    let (lane, warp, n_warps) = (block.lane(), block.warp_ix(), block.n_threads() / WARP);
    let upto_here = warp_sums(block, value);
    if lane == WARP - 1 {
        block.set_shared(at + warp, upto_here);
    }
    block.barrier();
    if warp == 0 {
        let of_warp = if lane < n_warps { block.shared(at + lane) } else { 0 };
        let upto_warp = warp_sums(block, of_warp);
        if lane < n_warps {
            block.set_shared(at + lane, upto_warp);
        }
    }
    block.barrier();
    let before_warp = if warp == 0 { 0 } else { block.shared(at + warp - 1) };
    let all = block.shared(at + n_warps - 1);
    // The words may be used again.
    block.barrier();
    (before_warp + upto_here - value, all)
}
