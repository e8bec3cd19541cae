//! What crosses between host and device, word for word.

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

/// Words in a [`Candidate`]: kernels write them one at a time.
pub const CANDIDATE_WORDS: usize = 3;
const _: () = assert!(size_of::<Candidate>() == 4 * CANDIDATE_WORDS);

/// An array in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSlice {
    /// Where it starts.
    pub address: u64,
    /// How many elements it has.
    pub len: u64,
}

/// [`crate::columns::Texts`] in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceTexts {
    /// Bits a symbol.
    pub bits: u64,
    /// Of `Head`.
    pub heads: DeviceSlice,
    /// Of `u64`.
    pub words: DeviceSlice,
}

/// [`crate::columns::Sets`] in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSets {
    /// Of `Head`.
    pub heads: DeviceSlice,
    /// Of `u32`.
    pub tokens: DeviceSlice,
}

/// [`crate::columns::Columns`] in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceColumns {
    /// Of `DeviceSlice` of `u32`, by operand.
    pub codes: DeviceSlice,
    /// Of `DeviceTexts`.
    pub texts: DeviceSlice,
    /// Of `DeviceSets`.
    pub sets: DeviceSlice,
    /// Of `DeviceSlice` of `Reach`.
    pub reaches: DeviceSlice,
    /// Of `DeviceSlice` of `u32`.
    pub marks: DeviceSlice,
}

const _: () = assert!(size_of::<DeviceColumns>() == 80);

/// What a scan counts, a word each, in the order of the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct ScanCounters {
    /// The next tile to take.
    pub next_tile: u32,
    /// Slots of the result buffer that were asked for, also those beyond its end.
    pub n_asked: u32,
    /// If a warp's slots straddled the end: where they began. What lies before is written, nothing after.
    pub straddled_at: u32,
    /// Blocks that stopped before the end of their tile because the buffer was full.
    pub n_stopped: u32,
}

impl ScanCounters {
    /// At the start of a task.
    pub const START: Self = Self { next_tile: 0, n_asked: 0, straddled_at: u32::MAX, n_stopped: 0 };

    /// How many results, from the first slot on, were written into a buffer of `capacity`.
    pub fn n_written(&self, capacity: u32) -> u32 {
        self.n_asked.min(capacity).min(self.straddled_at)
    }
}

/// Threads in a warp.
pub const WARP: u32 = 32;

/// Words of shared memory that a block of the scan needs.
pub const SCAN_SHARED_WORDS: u32 = 2;

/// Words that a block keeps between launches: the tile it stopped in, or [`NO_TILE`], then where each warp stopped.
pub const fn resume_words(threads_per_block: u32) -> u32 {
    1 + threads_per_block / WARP
}

/// No tile was left unfinished.
pub const NO_TILE: u32 = u32::MAX;
