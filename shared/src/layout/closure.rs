//! What the kernels of a transitive closure receive: all of them the same, and each takes its part.

use super::{DeviceAtomics, DeviceSlice, DeviceSliceMut, WARP};
use bytemuck::{Pod, Zeroable};

/// Sources of a column of rows, a bit each: what a block has of every row, a word for each lane.
pub const COLUMN_SOURCES: u32 = WARP * WARP;
/// Words of a row that a warp turns round together: 32 bytes, which memory hands out at once.
pub const GROUP_WORDS: u32 = 8;
/// Sources in them.
pub const GROUP_SOURCES: u32 = GROUP_WORDS * WARP;

/// A piece of a closure in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceClosure {
    /// By level, the first place; and one more.
    pub levels: DeviceSlice<u32>,
    /// By place of a component, where its predecessors begin; and one more.
    pub predecessor_starts: DeviceSlice<u32>,
    /// Places of predecessors.
    pub predecessors: DeviceSlice<u32>,
    /// By node, a [`Target`].
    pub targets: DeviceSlice<u32>,
    /// By place, a bit for each source that reaches the component; 0 at first. Rows that are whole are read as [`Quad`]s.
    pub rows: DeviceAtomics<u32>,
    /// By source and part of the targets, how many it reaches; then how many it reaches
    /// before that part.
    pub counts: DeviceAtomics<u32>,
    /// By source, how many it reaches.
    pub totals: DeviceAtomics<u32>,
    /// By source, where its tuples begin among all of the piece.
    pub starts: DeviceSlice<u64>,
    /// Room for tuples.
    pub tuples: DeviceSliceMut<u64>,
    /// Which of these the first one there is room for is.
    pub first_tuple: u64,
    /// Sizes.
    pub sizes: ClosureSizes,
}

/// How large a piece is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct ClosureSizes {
    /// The first source.
    pub first_source: u32,
    /// Sources.
    pub n_sources: u32,
    /// Words of a row: whole columns.
    pub row_words: u32,
    /// Targets of a part: a multiple of 32.
    pub part: u32,
    /// Parts of the targets.
    pub n_parts: u32,
    /// The first group of sources whose tuples are to be written.
    pub first_group: u32,
    /// One past the last.
    pub end_group: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

const _: () = assert!(size_of::<DeviceClosure>() == 9 * 16 + 8 + 32);

/// Words of a row that are loaded at once.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Quad(pub [u32; 4]);

/// What is known of a node as a target, as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The place of its component.
    pub place: u32,
    /// Whether it is a component by itself, without an edge to itself: then it does not reach itself.
    pub is_apart: bool,
}

impl Target {
    /// As one word.
    #[inline]
    pub fn word(self) -> u32 {
        self.place << 1 | u32::from(self.is_apart)
    }

    /// From its word.
    #[inline]
    pub fn from_word(word: u32) -> Self {
        Self { place: word >> 1, is_apart: word & 1 == 1 }
    }
}

impl ClosureSizes {
    /// Groups of sources.
    #[inline]
    pub fn n_groups(&self) -> u32 {
        self.n_sources.div_ceil(GROUP_SOURCES)
    }
}
