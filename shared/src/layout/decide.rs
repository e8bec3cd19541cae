//! What pairs are decided by, and what the three kernels that decide pairs receive.

use super::{
    Candidate, DeviceAtomics, DeviceCell, DeviceColumns, DeviceJoin, DeviceScratch, DeviceSettings,
    DeviceSlice, DeviceSweep,
};
use crate::score::Attribute;
use bytemuck::{Pod, Zeroable};

/// What a pair of records is decided by, and where candidates go.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceDecide {
    /// The tables.
    pub columns: DeviceColumns,
    /// The rules: the bytes of an archived `Path` over those columns.
    pub path: DeviceSlice<u8>,
    /// As many candidates as there is room for.
    pub results: DeviceAtomics<Candidate>,
    /// How many were found, also those that found no room.
    pub n_found: DeviceCell<u32>,
    /// For each thread, as much as the longest text of the columns needs.
    pub scratch: DeviceScratch,
    /// The counts of the path's steps ([`crate::counts`]), if the kernel counts.
    pub counts: DeviceAtomics<u64>,
}

/// What the scan receives.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceScan {
    /// What decides.
    pub decide: DeviceDecide,
    /// The pairs.
    pub sweep: DeviceSweep,
}

/// What the join that decides its pairs receives.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceResidual {
    /// What decides.
    pub decide: DeviceDecide,
    /// Partitions, whose rows are records.
    pub join: DeviceJoin,
    /// The branch, and which pairs of records count.
    pub settings: DeviceSettings,
}

/// What the kernel that decides pairs of items receives.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceListed {
    /// What decides.
    pub decide: DeviceDecide,
    /// The lists that items are of. It needs no intervals, slots and claims.
    pub sweep: DeviceSweep,
    /// Pairs of items, the left one in the lower half.
    pub pairs: DeviceSlice<u64>,
    /// The words of an [`super::OverlapCounters`], which say how many pairs there are.
    pub counters: DeviceAtomics<u64>,
}

/// What a kernel that scores pairs receives.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceScores {
    /// The tables.
    pub columns: DeviceColumns,
    /// What is measured.
    pub attributes: DeviceSlice<Attribute>,
    /// What values weigh of their own.
    pub terms: DeviceSlice<i32>,
    /// Pairs of records, the left one in the lower half.
    pub pairs: DeviceAtomics<u64>,
    /// A word for each pair, or two for its levels: see `device::score`.
    pub results: DeviceAtomics<u32>,
    /// Two words for each warp's pairs.
    pub warps: DeviceAtomics<u32>,
    /// How many pairs are kept.
    pub n_kept: DeviceCell<u32>,
    /// For each thread, as much as the longest text of the columns needs.
    pub scratch: DeviceScratch,
    /// The numbers of a [`crate::score::Wanted`].
    pub wanted: [u32; 2],
}

const DECIDE: usize = 96 + 16 + 16 + 8 + 24 + 16;
const _: () = assert!(size_of::<DeviceDecide>() == DECIDE);
const _: () = assert!(size_of::<DeviceScan>() == DECIDE + size_of::<DeviceSweep>());
const _: () = assert!(size_of::<DeviceResidual>() == DECIDE + size_of::<DeviceJoin>() + 48);
const _: () = assert!(size_of::<DeviceListed>() == DECIDE + size_of::<DeviceSweep>() + 32);
const _: () = assert!(size_of::<DeviceScores>() == 96 + 5 * 16 + 8 + 24 + 8);
