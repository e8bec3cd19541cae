//! Launches `device::overlap::listed`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::{ByValue, filling, load_module, n_multiprocessors};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::UploadedColumns;
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
use hyperblock_shared::layout::{
    CANDIDATE_WORDS, DeviceSlice, DeviceSweep, OVERLAP_COUNTERS, SweepCounters, listed_shared_words,
};
use std::sync::Arc;

/// The kernel as `cargo xtask device` built it.
pub(super) const PTX: &str = include_str!("../../../../../device/listed.ptx");

/// Threads of a block: with its registers, four of them share a multiprocessor.
const THREADS: u32 = 128;

/// The loaded kernel, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct ListedKernel {
    kernel: CudaFunction,
    n_multiprocessors: u32,
}

impl ListedKernel {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = load_module(context, device, PTX)?;
        let lacks = |_| Error::Internal("the kernels lack `hyperblock_listed`".into());
        let kernel = module.load_function("hyperblock_listed").map_err(lacks)?;
        Ok(Self { kernel, n_multiprocessors: n_multiprocessors(context, device)? })
    }
}

/// What pairs of items are decided by, all of it in device memory.
pub(in crate::device::cuda) struct ListedBuffers<'a> {
    pub(in crate::device::cuda) columns: &'a UploadedColumns,
    /// Its lists are over the columns' records; it has nothing to sweep. Its addresses are alive.
    pub(in crate::device::cuda) sweep: DeviceSweep,
    /// Pairs of items of those lists, as many as `counters` say.
    pub(in crate::device::cuda) pairs: DeviceSlice,
    /// The words of `OverlapCounters`.
    pub(in crate::device::cuda) counters: DeviceSlice,
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
pub(in crate::device::cuda) fn launch_listed(gpu: &Cuda, buffers: ListedBuffers<'_>) -> Result<()> {
    let ListedBuffers {
        columns,
        sweep,
        pairs,
        counters,
        path,
        path_len,
        results,
        n_found,
        scratch,
        scratch_words,
    } = buffers;
    let ListedKernel { kernel, n_multiprocessors } = gpu.kernels.load_listed(&gpu.context, &gpu.name)?;
    let filling = filling(kernel, *n_multiprocessors, THREADS, listed_shared_words(THREADS));
    let block_scratch = scratch_words as usize * THREADS as usize;
    let with_scratch = scratch.len().checked_div(block_scratch).unwrap_or(usize::MAX);
    let n_blocks = (filling.grid_dim.0 as usize).min(with_scratch) as u32;
    let sizes_agree = path_len <= path.num_bytes() as u64
        && sweep.counters.len as usize == size_of::<SweepCounters>() / 4
        && counters.len as usize == OVERLAP_COUNTERS
        && n_found.len() == 1
        && n_blocks > 0;
    if !sizes_agree {
        return Err(Error::Internal("an overlap join's buffers do not fit each other".into()));
    }
    let capacity = (results.len() / CANDIDATE_WORDS) as u32;
    let config = LaunchConfig { grid_dim: (n_blocks, 1, 1), ..filling };
    let (columns, sweep) = (ByValue(columns.root), ByValue(sweep));
    let (pairs, counters) = (ByValue(pairs), ByValue(counters));
    let mut launch = gpu.stream.launch_builder(kernel);
    launch.arg(&columns).arg(&sweep).arg(&pairs).arg(&counters).arg(path).arg(&path_len).arg(results);
    launch.arg(&capacity).arg(n_found).arg(scratch).arg(&scratch_words);
    // SAFETY: order and types are those of `device::nvptx::listed`. That the buffers are as large as it reads and writes
    // was checked above; what they hold is what the fields of `ListedBuffers` promise, and only `cuda::overlap` makes them.
    // Buffers that the kernel writes are borrowed mutably, so nothing else uses them.
    unsafe { launch.launch(config) }.map_err(gpu.failed("launching the overlap join"))?;
    Ok(())
}
