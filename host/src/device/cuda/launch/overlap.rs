//! Launches the kernels of `device::overlap`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::{KernelFile, kernel_file};
use super::{Kernel, n_multiprocessors, one_block};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use bytemuck::Pod;
use cudarc::driver::{CudaContext, LaunchConfig};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{DeviceAtomics, DeviceOverlap, DeviceSums, PROBE_WORDS, WARP};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const FILE: KernelFile = kernel_file!("overlap");

/// Threads of a block: with its registers, four of those that probe share a multiprocessor.
const THREADS: u32 = 256;
/// Threads of a block that is alone.
const THREADS_OF_ONE: u32 = 1024;

/// The loaded kernels, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct OverlapKernels {
    count: Kernel<DeviceOverlap>,
    totals: Kernel<DeviceSums>,
    starts: Kernel<DeviceSums>,
    spread: Kernel<DeviceSums>,
    fill: Kernel<DeviceOverlap>,
    measure: Kernel<DeviceOverlap>,
    probe: Kernel<DeviceOverlap>,
    dense: Kernel<DeviceOverlap>,
    n_multiprocessors: u32,
}

impl OverlapKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = FILE.load(context, device)?;
        let kernel = |name: &str| Kernel::find(&module, &format!("hyperblock_overlap_{name}"));
        let sums = |name: &str| Kernel::find(&module, &format!("hyperblock_overlap_{name}"));
        Ok(Self {
            count: kernel("count")?,
            totals: sums("totals")?,
            starts: sums("starts")?,
            spread: sums("spread")?,
            fill: kernel("fill")?,
            measure: kernel("measure")?,
            probe: kernel("probe")?,
            dense: kernel("dense")?,
            n_multiprocessors: n_multiprocessors(context, device)?,
        })
    }

    fn filling<A: Pod>(&self, kernel: &Kernel<A>, words_per_warp: u32) -> LaunchConfig {
        kernel.filling(self.n_multiprocessors, THREADS, THREADS / WARP * words_per_warp)
    }
}

/// An overlap join whose slices are in device memory and as `layout` says; only `cuda::overlap` makes one.
pub(in crate::device::cuda) struct OverlapLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a OverlapKernels,
    pub(in crate::device::cuda) overlap: DeviceOverlap,
}

impl OverlapLaunches<'_> {
    /// Makes the index. Slots are 0 before.
    pub(in crate::device::cuda) fn index(&self) -> Result<()> {
        let DeviceOverlap { slots, slot_tiles, .. } = self.overlap;
        self.of_overlap(&self.kernels.count, 0)?;
        self.sums(slots, slot_tiles)?;
        self.of_overlap(&self.kernels.fill, 0)
    }

    /// Finds the pairs of the groups through the index. Counters and segments are 0 before.
    pub(in crate::device::cuda) fn probe(&self) -> Result<()> {
        let DeviceOverlap { segments, segment_tiles, .. } = self.overlap;
        self.of_overlap(&self.kernels.measure, 0)?;
        self.sums(segments, segment_tiles)?;
        self.of_overlap(&self.kernels.probe, PROBE_WORDS)
    }

    /// Finds the pairs of the values without one. Counters are 0 before.
    pub(in crate::device::cuda) fn dense(&self) -> Result<()> {
        self.of_overlap(&self.kernels.dense, DeviceOverlap::DENSE_WORDS)
    }

    /// Each word becomes the sum of those before it.
    fn sums(&self, words: DeviceAtomics<u32>, tiles: DeviceAtomics<u32>) -> Result<()> {
        let (gpu, kernels, sums) = (self.gpu, self.kernels, DeviceSums { words, tiles });
        let doing = "launching the overlap join";
        // SAFETY, of the three: `cuda::overlap` holds words and tiles, and has made as many tiles as `n_sum_tiles` says for
        // those words, and one more. They run in this order, so each finds the tiles as the one before left them.
        let over_tiles = kernels.filling(&kernels.totals, 0);
        // SAFETY: reads words and writes a total for each tile, which are there as said above.
        unsafe { kernels.totals.launch(gpu, over_tiles, sums, doing) }?;
        // SAFETY: one block goes over the tiles alone, which are there as said above.
        unsafe { kernels.starts.launch(gpu, one_block(THREADS_OF_ONE, SUM_WORDS), sums, doing) }?;
        let over_tiles = kernels.filling(&kernels.spread, 0);
        // SAFETY: reads tiles and writes words, which are there as said above.
        unsafe { kernels.spread.launch(gpu, over_tiles, sums, doing) }
    }

    fn of_overlap(&self, kernel: &Kernel<DeviceOverlap>, words_per_warp: u32) -> Result<()> {
        let config = self.kernels.filling(kernel, words_per_warp);
        // SAFETY: `cuda::overlap` holds both blocks, their index and the buffer for pairs until it has seen the counters. It
        // makes a slot for each that look-ups name and room for all postings; kernels look whether there is room for a pair.
        unsafe { kernel.launch(self.gpu, config, self.overlap, "launching the overlap join") }
    }
}
