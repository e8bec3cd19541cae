//! What the kernels of sorted neighbourhoods receive.

use super::DeviceSlice;
use bytemuck::{Pod, Zeroable};

/// Orders in device memory, and what is found in them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceNeighbours {
    /// Of `u32`: the records of all orders, one order after the other.
    pub records: DeviceSlice,
    /// Of `u32`: by order, where its records begin; and one more.
    pub starts: DeviceSlice,
    /// Of `u32`: by order.
    pub windows: DeviceSlice,
    /// Of `u32`: by order, the places of all left records.
    pub places: DeviceSlice,
    /// Of `AtomicU32`, then of `u32`: by left record of this launch, how many pairs it has; then where those begin.
    pub counts: DeviceSlice,
    /// Of `AtomicU32`: room for the right records of all pairs.
    pub rights: DeviceSlice,
    /// Of `AtomicU32`: likewise for the orders that they are of; none, if there is one order.
    pub witnesses: DeviceSlice,
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
