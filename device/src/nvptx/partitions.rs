//! What joins leave for their last kernel, in device memory.

use super::slice;
use crate::join::{Light, LightSides};
use core::arch::nvptx;
use hyperblock_shared::layout::{DeviceJoin, JoinSizes};

/// Threads of a block.
pub(super) fn n_threads() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_block_dim_x() as u32 }
}

/// The light partitions.
///
/// # Safety
/// Its slices are as `layout` says, written by nobody, and outlive the kernel.
pub(super) unsafe fn light_partitions(join: &DeviceJoin) -> Light<'_> {
    let JoinSizes { bits, n_slots, .. } = join.sizes;
    // SAFETY: the caller's promise.
    unsafe {
        Light {
            sides: LightSides {
                tuples: join.sides.each_ref().map(|side| slice(&side.tuples)),
                starts: join.sides.each_ref().map(|side| slice(&side.starts)),
            },
            n_partitions: 1 << bits,
            used: bits,
            n_slots,
        }
    }
}
