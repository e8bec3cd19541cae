//! Launches `device::scan`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::ByValue;
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::UploadedColumns;
use cudarc::driver::{CudaSlice, LaunchConfig, PushKernelArg};
use hyperblock_shared::layout::{CANDIDATE_WORDS, DeviceSweep, SweepCounters, WARP, scan_shared_words};

/// What a scan works on, all of it in device memory.
pub(in crate::device::cuda) struct ScanBuffers<'a> {
    pub(in crate::device::cuda) columns: &'a UploadedColumns,
    /// Its addresses are alive, its lists are over the columns' records, and its slots, claims and counters are 0.
    pub(in crate::device::cuda) sweep: DeviceSweep,
    /// An archived path over those columns: this many bytes, padded to whole words.
    pub(in crate::device::cuda) path: &'a CudaSlice<u64>,
    pub(in crate::device::cuda) path_len: u64,
    /// Room for candidates.
    pub(in crate::device::cuda) results: &'a mut CudaSlice<u32>,
    /// How many were found before.
    pub(in crate::device::cuda) n_found: &'a mut CudaSlice<u32>,
    /// `scratch_words` for every thread.
    pub(in crate::device::cuda) scratch: &'a mut CudaSlice<u64>,
    pub(in crate::device::cuda) scratch_words: u32,
    pub(in crate::device::cuda) n_blocks: u32,
    /// In a block.
    pub(in crate::device::cuda) n_threads: u32,
    /// Whether paths are walked by recursion.
    pub(in crate::device::cuda) by_descent: bool,
}

/// Starts the kernel; the stream's order makes later copies wait for it.
pub(in crate::device::cuda) fn launch_scan(gpu: &Cuda, buffers: ScanBuffers<'_>) -> Result<()> {
    let ScanBuffers {
        columns,
        sweep,
        path,
        path_len,
        results,
        n_found,
        scratch,
        scratch_words,
        n_blocks,
        n_threads,
        by_descent,
    } = buffers;
    let n_all = n_blocks as usize * n_threads as usize;
    let sizes_agree = path_len <= path.num_bytes() as u64
        && n_threads.is_multiple_of(WARP)
        && sweep.slots.len == u64::from(n_blocks)
        && sweep.claimed.len * 32 >= sweep.intervals.len
        && sweep.firsts.len == sweep.intervals.len + 1
        && sweep.counters.len as usize == size_of::<SweepCounters>() / 4
        && n_found.len() == 1
        && scratch.len() >= n_all * scratch_words as usize;
    if !sizes_agree {
        return Err(Error::Internal("a scan's buffers do not fit each other".into()));
    }
    let capacity = (results.len() / CANDIDATE_WORDS) as u32;
    let config = LaunchConfig {
        grid_dim: (n_blocks, 1, 1),
        block_dim: (n_threads, 1, 1),
        shared_mem_bytes: scan_shared_words(n_threads) * size_of::<u32>() as u32,
    };
    let kernel = gpu.kernels.scan(by_descent)?;
    let (columns, sweep) = (ByValue(columns.root), ByValue(sweep));
    let mut launch = gpu.stream.launch_builder(kernel);
    launch.arg(&columns).arg(&sweep).arg(path).arg(&path_len).arg(results).arg(&capacity).arg(n_found);
    launch.arg(scratch).arg(&scratch_words);
    // SAFETY: order and types are those of `device::nvptx::hyperblock_scan`. That the buffers are as large as it reads
    // and writes was checked above; what they hold is what the fields of `ScanBuffers` promise, and only this module's
    // caller, `cuda::scan`, makes them. Buffers that the kernel writes are borrowed mutably, so nothing else uses them.
    unsafe { launch.launch(config) }.map_err(gpu.failed("launching the scan"))?;
    Ok(())
}
