//! What joins leave for their last kernel, in device memory.

use super::memory::Memory;
use crate::join::{Light, LightSides};
use hyperblock_shared::layout::{DeviceJoin, JoinSizes};

/// The light partitions.
#[inline(always)]
pub(super) fn light_partitions<'a>(memory: Memory, join: &DeviceJoin) -> Light<'a> {
    let JoinSizes { bits, n_slots, .. } = join.sizes;
    Light {
        sides: LightSides {
            tuples: join.sides.each_ref().map(|side| memory.read(side.tuples)),
            starts: join.sides.each_ref().map(|side| memory.read(side.starts)),
        },
        n_partitions: 1 << bits,
        used: bits,
        n_slots,
    }
}
