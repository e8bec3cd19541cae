//! What the kernels of clustering receive.

use super::{DeviceAtomics, DeviceCell, DeviceSlice, Quad, ScoredPair, WARP};
use bytemuck::{Pod, Zeroable};

/// Pairs that a lane reads at once: three times four words.
pub const LANE_PAIRS: u32 = 4;
/// Four words at once that they take.
pub const LANE_QUADS: u32 = 3;
/// Pairs of a tile: a warp's.
pub const TILE_PAIRS: u32 = WARP * LANE_PAIRS;

const _: () = assert!(size_of::<ScoredPair>() * LANE_PAIRS as usize == 16 * LANE_QUADS as usize);

/// A forest of records in device memory, and pairs to hook into it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceForest {
    /// Three for four `ScoredPair`.
    pub pairs: DeviceSlice<Quad>,
    /// By record its parent.
    pub parents: DeviceAtomics<u32>,
    /// A bit for each record, whether it is in the giant.
    pub members: DeviceAtomics<u32>,
    /// The root of the giant, or `NO_RECORD`.
    pub giant: DeviceCell<u32>,
    /// The first tile of pairs that is to be hooked.
    pub first: u32,
    /// Every how many-th is.
    pub step: u32,
}

/// A matrix of bits in device memory, as `shared::matrix` lays it out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceMatrix {
    /// Rows, each of so many words.
    pub words: DeviceAtomics<u32>,
    /// Pairs of rows, one in each half.
    pub pairs: DeviceSlice<u64>,
    /// By row the first column that has a bit.
    pub firsts: DeviceAtomics<u32>,
    /// Words of a row.
    pub stride: u32,
    /// Rows that are here.
    pub n_rows: u32,
    /// The first of them that is to be brought up to date.
    pub first: u32,
    /// The pivot's first row, among those that are here.
    pub pivot: u32,
    /// Its first column.
    pub column: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

const _: () =
    assert!(size_of::<DeviceForest>() == 3 * 16 + 8 + 8 && size_of::<DeviceMatrix>() == 3 * 16 + 24);
