//! Launches the kernels of `device::join`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::{KernelFile, kernel_file};
use super::{Kernel, n_multiprocessors, one_block};
use crate::base::error::Result;
use crate::device::cuda::{Cuda, driver};
use bytemuck::Pod;
use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN as MOST_SHARED;
use cudarc::driver::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as SHARED;
use cudarc::driver::{CudaContext, CudaModule, LaunchConfig};
use hyperblock_shared::join::{
    ITEMS, MOST_HEAVY, PRODUCT_THREADS, PRODUCT_WORDS, PRODUCTS_WORDS, SELECT_WORDS, SUM_WORDS, count_words,
    light_words, partition_words,
};
use hyperblock_shared::layout::{DeviceJoin, DevicePass};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
pub(super) const FILE: KernelFile = kernel_file!("join");

/// Threads of blocks that partition, and of those that join light partitions.
pub(in crate::device::cuda) const THREADS: u32 = 512;
/// Blocks that multiply, a multiprocessor: more of them only hinder each other's stores. On an H200 two write 3.3 TB a second,
/// three 2.9, and five 2.5.
const PRODUCT_BLOCKS: u32 = 2;
/// Threads of a block that is alone.
const THREADS_OF_ONE: u32 = 1024;

/// The loaded kernels, and how many multiprocessors there are to fill.
#[derive(Debug)]
pub(in crate::device::cuda) struct JoinKernels {
    sample: Kernel<DeviceJoin>,
    select: Kernel<DeviceJoin>,
    count: Kernel<DevicePass>,
    starts: Kernel<DevicePass>,
    partition: Kernel<DevicePass>,
    light_count: [Kernel<DeviceJoin>; 2],
    light_pairs: [Kernel<DeviceJoin>; 2],
    products: Kernel<DeviceJoin>,
    heavy: Kernel<DeviceJoin>,
    n_multiprocessors: u32,
}

impl JoinKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = FILE.load(context, device)?;
        let most_shared = most_shared(context, device)?;
        let name = |name: &str| format!("hyperblock_join_{name}");
        let join = |kernel: &str| find(&module, &name(kernel), device, most_shared);
        let pass = |kernel: &str| find(&module, &name(kernel), device, most_shared);
        Ok(Self {
            sample: join("sample")?,
            select: join("select")?,
            count: pass("count")?,
            starts: pass("starts")?,
            partition: pass("partition")?,
            light_count: [join("light_count")?, join("light_count_self")?],
            light_pairs: [join("light_pairs")?, join("light_pairs_self")?],
            products: join("products")?,
            heavy: join("heavy")?,
            n_multiprocessors: n_multiprocessors(context, device)?,
        })
    }

    /// As many blocks as the GPU has room for at once.
    fn filling<A: Pod>(&self, kernel: &Kernel<A>, threads: u32, shared_words: u32) -> LaunchConfig {
        kernel.filling(self.n_multiprocessors, threads, shared_words)
    }
}

/// The most bytes of shared memory that a block may ask for.
pub(super) fn most_shared(context: &CudaContext, device: &str) -> Result<i32> {
    let asked = context.attribute(MOST_SHARED);
    asked.map_err(|error| driver::failed(device, "asking for its sizes", error))
}

/// Looks a kernel up, and asks for all shared memory there may be: more than 48 KB are only had then.
pub(super) fn find<A: Pod>(
    module: &Arc<CudaModule>,
    name: &str,
    device: &str,
    most_shared: i32,
) -> Result<Kernel<A>> {
    let kernel = Kernel::find(module, name)?;
    let allowed = kernel.function.set_attribute(SHARED, most_shared);
    allowed.map_err(|error| driver::failed(device, "asking for shared memory", error))?;
    Ok(kernel)
}

/// A join whose slices are in device memory and as `layout` says; only `cuda::join` makes one.
pub(in crate::device::cuda) struct Launches<'a> {
    pub(in crate::device::cuda) gpu: &'a Cuda,
    pub(in crate::device::cuda) kernels: &'a JoinKernels,
    pub(in crate::device::cuda) join: DeviceJoin,
}

/// Rows of a tile of a pass.
pub(in crate::device::cuda) const TILE_ROWS: u32 = ITEMS * THREADS;

impl Launches<'_> {
    /// Counts some keys, and chooses the heavy ones.
    pub(in crate::device::cuda) fn find_heavy(&self) -> Result<()> {
        let kernels = self.kernels;
        self.of_join(&kernels.sample, kernels.filling(&kernels.sample, THREADS, 0), self.join)?;
        self.of_join(&kernels.select, one_block(THREADS_OF_ONE, SELECT_WORDS), self.join)
    }

    /// Partitions a side.
    pub(in crate::device::cuda) fn partition(&self, pass: DevicePass, n_classes: u32) -> Result<()> {
        let kernels = self.kernels;
        self.of_pass(&kernels.count, kernels.filling(&kernels.count, THREADS, count_words(n_classes)), pass)?;
        self.of_pass(&kernels.starts, one_block(THREADS_OF_ONE, SUM_WORDS), pass)?;
        let words = partition_words(n_classes, THREADS);
        self.of_pass(&kernels.partition, kernels.filling(&kernels.partition, THREADS, words), pass)
    }

    /// Joins the light partitions.
    pub(in crate::device::cuda) fn light(&self, sees_pairs: bool) -> Result<()> {
        let words = light_words(self.join.sizes.n_slots, THREADS, sees_pairs);
        let kernels = if sees_pairs { &self.kernels.light_pairs } else { &self.kernels.light_count };
        let kernel = &kernels[self.join.sizes.is_self as usize];
        self.of_join(kernel, self.kernels.filling(kernel, THREADS, words), self.join)
    }

    /// Multiplies the heavy keys.
    pub(in crate::device::cuda) fn heavy(&self, sees_pairs: bool) -> Result<()> {
        let mut join = self.join;
        join.sizes.counts_only = u32::from(!sees_pairs);
        self.of_join(&self.kernels.products, one_block(MOST_HEAVY, PRODUCTS_WORDS), join)?;
        if !sees_pairs {
            return Ok(());
        }
        let config = one_block(PRODUCT_THREADS, PRODUCT_WORDS);
        let n_blocks = PRODUCT_BLOCKS * self.kernels.n_multiprocessors;
        self.of_join(&self.kernels.heavy, LaunchConfig { grid_dim: (n_blocks, 1, 1), ..config }, join)
    }

    fn of_join(&self, kernel: &Kernel<DeviceJoin>, config: LaunchConfig, join: DeviceJoin) -> Result<()> {
        // SAFETY: `cuda::join` holds the join's arrays and sizes them by its `Sizes`, which kernels stay within; it launches
        // kernels in the order of `device::join`, so each finds what those before it left.
        unsafe { kernel.launch(self.gpu, config, join, "launching the join") }
    }

    fn of_pass(&self, kernel: &Kernel<DevicePass>, config: LaunchConfig, pass: DevicePass) -> Result<()> {
        // SAFETY: `cuda::join` holds the side that the pass is over, with a count, a start and a cursor for each class of each
        // segment, and room for all tuples, which are as many as rows; counts are 0 when a run begins.
        unsafe { kernel.launch(self.gpu, config, pass, "launching the join") }
    }
}
