//! Launches the kernels of `device::elements`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::{KernelFile, kernel_file};
use super::prepared::{Module, Prepared};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use bytemuck::Pod;
use cudarc::driver::CudaContext;
use hyperblock_shared::layout::{DeviceAlike, DeviceGrams, DeviceGroups, DeviceValued};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const FILE: KernelFile = kernel_file!("elements");

/// Threads of a block.
const THREADS: u32 = 256;

/// The loaded kernels, each with its blocks: as many as the GPU has room for.
#[derive(Debug)]
pub(in crate::device::cuda) struct ElementKernels {
    counts: Prepared<DeviceGrams>,
    number: Prepared<DeviceGrams>,
    used: Prepared<DeviceGrams>,
    rank: Prepared<DeviceGrams>,
    place: Prepared<DeviceGrams>,
    take: Prepared<DeviceGrams>,
    values: Prepared<DeviceValued>,
    groups: Prepared<DeviceGroups>,
    runs: Prepared<DeviceAlike>,
    same: Prepared<DeviceAlike>,
    shared: Prepared<DeviceAlike>,
}

impl ElementKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = Module::load(FILE, (context, device), "hyperblock_elements_", THREADS)?;
        Ok(Self {
            counts: module.filling("counts", 0)?,
            number: module.filling("number", 0)?,
            used: module.filling("used", 0)?,
            rank: module.filling("rank", 0)?,
            place: module.filling("place", 0)?,
            take: module.filling("take", 0)?,
            values: module.filling("values", 0)?,
            groups: module.filling("groups", 0)?,
            runs: module.filling("runs", 0)?,
            same: module.filling("same", 0)?,
            shared: module.filling("shared", 0)?,
        })
    }
}

/// Launches over arrays that `cuda::overlap` holds until it has waited for the stream.
#[derive(Clone, Copy)]
pub(in crate::device::cuda) struct ElementLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a ElementKernels,
}

impl ElementLaunches<'_> {
    /// Says how many q-grams values have.
    pub(in crate::device::cuda) fn counts(&self, grams: DeviceGrams) -> Result<()> {
        // SAFETY: there is a word for each value of the texts, and one more.
        unsafe { self.launch(&self.kernels.counts, grams) }
    }

    /// Finds the slots of q-grams.
    pub(in crate::device::cuda) fn number(&self, grams: DeviceGrams) -> Result<()> {
        // SAFETY: starts are the sums of what `counts` said, there is a word for each q-gram, and slots are empty, more than
        // there are q-grams, with a number each that is 0.
        unsafe { self.launch(&self.kernels.number, grams) }
    }

    /// Lists the slots that are in use.
    pub(in crate::device::cuda) fn used(&self, grams: DeviceGrams) -> Result<()> {
        // SAFETY: there is room for a word for each q-gram, and no more slots are in use than there are q-grams.
        unsafe { self.launch(&self.kernels.used, grams) }
    }

    /// Numbers slots.
    pub(in crate::device::cuda) fn rank(&self, grams: DeviceGrams) -> Result<()> {
        // SAFETY: words have slots, as `used` listed them.
        unsafe { self.launch(&self.kernels.rank, grams) }
    }

    /// Writes q-grams as words.
    pub(in crate::device::cuda) fn place(&self, grams: DeviceGrams) -> Result<()> {
        // SAFETY: as for `number`, of which this reads what it found; and there is a word for each q-gram.
        unsafe { self.launch(&self.kernels.place, grams) }
    }

    /// Takes elements from words.
    pub(in crate::device::cuda) fn take(&self, grams: DeviceGrams) -> Result<()> {
        // SAFETY: there are as many elements as words.
        unsafe { self.launch(&self.kernels.take, grams) }
    }

    /// Makes the values of a block of items.
    pub(in crate::device::cuda) fn values(&self, valued: DeviceValued) -> Result<()> {
        // SAFETY: the block's items are some of a list of this operand, elements are those of its values, and there is room
        // for a value and a signature of each item.
        unsafe { self.launch(&self.kernels.values, valued) }
    }

    /// Makes the groups of a block's values.
    pub(in crate::device::cuda) fn groups(&self, groups: DeviceGroups) -> Result<()> {
        // SAFETY: there is room for as many groups as the last class ends with, and classes with groups have values.
        unsafe { self.launch(&self.kernels.groups, groups) }
    }

    /// Finds where runs of items of the same length begin.
    pub(in crate::device::cuda) fn runs(&self, alike: DeviceAlike) -> Result<()> {
        // SAFETY: there is room for a word for each item.
        unsafe { self.launch(&self.kernels.runs, alike) }
    }

    /// Counts records that share their value.
    pub(in crate::device::cuda) fn same(&self, alike: DeviceAlike) -> Result<()> {
        // SAFETY: items are values, with a length each, and there are two totals.
        unsafe { self.launch(&self.kernels.same, alike) }
    }

    /// Lists them.
    pub(in crate::device::cuda) fn shared(&self, alike: DeviceAlike) -> Result<()> {
        // SAFETY: as for `same`, which counted as many records as there is room for.
        unsafe { self.launch(&self.kernels.shared, alike) }
    }

    /// Starts a kernel.
    ///
    /// # Safety
    /// As for [`Kernel::launch`]; the blocks are right.
    unsafe fn launch<A: Pod>(&self, prepared: &Prepared<A>, arguments: A) -> Result<()> {
        // SAFETY: who calls this has seen to the arrays; the kernels take any number of blocks of whole warps.
        unsafe { prepared.launch(self.gpu, arguments, "making elements") }
    }
}
