//! Launches `device::scan`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::Decide;
use super::decide::{addresses, n_with_scratch};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use cudarc::driver::LaunchConfig;
use hyperblock_shared::layout::{DeviceScan, DeviceSweep, SweepCounters, WARP, scan_shared_words};
use hyperblock_shared::sweep::Settings;

/// How a scan is launched.
#[derive(Clone, Copy)]
pub(in crate::device::cuda) struct ScanBlocks {
    pub(in crate::device::cuda) n_blocks: u32,
    /// In a block.
    pub(in crate::device::cuda) n_threads: u32,
    /// The stretches of all intervals.
    pub(in crate::device::cuda) n_stretches: u32,
}

/// Starts the kernel. The arrays of the sweep are alive, its lists are over the columns' records, its intervals have so many
/// stretches, and its slots, claims and counters are 0.
pub(in crate::device::cuda) fn launch_scan(
    gpu: &Cuda,
    decide: &Decide<'_>,
    sweep: DeviceSweep,
    blocks: ScanBlocks,
) -> Result<()> {
    let ScanBlocks { n_blocks, n_threads, n_stretches } = blocks;
    let kernel = gpu.kernels.load_scan(&gpu.context, &gpu.name, decide.walk)?;
    let n_runs = Settings::from(sweep.settings).policy.n_runs(n_blocks, n_stretches);
    let sizes_agree = n_threads.is_multiple_of(WARP)
        && sweep.slots.len() == u64::from(n_blocks)
        && sweep.claimed.len() * 32 >= u64::from(n_runs)
        && sweep.firsts.len() == sweep.intervals.len() + 1
        && sweep.counters.len() as usize == size_of::<SweepCounters>() / 4
        && n_with_scratch(decide.scratch, decide.scratch_words, n_threads) >= n_blocks;
    if !sizes_agree {
        return Err(Error::Internal("a scan's buffers do not fit each other".into()));
    }
    let config = LaunchConfig {
        grid_dim: (n_blocks, 1, 1),
        block_dim: (n_threads, 1, 1),
        shared_mem_bytes: scan_shared_words(n_threads) * size_of::<u32>() as u32,
    };
    let arguments = DeviceScan { decide: decide.on_device(gpu)?, sweep };
    let addresses = addresses(&arguments.decide);
    // SAFETY: that slots, claims, counters and scratch are as large as so many blocks use was checked above, and the path in
    // `on_device`. Results and scratch are borrowed mutably; `cuda::scan`, which alone makes sweeps, holds all else until it
    // has waited for the stream.
    unsafe { kernel.launch_with(gpu, config, arguments, &addresses, "launching the scan") }
}
