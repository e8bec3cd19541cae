//! Launches the kernels of `device::neighbours`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::{KernelFile, kernel_file};
use super::{Kernel, n_multiprocessors};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use cudarc::driver::CudaContext;
use hyperblock_shared::layout::{DeviceNeighbours, DeviceOrder, WARP};
use hyperblock_shared::neighbours::warp_words;
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const FILE: KernelFile = kernel_file!("neighbours");

/// Threads of a block: few, so that what its warps see fits into its shared memory.
const THREADS: u32 = 128;

/// The loaded kernels, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct NeighbourKernels {
    count: Kernel<DeviceNeighbours>,
    write: Kernel<DeviceNeighbours>,
    place: Kernel<DeviceOrder>,
    order: Kernel<DeviceOrder>,
    n_multiprocessors: u32,
}

impl NeighbourKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = FILE.load(context, device)?;
        Ok(Self {
            count: Kernel::find(&module, "hyperblock_neighbours_count")?,
            write: Kernel::find(&module, "hyperblock_neighbours_write")?,
            place: Kernel::find(&module, "hyperblock_neighbours_place")?,
            order: Kernel::find(&module, "hyperblock_neighbours_order")?,
            n_multiprocessors: n_multiprocessors(context, device)?,
        })
    }
}

/// Orders whose slices are in device memory and as `layout` says; only `cuda::neighbours` makes one.
pub(in crate::device::cuda) struct NeighbourLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a NeighbourKernels,
    pub(in crate::device::cuda) device: DeviceNeighbours,
}

impl NeighbourLaunches<'_> {
    /// How many pairs each left record has.
    pub(in crate::device::cuda) fn count(&self) -> Result<()> {
        self.launch(&self.kernels.count)
    }

    /// The pairs. Counts are summed up before, and there is room for all.
    pub(in crate::device::cuda) fn write(&self) -> Result<()> {
        self.launch(&self.kernels.write)
    }

    fn launch(&self, kernel: &Kernel<DeviceNeighbours>) -> Result<()> {
        let words = THREADS / WARP * warp_words(self.device.room, self.device.windows.len() as u32);
        let config = kernel.filling(self.kernels.n_multiprocessors, THREADS, words);
        // SAFETY: `cuda::neighbours` holds the orders, counts and what is found until it has copied the latter. There is a
        // count for each left record, and kernels look whether there is room before they write a pair.
        unsafe { kernel.launch(self.gpu, config, self.device, "launching the sorted neighbourhoods") }
    }
}

/// Launches that make an order; only `cuda::orders` asks for them, and holds the arrays.
pub(in crate::device::cuda) struct OrderLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a NeighbourKernels,
}

impl OrderLaunches<'_> {
    /// Writes a word for each record.
    pub(in crate::device::cuda) fn place(&self, device: DeviceOrder) -> Result<()> {
        let config = self.kernels.place.filling(self.kernels.n_multiprocessors, THREADS, 0);
        // SAFETY: `cuda::orders` gives as many words as there are ranks of both sides.
        unsafe { self.kernels.place.launch(self.gpu, config, device, "placing records") }
    }

    /// Writes the order of the words, which are sorted.
    pub(in crate::device::cuda) fn order(&self, device: DeviceOrder) -> Result<()> {
        let config = self.kernels.order.filling(self.kernels.n_multiprocessors, THREADS, 0);
        // SAFETY: the kernel looks whether there is room for a record or a place before it writes one.
        unsafe { self.kernels.order.launch(self.gpu, config, device, "ordering records") }
    }
}
