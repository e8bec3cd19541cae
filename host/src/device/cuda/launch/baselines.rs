//! Launches the kernels of `device::baselines`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::{KernelFile, kernel_file};
use super::join::{find, most_shared};
use super::relation::RELATION_THREADS;
use super::{Kernel, n_multiprocessors, one_block};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use bytemuck::Pod;
use cudarc::driver::{CudaContext, LaunchConfig};
use hyperblock_shared::baselines::{
    BATCH, DETECT_WORDS, DIVIDE_WORDS, SKEWED_WORDS, bucket_words, chained_words,
};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{
    DeviceBucketPass, DeviceBuckets, DeviceGbase, DeviceGsh, DeviceGshStarts, DeviceGssjoin, DeviceProject,
    DeviceWideJoin, WARP,
};
use hyperblock_shared::relation::join_words;
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const FILE: KernelFile = kernel_file!("baselines");

/// Threads of a block.
const THREADS: u32 = 512;
/// Threads of a block that is alone.
const THREADS_OF_ONE: u32 = 1024;
/// Blocks of [`THREADS_OF_ONE`] that score sets, a multiprocessor: more of them have more scores than an H200's cache holds, and take
/// twice as long.
const SCORING_BLOCKS: u32 = 1;
/// The most warps that a multiprocessor of any GPU has under way.
const MOST_WARPS: u32 = 2048 / WARP;

/// The loaded kernels, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct BaselineKernels {
    begin: Kernel<DeviceBuckets>,
    partition: Kernel<DeviceBucketPass>,
    gbase_count: Kernel<DeviceGbase>,
    gbase_pairs: Kernel<DeviceGbase>,
    list: Kernel<DeviceGsh>,
    detect: Kernel<DeviceGsh>,
    measure: Kernel<DeviceGsh>,
    starts: Kernel<DeviceGshStarts>,
    divide: Kernel<DeviceGsh>,
    normal_count: Kernel<DeviceGsh>,
    normal_pairs: Kernel<DeviceGsh>,
    products: Kernel<DeviceGsh>,
    skewed: Kernel<DeviceGsh>,
    count_postings: Kernel<DeviceGssjoin>,
    fill_postings: Kernel<DeviceGssjoin>,
    scored_count: Kernel<DeviceGssjoin>,
    scored_pairs: Kernel<DeviceGssjoin>,
    wide_join: Kernel<DeviceWideJoin>,
    project: Kernel<DeviceProject>,
    n_multiprocessors: u32,
}

impl BaselineKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = FILE.load(context, device)?;
        let most_shared = most_shared(context, device)?;
        let name = |name: &str| format!("hyperblock_baselines_{name}");
        let gbase = |kernel: &str| find(&module, &name(kernel), device, most_shared);
        let gss = |kernel: &str| find(&module, &name(kernel), device, most_shared);
        let gsh = |kernel: &str| find(&module, &name(kernel), device, most_shared);
        Ok(Self {
            begin: find(&module, &name("begin"), device, most_shared)?,
            partition: find(&module, &name("partition"), device, most_shared)?,
            gbase_count: gbase("gbase_count")?,
            gbase_pairs: gbase("gbase_pairs")?,
            list: gsh("list")?,
            detect: gsh("detect")?,
            measure: gsh("measure")?,
            starts: find(&module, &name("starts"), device, most_shared)?,
            divide: gsh("divide")?,
            normal_count: gsh("normal_count")?,
            normal_pairs: gsh("normal_pairs")?,
            products: gsh("products")?,
            skewed: gsh("skewed")?,
            count_postings: gss("count_postings")?,
            fill_postings: gss("fill_postings")?,
            scored_count: gss("scored_count")?,
            scored_pairs: gss("scored_pairs")?,
            wide_join: find(&module, &name("wide_join"), device, most_shared)?,
            project: find(&module, &name("project"), device, most_shared)?,
            n_multiprocessors: n_multiprocessors(context, device)?,
        })
    }

    /// The most warps that write pairs at once.
    pub(in crate::device::cuda) fn most_warps(&self) -> u32 {
        self.n_multiprocessors * MOST_WARPS
    }

    /// As many blocks as the GPU has room for at once.
    fn filling<A: Pod>(&self, kernel: &Kernel<A>, shared_words: u32) -> LaunchConfig {
        kernel.filling(self.n_multiprocessors, THREADS, shared_words)
    }
}

