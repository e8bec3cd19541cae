//! Launches the kernels of `device::neighbours`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::{ByValue, filling, load_module, n_multiprocessors};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use cudarc::driver::{CudaContext, CudaFunction, PushKernelArg};
use hyperblock_shared::layout::{DeviceNeighbours, WARP};
use hyperblock_shared::neighbours::warp_words;
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const PTX: &str = include_str!("../../../../../device/neighbours.ptx");

/// Threads of a block: few, so that what its warps see fits into its shared memory.
const THREADS: u32 = 128;

/// The loaded kernels, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct NeighbourKernels {
    count: CudaFunction,
    write: CudaFunction,
    n_multiprocessors: u32,
}

impl NeighbourKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = load_module(context, device, PTX)?;
        let kernel = |name: &str| {
            let name = format!("hyperblock_neighbours_{name}");
            let lacks = |_| Error::Internal(format!("the kernels lack `{name}`"));
            module.load_function(&name).map_err(lacks)
        };
        let n_multiprocessors = n_multiprocessors(context, device)?;
        Ok(Self { count: kernel("count")?, write: kernel("write")?, n_multiprocessors })
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

    fn launch(&self, kernel: &CudaFunction) -> Result<()> {
        let device = ByValue(self.device);
        let words = THREADS / WARP * warp_words(self.device.room, self.device.windows.len as u32);
        let config = filling(kernel, self.kernels.n_multiprocessors, THREADS, words);
        // SAFETY: order and types are those of `device::nvptx::neighbours`. That the slices are as large as
        // the kernels read and write is what `NeighbourLaunches` promises.
        let launched = unsafe { self.gpu.stream.launch_builder(kernel).arg(&device).launch(config) };
        launched.map_err(self.gpu.failed("launching the sorted neighbourhoods"))?;
        Ok(())
    }
}
