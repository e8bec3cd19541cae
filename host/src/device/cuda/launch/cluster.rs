//! Launches the kernels of `device::components` and `device::matrix`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::{ByValue, filling, load_module, n_multiprocessors, one_block};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use cudarc::driver::{CudaContext, CudaFunction, DeviceRepr, LaunchConfig, PushKernelArg};
use hyperblock_shared::components::Share;
use hyperblock_shared::layout::{DeviceForest, DeviceMatrix};
use hyperblock_shared::matrix::{DIAGONAL_WORDS, PANEL_WORDS};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const PTX: &str = include_str!("../../../../../device/cluster.ptx");

/// Threads of a block.
const THREADS: u32 = 256;
/// Threads of the block that samples records: as many as it samples.
const SAMPLED: u32 = 512;

/// The loaded kernels, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct ClusterKernels {
    begin: CudaFunction,
    hook: CudaFunction,
    compress: CudaFunction,
    choose: CudaFunction,
    mark: CudaFunction,
    connect: CudaFunction,
    diagonal: CudaFunction,
    cross: CudaFunction,
    rest: CudaFunction,
    firsts: CudaFunction,
    n_multiprocessors: u32,
}

impl ClusterKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = load_module(context, device, PTX)?;
        let kernel = |name: &str| {
            let name = format!("hyperblock_cluster_{name}");
            let lacks = |_| Error::Internal(format!("the kernels lack `{name}`"));
            module.load_function(&name).map_err(lacks)
        };
        Ok(Self {
            begin: kernel("begin")?,
            hook: kernel("hook")?,
            compress: kernel("compress")?,
            choose: kernel("choose")?,
            mark: kernel("mark")?,
            connect: kernel("connect")?,
            diagonal: kernel("diagonal")?,
            cross: kernel("cross")?,
            rest: kernel("rest")?,
            firsts: kernel("firsts")?,
            n_multiprocessors: n_multiprocessors(context, device)?,
        })
    }

    fn filling(&self, kernel: &CudaFunction, shared_words: u32) -> LaunchConfig {
        filling(kernel, self.n_multiprocessors, THREADS, shared_words)
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

    fn launch(&self, kernel: &CudaFunction, config: LaunchConfig, forest: DeviceForest) -> Result<()> {
        launch(self.gpu, kernel, config, forest)
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
        launch(self.gpu, &self.kernels.connect, self.kernels.filling(&self.kernels.connect, 0), self.matrix)
    }

    /// A pivot, whose first row this is.
    pub(in crate::device::cuda) fn pivot(&self, pivot: u32) -> Result<()> {
        let (gpu, kernels, matrix) = (self.gpu, self.kernels, DeviceMatrix { pivot, ..self.matrix });
        launch(gpu, &kernels.diagonal, one_block(THREADS, DIAGONAL_WORDS), matrix)?;
        launch(gpu, &kernels.cross, kernels.filling(&kernels.cross, PANEL_WORDS), matrix)?;
        launch(gpu, &kernels.rest, kernels.filling(&kernels.rest, PANEL_WORDS), matrix)
    }

    /// The first bit of each row is found.
    pub(in crate::device::cuda) fn firsts(&self) -> Result<()> {
        launch(self.gpu, &self.kernels.firsts, self.kernels.filling(&self.kernels.firsts, 0), self.matrix)
    }
}

fn launch<T>(gpu: &Cuda, kernel: &CudaFunction, config: LaunchConfig, argument: T) -> Result<()>
where
    ByValue<T>: DeviceRepr,
{
    let argument = ByValue(argument);
    // SAFETY: the kernels take one argument, of the type that `ForestLaunches` and `MatrixLaunches` hand
    // over, and those promise that its slices are as large as the kernels read and write.
    let launched = unsafe { gpu.stream.launch_builder(kernel).arg(&argument).launch(config) };
    launched.map_err(gpu.failed("launching the kernels of clustering"))?;
    Ok(())
}
