//! Launches the kernels of `device::overlap`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::{ByValue, filling, load_module, n_multiprocessors, one_block};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use cudarc::driver::{CudaContext, CudaFunction, LaunchConfig, PushKernelArg};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{DeviceOverlap, DeviceSlice, PROBE_WORDS, WARP};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const PTX: &str = include_str!("../../../../../device/overlap.ptx");

/// Threads of a block: with its registers, four of those that probe share a multiprocessor.
const THREADS: u32 = 256;
/// Threads of a block that is alone.
const THREADS_OF_ONE: u32 = 1024;

/// The loaded kernels, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct OverlapKernels {
    count: CudaFunction,
    totals: CudaFunction,
    starts: CudaFunction,
    spread: CudaFunction,
    fill: CudaFunction,
    measure: CudaFunction,
    probe: CudaFunction,
    dense: CudaFunction,
    n_multiprocessors: u32,
}

impl OverlapKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = load_module(context, device, PTX)?;
        let kernel = |name: &str| {
            let name = format!("hyperblock_overlap_{name}");
            let lacks = |_| Error::Internal(format!("the kernels lack `{name}`"));
            module.load_function(&name).map_err(lacks)
        };
        Ok(Self {
            count: kernel("count")?,
            totals: kernel("totals")?,
            starts: kernel("starts")?,
            spread: kernel("spread")?,
            fill: kernel("fill")?,
            measure: kernel("measure")?,
            probe: kernel("probe")?,
            dense: kernel("dense")?,
            n_multiprocessors: n_multiprocessors(context, device)?,
        })
    }

    fn filling(&self, kernel: &CudaFunction, words_per_warp: u32) -> LaunchConfig {
        filling(kernel, self.n_multiprocessors, THREADS, THREADS / WARP * words_per_warp)
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
    fn sums(&self, words: DeviceSlice, tiles: DeviceSlice) -> Result<()> {
        let (kernels, stream) = (self.kernels, &self.gpu.stream);
        let failed = self.gpu.failed("launching the overlap join");
        let (words, tiles) = (ByValue(words), ByValue(tiles));
        // SAFETY, for the three: order and types are those of `device::nvptx::overlap`. That the slices are as large as the
        // kernels read and write is what `OverlapLaunches` promises.
        let mut totals = stream.launch_builder(&kernels.totals);
        totals.arg(&words).arg(&tiles);
        // SAFETY: as said.
        unsafe { totals.launch(kernels.filling(&kernels.totals, 0)) }.map_err(&failed)?;
        let mut starts = stream.launch_builder(&kernels.starts);
        starts.arg(&tiles);
        // SAFETY: as said.
        unsafe { starts.launch(one_block(THREADS_OF_ONE, SUM_WORDS)) }.map_err(&failed)?;
        let mut spread = stream.launch_builder(&kernels.spread);
        spread.arg(&words).arg(&tiles);
        // SAFETY: as said.
        unsafe { spread.launch(kernels.filling(&kernels.spread, 0)) }.map_err(&failed)?;
        Ok(())
    }

    fn of_overlap(&self, kernel: &CudaFunction, words_per_warp: u32) -> Result<()> {
        let overlap = ByValue(self.overlap);
        let config = self.kernels.filling(kernel, words_per_warp);
        // SAFETY: as in `sums`.
        let launched = unsafe { self.gpu.stream.launch_builder(kernel).arg(&overlap).launch(config) };
        launched.map_err(self.gpu.failed("launching the overlap join"))?;
        Ok(())
    }
}
