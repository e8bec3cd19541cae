//! Launches the kernels of `device::relation`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::{KernelFile, kernel_file};
use super::prepared::{Module, Prepared};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use bytemuck::Pod;
use cudarc::driver::CudaContext;
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{
    DeviceAtomics, DeviceCell, DeviceCompact, DeviceDeduplicate, DeviceFill, DeviceHistogram, DeviceIndexing,
    DeviceMark, DeviceMeasure, DevicePack, DeviceProjection, DeviceScatter, DeviceSlice, DeviceSliceMut,
    DeviceSplit, DeviceStarts, DeviceSums, DeviceUnion, DeviceUnionCount, DeviceUnpack,
};
use hyperblock_shared::relation::{
    Digit, HISTOGRAM_WORDS, MERGE_ITEMS, RULE_WORDS, SORT_ITEMS, WIDE_SUM_WORDS, join_words, merge_words,
    scatter_words,
};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const FILE: KernelFile = kernel_file!("relation");

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
    histogram: Prepared<DeviceHistogram>,
    totals: Prepared<DeviceSums>,
    narrow_starts: Prepared<DeviceSums>,
    spread: Prepared<DeviceSums>,
    scatter: Prepared<DeviceScatter>,
    starts: Prepared<DeviceStarts>,
    mark: Prepared<DeviceMark>,
    compact: Prepared<DeviceCompact>,
    pack: Prepared<DevicePack>,
    rules: Prepared<DeviceUnpack>,
    pairs: Prepared<DeviceUnpack>,
    kept: Prepared<DeviceUnpack>,
    split: Prepared<DeviceSplit>,
    count: Prepared<DeviceUnionCount>,
    merge: Prepared<DeviceUnion>,
    index: Prepared<DeviceIndexing>,
    fill: Prepared<DeviceFill>,
    deduplicate: Prepared<DeviceDeduplicate>,
    measure: Prepared<DeviceMeasure>,
    join: Prepared<DeviceProjection>,
}

impl RelationKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = Module::load(FILE, (context, device), "hyperblock_relation_", RELATION_THREADS)?;
        Ok(Self {
            histogram: module.filling("histogram", HISTOGRAM_WORDS)?,
            totals: module.filling("totals", 0)?,
            narrow_starts: module.alone("narrow_starts", THREADS_OF_ONE, SUM_WORDS)?,
            spread: module.filling("spread", 0)?,
            scatter: module.filling("scatter", scatter_words(RELATION_THREADS))?,
            starts: module.alone("starts", THREADS_OF_ONE, WIDE_SUM_WORDS)?,
            mark: module.filling("mark", 0)?,
            compact: module.filling("compact", 0)?,
            pack: module.filling("pack", 0)?,
            rules: module.filling("rules", RULE_WORDS)?,
            pairs: module.filling("pairs", 0)?,
            kept: module.filling("kept", 0)?,
            split: module.filling("split", 0)?,
            count: module.filling("count", merge_words(RELATION_THREADS))?,
            merge: module.filling("merge", merge_words(RELATION_THREADS))?,
            index: module.filling("index", 0)?,
            fill: module.filling("fill", 0)?,
            deduplicate: module.filling("deduplicate", 0)?,
            measure: module.filling("measure", 0)?,
            join: module.filling("join", join_words(RELATION_THREADS))?,
        })
    }
}

/// Launches over relations in device memory; only `cuda::relation`, `cuda::semi_naive` and `cuda::scan` ask for them, and hold the arrays.
#[derive(Clone, Copy)]
pub(in crate::device::cuda) struct RelationLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a RelationKernels,
}

