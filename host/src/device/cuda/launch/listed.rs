//! Launches `device::overlap::listed`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::decide::addresses;
use super::file::{KernelFile, kernel_file};
use super::{Decide, Kernel, n_multiprocessors};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use cudarc::driver::{CudaContext, CudaModule};
use hyperblock_shared::layout::{
    DeviceAtomics, DeviceListed, DeviceSlice, DeviceSweep, OVERLAP_COUNTERS, SweepCounters,
    listed_shared_words,
};
use std::sync::Arc;

/// The kernel as `cargo xtask device` built it.
pub(super) const FILE: KernelFile = kernel_file!("listed");

/// Threads of a block: with its registers, four of them share a multiprocessor.
pub(in crate::device::cuda) const LISTED_THREADS: u32 = 128;

/// The loaded kernel, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct ListedKernel {
    kernel: Kernel<DeviceListed>,
    n_multiprocessors: u32,
}

impl ListedKernel {
    /// In a file that has it.
    pub(super) fn find(file: &Arc<CudaModule>, context: &CudaContext, device: &str) -> Result<Self> {
        let kernel = Kernel::find(file, "hyperblock_listed")?;
        Ok(Self { kernel, n_multiprocessors: n_multiprocessors(context, device)? })
    }
}

/// Starts the kernel. The lists of the sweep are over the columns' records, and it has nothing to sweep; pairs are of items of
/// those lists, as many as the counters say; all arrays are alive.
pub(in crate::device::cuda) fn launch_listed(
    gpu: &Cuda,
    decide: &Decide<'_>,
    sweep: DeviceSweep,
    pairs: DeviceSlice<u64>,
    counters: DeviceAtomics<u64>,
) -> Result<()> {
    let ListedKernel { kernel, n_multiprocessors } =
        gpu.kernels.load_listed(&gpu.context, &gpu.name, decide.walk)?;
    let filling = kernel.filling(*n_multiprocessors, LISTED_THREADS, listed_shared_words(LISTED_THREADS));
    let config = decide.with_scratch(filling, LISTED_THREADS)?;
    let sizes_agree = sweep.counters.len() as usize == size_of::<SweepCounters>() / 4
        && counters.len() as usize == OVERLAP_COUNTERS;
    if !sizes_agree {
        return Err(Error::Internal("an overlap join's buffers do not fit each other".into()));
    }
    let arguments = DeviceListed { decide: decide.on_device(gpu)?, sweep, pairs, counters };
    let addresses = addresses(&arguments.decide);
    // SAFETY: there is scratch for as many blocks as are launched, and all counters were checked to be there; the kernel does
    // nothing where they say more pairs than there is room for. Results and scratch are borrowed mutably; `cuda::scan` holds
    // lists and pairs until it has waited for the stream.
    unsafe { kernel.launch_with(gpu, config, arguments, &addresses, "launching the overlap join") }
}