/// Launches on a GPU; only `cuda::baselines` makes them, of arrays that it holds.
#[derive(Clone, Copy)]
pub(in crate::device::cuda) struct BaselineLaunches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a BaselineKernels,
}

const DOING: &str = "launching a baseline";

impl BaselineLaunches<'_> {
    /// Gbase: writes a side, or what the first pass left of it, to lists of buckets.
    pub(in crate::device::cuda) fn partition(&self, pass: DeviceBucketPass) -> Result<()> {
        let BaselineKernels { begin, partition, .. } = self.kernels;
        // SAFETY: `cuda::baselines::gbase` holds the lists, with a tail for each partition, and a next one and an owner for
        // each bucket.
        unsafe { begin.launch(self.gpu, self.kernels.filling(begin, 0), pass.to, DOING) }?;
        let config = self.kernels.filling(partition, bucket_words(1 << pass.bits, THREADS));
        // SAFETY: it also holds the side and what the first pass left, which are others. There is a bucket for each
        // partition, and as many more as the rows fill: a list has no further one that is empty.
        unsafe { partition.launch(self.gpu, config, pass, DOING) }
    }

    /// Gbase: joins lists.
    pub(in crate::device::cuda) fn gbase(&self, join: DeviceGbase, sees_pairs: bool) -> Result<()> {
        let kernel = if sees_pairs { &self.kernels.gbase_pairs } else { &self.kernels.gbase_count };
        let words = chained_words(join.slot_bits, join.sides[0].n_rows, sees_pairs);
        // SAFETY: both sides were partitioned alike, and `cuda::baselines::gbase` holds them. If pairs are seen, there is a
        // buffer for them, which is larger than a piece.
        unsafe { kernel.launch(self.gpu, self.kernels.filling(kernel, words), join, DOING) }
    }

    /// GSH: lists large partitions.
    pub(in crate::device::cuda) fn list(&self, join: DeviceGsh) -> Result<()> {
        self.of_gsh(&self.kernels.list, 0, join)
    }

    /// GSH: finds the keys that come up most in large partitions.
    pub(in crate::device::cuda) fn detect(&self, join: DeviceGsh) -> Result<()> {
        self.of_gsh(&self.kernels.detect, DETECT_WORDS, join)
    }

    /// GSH: counts the classes of the first side's large partitions.
    pub(in crate::device::cuda) fn measure(&self, join: DeviceGsh) -> Result<()> {
        self.of_gsh(&self.kernels.measure, DIVIDE_WORDS, join)
    }

    /// GSH: divides the first side's large partitions.
    pub(in crate::device::cuda) fn divide(&self, join: DeviceGsh) -> Result<()> {
        self.of_gsh(&self.kernels.divide, DIVIDE_WORDS, join)
    }

    /// GSH: where classes start, or tiles.
    pub(in crate::device::cuda) fn starts(&self, mut classes: DeviceGshStarts) -> Result<()> {
        classes.tile_rows = BATCH * THREADS;
        let config = one_block(THREADS_OF_ONE, SUM_WORDS);
        // SAFETY: `cuda::baselines::gsh` holds the arrays: a start and a cursor for each count, and one more start; likewise
        // tiles, if there are any.
        unsafe { self.kernels.starts.launch(self.gpu, config, classes, DOING) }
    }

    /// GSH: joins what is not skewed.
    pub(in crate::device::cuda) fn normal(&self, join: DeviceGsh, sees_pairs: bool) -> Result<()> {
        let kernel = if sees_pairs { &self.kernels.normal_pairs } else { &self.kernels.normal_count };
        self.of_gsh(kernel, chained_words(join.sizes.slot_bits, join.sizes.table_rows, sees_pairs), join)
    }

    /// GSH: joins skewed keys.
    pub(in crate::device::cuda) fn skewed(&self, join: DeviceGsh, sees_pairs: bool) -> Result<()> {
        match sees_pairs {
            true => self.of_gsh(&self.kernels.skewed, SKEWED_WORDS, join),
            false => self.of_gsh(&self.kernels.products, 0, join),
        }
    }

    /// gSSJoin: counts the sets of elements.
    pub(in crate::device::cuda) fn count_postings(&self, join: DeviceGssjoin) -> Result<()> {
        self.of_gssjoin(
            &self.kernels.count_postings,
            self.kernels.filling(&self.kernels.count_postings, 0),
            join,
        )
    }

    /// gSSJoin: writes them.
    pub(in crate::device::cuda) fn fill_postings(&self, join: DeviceGssjoin) -> Result<()> {
        self.of_gssjoin(
            &self.kernels.fill_postings,
            self.kernels.filling(&self.kernels.fill_postings, 0),
            join,
        )
    }

    /// gSSJoin: the blocks that score, and so arrays of scores, if there is room for all of them.
    pub(in crate::device::cuda) fn n_scoring(&self) -> u32 {
        SCORING_BLOCKS * self.kernels.n_multiprocessors
    }

    /// gSSJoin: scores, with so many blocks.
    pub(in crate::device::cuda) fn scored(
        &self,
        join: DeviceGssjoin,
        n_blocks: u32,
        sees_pairs: bool,
    ) -> Result<()> {
        let kernel = if sees_pairs { &self.kernels.scored_pairs } else { &self.kernels.scored_count };
        let config = LaunchConfig {
            grid_dim: (n_blocks, 1, 1),
            block_dim: (THREADS_OF_ONE, 1, 1),
            shared_mem_bytes: 0,
        };
        self.of_gssjoin(kernel, config, join)
    }

    fn of_gssjoin(
        &self,
        kernel: &Kernel<DeviceGssjoin>,
        config: LaunchConfig,
        join: DeviceGssjoin,
    ) -> Result<()> {
        // SAFETY: `cuda::baselines::gssjoin` holds the arrays, a slot for each element and an array of scores for each block, and
        // launches kernels in the order of `device::baselines`. If pairs are seen, there is a buffer for them, which is
        // larger than a piece.
        unsafe { kernel.launch(self.gpu, config, join, DOING) }
    }

    /// Writes triples of a join from some number on, as many as there is room for.
    pub(in crate::device::cuda) fn wide_join(&self, join: DeviceWideJoin) -> Result<()> {
        let kernel = &self.kernels.wide_join;
        let words = join_words(RELATION_THREADS);
        let config = kernel.filling(self.kernels.n_multiprocessors, RELATION_THREADS, words);
        // SAFETY: tiles are as `RelationLaunches::measure` left them for the same relations, by blocks of as many threads;
        // the kernel stays within the columns, which are of one length.
        unsafe { kernel.launch(self.gpu, config, join, DOING) }
    }

    /// Writes pairs of triples.
    pub(in crate::device::cuda) fn project(&self, project: DeviceProject) -> Result<()> {
        let kernel = &self.kernels.project;
        // SAFETY: `cuda::baselines::closure` holds columns that `wide_join` wrote, and a place for each of their rows.
        unsafe { kernel.launch(self.gpu, self.kernels.filling(kernel, 0), project, DOING) }
    }

    fn of_gsh(&self, kernel: &Kernel<DeviceGsh>, shared_words: u32, join: DeviceGsh) -> Result<()> {
        // SAFETY: `cuda::baselines::gsh` holds the arrays, and launches kernels in the order of `device::baselines`, so each
        // finds what those before it left. There is room for as many large partitions as there are partitions, for the classes
        // of each, and for all tuples; counts are 0 when a run begins. If pairs are seen, there is a buffer for them, which
        // is larger than a piece.
        unsafe { kernel.launch(self.gpu, self.kernels.filling(kernel, shared_words), join, DOING) }
    }
}
