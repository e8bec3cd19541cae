//! Launches `device::join::residual`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::decide::addresses;
use super::file::{KernelFile, kernel_file};
use super::{Decide, Kernel, n_multiprocessors};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use cudarc::driver::{CudaContext, CudaModule};
use hyperblock_shared::join::residual_words;
use hyperblock_shared::layout::{DeviceJoin, DeviceResidual, DeviceSettings};
use std::sync::Arc;

/// The kernel as `cargo xtask device` built it.
pub(super) const FILE: KernelFile = kernel_file!("residual");

/// Threads of a block: with its registers, three of them share a multiprocessor.
pub(in crate::device::cuda) const RESIDUAL_THREADS: u32 = 128;

/// The loaded kernel, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct ResidualKernel {
    kernel: Kernel<DeviceResidual>,
    n_multiprocessors: u32,
}

impl ResidualKernel {
    /// In a file that has it.
    pub(super) fn find(file: &Arc<CudaModule>, context: &CudaContext, device: &str) -> Result<Self> {
        let kernel = Kernel::find(file, "hyperblock_residual")?;
        Ok(Self { kernel, n_multiprocessors: n_multiprocessors(context, device)? })
    }
}

/// Starts the kernel. The join is partitioned, its rows are records of the columns, and its arrays are alive.
pub(in crate::device::cuda) fn launch_residual(
    gpu: &Cuda,
    decide: &Decide<'_>,
    join: DeviceJoin,
    settings: DeviceSettings,
) -> Result<()> {
    let ResidualKernel { kernel, n_multiprocessors } =
        gpu.kernels.load_residual(&gpu.context, &gpu.name, decide.walk)?;
    let shared_words = residual_words(join.sizes.n_slots, RESIDUAL_THREADS);
    let filling = kernel.filling(*n_multiprocessors, RESIDUAL_THREADS, shared_words);
    let config = decide.with_scratch(filling, RESIDUAL_THREADS)?;
    let arguments = DeviceResidual { decide: decide.on_device(gpu)?, join, settings };
    let addresses = addresses(&arguments.decide);
    // SAFETY: there is scratch for as many blocks as are launched. Results and scratch are borrowed mutably; `cuda::scan`
    // holds the partitioned join, whose arrays are as large as their sizes say, until it has waited for the stream.
    unsafe { kernel.launch_with(gpu, config, arguments, &addresses, "launching the join") }
}
