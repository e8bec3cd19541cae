//! What the kernels of baselines receive.

use super::{DeviceAtomics, DeviceCell, DeviceRelations, DeviceSlice, DeviceSliceMut};
use bytemuck::{Pod, Zeroable};

/// Gbase: a side as lists of buckets, in device memory. The first bucket of a partition has its number.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceBuckets {
    /// By bucket: its tuples. Room for one for each partition, and for all rows.
    pub tuples: DeviceSliceMut<u64>,
    /// By partition: its last bucket, and in the upper half how many tuples that has.
    pub tails: DeviceAtomics<u64>,
    /// By bucket: the one that it is linked to.
    pub next: DeviceAtomics<u32>,
    /// By bucket: whose it is.
    pub owners: DeviceAtomics<u32>,
    /// How many buckets are used.
    pub n_used: DeviceCell<u32>,
    /// Tuples that a bucket holds.
    pub n_rows: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// Gbase: a pass over a side.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceBucketPass {
    /// The keys, in the first pass.
    pub keys: DeviceSlice<u32>,
    /// As many as keys, or none.
    pub rows: DeviceSlice<u32>,
    /// What the first pass left, in the second; without tuples in the first.
    pub from: DeviceBuckets,
    /// What it writes, as `begin` left it.
    pub to: DeviceBuckets,
    /// Bits of the hash that were used before.
    pub used: u32,
    /// Bits of the hash that partitions are told apart by.
    pub bits: u32,
}

/// Where pairs go, or how many they are.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DevicePairs {
    /// How many there are, 0 at first.
    pub n_pairs: DeviceCell<u64>,
    /// Places of the buffer that were taken, round and round, 0 at first.
    pub n_taken: DeviceCell<u64>,
    /// The buffer: at least a piece; may be empty if pairs are only counted.
    pub pairs: DeviceSliceMut<u64>,
    /// Places that a warp takes at once, at least one for each lane.
    pub piece: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// Gbase: its last kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceGbase {
    /// What both passes left, left and right.
    pub sides: [DeviceBuckets; 2],
    /// The pairs.
    pub output: DevicePairs,
    /// Bits of the hash that partitions are told apart by.
    pub used: u32,
    /// Bits of it that slots of a table are told apart by, at least 2.
    pub slot_bits: u32,
}

/// GSH: a join that the engine's kernels have partitioned, all keys alike.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceGsh {
    /// Left and right; to divide one, that one first.
    pub sides: [DeviceGshSide; 2],
    /// By partition: which of the large ones it is.
    pub numbers: DeviceAtomics<u32>,
    /// By large partition: which partition it is.
    pub large: DeviceAtomics<u32>,
    /// By large partition: `top` keys.
    pub keys: DeviceAtomics<u32>,
    /// How many large partitions there are, 0 at first.
    pub n_large: DeviceCell<u32>,
    /// How many keys were found in them, 0 at first.
    pub n_skewed: DeviceCell<u32>,
    /// The pairs.
    pub output: DevicePairs,
    /// The numbers.
    pub sizes: GshSizes,
}

/// GSH: a side. Its classes are the keys of all large partitions, then what is left of each.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceGshSide {
    /// Tuples, by partition.
    pub tuples: DeviceSlice<u64>,
    /// By partition where its tuples start, and the next one's.
    pub starts: DeviceSlice<u32>,
    /// By large partition: how many tuples it has.
    pub n_rows: DeviceAtomics<u32>,
    /// By large partition its first tile, and one more.
    pub tiles: DeviceAtomics<u32>,
    /// By class how many tuples it has, 0 at first.
    pub counts: DeviceAtomics<u32>,
    /// By class where it starts, and one more.
    pub class_starts: DeviceAtomics<u32>,
    /// By class where its next tuple goes.
    pub cursors: DeviceAtomics<u32>,
    /// Room for all tuples, by class.
    pub divided: DeviceSliceMut<u64>,
}

/// The numbers of GSH, a word each.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct GshSizes {
    /// Bits of the hash that partitions are told apart by.
    pub bits: u32,
    /// Bits of it that slots of a table are told apart by, at least 2.
    pub slot_bits: u32,
    /// Rows that a table holds. A partition with more on a side is large.
    pub table_rows: u32,
    /// One row of so many is sampled.
    pub one_of: u32,
    /// Keys of a large partition that are joined apart.
    pub top: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// GSH: where classes start, or tiles.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceGshStarts {
    /// By class how many tuples it has.
    pub counts: DeviceSlice<u32>,
    /// By class where it starts, and one more.
    pub starts: DeviceAtomics<u32>,
    /// By class the same.
    pub cursors: DeviceAtomics<u32>,
    /// By class its first tile, and one more; or nothing.
    pub tiles: DeviceAtomics<u32>,
    /// Rows of a tile.
    pub tile_rows: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// `wide_join`: a range of the triples that are made.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceWideJoin {
    /// What is joined.
    pub relations: DeviceRelations,
    /// By tile the number of the first that it makes, and one more.
    pub starts: DeviceSlice<u64>,
    /// Room for some of them, a column each.
    pub columns: [DeviceAtomics<u32>; 3],
    /// The number of the first that is written.
    pub from: u64,
}

/// `project`: pairs of what comes first and third.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceProject {
    /// As `wide_join` left them.
    pub columns: [DeviceAtomics<u32>; 2],
    /// As many pairs.
    pub projected: DeviceSliceMut<u64>,
}

/// gSSJoin: sets by place, from small to large, their index and scores.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceGssjoin {
    /// By place where its elements start, and one more.
    pub starts: DeviceSlice<u32>,
    /// The elements.
    pub elements: DeviceSlice<u32>,
    /// By element, 0 at first: how many sets have it; then where they start; then where they end.
    pub slots: DeviceAtomics<u32>,
    /// As many as elements: places of sets.
    pub postings: DeviceAtomics<u32>,
    /// By place: which size it has.
    pub sizes: DeviceSlice<u32>,
    /// By two sizes: how many elements sets of them need in common.
    pub least: DeviceSlice<u32>,
    /// By block and two places, all 0.
    pub scores: DeviceAtomics<u32>,
    /// The pairs.
    pub output: DevicePairs,
    /// How many sizes there are.
    pub n_sizes: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

const _: () = assert!(size_of::<DeviceBuckets>() == 4 * 16 + 8 + 8);
const _: () = assert!(size_of::<DeviceBucketPass>() == 2 * 16 + 2 * 80 + 8);
const _: () = assert!(size_of::<DevicePairs>() == 2 * 8 + 16 + 8);
const _: () = assert!(size_of::<DeviceGbase>() == 2 * 80 + 40 + 8);
const _: () = assert!(size_of::<DeviceGsh>() == 2 * 128 + 3 * 16 + 2 * 8 + 40 + 24);
const _: () = assert!(size_of::<DeviceGshStarts>() == 4 * 16 + 8);
const _: () = assert!(size_of::<DeviceGssjoin>() == 7 * 16 + 40 + 8);
const _: () = assert!(size_of::<DeviceWideJoin>() == size_of::<DeviceRelations>() + 4 * 16 + 8);
const _: () = assert!(size_of::<DeviceProject>() == 3 * 16);
