//! Launches `device::scan`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::Kernels;
use crate::error::{Error, Result};
use cudarc::driver::{CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use hyperblock_shared::layout::{
    CANDIDATE_WORDS, DeviceColumns, SCAN_SHARED_WORDS, ScanCounters, resume_words,
};
use hyperblock_shared::window::{INTERVAL, STRETCH, Task};

/// What a scan works on, all of it in device memory.
pub(in crate::cuda) struct ScanBuffers<'a> {
    /// A `DeviceColumns` whose addresses are alive.
    pub(in crate::cuda) columns: &'a CudaSlice<u64>,
    /// An archived path over those columns: this many bytes, padded to whole words.
    pub(in crate::cuda) path: &'a CudaSlice<u64>,
    pub(in crate::cuda) path_len: u64,
    /// A `Task` within the columns' records.
    pub(in crate::cuda) task: &'a CudaSlice<u32>,
    /// A `ScanCounters`.
    pub(in crate::cuda) counters: &'a mut CudaSlice<u32>,
    /// The resume words of `window` blocks.
    pub(in crate::cuda) resume: &'a mut CudaSlice<u32>,
    /// Room for candidates.
    pub(in crate::cuda) results: &'a mut CudaSlice<u32>,
    /// `scratch_words` for every thread of `window` blocks.
    pub(in crate::cuda) scratch: &'a mut CudaSlice<u64>,
    pub(in crate::cuda) scratch_words: u32,
    /// Blocks in the launch.
    pub(in crate::cuda) window: u32,
}

/// Starts the kernel; the stream's order makes later copies wait for it.
pub(in crate::cuda) fn launch_scan(
    stream: &CudaStream,
    kernels: &Kernels,
    buffers: ScanBuffers<'_>,
    failed: impl Fn(DriverError) -> Error,
) -> Result<()> {
    let ScanBuffers {
        columns,
        path,
        path_len,
        task,
        counters,
        resume,
        results,
        scratch,
        scratch_words,
        window,
    } = buffers;
    let n_threads = window as usize * INTERVAL as usize;
    let sizes_agree = columns.num_bytes() == size_of::<DeviceColumns>()
        && path_len <= path.num_bytes() as u64
        && task.num_bytes() == size_of::<Task>()
        && counters.num_bytes() == size_of::<ScanCounters>()
        && resume.len() == (window * resume_words(INTERVAL)) as usize
        && scratch.len() >= n_threads * scratch_words as usize;
    if !sizes_agree {
        return Err(Error::Internal("a scan's buffers do not fit each other".into()));
    }
    let capacity = (results.len() / CANDIDATE_WORDS) as u32;
    let config = LaunchConfig {
        grid_dim: (window, 1, 1),
        block_dim: (INTERVAL, 1, 1),
        shared_mem_bytes: SCAN_SHARED_WORDS * size_of::<u32>() as u32,
    };
    let mut launch = stream.launch_builder(&kernels.scan);
    launch
        .arg(columns)
        .arg(path)
        .arg(&path_len)
        .arg(task)
        .arg(&STRETCH)
        .arg(counters)
        .arg(resume)
        .arg(results);
    launch.arg(&capacity).arg(scratch).arg(&scratch_words);
    // SAFETY: order and types are those of `device::nvptx::hyperblock_scan`. That the buffers are as large as it reads
    // and writes was checked above; what they hold is what the fields of `ScanBuffers` promise, and only this module's
    // caller, `cuda::scan`, makes them. Buffers that the kernel writes are borrowed mutably, so nothing else uses them.
    unsafe { launch.launch(config) }.map_err(failed)?;
    Ok(())
}
