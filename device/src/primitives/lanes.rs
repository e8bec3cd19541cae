//! Which warp of a launch this is, which places a thread has, and who stands before a lane.

use crate::block::Block;
use hyperblock_shared::layout::WARP;

/// This thread's warp among all of the launch, and how many there are.
#[inline(always)]
pub(crate) fn warp_of_launch(block: &impl Block) -> (u32, u32) {
    let n_warps = block.n_threads() / WARP;
    (block.block_ix() * n_warps + block.warp_ix(), block.n_blocks() * n_warps)
}

/// This thread's first place, and how far it is to its next one.
#[inline(always)]
pub(crate) fn stride(block: &impl Block) -> (usize, usize) {
    let first = block.block_ix() as usize * block.n_threads() as usize + block.thread_ix() as usize;
    (first, block.n_blocks() as usize * block.n_threads() as usize)
}

/// All places of so many that are this thread's.
#[inline(always)]
pub(crate) fn for_each(block: &impl Block, n: usize, mut step: impl FnMut(usize)) {
    let mut ix = (block.block_ix() * block.n_threads() + block.thread_ix()) as usize;
    while ix < n {
        step(ix);
        ix += (block.n_blocks() * block.n_threads()) as usize;
    }
}

/// How many of the bits below this lane's are set.
#[inline(always)]
pub(crate) fn below(block: &impl Block, bits: u32) -> u32 {
    (bits & ((1 << block.lane()) - 1)).count_ones()
}

/// The value that lane `lane` brought. All lanes come here together.
#[inline(always)]
pub(crate) fn of_lane(block: &impl Block, value: u64, lane: u32) -> u64 {
    let (low, high) = (block.broadcast(value as u32, lane), block.broadcast((value >> 32) as u32, lane));
    u64::from(low) | u64::from(high) << 32
}
