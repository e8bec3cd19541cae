//! What the kernels of sorted neighbourhoods receive.

use super::{DeviceAtomics, DeviceSlice, DeviceSliceMut};
use bytemuck::{Pod, Zeroable};

/// What an order is made of, and the order.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceOrder {
    /// By left record: its key's rank.
    pub lefts: DeviceSlice<u32>,
    /// By right record.
    pub rights: DeviceSlice<u32>,
    /// A word for each record: its rank, and in the lower half its number. Sorted by rank, when the order is written.
    pub words: DeviceSliceMut<u64>,
    /// Room for those that have a key.
    pub records: DeviceAtomics<u32>,
    /// By left record: room for its place.
    pub places: DeviceAtomics<u32>,
    /// Ranks are below it, where there is a key.
    pub n_keys: u64,
}

const _: () = assert!(size_of::<DeviceOrder>() == 5 * 16 + 8);

/// Orders in device memory, and what is found in them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceNeighbours {
    /// The records of all orders, one order after the other.
    pub records: DeviceSlice<u32>,
    /// By order, where its records begin; and one more.
    pub starts: DeviceSlice<u32>,
    /// By order.
    pub windows: DeviceSlice<u32>,
    /// By order, the places of all left records.
    pub places: DeviceSlice<u32>,
    /// By left record of this launch, how many pairs it has; for `write`, where those begin.
    pub counts: DeviceAtomics<u32>,
    /// Room for the right records of all pairs.
    pub rights: DeviceAtomics<u32>,
    /// Room for the orders that those are of; none, if there is one order.
    pub witnesses: DeviceAtomics<u32>,
    /// Left records of all.
    pub n_left: u32,
    /// The first left record of this launch.
    pub first: u32,
    /// The most neighbours that a record has, rounded up to a multiple of four.
    pub room: u32,
    /// Truth is 1.
    pub is_one_table: u32,
}

const _: () = assert!(size_of::<DeviceNeighbours>() == 7 * 16 + 16);
