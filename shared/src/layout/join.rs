//! What the kernels of a join receive: all of them the same, and each takes its part.

use super::DeviceSlice;
use bytemuck::{Pod, Zeroable};

/// A join in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceJoin {
    /// Left and right; of one side with itself, the same twice.
    pub sides: [DeviceSide; 2],
    /// Of `AtomicU32`: slots of sampled keys, all `MISSING` at first; a power of two.
    pub sample_slots: DeviceSlice,
    /// Of `AtomicU32`: by slot, 0 at first.
    pub sample_counts: DeviceSlice,
    /// Of `AtomicU32`: room for slots of keys that came up often enough.
    pub sample_list: DeviceSlice,
    /// Of `AtomicU32`: how many those are, 0 at first; also those that found no room.
    pub n_listed: DeviceSlice,
    /// Of `AtomicU32`: the table of heavy keys, all `MISSING` at first.
    pub heavy_slots: DeviceSlice,
    /// Of `AtomicU32`: by slot.
    pub heavy_numbers: DeviceSlice,
    /// Of `AtomicU32`: how many heavy keys there are, 0 at first.
    pub n_heavy: DeviceSlice,
    /// Of `AtomicU64`: by heavy key its first unit, and one more.
    pub units: DeviceSlice,
    /// Of `AtomicU64`: how many pairs there are, 0 at first.
    pub n_pairs: DeviceSlice,
    /// Of `u64`: room for pairs; may be empty if they are only counted.
    pub pairs: DeviceSlice,
    /// The numbers.
    pub sizes: JoinSizes,
}

/// A side of a join in device memory, as the last pass left it and, for heavy keys, the first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSide {
    /// Of `u32`.
    pub keys: DeviceSlice,
    /// Of `u64`: light tuples, by partition.
    pub tuples: DeviceSlice,
    /// Of `u32`: by partition where its tuples start, and the next one's.
    pub starts: DeviceSlice,
    /// Of `u64`: heavy tuples, by key.
    pub heavy_tuples: DeviceSlice,
    /// Of `u32`: by heavy key where its tuples start, and the next one's.
    pub heavy_starts: DeviceSlice,
}

/// A pass over a side.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DevicePass {
    /// Of `u32`: the keys, if this is the first pass.
    pub keys: DeviceSlice,
    /// Of `u32`: as many as keys, or none.
    pub rows: DeviceSlice,
    /// Of `u64`: what the first pass wrote, if this is the second.
    pub from: DeviceSlice,
    /// Of `u32`: by segment where it starts, and one more.
    pub segments: DeviceSlice,
    /// Of `u32`: by segment its first tile, and one more.
    pub tiles: DeviceSlice,
    /// Of `AtomicU32`: by class how many rows it has, 0 at first.
    pub counts: DeviceSlice,
    /// Of `AtomicU32`: by class where it starts, and one more.
    pub starts: DeviceSlice,
    /// Of `AtomicU32`: by class where its next tuple goes.
    pub cursors: DeviceSlice,
    /// Of `u64`: room for all tuples.
    pub tuples: DeviceSlice,
    /// Of `AtomicU32`: the tiles of the next pass, if there is one.
    pub next_tiles: DeviceSlice,
    /// Of `u32`: the table of heavy keys; empty in the second pass.
    pub heavy_slots: DeviceSlice,
    /// Of `u32`: by slot.
    pub heavy_numbers: DeviceSlice,
    /// Of `u32`: how many heavy keys there are.
    pub n_heavy: DeviceSlice,
    /// Bits of the hash that were used before.
    pub used: u32,
    /// Bits of the hash that classes are told apart by.
    pub bits: u32,
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
    /// Fills the last 64-bit word.
    pub padding: u32,
}

const _: () =
    assert!(size_of::<DeviceJoin>() == 2 * 80 + 10 * 16 + 24 && size_of::<DevicePass>() == 13 * 16 + 8);
