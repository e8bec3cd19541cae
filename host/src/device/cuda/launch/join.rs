//! Launches the kernels of `device::join`.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::{ByValue, filling, load_module, n_multiprocessors, one_block};
use crate::base::error::{Error, Result};
use crate::device::cuda::{Cuda, driver};
use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN as MOST_SHARED;
use cudarc::driver::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as SHARED;
use cudarc::driver::{CudaContext, CudaFunction, LaunchConfig, PushKernelArg};
use hyperblock_shared::join::{
    ITEMS, MOST_HEAVY, PRODUCT_THREADS, PRODUCT_WORDS, SELECT_WORDS, SUM_WORDS, count_words, light_words,
    partition_words,
};
use hyperblock_shared::layout::{DeviceJoin, DevicePass};
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
const PTX: &str = include_str!("../../../../../device/join.ptx");

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
    sample: CudaFunction,
    select: CudaFunction,
    count: CudaFunction,
    starts: CudaFunction,
    partition: CudaFunction,
    light_count: [CudaFunction; 2],
    light_pairs: [CudaFunction; 2],
    products: CudaFunction,
    heavy: CudaFunction,
    n_multiprocessors: u32,
}

impl JoinKernels {
    pub(in crate::device::cuda) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = load_module(context, device, PTX)?;
        let most_shared = context.attribute(MOST_SHARED);
        let most_shared =
            most_shared.map_err(|error| driver::failed(device, "asking for its sizes", error))?;
        let kernel = |name: &str| {
            let name = format!("hyperblock_join_{name}");
            let lacks = |_| Error::Internal(format!("the kernels lack `{name}`"));
            let kernel = module.load_function(&name).map_err(lacks)?;
            // More than 48 KB are only had if they are asked for.
            let allowed = kernel.set_attribute(SHARED, most_shared);
            allowed.map_err(|error| driver::failed(device, "asking for shared memory", error))?;
            Ok::<_, Error>(kernel)
        };
        Ok(Self {
            sample: kernel("sample")?,
            select: kernel("select")?,
            count: kernel("count")?,
            starts: kernel("starts")?,
            partition: kernel("partition")?,
            light_count: [kernel("light_count")?, kernel("light_count_self")?],
            light_pairs: [kernel("light_pairs")?, kernel("light_pairs_self")?],
            products: kernel("products")?,
            heavy: kernel("heavy")?,
            n_multiprocessors: n_multiprocessors(context, device)?,
        })
    }

    /// As many blocks as the GPU has room for at once.
    fn filling(&self, kernel: &CudaFunction, threads: u32, shared_words: u32) -> LaunchConfig {
        filling(kernel, self.n_multiprocessors, threads, shared_words)
    }
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
        self.of_join(&kernels.sample, kernels.filling(&kernels.sample, THREADS, 0))?;
        self.of_join(&kernels.select, one_block(THREADS_OF_ONE, SELECT_WORDS))
    }

    /// Partitions a side.
    pub(in crate::device::cuda) fn partition(&self, pass: DevicePass, n_classes: u32) -> Result<()> {
        let kernels = self.kernels;
        let (pass, tile_rows) = (ByValue(pass), TILE_ROWS);
        let stream = &self.gpu.stream;
        let failed = self.gpu.failed("launching the join");
        // SAFETY, for the three: order and types are those of `device::nvptx::join`. That the slices are as large as the
        // kernels read and write is what `Launches` promises.
        let counting = kernels.filling(&kernels.count, THREADS, count_words(n_classes));
        // SAFETY: as said.
        unsafe { stream.launch_builder(&kernels.count).arg(&pass).launch(counting) }.map_err(&failed)?;
        let mut starts = stream.launch_builder(&kernels.starts);
        starts.arg(&pass).arg(&tile_rows);
        // SAFETY: as said.
        unsafe { starts.launch(one_block(THREADS_OF_ONE, SUM_WORDS)) }.map_err(&failed)?;
        let placing = kernels.filling(&kernels.partition, THREADS, partition_words(n_classes, THREADS));
        // SAFETY: as said.
        unsafe { stream.launch_builder(&kernels.partition).arg(&pass).launch(placing) }.map_err(&failed)?;
        Ok(())
    }

    /// Joins the light partitions.
    pub(in crate::device::cuda) fn light(&self, sees_pairs: bool) -> Result<()> {
        let words = light_words(self.join.sizes.n_slots, THREADS, sees_pairs);
        let kernels = if sees_pairs { &self.kernels.light_pairs } else { &self.kernels.light_count };
        let kernel = &kernels[self.join.sizes.is_self as usize];
        self.of_join(kernel, self.kernels.filling(kernel, THREADS, words))
    }

    /// Multiplies the heavy keys.
    pub(in crate::device::cuda) fn heavy(&self, sees_pairs: bool) -> Result<()> {
        let (join, counts) = (ByValue(self.join), u32::from(!sees_pairs));
        let mut products = self.gpu.stream.launch_builder(&self.kernels.products);
        products.arg(&join).arg(&counts);
        // SAFETY: as in `partition`.
        unsafe { products.launch(one_block(MOST_HEAVY, 2 * MOST_HEAVY)) }
            .map_err(self.gpu.failed("launching the join"))?;
        if !sees_pairs {
            return Ok(());
        }
        let config = one_block(PRODUCT_THREADS, PRODUCT_WORDS);
        let n_blocks = PRODUCT_BLOCKS * self.kernels.n_multiprocessors;
        self.of_join(&self.kernels.heavy, LaunchConfig { grid_dim: (n_blocks, 1, 1), ..config })
    }

    fn of_join(&self, kernel: &CudaFunction, config: LaunchConfig) -> Result<()> {
        let join = ByValue(self.join);
        // SAFETY: as in `partition`.
        let launched = unsafe { self.gpu.stream.launch_builder(kernel).arg(&join).launch(config) };
        launched.map_err(self.gpu.failed("launching the join"))?;
        Ok(())
    }
}
