//! What the kernels of a join receive: all of them the same, and each takes its part.

use super::{DeviceAtomics, DeviceCell, DeviceSlice, DeviceSliceMut};
use bytemuck::{Pod, Zeroable};

/// A join in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceJoin {
    /// Left and right; of one side with itself, the same twice.
    pub sides: [DeviceSide; 2],
    /// Slots of sampled keys, all `MISSING` at first; a power of two.
    pub sample_slots: DeviceAtomics<u32>,
    /// By slot, 0 at first.
    pub sample_counts: DeviceAtomics<u32>,
    /// Room for slots of keys that came up often enough.
    pub sample_list: DeviceAtomics<u32>,
    /// How many those are, 0 at first; also those that found no room.
    pub n_listed: DeviceCell<u32>,
    /// The table of heavy keys, all `MISSING` at first.
    pub heavy_slots: DeviceAtomics<u32>,
    /// By slot.
    pub heavy_numbers: DeviceAtomics<u32>,
    /// How many heavy keys there are, 0 at first.
    pub n_heavy: DeviceCell<u32>,
    /// By heavy key its first unit, and one more.
    pub units: DeviceAtomics<u64>,
    /// How many pairs there are, 0 at first.
    pub n_pairs: DeviceCell<u64>,
    /// Room for pairs; may be empty if they are only counted.
    pub pairs: DeviceSliceMut<u64>,
    /// The numbers.
    pub sizes: JoinSizes,
}

/// A side of a join in device memory, as the last pass left it and, for heavy keys, the first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSide {
    /// By row.
    pub keys: DeviceSlice<u32>,
    /// Light tuples, by partition.
    pub tuples: DeviceSlice<u64>,
    /// By partition where its tuples start, and the next one's.
    pub starts: DeviceSlice<u32>,
    /// Heavy tuples, by key.
    pub heavy_tuples: DeviceSlice<u64>,
    /// By heavy key where its tuples start, and the next one's.
    pub heavy_starts: DeviceSlice<u32>,
}

/// A pass over a side.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DevicePass {
    /// The keys, unless they are in tuples.
    pub keys: DeviceSlice<u32>,
    /// As many as keys, or none.
    pub rows: DeviceSlice<u32>,
    /// Tuples of key and row: those that the first pass wrote, if this is the second.
    pub from: DeviceSlice<u64>,
    /// By segment where it starts, and one more.
    pub segments: DeviceSlice<u32>,
    /// By segment its first tile, and one more.
    pub tiles: DeviceSlice<u32>,
    /// By class how many rows it has, 0 at first.
    pub counts: DeviceAtomics<u32>,
    /// By class where it starts, and one more.
    pub starts: DeviceAtomics<u32>,
    /// By class where its next tuple goes.
    pub cursors: DeviceAtomics<u32>,
    /// Room for all tuples.
    pub tuples: DeviceSliceMut<u64>,
    /// The tiles of the next pass, if there is one.
    pub next_tiles: DeviceAtomics<u32>,
    /// The table of heavy keys; empty in the second pass.
    pub heavy_slots: DeviceSlice<u32>,
    /// By slot.
    pub heavy_numbers: DeviceSlice<u32>,
    /// How many heavy keys there are.
    pub n_heavy: DeviceCell<u32>,
    /// Bits of the hash that were used before.
    pub used: u32,
    /// Bits of the hash that classes are told apart by.
    pub bits: u32,
    /// Rows of a tile in the next pass.
    pub tile_rows: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// The numbers of a join, a word each; truth is 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct JoinSizes {
    /// One key of so many is sampled.
    pub step: u32,
    /// The fewest times that a heavy key comes up in the sample.
    pub least: u32,
    /// Bits of the hash that tell light partitions apart.
    pub bits: u32,
    /// Slots of a light partition's table: more than are built at once, and a multiple of 4.
    pub n_slots: u32,
    /// Whether both sides are one.
    pub is_self: u32,
    /// Whether pairs of heavy keys are only counted.
    pub counts_only: u32,
}

const _: () = assert!(size_of::<DeviceJoin>() == 2 * 80 + 7 * 16 + 3 * 8 + 24);
const _: () = assert!(size_of::<DevicePass>() == 12 * 16 + 8 + 16);
