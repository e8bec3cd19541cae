//! Launches `device::score`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::{ByValue, filling, load_module, n_multiprocessors};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::{Slices, UploadedColumns};
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
use hyperblock_shared::layout::DeviceSlice;
use hyperblock_shared::score::{Attribute, Wanted};
use std::sync::Arc;

/// The kernel as `cargo xtask device` built it.
pub(super) const PTX: &str = include_str!("../../../../../device/score.ptx");

/// Threads of a block: with its registers, four of them share a multiprocessor.
pub(in crate::device::cuda) const SCORE_THREADS: u32 = 128;

/// The loaded kernel, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct ScoreKernel {
    kernel: CudaFunction,
    n_multiprocessors: u32,
}

impl ScoreKernel {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = load_module(context, device, PTX)?;
        let lacks = |_| Error::Internal("the kernels lack `hyperblock_score`".into());
        let kernel = module.load_function("hyperblock_score").map_err(lacks)?;
        Ok(Self { kernel, n_multiprocessors: n_multiprocessors(context, device)? })
    }

    /// As many blocks as have room at once.
    pub(in crate::device::cuda) fn n_blocks(&self) -> u32 {
        self.filling().grid_dim.0
    }

    fn filling(&self) -> LaunchConfig {
        filling(&self.kernel, self.n_multiprocessors, SCORE_THREADS, 0)
    }
}

/// What is scored, all of it in device memory.
pub(in crate::device::cuda) struct ScoreBuffers<'a> {
    pub(in crate::device::cuda) columns: &'a UploadedColumns,
    /// The words of `Attribute`s over those columns.
    pub(in crate::device::cuda) attributes: &'a CudaSlice<u32>,
    /// Pairs of records of the columns, two words each.
    pub(in crate::device::cuda) pairs: &'a CudaSlice<u32>,
    pub(in crate::device::cuda) wanted: Wanted,
    /// A word for each pair, or two if levels are wanted.
    pub(in crate::device::cuda) results: &'a mut CudaSlice<u32>,
    /// Room for `scratch_words` in each of some threads, at least a block's.
    pub(in crate::device::cuda) scratch: &'a mut CudaSlice<u64>,
    pub(in crate::device::cuda) scratch_words: u32,
}

/// Words of results that a pair takes.
pub(in crate::device::cuda) fn words_per_pair(wanted: Wanted) -> usize {
    match wanted {
        Wanted::Mean { .. } => 1,
        Wanted::Pattern => 2,
    }
}

/// Starts the kernel; the stream's order makes later copies wait for it.
pub(in crate::device::cuda) fn launch_score(gpu: &Cuda, buffers: ScoreBuffers<'_>) -> Result<()> {
    let ScoreBuffers { columns, attributes, pairs, wanted, results, scratch, scratch_words } = buffers;
    let kernel = gpu.kernels.load_score(&gpu.context, &gpu.name)?;
    let filling = kernel.filling();
    let block_scratch = scratch_words as usize * SCORE_THREADS as usize;
    let with_scratch = scratch.len().checked_div(block_scratch).unwrap_or(usize::MAX);
    let n_pairs = pairs.len() / 2;
    let useful = n_pairs.div_ceil(SCORE_THREADS as usize);
    let n_blocks = (filling.grid_dim.0 as usize).min(with_scratch).min(useful) as u32;
    let attribute_words = size_of::<Attribute>() / size_of::<u32>();
    let sizes_agree = results.len() == n_pairs * words_per_pair(wanted)
        && attributes.len().is_multiple_of(attribute_words)
        && n_blocks > 0;
    if !sizes_agree {
        return Err(Error::Internal("the buffers of scores do not fit each other".into()));
    }
    let slices = Slices(gpu);
    let n_attributes = (attributes.len() / attribute_words) as u64;
    let attributes = ByValue(DeviceSlice { len: n_attributes, ..slices.of(attributes) });
    // The driver gives memory at multiples of 256 bytes: two words are one of 64 bits.
    let pairs = ByValue(DeviceSlice { len: n_pairs as u64, ..slices.of(pairs) });
    let results = ByValue(slices.of(results));
    let (columns, wanted) = (ByValue(columns.root), wanted.number());
    let config = LaunchConfig { grid_dim: (n_blocks, 1, 1), ..filling };
    let mut launch = gpu.stream.launch_builder(&kernel.kernel);
    launch.arg(&columns).arg(&attributes).arg(&pairs).arg(&wanted).arg(&results).arg(scratch);
    launch.arg(&scratch_words);
    // SAFETY: order and types are those of `device::nvptx::score`. That the buffers are as large as it reads and writes
    // was checked above; what they hold is what the fields of `ScoreBuffers` promise, and only `cuda::score` makes them.
    // Buffers that the kernel writes are borrowed mutably, so nothing else uses them.
    unsafe { launch.launch(config) }.map_err(gpu.failed("launching the scores"))?;
    Ok(())
}
