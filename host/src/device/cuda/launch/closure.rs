//! Launches the kernels of `device::closure`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::{KernelFile, kernel_file};
use super::{Kernel, n_multiprocessors, one_block};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use cudarc::driver::{CudaContext, LaunchConfig};
use hyperblock_shared::layout::{DeviceClosure, WARP};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const FILE: KernelFile = kernel_file!("closure");

/// Threads of a block: with its registers, four of those that turn rows round share a multiprocessor.
const THREADS: u32 = 256;
/// Threads of a block that does all levels of a column, if there are fewer columns than multiprocessors; else
/// half.
const THREADS_OF_COLUMN: u32 = 1024;

/// The loaded kernels, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct ClosureKernels {
    own: Kernel<DeviceClosure>,
    rows: Kernel<DeviceClosure>,
    count: Kernel<DeviceClosure>,
    sum: Kernel<DeviceClosure>,
    write: Kernel<DeviceClosure>,
    n_multiprocessors: u32,
}

impl ClosureKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = FILE.load(context, device)?;
        let kernel = |name: &str| Kernel::find(&module, &format!("hyperblock_closure_{name}"));
        Ok(Self {
            own: kernel("own")?,
            rows: kernel("rows")?,
            count: kernel("count")?,
            sum: kernel("sum")?,
            write: kernel("write")?,
            n_multiprocessors: n_multiprocessors(context, device)?,
        })
    }

    /// Warps that are under way at once, where rows are turned round.
    pub(in crate::device::cuda) fn n_warps(&self) -> u32 {
        let config = self.filling(&self.count);
        config.grid_dim.0 * (THREADS / WARP)
    }

    fn filling(&self, kernel: &Kernel<DeviceClosure>) -> LaunchConfig {
        kernel.filling(self.n_multiprocessors, THREADS, 0)
    }
}

/// A piece whose slices are in device memory and as `layout` says; only `cuda::condensed` makes one.
pub(in crate::device::cuda) struct ClosureLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a ClosureKernels,
    pub(in crate::device::cuda) closure: DeviceClosure,
}

impl ClosureLaunches<'_> {
    /// Makes the rows, which are 0 before.
    pub(in crate::device::cuda) fn rows(&self) -> Result<()> {
        let kernels = self.kernels;
        self.launch(&kernels.own, kernels.filling(&kernels.own))?;
        let n_columns = self.closure.sizes.row_words / WARP;
        let is_narrow = n_columns <= kernels.n_multiprocessors;
        let config = one_block(if is_narrow { THREADS_OF_COLUMN } else { THREADS_OF_COLUMN / 2 }, 0);
        self.launch(&kernels.rows, LaunchConfig { grid_dim: (n_columns, 1, 1), ..config })
    }

    /// Counts what sources reach.
    pub(in crate::device::cuda) fn count(&self) -> Result<()> {
        let kernels = self.kernels;
        self.launch(&kernels.count, kernels.filling(&kernels.count))?;
        self.launch(&kernels.sum, kernels.filling(&kernels.sum))
    }

    /// Writes the tuples of the groups that its sizes say.
    pub(in crate::device::cuda) fn write(&self) -> Result<()> {
        self.launch(&self.kernels.write, self.kernels.filling(&self.kernels.write))
    }

    fn launch(&self, kernel: &Kernel<DeviceClosure>, config: LaunchConfig) -> Result<()> {
        // SAFETY: `cuda::condensed` holds the piece while it is worked on, and sizes every array by its `ClosureSizes`, which
        // are also what kernels stay within; `rows` has a block for each column, and `write` comes after all is counted.
        unsafe { kernel.launch(self.gpu, config, self.closure, "launching the closure") }
    }
}
