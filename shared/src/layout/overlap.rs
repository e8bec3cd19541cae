//! What the kernels of an overlap join receive: all of them the same, and each takes its part.

use super::{DeviceAtomics, DeviceSlice, DeviceSliceMut, WARP};
use crate::overlap::{Class, Signature, Sizes, Value};
use bytemuck::{Pod, Zeroable};

/// Two blocks of values in device memory, with their index and what is found through it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceOverlap {
    /// What is in the index.
    pub indexed: DeviceValues,
    /// What is looked up; of one block with itself, the same arrays but for classes and bounds.
    pub probing: DeviceValues,
    /// By class of the probing side, then of the indexed one, how many elements values must have in common.
    pub least: DeviceSlice<u32>,
    /// By the same, how many elements values may have that the other one lacks; below 0 they cannot meet.
    pub rooms: DeviceSlice<i32>,
    /// A word for each slot of the index, 0 at first; in the end, where its postings end.
    pub slots: DeviceAtomics<u32>,
    /// By tile of slots, and one more.
    pub slot_tiles: DeviceAtomics<u32>,
    /// Room for all postings.
    pub postings: DeviceSliceMut<u64>,
    /// The groups of elements that are looked up, each a [`Group`].
    pub groups: DeviceSlice<u64>,
    /// By group how many segments its hits make, then where those begin; and one more, 0 at
    /// first. Of a dense join a group is 32 probing values, and the host has counted.
    pub segments: DeviceAtomics<u32>,
    /// By tile of groups, and one more.
    pub segment_tiles: DeviceAtomics<u32>,
    /// The words of an [`OverlapCounters`], 0 at first.
    pub counters: DeviceAtomics<u64>,
    /// Room for pairs of items, the left one in the lower half.
    pub pairs: DeviceSliceMut<u64>,
    /// What both sides know of the join.
    pub sizes: Sizes,
    /// The item that is the first value of the indexed block.
    pub first_indexed: u32,
    /// The item that is the first value of the probing block.
    pub first_probing: u32,
    /// Whether the indexed block is of the left list; truth is 1.
    pub is_left_indexed: u32,
    /// The first value of the probing block that a dense join is to do.
    pub probing_from: u32,
    /// One past the last.
    pub probing_upto: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// A side of an overlap join in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceValues {
    /// By item of the block.
    pub values: DeviceSlice<Value>,
    /// By item; none, if there are no bitmaps.
    pub signatures: DeviceSlice<WideSignature>,
    /// The elements of these values alone.
    pub elements: DeviceSlice<u32>,
    /// The classes that values name, by ascending length.
    pub classes: DeviceSlice<Class>,
    /// What bounds the values that may meet, as `shared::overlap` has it.
    pub bounds: DeviceSlice<u32>,
}

const _: () = assert!(size_of::<DeviceOverlap>() == 2 * 80 + 10 * 16 + 24 + 24);

impl DeviceOverlap {
    /// Indexed values of a segment of a dense join, which a warp compares with 32 probing ones. Few, so that
    /// all warps end together, and enough to have the probing ones loaded for.
    pub const STRETCH: u32 = 1 << 9;

    /// Words of shared memory for each warp of a dense join: four, 32 signatures, and a queue of two warps'
    /// pairs.
    pub const DENSE_WORDS: u32 = 4 + 8 * WARP + 2 * 2 * WARP;
}

/// A signature that is loaded 16 bytes at a time.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct WideSignature(pub Signature);

/// Elements of a value's prefix that a warp looks up together, one a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The value.
    pub item: u32,
    /// The first of the elements, by its place in the prefix.
    pub first: u32,
}

impl Group {
    /// As one word.
    #[inline]
    pub fn word(self) -> u64 {
        u64::from(self.item) | u64::from(self.first) << 32
    }

    /// From its word.
    #[inline]
    pub fn from_word(word: u64) -> Self {
        Self { item: word as u32, first: (word >> 32) as u32 }
    }
}

/// What an overlap join counts, a word each, in the order of the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct OverlapCounters {
    /// Postings that look-ups find; a dense join does not count.
    pub n_hits: u64,
    /// Segments that were taken, also beyond the last one.
    pub n_taken: u64,
    /// Pairs of items, also those that found no room.
    pub n_pairs: u64,
}

/// Words in an [`OverlapCounters`].
pub const OVERLAP_COUNTERS: usize = size_of::<OverlapCounters>() / 8;

/// Hits of a segment: a warp does one at a time.
pub const SEGMENT: u32 = 1 << 11;

/// Hits that are done by one launch, in some tenths of a second. Where there are more it does nothing, and the host has it
/// done in parts.
pub const MOST_HITS: u64 = 1 << 36;

/// Words of shared memory for each warp that probes: four, and a queue of two warps' hits, three words each.
pub const PROBE_WORDS: u32 = 4 + 3 * 2 * WARP;

/// Words of shared memory that a block needs to decide pairs that are listed: for each warp four, and for each lane its
/// share of two queues of two warps' pairs, of items, two words each, and of records, three.
pub const fn listed_shared_words(threads_per_block: u32) -> u32 {
    threads_per_block / WARP * 4 + threads_per_block * (2 * 2 + 2 * 3)
}

#[cfg(test)]
mod tests {
    use super::Group;

    #[test]
    fn a_group_is_a_word() {
        let group = Group { item: 0xdead_beef, first: 4064 };
        assert_eq!(Group::from_word(group.word()), group);
    }
}
