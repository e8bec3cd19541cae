//! Launches the kernels of `device::relation`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::{ByValue, filling, load_module, n_multiprocessors, one_block};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, LaunchConfig, PushKernelArg};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::DeviceSlice;
use hyperblock_shared::relation::{
    Digit, HISTOGRAM_WORDS, MERGE_ITEMS, SORT_ITEMS, WIDE_SUM_WORDS, join_words, merge_words, scatter_words,
};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const PTX: &str = include_str!("../../../../../device/relation.ptx");

/// Threads of a block, and so outer tuples of a join's tile.
pub(in crate::device::cuda) const RELATION_THREADS: u32 = 256;
/// Words of a tile that is sorted.
pub(in crate::device::cuda) const SORT_TILE: usize = (SORT_ITEMS * RELATION_THREADS) as usize;
/// Words of a tile that is merged.
pub(in crate::device::cuda) const MERGE_TILE: usize = (MERGE_ITEMS * RELATION_THREADS) as usize;
/// Threads of a block that is alone.
const THREADS_OF_ONE: u32 = 1024;

/// The loaded kernels.
#[derive(Debug)]
pub(in crate::device::cuda) struct RelationKernels {
    histogram: Kernel,
    totals: Kernel,
    narrow_starts: Kernel,
    spread: Kernel,
    scatter: Kernel,
    starts: Kernel,
    mark: Kernel,
    compact: Kernel,
    split: Kernel,
    count: Kernel,
    merge: Kernel,
    index: Kernel,
    fill: Kernel,
    deduplicate: Kernel,
    measure: Kernel,
    join: Kernel,
}

/// A kernel, and the blocks that it is launched with: rounds of a query are short, so they are worked out once.
#[derive(Debug)]
struct Kernel {
    function: CudaFunction,
    config: LaunchConfig,
}

impl RelationKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = load_module(context, device, PTX)?;
        let n_multiprocessors = n_multiprocessors(context, device)?;
        let kernel = |name: &str, shared_words: u32| {
            let function = find(&module, name)?;
            let config = filling(&function, n_multiprocessors, RELATION_THREADS, shared_words);
            Ok::<_, Error>(Kernel { function, config })
        };
        let alone = |name: &str, shared_words: u32| {
            let config = one_block(THREADS_OF_ONE, shared_words);
            Ok::<_, Error>(Kernel { function: find(&module, name)?, config })
        };
        Ok(Self {
            histogram: kernel("histogram", HISTOGRAM_WORDS)?,
            totals: kernel("totals", 0)?,
            narrow_starts: alone("narrow_starts", SUM_WORDS)?,
            spread: kernel("spread", 0)?,
            scatter: kernel("scatter", scatter_words(RELATION_THREADS))?,
            starts: alone("starts", WIDE_SUM_WORDS)?,
            mark: kernel("mark", 0)?,
            compact: kernel("compact", 0)?,
            split: kernel("split", 0)?,
            count: kernel("count", merge_words(RELATION_THREADS))?,
            merge: kernel("merge", merge_words(RELATION_THREADS))?,
            index: kernel("index", 0)?,
            fill: kernel("fill", 0)?,
            deduplicate: kernel("deduplicate", 0)?,
            measure: kernel("measure", 0)?,
            join: kernel("join", join_words(RELATION_THREADS))?,
        })
    }
}

fn find(module: &Arc<CudaModule>, name: &str) -> Result<CudaFunction> {
    let name = format!("hyperblock_relation_{name}");
    let lacks = |_| Error::Internal(format!("the kernels lack `{name}`"));
    module.load_function(&name).map_err(lacks)
}

/// Relations whose slices are in device memory and as the kernels' files say; only `cuda::relation` and its like make
/// them.
#[derive(Clone, Copy)]
pub(in crate::device::cuda) struct RelationLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a RelationKernels,
}

/// An inner relation that is sorted, and its index.
#[derive(Clone, Copy)]
pub(in crate::device::cuda) struct DeviceIndex {
    /// Of `u64`.
    pub(in crate::device::cuda) rows: DeviceSlice,
    /// Of `u64`: a power of two.
    pub(in crate::device::cuda) slots: DeviceSlice,
    /// Of `u32`: as many.
    pub(in crate::device::cuda) lens: DeviceSlice,
}

/// A set of tuples.
#[derive(Clone, Copy)]
pub(in crate::device::cuda) struct DeviceSet {
    /// Of `u64`: a power of two.
    pub(in crate::device::cuda) slots: DeviceSlice,
    /// Of `u64`: what is in the set, with room for all that may be.
    pub(in crate::device::cuda) tuples: DeviceSlice,
    /// Of `u64`: how many those are.
    pub(in crate::device::cuda) n_tuples: DeviceSlice,
}

