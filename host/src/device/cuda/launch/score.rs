//! Launches `device::score`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::decide::{n_with_scratch, scratch as on_device};
use super::file::{KernelFile, kernel_file};
use super::{Kernel, first_time, n_multiprocessors};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::{Slices, UploadedColumns};
use cudarc::driver::{CudaContext, CudaSlice, LaunchConfig};
use hyperblock_shared::layout::{DeviceScores, WARP};
use hyperblock_shared::score::{Attribute, Wanted};
use std::sync::{Arc, OnceLock};

/// The kernels as `cargo xtask device` built them: a file for each kind of what is wanted.
pub(super) const MEAN: KernelFile = kernel_file!("mean");
pub(super) const PATTERN: KernelFile = kernel_file!("pattern");
pub(super) const WEIGHT: KernelFile = kernel_file!("weight");

/// Threads of a block: with their registers, four of them share a multiprocessor, or three.
pub(in crate::device::cuda) const SCORE_THREADS: u32 = 128;

/// Those that were loaded: one is all that most jobs need.
#[derive(Debug, Default)]
pub(super) struct ScoreKernels {
    mean: OnceLock<ScoreKernel>,
    pattern: OnceLock<ScoreKernel>,
    weight: OnceLock<ScoreKernel>,
}

impl ScoreKernels {
    /// The one for what is wanted.
    pub(super) fn load(
        &self,
        context: &Arc<CudaContext>,
        device: &str,
        wanted: Wanted,
    ) -> Result<&ScoreKernel> {
        let (loaded, file, name) = match wanted {
            Wanted::Mean { .. } => (&self.mean, MEAN, "hyperblock_mean"),
            Wanted::Pattern => (&self.pattern, PATTERN, "hyperblock_pattern"),
            Wanted::Weight { .. } => (&self.weight, WEIGHT, "hyperblock_weight"),
        };
        first_time(loaded, || ScoreKernel::load(context, device, file, name))
    }
}

/// A loaded kernel, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct ScoreKernel {
    kernel: Kernel<DeviceScores>,
    n_multiprocessors: u32,
}

impl ScoreKernel {
    fn load(context: &Arc<CudaContext>, device: &str, file: KernelFile, name: &str) -> Result<Self> {
        let kernel = Kernel::find(&file.load(context, device)?, name)?;
        Ok(Self { kernel, n_multiprocessors: n_multiprocessors(context, device)? })
    }

    /// As many blocks as have room at once.
    pub(in crate::device::cuda) fn n_blocks(&self) -> u32 {
        self.filling().grid_dim.0
    }

    fn filling(&self) -> LaunchConfig {
        self.kernel.filling(self.n_multiprocessors, SCORE_THREADS, 0)
    }
}

/// What is scored, all of it in device memory.
pub(in crate::device::cuda) struct ScoreBuffers<'a> {
    pub(in crate::device::cuda) columns: &'a UploadedColumns,
    /// The words of `Attribute`s over those columns.
    pub(in crate::device::cuda) attributes: &'a CudaSlice<u32>,
    /// What values weigh of their own.
    pub(in crate::device::cuda) terms: &'a CudaSlice<i32>,
    /// Pairs of records of the columns, two words each.
    pub(in crate::device::cuda) pairs: &'a CudaSlice<u32>,
    /// How many of them are scored, from the first on.
    pub(in crate::device::cuda) n_pairs: usize,
    pub(in crate::device::cuda) wanted: Wanted,
    /// Room for a word for each pair, or two of a pattern.
    pub(in crate::device::cuda) results: &'a mut CudaSlice<u32>,
    /// Room for two words for each warp of pairs.
    pub(in crate::device::cuda) warps: &'a mut CudaSlice<u32>,
    /// One, which is 0.
    pub(in crate::device::cuda) n_kept: &'a mut CudaSlice<u32>,
    /// Room for `scratch_words` in each of some threads, at least a block's.
    pub(in crate::device::cuda) scratch: &'a mut CudaSlice<u64>,
    pub(in crate::device::cuda) scratch_words: u32,
}

/// Starts the kernel; the stream's order makes later copies wait for it.
pub(in crate::device::cuda) fn launch_score(gpu: &Cuda, buffers: ScoreBuffers<'_>) -> Result<()> {
    let ScoreBuffers { columns, attributes, terms, pairs, n_pairs, wanted, .. } = buffers;
    let ScoreBuffers { results, warps, n_kept, scratch, scratch_words, .. } = buffers;
    let kernel = gpu.kernels.load_score(&gpu.context, &gpu.name, wanted)?;
    let filling = kernel.filling();
    let slices = Slices(gpu);
    let attributes = slices.of(attributes).of::<Attribute>();
    let useful = n_pairs.div_ceil(SCORE_THREADS as usize).min(u32::MAX as usize) as u32;
    let with_scratch = n_with_scratch(scratch, scratch_words, SCORE_THREADS);
    let n_blocks = filling.grid_dim.0.min(with_scratch).min(useful);
    let words_per_pair = if wanted == Wanted::Pattern { 2 } else { 1 };
    let n_warps = n_pairs.div_ceil(WARP as usize);
    let fit = pairs.len() >= 2 * n_pairs
        && results.len() >= words_per_pair * n_pairs
        && warps.len() >= 2 * n_warps
        && n_pairs < 1 << 31;
    if !fit || n_kept.len() != 1 || n_blocks == 0 {
        return Err(Error::Internal("the buffers of scores do not fit each other".into()));
    }
    let arguments = DeviceScores {
        columns: columns.root,
        attributes,
        terms: slices.of(terms),
        pairs: slices.first(pairs, 2 * n_pairs).of::<u64>().atomic(),
        results: slices.first(results, words_per_pair * n_pairs).atomic(),
        warps: slices.first(warps, 2 * n_warps).atomic(),
        n_kept: slices.of(n_kept).cell(0),
        scratch: on_device(gpu, scratch, scratch_words),
        wanted: wanted.numbers(),
    };
    let scratch_at = arguments.scratch.array.address();
    let config = LaunchConfig { grid_dim: (n_blocks, 1, 1), ..filling };
    // SAFETY: there is room for the result of each pair, for two words of each warp, and scratch for as many blocks as are
    // launched, as was checked above. What is written is borrowed mutably; `cuda::score` holds columns and attributes, whose
    // operands and columns are there, and waits for the results.
    unsafe { kernel.kernel.launch_with(gpu, config, arguments, &[scratch_at], "launching the scores") }
}
