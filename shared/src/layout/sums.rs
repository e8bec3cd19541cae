//! What the kernels that sum up an array receive.

use super::DeviceAtomics;
use bytemuck::{Pod, Zeroable};

/// Words that become the sums of those before them, by way of their tiles.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSums {
    /// The words.
    pub words: DeviceAtomics<u32>,
    /// By tile of [`SUM_TILE`] words, and one more.
    pub tiles: DeviceAtomics<u32>,
}

const _: () = assert!(size_of::<DeviceSums>() == 2 * 16);

/// Words that a warp sums up at a time.
pub const SUM_TILE: u32 = 1 << 10;

/// Tiles of so many words.
pub const fn n_sum_tiles(n_words: u64) -> u64 {
    n_words.div_ceil(SUM_TILE as u64)
}
