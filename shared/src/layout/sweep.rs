//! A sweep in device memory, and what its blocks share.

use super::{DeviceAtomics, DeviceSlice};
use crate::screen::{Screen, Sketch};
use crate::stealing::Policy;
use crate::sweep::{Order, Settings};
use crate::window::Interval;
use bytemuck::{Pod, Zeroable};

/// [`crate::sweep::Items`] in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceItems {
    /// By item.
    pub sketches: DeviceSlice<Sketch>,
    /// By item; none, if sketches are enough.
    pub uppers: DeviceSlice<u64>,
    /// By item.
    pub lens: DeviceSlice<u32>,
    /// By item where its records begin, and one more; none, if items are records.
    pub starts: DeviceSlice<u32>,
    /// The records of all items.
    pub records: DeviceSlice<u32>,
}

/// [`crate::sweep::Sweep`] in device memory, with what its blocks share.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSweep {
    /// The left list.
    pub left: DeviceItems,
    /// The right list.
    pub right: DeviceItems,
    /// Of the left list.
    pub intervals: DeviceSlice<Interval>,
    /// By interval its first stretch, and one more.
    pub firsts: DeviceSlice<u32>,
    /// A slot for each block, all empty at first.
    pub slots: DeviceAtomics<u64>,
    /// A bit for each run of stretches that blocks claim, none set at first.
    pub claimed: DeviceAtomics<u32>,
    /// Room for the nanoseconds that shares took; may be empty.
    pub latencies: DeviceAtomics<u32>,
    /// Room for pairs of items, `HEAVY_WORDS` each.
    pub heavies: DeviceAtomics<u32>,
    /// The words of a [`SweepCounters`].
    pub counters: DeviceAtomics<u32>,
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