impl RelationLaunches<'_> {
    /// Brings `words` into the order of a digit. `counts` has room for all values of a digit for each tile, and `tiles`
    /// for their sums.
    pub(in crate::device::cuda) fn sort_pass(
        &self,
        digit: Digit,
        words: DeviceSlice,
        sorted: DeviceSlice,
        counts: DeviceSlice,
        tiles: DeviceSlice,
    ) -> Result<()> {
        let kernels = self.kernels;
        self.launch(&kernels.histogram, &[words, counts], Some(digit.packed()))?;
        self.launch(&kernels.totals, &[counts, tiles], None)?;
        self.launch(&kernels.narrow_starts, &[tiles], None)?;
        self.launch(&kernels.spread, &[counts, tiles], None)?;
        self.launch(&kernels.scatter, &[words, counts, sorted], Some(digit.packed()))
    }

    /// Marks what is kept of sorted `words`: each once, without those among `others`. `total` becomes how many they are.
    pub(in crate::device::cuda) fn mark(
        &self,
        [words, others]: [DeviceSlice; 2],
        masks: DeviceSlice,
        tiles: DeviceSlice,
        total: DeviceSlice,
    ) -> Result<()> {
        self.launch(&self.kernels.mark, &[words, others, masks, tiles], None)?;
        self.launch(&self.kernels.starts, &[tiles, total], None)
    }

    /// Writes what was marked.
    pub(in crate::device::cuda) fn compact(
        &self,
        words: DeviceSlice,
        masks: DeviceSlice,
        tiles: DeviceSlice,
        kept: DeviceSlice,
    ) -> Result<()> {
        self.launch(&self.kernels.compact, &[words, masks, tiles, kept], None)
    }

    /// The union of two sorted arrays. `total` becomes how many words it has.
    pub(in crate::device::cuda) fn merge(
        &self,
        [left, right]: [DeviceSlice; 2],
        [splits, tiles]: [DeviceSlice; 2],
        merged: DeviceSlice,
        total: DeviceSlice,
    ) -> Result<()> {
        let kernels = self.kernels;
        self.launch(&kernels.split, &[left, right, splits], None)?;
        self.launch(&kernels.count, &[left, right, splits, tiles], None)?;
        self.launch(&kernels.starts, &[tiles, total], None)?;
        self.launch(&kernels.merge, &[left, right, splits, tiles, merged], None)
    }

    /// Indexes a sorted relation. All slots are `EMPTY` before.
    pub(in crate::device::cuda) fn index(&self, index: DeviceIndex) -> Result<()> {
        self.launch(&self.kernels.index, &[index.rows, index.slots, index.lens], None)
    }

    /// Puts tuples into a set.
    pub(in crate::device::cuda) fn fill(&self, tuples: DeviceSlice, slots: DeviceSlice) -> Result<()> {
        self.launch(&self.kernels.fill, &[tuples, slots], None)
    }

    /// Counts what a join makes, by tile of outer tuples; `total` becomes how many tuples those are.
    pub(in crate::device::cuda) fn measure(
        &self,
        outer: DeviceSlice,
        index: DeviceIndex,
        tiles: DeviceSlice,
        total: DeviceSlice,
    ) -> Result<()> {
        let DeviceIndex { rows, slots, lens } = index;
        self.launch(&self.kernels.measure, &[outer, rows, slots, lens, tiles], None)?;
        self.launch(&self.kernels.starts, &[tiles, total], None)
    }

    /// Writes what a join makes from number `from` on, as much as there is room for.
    pub(in crate::device::cuda) fn join(
        &self,
        outer: DeviceSlice,
        index: DeviceIndex,
        tiles: DeviceSlice,
        from: u64,
        joined: DeviceSlice,
    ) -> Result<()> {
        let DeviceIndex { rows, slots, lens } = index;
        self.launch(&self.kernels.join, &[outer, rows, slots, lens, tiles, joined], Some(from))
    }

    /// Puts into a set what a join made from number `from` on, where `n_joined` says how many it made in all, and appends
    /// what is new.
    pub(in crate::device::cuda) fn deduplicate(
        &self,
        joined: DeviceSlice,
        n_joined: DeviceSlice,
        from: u64,
        set: DeviceSet,
    ) -> Result<()> {
        let slices = [joined, n_joined, set.slots, set.tuples, set.n_tuples];
        self.launch(&self.kernels.deduplicate, &slices, Some(from))
    }

    fn launch(&self, kernel: &Kernel, slices: &[DeviceSlice], number: Option<u64>) -> Result<()> {
        let mut launch = self.gpu.stream.launch_builder(&kernel.function);
        let slices: Vec<ByValue<DeviceSlice>> = slices.iter().map(|&slice| ByValue(slice)).collect();
        for slice in &slices {
            launch.arg(slice);
        }
        if let Some(number) = &number {
            launch.arg(number);
        }
        // SAFETY: order and types are those of `device::nvptx::relation`, slices first. That the slices are as large as the
        // kernels read and write is what `RelationLaunches` promises.
        unsafe { launch.launch(kernel.config) }.map_err(self.gpu.failed("launching relational operators"))?;
        Ok(())
    }
}
