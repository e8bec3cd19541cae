//! What the kernels of clustering receive.

use super::{DeviceSlice, Scored, WARP};
use bytemuck::{Pod, Zeroable};

/// Pairs that a lane reads at once: three times four words.
pub const LANE_PAIRS: u32 = 4;
/// Four words at once that they take.
pub const LANE_QUADS: u32 = 3;
/// Pairs of a tile: a warp's.
pub const TILE_PAIRS: u32 = WARP * LANE_PAIRS;

const _: () = assert!(size_of::<Scored>() * LANE_PAIRS as usize == 16 * LANE_QUADS as usize);

/// A forest of records in device memory, and pairs to hook into it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceForest {
    /// Of `[u32; 4]`, aligned as such: three for four `Scored`.
    pub pairs: DeviceSlice,
    /// Of `AtomicU32`: by record its parent.
    pub parents: DeviceSlice,
    /// Of `AtomicU32`: a bit for each record, whether it is in the giant.
    pub members: DeviceSlice,
    /// Of `AtomicU32`: one, the root of the giant or `NO_RECORD`.
    pub giant: DeviceSlice,
    /// The first tile of pairs that is to be hooked.
    pub first: u32,
    /// Every how many-th is.
    pub step: u32,
}

/// A matrix of bits in device memory, as `shared::matrix` lays it out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceMatrix {
    /// Of `AtomicU32`: rows, each of so many words.
    pub words: DeviceSlice,
    /// Of `u64`: pairs of rows, one in each half.
    pub pairs: DeviceSlice,
    /// Of `AtomicU32`: by row the first column that has a bit.
    pub firsts: DeviceSlice,
    /// Words of a row.
    pub stride: u32,
    /// The pivot's first row, and column.
    pub pivot: u32,
}

const _: () = assert!(size_of::<DeviceForest>() == 4 * 16 + 8 && size_of::<DeviceMatrix>() == 3 * 16 + 8);
