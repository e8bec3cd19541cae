//! Launches the kernels of `device::listing`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::{KernelFile, kernel_file};
use super::prepared::{Module, Prepared};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use bytemuck::Pod;
use cudarc::driver::CudaContext;
use hyperblock_shared::layout::{DeviceKeys, DeviceLists, DeviceReach};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const FILE: KernelFile = kernel_file!("listing");

/// Threads of a block.
const THREADS: u32 = 256;

/// The loaded kernels, each with its blocks: as many as the GPU has room for.
#[derive(Debug)]
pub(in crate::device::cuda) struct ListingKernels {
    number: Prepared<DeviceKeys>,
    count: Prepared<DeviceKeys>,
    kinds: Prepared<DeviceKeys>,
    deal: Prepared<DeviceKeys>,
    place: Prepared<DeviceLists>,
    lens: Prepared<DeviceLists>,
    groups: Prepared<DeviceLists>,
    begin: Prepared<DeviceLists>,
    items: Prepared<DeviceLists>,
    reach: Prepared<DeviceReach>,
}

impl ListingKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = Module::load(FILE, (context, device), "hyperblock_listing_", THREADS)?;
        Ok(Self {
            number: module.filling("number", 0)?,
            count: module.filling("count", 0)?,
            kinds: module.filling("kinds", 0)?,
            deal: module.filling("deal", 0)?,
            place: module.filling("place", 0)?,
            lens: module.filling("lens", 0)?,
            groups: module.filling("groups", 0)?,
            begin: module.filling("begin", 0)?,
            items: module.filling("items", 0)?,
            reach: module.filling("reach", 0)?,
        })
    }
}

/// Launches over arrays that `cuda::listing` holds until it has waited for the stream.
#[derive(Clone, Copy)]
pub(in crate::device::cuda) struct ListingLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a ListingKernels,
}

impl ListingLaunches<'_> {
    /// Numbers combinations. There are as many first and second values as keys, and more slots than both sides have records.
    pub(in crate::device::cuda) fn number(&self, keys: DeviceKeys) -> Result<()> {
        // SAFETY: `cuda::listing` gives arrays of these sizes, slots that are empty or hold combinations of the same columns,
        // and keys of their own.
        unsafe { self.launch(&self.kernels.number, keys) }
    }

    /// Counts records by key.
    pub(in crate::device::cuda) fn count(&self, keys: DeviceKeys) -> Result<()> {
        // SAFETY: keys are codes below `Encoded::n_codes`, or slots, or missing, and there are as many counts.
        unsafe { self.launch(&self.kernels.count, keys) }
    }

    /// Says what becomes of keys.
    pub(in crate::device::cuda) fn kinds(&self, keys: DeviceKeys) -> Result<()> {
        // SAFETY: there are as many counts of each side as kinds, and a word for each total.
        unsafe { self.launch(&self.kernels.kinds, keys) }
    }

    /// Deals records.
    pub(in crate::device::cuda) fn deal(&self, keys: DeviceKeys) -> Result<()> {
        // SAFETY: kinds are those of the same keys, and there is room for as many records of either kind as `kinds` summed up.
        unsafe { self.launch(&self.kernels.deal, keys) }
    }

    /// Writes what is listed as words.
    pub(in crate::device::cuda) fn place(&self, lists: DeviceLists) -> Result<()> {
        // SAFETY: records are those of a block of the columns, and there is room for a word for each of them.
        unsafe { self.launch(&self.kernels.place, lists) }
    }

    /// Has words sorted by length next.
    pub(in crate::device::cuda) fn lens(&self, lists: DeviceLists) -> Result<()> {
        // SAFETY: words have records that `place` has found to have a value.
        unsafe { self.launch(&self.kernels.lens, lists) }
    }

    /// Has words sorted by group next.
    pub(in crate::device::cuda) fn groups(&self, lists: DeviceLists) -> Result<()> {
        // SAFETY: words have records of the side whose keys and kinds these are, from `first` on, all of them with heavy keys.
        unsafe { self.launch(&self.kernels.groups, lists) }
    }

    /// Says where items begin.
    pub(in crate::device::cuda) fn begin(&self, lists: DeviceLists) -> Result<()> {
        // SAFETY: there is a number for each word.
        unsafe { self.launch(&self.kernels.begin, lists) }
    }

    /// Fills a list.
    pub(in crate::device::cuda) fn items(&self, lists: DeviceLists) -> Result<()> {
        // SAFETY: what begins has been summed up, and the arrays have room for as many items as that comes to, and for as many
        // records as there are words; bounds, if there are any, for two words of each group.
        unsafe { self.launch(&self.kernels.items, lists) }
    }

    /// Narrows intervals to what they can meet.
    pub(in crate::device::cuda) fn reach(&self, reach: DeviceReach) -> Result<()> {
        // SAFETY: intervals are of the items of the two lists, of which the screen finds what it looks at.
        unsafe { self.launch(&self.kernels.reach, reach) }
    }

    /// Starts a kernel.
    ///
    /// # Safety
    /// As for [`Kernel::launch`]; the blocks are right.
    unsafe fn launch<A: Pod>(&self, prepared: &Prepared<A>, arguments: A) -> Result<()> {
        // SAFETY: who calls this has seen to the arrays; the kernels take any number of blocks of whole warps.
        unsafe { prepared.launch(self.gpu, arguments, "listing records") }
    }
}
