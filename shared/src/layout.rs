//! What crosses between host and device, word for word.
//!
//! A kernel receives one struct, by value: it then lies in the constant bank, and takes no registers. Kernels that run one
//! after the other over the same arrays receive the same struct, and each takes its part.

mod baselines;
mod closure;
mod cluster;
mod columns;
mod decide;
mod elements;
mod join;
mod listing;
mod neighbours;
mod overlap;
mod relation;
mod slice;
mod sums;
mod sweep;

pub use baselines::{
    DeviceBucketPass, DeviceBuckets, DeviceGbase, DeviceGsh, DeviceGshSide, DeviceGshStarts, DeviceGssjoin,
    DevicePairs, DeviceProject, DeviceWideJoin, GshSizes,
};
pub use closure::{COLUMN_SOURCES, ClosureSizes, DeviceClosure, GROUP_SOURCES, GROUP_WORDS, Quad, Target};
pub use cluster::{DeviceForest, DeviceMatrix, LANE_PAIRS, LANE_QUADS, TILE_PAIRS};
pub use columns::{DeviceColumns, DeviceScratch, DeviceSets, DeviceTexts};
pub use decide::{DeviceDecide, DeviceListed, DeviceResidual, DeviceScan, DeviceScores};
pub use elements::{DeviceAlike, DeviceGrams, DeviceGroups, DeviceValued};
pub use join::{DeviceJoin, DevicePass, DeviceSide, JoinSizes};
pub use listing::{DeviceKeys, DeviceListing, DeviceLists, DeviceReach};
pub use neighbours::{DeviceNeighbours, DeviceOrder};
pub use overlap::{
    DeviceOverlap, DeviceValues, Group, MOST_HITS, OVERLAP_COUNTERS, OverlapCounters, PROBE_WORDS, SEGMENT,
    WideSignature, listed_shared_words,
};
pub use relation::{
    DeviceCompact, DeviceDeduplicate, DeviceFill, DeviceHistogram, DeviceIndex, DeviceIndexing, DeviceMark,
    DeviceMeasure, DevicePack, DeviceProjection, DeviceRelations, DeviceScatter, DeviceSet, DeviceSplit,
    DeviceStarts, DeviceUnion, DeviceUnionCount, DeviceUnpack,
};
pub use slice::{DeviceAtomics, DeviceCell, DeviceSlice, DeviceSliceMut};
pub use sums::{DeviceSums, SUM_TILE, n_sum_tiles};
pub use sweep::{DeviceItems, DeviceSettings, DeviceSweep, SweepCounters};

use bytemuck::{Pod, Zeroable};

/// A pair with the rule that holds on it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct Candidate {
    /// The left record.
    pub left: u32,
    /// The right record.
    pub right: u32,
    /// The first rule, in file order, that holds.
    pub rule: u32,
}

/// A pair of records, and how alike they are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct ScoredPair {
    /// One record.
    pub left: u32,
    /// The other. Records of a second table are numbered after those of the first.
    pub right: u32,
    /// In billionths: 1,000,000,000 is the same.
    pub score: u32,
}

const _: () = assert!(size_of::<ScoredPair>() == 12);

/// Words in a [`Candidate`]: kernels write them one at a time.
pub const CANDIDATE_WORDS: usize = 3;
const _: () = assert!(size_of::<Candidate>() == 4 * CANDIDATE_WORDS);

/// Words in a pair of items.
pub const HEAVY_WORDS: usize = 2;

/// Threads in a warp.
pub const WARP: u32 = 32;

/// Words of shared memory that a block of the scan needs: four of its own; for each warp twelve; and for each lane a sketch,
/// an upper half, limits, and its share of two queues of two warps' pairs, of items, two words each, and of records, three.
pub const fn scan_shared_words(threads_per_block: u32) -> u32 {
    4 + threads_per_block / WARP * 12 + threads_per_block * (4 + 4 + 4 + 2 * 2 + 2 * 3)
}
