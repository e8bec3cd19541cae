//! What pairs are decided by, as the three kernels that decide pairs are handed it.

use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::{Slices, UploadedColumns};
use crate::plan::WalkChoice;
use cudarc::driver::{CudaSlice, LaunchConfig};
use hyperblock_shared::layout::{DeviceDecide, DeviceScratch};

/// What a pair is decided by, and where candidates go, all of it in device memory.
pub(in crate::device::cuda) struct Decide<'a> {
    pub(in crate::device::cuda) columns: &'a UploadedColumns,
    /// An archived path over those columns: this many bytes, padded to whole words.
    pub(in crate::device::cuda) path: &'a CudaSlice<u64>,
    pub(in crate::device::cuda) path_len: u64,
    /// The words of candidates. Borrowed mutably like all that a kernel writes, so that nothing else uses it.
    pub(in crate::device::cuda) results: &'a mut CudaSlice<u32>,
    /// How many were found before.
    pub(in crate::device::cuda) n_found: &'a mut CudaSlice<u32>,
    /// Room for `scratch_words` in each of some threads, at least a block's.
    pub(in crate::device::cuda) scratch: &'a mut CudaSlice<u64>,
    pub(in crate::device::cuda) scratch_words: u32,
    /// How paths are walked.
    pub(in crate::device::cuda) walk: WalkChoice,
    /// The counts of the path's steps, if they are counted.
    pub(in crate::device::cuda) counts: &'a mut CudaSlice<u64>,
    pub(in crate::device::cuda) n_counts: usize,
}

impl Decide<'_> {
    /// As kernels see it.
    pub(super) fn on_device(&self, gpu: &Cuda) -> Result<DeviceDecide> {
        let path = Slices(gpu).of(self.path).of::<u8>();
        let is_counted = self.walk == WalkChoice::Counted;
        let sizes_agree = self.path_len <= path.len()
            && self.n_found.len() == 1
            && (!is_counted || self.counts.len() >= self.n_counts);
        if !sizes_agree {
            return Err(Error::Internal("what decides pairs does not fit together".into()));
        }
        Ok(DeviceDecide {
            columns: self.columns.root,
            path: path.first(self.path_len),
            results: Slices(gpu).of(self.results).of().atomic(),
            n_found: Slices(gpu).of(self.n_found).cell(0),
            scratch: scratch(gpu, self.scratch, self.scratch_words),
            counts: Slices(gpu).first(self.counts, if is_counted { self.n_counts } else { 0 }).atomic(),
        })
    }

    /// Fewer blocks of so many threads, if there is no scratch for more.
    pub(super) fn with_scratch(&self, config: LaunchConfig, threads: u32) -> Result<LaunchConfig> {
        let n_blocks = config.grid_dim.0.min(n_with_scratch(self.scratch, self.scratch_words, threads));
        match n_blocks {
            0 => Err(Error::Internal("there is no scratch for a block".into())),
            n_blocks => Ok(LaunchConfig { grid_dim: (n_blocks, 1, 1), ..config }),
        }
    }
}

/// What the kernels take once more, beside the struct: the path and the scratch.
pub(super) fn addresses(decide: &DeviceDecide) -> [u64; 2] {
    [decide.path.address(), decide.scratch.array.address()]
}

/// Scratch as kernels see it.
pub(super) fn scratch(gpu: &Cuda, scratch: &CudaSlice<u64>, n_words: u32) -> DeviceScratch {
    DeviceScratch { array: Slices(gpu).of(scratch).to_write(), n_words, padding: 0 }
}

/// Blocks of so many threads that there is scratch for.
pub(super) fn n_with_scratch(scratch: &CudaSlice<u64>, scratch_words: u32, threads: u32) -> u32 {
    let block_words = scratch_words as usize * threads as usize;
    let n_blocks = scratch.len().checked_div(block_words).unwrap_or(usize::MAX);
    u32::try_from(n_blocks).unwrap_or(u32::MAX)
}