impl RelationLaunches<'_> {
    /// Brings `words` into the order of a digit. `counts` has room for all values of a digit for each tile, and `tiles`
    /// for their sums.
    pub(in crate::device::cuda) fn sort_pass(
        &self,
        digit: Digit,
        words: DeviceSlice<u64>,
        sorted: DeviceSliceMut<u64>,
        counts: DeviceSlice<u32>,
        tiles: DeviceSlice<u32>,
    ) -> Result<()> {
        let (kernels, digit) = (self.kernels, digit.packed());
        let histogram = DeviceHistogram { words, counts: counts.atomic(), digit };
        let scatter = DeviceScatter { words, starts: counts, sorted, digit };
        // SAFETY: `Cuda::sort` gives a count for each digit and tile of the words, and they are all the kernel writes.
        unsafe { self.launch(&kernels.histogram, histogram) }?;
        self.sums(counts, tiles)?;
        // SAFETY: counts are now where each tile's words of a digit go, and `sorted` has room for as many words, beside them.
        unsafe { self.launch(&kernels.scatter, scatter) }
    }

    /// Words become the sums of those before them, and the last of `tiles` that of all. There are as many as `n_sum_tiles` says,
    /// and one more.
    pub(in crate::device::cuda) fn sums(
        &self,
        words: DeviceSlice<u32>,
        tiles: DeviceSlice<u32>,
    ) -> Result<()> {
        let (kernels, sums) = (self.kernels, DeviceSums { words: words.atomic(), tiles: tiles.atomic() });
        // SAFETY: who asks gives as many tiles as `n_sum_tiles` says for the words, and one more.
        unsafe { self.launch(&kernels.totals, sums) }?;
        // SAFETY: one block goes over those tiles alone.
        unsafe { self.launch(&kernels.narrow_starts, sums) }?;
        // SAFETY: words become sums, by way of tiles that the kernel before has summed up.
        unsafe { self.launch(&kernels.spread, sums) }
    }

    /// Writes candidates as words; there is room for as many.
    pub(in crate::device::cuda) fn pack(&self, pack: DevicePack) -> Result<()> {
        // SAFETY: `CudaScan::sorted` hands over candidates that kernels wrote, and room for as many words.
        unsafe { self.launch(&self.kernels.pack, pack) }
    }

    /// Adds up how many candidates that are words name each rule. There are at most `RULE_WORDS` counts.
    pub(in crate::device::cuda) fn rules(&self, unpack: DeviceUnpack) -> Result<()> {
        // SAFETY: `cuda::scan::kept` gives a count for each rule that words may name, and no more than the blocks have room for.
        unsafe { self.launch(&self.kernels.rules, unpack) }
    }

    /// Writes the records of candidates that are words; there is room for as many pairs.
    pub(in crate::device::cuda) fn pairs(&self, unpack: DeviceUnpack) -> Result<()> {
        // SAFETY: `cuda::scan::kept` gives room for a pair for each word, and a number for each record of a side, or none.
        unsafe { self.launch(&self.kernels.pairs, unpack) }
    }

    /// Writes the words whose scores were kept beside those.
    pub(in crate::device::cuda) fn kept(&self, unpack: DeviceUnpack) -> Result<()> {
        // SAFETY: `cuda::scan::kept` hands over what the scores of the same words have left, and room for all of them.
        unsafe { self.launch(&self.kernels.kept, unpack) }
    }

    /// Marks what is kept of sorted `words`: each once, without those among `others`. `total` becomes how many they are.
    pub(in crate::device::cuda) fn mark(&self, mark: DeviceMark, total: DeviceCell<u64>) -> Result<()> {
        // SAFETY: `Cuda::select` gives a mask for each 32 words of whole tiles, and a word for each tile, and one more.
        unsafe { self.launch(&self.kernels.mark, mark) }?;
        self.starts(mark.tiles, total)
    }

    /// Writes what was marked.
    pub(in crate::device::cuda) fn compact(&self, compact: DeviceCompact) -> Result<()> {
        // SAFETY: `Cuda::select` hands over what `mark` made of the same words, and room for as many as it counted.
        unsafe { self.launch(&self.kernels.compact, compact) }
    }

    /// The union of two sorted arrays. `splits` and `tiles` are a word for each tile of both together, and one more; `merged`
    /// has room for both; `total` becomes how many words the union has.
    pub(in crate::device::cuda) fn merge(
        &self,
        [left, right]: [DeviceSlice<u64>; 2],
        [splits, tiles]: [DeviceSlice<u64>; 2],
        merged: DeviceSliceMut<u64>,
        total: DeviceCell<u64>,
    ) -> Result<()> {
        let kernels = self.kernels;
        let split = DeviceSplit { left, right, splits: splits.to_write() };
        let count = DeviceUnionCount { left, right, splits, tiles: tiles.atomic() };
        let merge = DeviceUnion { left, right, splits, starts: tiles, merged };
        // SAFETY: `Cuda::merge` gives a split for each tile, and one more, which are all the kernel writes.
        unsafe { self.launch(&kernels.split, split) }?;
        // SAFETY: the arrays are parted by now, and there is a word for each tile to count into.
        unsafe { self.launch(&kernels.count, count) }?;
        self.starts(count.tiles, total)?;
        // SAFETY: tiles now say where what each keeps goes, and `merged` has room for all words of both.
        unsafe { self.launch(&kernels.merge, merge) }
    }

    /// Tiles become the sums of those before them, and `total` that of all.
    fn starts(&self, tiles: DeviceAtomics<u64>, total: DeviceCell<u64>) -> Result<()> {
        // SAFETY: the kernel before wrote all tiles but the last one, which is for the sum; `total` is another word.
        unsafe { self.launch(&self.kernels.starts, DeviceStarts { tiles, total }) }
    }

    /// Indexes a sorted relation. All slots are `EMPTY` before.
    pub(in crate::device::cuda) fn index(&self, index: DeviceIndexing) -> Result<()> {
        // SAFETY: `Index::new` makes slots and lens, as many of the one as of the other and more than there are keys.
        unsafe { self.launch(&self.kernels.index, index) }
    }

    /// Puts tuples into a set.
    pub(in crate::device::cuda) fn fill(&self, fill: DeviceFill) -> Result<()> {
        // SAFETY: the set of `semi_naive::table` has more slots than tuples, so every look ends.
        unsafe { self.launch(&self.kernels.fill, fill) }
    }

    /// Counts what a join makes, by tile of outer tuples; `total` becomes how many tuples those are.
    pub(in crate::device::cuda) fn measure(
        &self,
        measure: DeviceMeasure,
        total: DeviceCell<u64>,
    ) -> Result<()> {
        // SAFETY: whoever joins gives a word for each of `n_join_tiles`, and one more; the index is that of the inner rows,
        // with slots that are empty, so every look ends.
        unsafe { self.launch(&self.kernels.measure, measure) }?;
        self.starts(measure.tiles, total)
    }

    /// Writes what a join makes from some number on, as much as there is room for.
    pub(in crate::device::cuda) fn join(&self, join: DeviceProjection) -> Result<()> {
        // SAFETY: tiles are as `measure` left them for the same relations, and the kernel stays within `joined`.
        unsafe { self.launch(&self.kernels.join, join) }
    }

    /// Puts into a set what a join made from some number on, and appends what is new.
    pub(in crate::device::cuda) fn deduplicate(&self, deduplicate: DeviceDeduplicate) -> Result<()> {
        // SAFETY: whoever asks has made room in the set for all tuples that may be new, and left slots empty, so every look
        // ends; what was joined is in another array.
        unsafe { self.launch(&self.kernels.deduplicate, deduplicate) }
    }

    /// Starts a kernel.
    ///
    /// # Safety
    /// As for [`Kernel::launch`]; the blocks are right.
    unsafe fn launch<A: Pod>(&self, prepared: &Prepared<A>, arguments: A) -> Result<()> {
        // SAFETY: who calls this has seen to the arrays, and `RelationKernels::load` to the blocks.
        unsafe { prepared.launch(self.gpu, arguments, "launching relational operators") }
    }
}
