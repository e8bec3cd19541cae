//! Launches the kernels of `device::components` and `device::matrix`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::{KernelFile, kernel_file};
use super::{Kernel, n_multiprocessors, one_block};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use bytemuck::Pod;
use cudarc::driver::{CudaContext, LaunchConfig};
use hyperblock_shared::components::Share;
use hyperblock_shared::layout::{DeviceForest, DeviceMatrix};
use hyperblock_shared::matrix::{DIAGONAL_WORDS, PANEL_WORDS};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const FILE: KernelFile = kernel_file!("cluster");

/// Threads of a block.
const THREADS: u32 = 256;
/// Threads of the block that samples records: as many as it samples.
const SAMPLED: u32 = 512;

/// The loaded kernels, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct ClusterKernels {
    begin: Kernel<DeviceForest>,
    hook: Kernel<DeviceForest>,
    compress: Kernel<DeviceForest>,
    choose: Kernel<DeviceForest>,
    mark: Kernel<DeviceForest>,
    connect: Kernel<DeviceMatrix>,
    diagonal: Kernel<DeviceMatrix>,
    cross: Kernel<DeviceMatrix>,
    rest: Kernel<DeviceMatrix>,
    firsts: Kernel<DeviceMatrix>,
    n_multiprocessors: u32,
}

impl ClusterKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = FILE.load(context, device)?;
        let forest = |name: &str| Kernel::find(&module, &format!("hyperblock_cluster_{name}"));
        let matrix = |name: &str| Kernel::find(&module, &format!("hyperblock_cluster_{name}"));
        Ok(Self {
            begin: forest("begin")?,
            hook: forest("hook")?,
            compress: forest("compress")?,
            choose: forest("choose")?,
            mark: forest("mark")?,
            connect: matrix("connect")?,
            diagonal: matrix("diagonal")?,
            cross: matrix("cross")?,
            rest: matrix("rest")?,
            firsts: matrix("firsts")?,
            n_multiprocessors: n_multiprocessors(context, device)?,
        })
    }

    fn filling<A: Pod>(&self, kernel: &Kernel<A>, shared_words: u32) -> LaunchConfig {
        kernel.filling(self.n_multiprocessors, THREADS, shared_words)
    }
}

/// A forest whose slices are in device memory and as `layout` says; only `cuda::components` makes one.
pub(in crate::device::cuda) struct ForestLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a ClusterKernels,
    pub(in crate::device::cuda) forest: DeviceForest,
}

impl ForestLaunches<'_> {
    /// Every record becomes a tree.
    pub(in crate::device::cuda) fn begin(&self) -> Result<()> {
        self.launch(&self.kernels.begin, self.kernels.filling(&self.kernels.begin, 0), self.forest)
    }

    /// A share of the pairs is hooked.
    pub(in crate::device::cuda) fn hook(&self, share: Share) -> Result<()> {
        let forest = DeviceForest { first: share.first, step: share.step, ..self.forest };
        self.launch(&self.kernels.hook, self.kernels.filling(&self.kernels.hook, 0), forest)
    }

    /// Trees become flat.
    pub(in crate::device::cuda) fn compress(&self) -> Result<()> {
        self.launch(&self.kernels.compress, self.kernels.filling(&self.kernels.compress, 0), self.forest)
    }

    /// The giant is found, if there is one, and its records are marked. Trees are flat.
    pub(in crate::device::cuda) fn mark(&self) -> Result<()> {
        self.launch(&self.kernels.choose, one_block(SAMPLED, SAMPLED), self.forest)?;
        self.launch(&self.kernels.mark, self.kernels.filling(&self.kernels.mark, 0), self.forest)
    }

    fn launch(
        &self,
        kernel: &Kernel<DeviceForest>,
        config: LaunchConfig,
        forest: DeviceForest,
    ) -> Result<()> {
        // SAFETY: `cuda::components` holds the forest until it has copied the parents: one for each record, a bit for each
        // among the members, and whole lanes of pairs, of which `check_pairs` has seen that their records are there.
        unsafe { kernel.launch(self.gpu, config, forest, "launching the kernels of clustering") }
    }
}

/// A matrix whose slices are in device memory and as `layout` says; only `cuda::matrix` makes one.
pub(in crate::device::cuda) struct MatrixLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a ClusterKernels,
    pub(in crate::device::cuda) matrix: DeviceMatrix,
}

impl MatrixLaunches<'_> {
    /// The bits of pairs are set. All are 0 before.
    pub(in crate::device::cuda) fn connect(&self) -> Result<()> {
        self.launch(&self.kernels.connect, self.kernels.filling(&self.kernels.connect, 0), self.matrix)
    }

    /// A pivot, by its first row among those that are here, and its first column. All rows are brought up to date.
    pub(in crate::device::cuda) fn pivot(&self, pivot: u32, column: u32) -> Result<()> {
        let matrix = DeviceMatrix { pivot, column, ..self.matrix };
        self.launch(&self.kernels.diagonal, one_block(THREADS, DIAGONAL_WORDS), matrix)?;
        self.by_pivot(matrix)
    }

    /// A pivot whose rows are closed already, by all pivots of their band: rows from `first` on are brought up to date.
    pub(in crate::device::cuda) fn closed_pivot(&self, pivot: u32, column: u32, first: u32) -> Result<()> {
        self.by_pivot(DeviceMatrix { pivot, column, first, ..self.matrix })
    }

    fn by_pivot(&self, matrix: DeviceMatrix) -> Result<()> {
        let kernels = self.kernels;
        self.launch(&kernels.cross, kernels.filling(&kernels.cross, PANEL_WORDS), matrix)?;
        self.launch(&kernels.rest, kernels.filling(&kernels.rest, PANEL_WORDS), matrix)
    }

    /// The first bit of each row is found.
    pub(in crate::device::cuda) fn firsts(&self) -> Result<()> {
        self.launch(&self.kernels.firsts, self.kernels.filling(&self.kernels.firsts, 0), self.matrix)
    }

    fn launch(
        &self,
        kernel: &Kernel<DeviceMatrix>,
        config: LaunchConfig,
        matrix: DeviceMatrix,
    ) -> Result<()> {
        // SAFETY: `cuda::matrix` holds the matrix until it has copied the first bits. Its rows are whole pivots, as
        // `shared::matrix` sizes them, and pairs are of rows that `Rows` has numbered.
        unsafe { kernel.launch(self.gpu, config, matrix, "launching the kernels of clustering") }
    }
}
