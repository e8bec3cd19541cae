//! Launches `device::join::residual`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::{ByValue, filling, load_module, n_multiprocessors};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::UploadedColumns;
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
use hyperblock_shared::join::residual_words;
use hyperblock_shared::layout::{CANDIDATE_WORDS, DeviceJoin, DeviceSettings};
use std::sync::Arc;

/// The kernel as `cargo xtask device` built it.
const PTX: &str = include_str!("../../../../../device/residual.ptx");

/// Threads of a block: with its registers, three of them share a multiprocessor.
pub(in crate::device::cuda) const RESIDUAL_THREADS: u32 = 128;

/// The loaded kernel, and as many blocks as the GPU has room for at once.
#[derive(Debug)]
pub(in crate::device::cuda) struct ResidualKernel {
    kernel: CudaFunction,
    n_multiprocessors: u32,
}

impl ResidualKernel {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = load_module(context, device, PTX)?;
        let lacks = |_| Error::Internal("the kernels lack `hyperblock_residual`".into());
        let n_multiprocessors = n_multiprocessors(context, device)?;
        Ok(Self { kernel: module.load_function("hyperblock_residual").map_err(lacks)?, n_multiprocessors })
    }
}

/// What the join works on, all of it in device memory.
pub(in crate::device::cuda) struct ResidualBuffers<'a> {
    pub(in crate::device::cuda) columns: &'a UploadedColumns,
    /// Partitioned; its rows are records of the columns, its addresses are alive.
    pub(in crate::device::cuda) join: DeviceJoin,
    pub(in crate::device::cuda) settings: DeviceSettings,
    /// An archived path over those columns: this many bytes, padded to whole words.
    pub(in crate::device::cuda) path: &'a CudaSlice<u64>,
    pub(in crate::device::cuda) path_len: u64,
    /// Room for candidates.
    pub(in crate::device::cuda) results: &'a mut CudaSlice<u32>,
    /// How many were found before.
    pub(in crate::device::cuda) n_found: &'a mut CudaSlice<u32>,
    /// Room for `scratch_words` in each of some threads, at least a block's.
    pub(in crate::device::cuda) scratch: &'a mut CudaSlice<u64>,
    pub(in crate::device::cuda) scratch_words: u32,
}

/// Starts the kernel; the stream's order makes later copies wait for it.
pub(in crate::device::cuda) fn launch_residual(gpu: &Cuda, buffers: ResidualBuffers<'_>) -> Result<()> {
    let ResidualBuffers { columns, join, settings, path, path_len, results, n_found, scratch, scratch_words } =
        buffers;
    let ResidualKernel { kernel, n_multiprocessors } = gpu.kernels.load_residual(&gpu.context, &gpu.name)?;
    let shared_words = residual_words(join.sizes.n_slots, RESIDUAL_THREADS);
    let filling = filling(kernel, *n_multiprocessors, RESIDUAL_THREADS, shared_words);
    let block_scratch = scratch_words as usize * RESIDUAL_THREADS as usize;
    let with_scratch = scratch.len().checked_div(block_scratch).unwrap_or(usize::MAX);
    let n_blocks = (filling.grid_dim.0 as usize).min(with_scratch) as u32;
    if path_len > path.num_bytes() as u64 || n_found.len() != 1 || n_blocks == 0 {
        return Err(Error::Internal("a join's buffers do not fit each other".into()));
    }
    let capacity = (results.len() / CANDIDATE_WORDS) as u32;
    let config = LaunchConfig { grid_dim: (n_blocks, 1, 1), ..filling };
    let (columns, join, settings) = (ByValue(columns.root), ByValue(join), ByValue(settings));
    let mut launch = gpu.stream.launch_builder(kernel);
    launch.arg(&columns).arg(&join).arg(&settings).arg(path).arg(&path_len).arg(results).arg(&capacity);
    launch.arg(n_found).arg(scratch).arg(&scratch_words);
    // SAFETY: order and types are those of `device::nvptx::residual`. That the buffers are as large as it reads and writes
    // was checked above; what they hold is what the fields of `ResidualBuffers` promise, and only `cuda::scan` makes them.
    // Buffers that the kernel writes are borrowed mutably, so nothing else uses them.
    unsafe { launch.launch(config) }.map_err(gpu.failed("launching the join"))?;
    Ok(())
}
