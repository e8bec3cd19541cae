//! What crosses between host and device, word for word.

mod closure;
mod cluster;
mod join;
mod neighbours;
mod overlap;

pub use closure::{COLUMN_SOURCES, ClosureSizes, DeviceClosure, GROUP_SOURCES, GROUP_WORDS, Quad, Target};
pub use cluster::{DeviceForest, DeviceMatrix, LANE_PAIRS, LANE_QUADS, TILE_PAIRS};
pub use join::{DeviceJoin, DevicePass, DeviceSide, JoinSizes};
pub use neighbours::DeviceNeighbours;
pub use overlap::{
    DeviceOverlap, DeviceValues, Group, MOST_HITS, OVERLAP_COUNTERS, OverlapCounters, PROBE_WORDS, SEGMENT,
    SUM_TILE, WideSignature, listed_shared_words, n_sum_tiles,
};

use crate::screen::Screen;
use crate::stealing::Policy;
use crate::sweep::{Order, Settings};
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
pub struct Scored {
    /// One record.
    pub left: u32,
    /// The other. Records of a second table are numbered after those of the first.
    pub right: u32,
    /// In billionths: 1,000,000,000 is the same.
    pub score: u32,
}

const _: () = assert!(size_of::<Scored>() == 12);

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

/// [`crate::sweep::Items`] in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceItems {
    /// Of `Sketch`.
    pub sketches: DeviceSlice,
    /// Of `u64`.
    pub uppers: DeviceSlice,
    /// Of `u32`.
    pub lens: DeviceSlice,
    /// Of `u32`.
    pub starts: DeviceSlice,
    /// Of `u32`.
    pub records: DeviceSlice,
}

/// [`crate::sweep::Sweep`] in device memory, with what its blocks share.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSweep {
    /// The left list.
    pub left: DeviceItems,
    /// The right list.
    pub right: DeviceItems,
    /// Of `Interval`.
    pub intervals: DeviceSlice,
    /// Of `u32`.
    pub firsts: DeviceSlice,
    /// Of `AtomicU64`: a slot for each block, all empty at first.
    pub slots: DeviceSlice,
    /// Of `AtomicU32`: a bit for each interval, none set at first.
    pub claimed: DeviceSlice,
    /// Of `AtomicU32`: room for the nanoseconds that shares took; may be empty.
    pub latencies: DeviceSlice,
    /// Of `AtomicU32`: room for pairs of items, `HEAVY_WORDS` each.
    pub heavies: DeviceSlice,
    /// Of `AtomicU32`: the words of a `SweepCounters`.
    pub counters: DeviceSlice,
    /// The settings.
    pub settings: DeviceSettings,
}

/// [`crate::sweep::Settings`], a word each; truth is 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(
    missing_docs,
    reason = "the fields are those of `Settings`, and one that fills the last 64-bit word"
)]
pub struct DeviceSettings {
    pub screen: u32,
    pub order: u32,
    pub lead: u32,
    pub lead_step: u32,
    pub from: u32,
    pub upto: u32,
    pub stretch: u32,
    pub sliding: u32,
    pub stealing: u32,
    pub queue: u32,
    pub is_decided: u32,
    pub padding: u32,
}

const _: () = assert!(size_of::<DeviceSweep>() == 320);

impl From<Settings> for DeviceSettings {
    fn from(settings: Settings) -> Self {
        let Settings { screen, order, lead, lead_step, from, upto, stretch, policy, queue, is_decided } =
            settings;
        Self {
            screen: screen as u32,
            order: order as u32,
            lead,
            lead_step,
            from,
            upto,
            stretch,
            sliding: u32::from(policy.sliding),
            stealing: u32::from(policy.stealing),
            queue: u32::from(queue),
            is_decided: u32::from(is_decided),
            padding: 0,
        }
    }
}

impl From<DeviceSettings> for Settings {
    #[inline]
    fn from(settings: DeviceSettings) -> Self {
        Self {
            screen: Screen::from_number(settings.screen),
            order: Order::from_number(settings.order),
            lead: settings.lead,
            lead_step: settings.lead_step,
            from: settings.from,
            upto: settings.upto,
            stretch: settings.stretch,
            policy: Policy { sliding: settings.sliding == 1, stealing: settings.stealing == 1 },
            queue: settings.queue == 1,
            is_decided: settings.is_decided == 1,
        }
    }
}

/// What a sweep counts, a word each, in the order of the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct SweepCounters {
    /// Pairs of items that were handed on, also those that found no room and were expanded at once.
    pub n_heavy: u32,
    /// Shares that were timed, also those that found no room.
    pub n_timed: u32,
}

/// Words in a pair of items.
pub const HEAVY_WORDS: usize = 2;

/// Threads in a warp.
pub const WARP: u32 = 32;

/// Words of shared memory that a block of the scan needs: four of its own; for each warp twelve; and for each lane a sketch,
/// an upper half, limits, and its share of two queues of two warps' pairs, of items, two words each, and of records, three.
pub const fn scan_shared_words(threads_per_block: u32) -> u32 {
    4 + threads_per_block / WARP * 12 + threads_per_block * (4 + 4 + 4 + 2 * 2 + 2 * 3)
}
