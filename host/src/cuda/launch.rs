//! Launches: one safe, typed function a kernel. Nothing else hands arguments to the device.

#![expect(unsafe_code, reason = "what is handed over as it is must be told to be plain data")]

mod join;
mod listed;
mod overlap;
mod residual;
mod scan;

pub(super) use join::{JoinKernels, Launches, THREADS, TILE_ROWS};
pub(super) use listed::{ListedBuffers, ListedKernel, launch_listed};
pub(super) use overlap::{OverlapKernels, OverlapLaunches};
pub(super) use residual::{RESIDUAL_THREADS, ResidualBuffers, ResidualKernel, launch_residual};
pub(super) use scan::{ScanBuffers, launch_scan};

use super::driver;
use crate::error::{Error, Result};
use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as N_MULTIPROCESSORS;
use cudarc::driver::sys::CUlimit;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, DeviceRepr, LaunchConfig};
use cudarc::nvrtc::Ptx;
use hyperblock_shared::layout::{
    DeviceColumns, DeviceJoin, DeviceOverlap, DevicePass, DeviceSettings, DeviceSlice, DeviceSweep,
};
use std::sync::{Arc, OnceLock};

/// The kernels as `cargo xtask device` built them.
const PTX: &str = include_str!("../../../device/kernels.ptx");
/// The same with paths walked by recursion.
const DESCENT_PTX: &str = include_str!("../../../device/descent.ptx");

/// Bytes of stack that a thread needs to walk a path by recursion: a frame of some hundred for each predicate of a rule.
const DESCENT_STACK: usize = 16 << 10;

/// The loaded kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    scan: CudaFunction,
    /// Rarely wanted, and the driver takes its time to compile it.
    descent: OnceLock<CudaFunction>,
    /// Likewise, where no rule has an equality.
    join: OnceLock<JoinKernels>,
    residual: OnceLock<ResidualKernel>,
    /// Where no similarity is joined.
    overlap: OnceLock<OverlapKernels>,
    listed: OnceLock<ListedKernel>,
}

/// An argument that kernels take by value.
#[repr(transparent)]
struct ByValue<T>(T);

// SAFETY: plain data, laid out as the kernels' own type.
unsafe impl DeviceRepr for ByValue<DeviceColumns> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceSweep> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceSettings> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceJoin> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DevicePass> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceOverlap> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceSlice> {}

impl Kernels {
    /// Hands the PTX to the driver, which compiles it, and finds every kernel in it.
    pub(super) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        Ok(Self {
            scan: load(context, device, PTX)?,
            descent: OnceLock::new(),
            join: OnceLock::new(),
            residual: OnceLock::new(),
            overlap: OnceLock::new(),
            listed: OnceLock::new(),
        })
    }

    /// The same for the kernels that walk paths by recursion.
    pub(super) fn load_descent(&self, context: &Arc<CudaContext>, device: &str) -> Result<()> {
        if self.descent.get().is_none() {
            let stack = context.set_limit(CUlimit::CU_LIMIT_STACK_SIZE, DESCENT_STACK);
            stack.map_err(|error| driver::failed(device, "making room for a stack", error))?;
            // Whoever was first has loaded the same.
            let _ = self.descent.set(load(context, device, DESCENT_PTX)?);
        }
        Ok(())
    }

    /// The kernels of joins.
    pub(super) fn load_join(&self, context: &Arc<CudaContext>, device: &str) -> Result<&JoinKernels> {
        if let Some(kernels) = self.join.get() {
            return Ok(kernels);
        }
        let kernels = JoinKernels::load(context, device)?;
        Ok(self.join.get_or_init(|| kernels))
    }

    /// The kernel of joins that decide their pairs.
    fn load_residual(&self, context: &Arc<CudaContext>, device: &str) -> Result<&ResidualKernel> {
        if let Some(kernel) = self.residual.get() {
            return Ok(kernel);
        }
        let kernel = ResidualKernel::load(context, device)?;
        Ok(self.residual.get_or_init(|| kernel))
    }

    /// The kernels of overlap joins.
    pub(super) fn load_overlap(&self, context: &Arc<CudaContext>, device: &str) -> Result<&OverlapKernels> {
        if let Some(kernels) = self.overlap.get() {
            return Ok(kernels);
        }
        let kernels = OverlapKernels::load(context, device)?;
        Ok(self.overlap.get_or_init(|| kernels))
    }

    /// The kernel that decides what they find.
    fn load_listed(&self, context: &Arc<CudaContext>, device: &str) -> Result<&ListedKernel> {
        if let Some(kernel) = self.listed.get() {
            return Ok(kernel);
        }
        let kernel = ListedKernel::load(context, device)?;
        Ok(self.listed.get_or_init(|| kernel))
    }

    fn scan(&self, by_descent: bool) -> Result<&CudaFunction> {
        if !by_descent {
            return Ok(&self.scan);
        }
        self.descent.get().ok_or_else(|| Error::Internal("the kernels for recursion are not loaded".into()))
    }
}

/// How many multiprocessors a GPU has.
fn n_multiprocessors(context: &CudaContext, device: &str) -> Result<u32> {
    let asked = context.attribute(N_MULTIPROCESSORS);
    asked.map(|n| n as u32).map_err(|error| driver::failed(device, "asking for its sizes", error))
}

/// As many blocks as so many multiprocessors have room for at once.
fn filling(kernel: &CudaFunction, n_multiprocessors: u32, threads: u32, shared_words: u32) -> LaunchConfig {
    let one = one_block(threads, shared_words);
    let shared_bytes = one.shared_mem_bytes as usize;
    let fitting = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, shared_bytes, None);
    // What does not fit is said by the launch.
    let n_blocks = n_multiprocessors * fitting.unwrap_or(1).max(1);
    LaunchConfig { grid_dim: (n_blocks, 1, 1), ..one }
}

/// A block that is alone.
fn one_block(threads: u32, shared_words: u32) -> LaunchConfig {
    let shared_mem_bytes = shared_words * size_of::<u32>() as u32;
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes }
}

fn load_module(context: &Arc<CudaContext>, device: &str, ptx: &str) -> Result<Arc<CudaModule>> {
    context.load_module(Ptx::from_src(ptx)).map_err(|error| {
        driver::failed(device, "compiling the kernels (is the driver older than CUDA 12?)", error)
    })
}

fn load(context: &Arc<CudaContext>, device: &str, ptx: &str) -> Result<CudaFunction> {
    let module = load_module(context, device, ptx)?;
    let lacks = |_| Error::Internal("the kernels lack `hyperblock_scan`".into());
    module.load_function("hyperblock_scan").map_err(lacks)
}

#[cfg(test)]
mod tests {
    use super::{PTX, listed, overlap};
    use hyperblock_shared::layout::{DeviceColumns, DeviceOverlap, DeviceSlice, DeviceSweep};

    /// The parameters of a kernel, as its PTX declares them.
    fn parameters(ptx: &str, kernel: &str) -> Vec<String> {
        let (_, entry) = ptx.split_once(&format!(".visible .entry {kernel}(")).expect("the kernel is there");
        let (parameters, _) = entry.split_once(')').expect("its parameters end");
        parameters
            .split(',')
            .map(|parameter| {
                parameter.split_whitespace().filter(|word| *word != ".param").collect::<String>()
            })
            .map(|parameter| {
                let parameter = parameter.replace(&format!("{kernel}_param_"), "");
                parameter.replace(".ptr.align1", "").replace(".ptr.align8", "")
            })
            .collect()
    }

    fn by_value<T>(ix: usize) -> String {
        format!(".align8.b8{ix}[{}]", size_of::<T>())
    }

    /// path, path_len, results, capacity, n_found, scratch, scratch_words
    fn rest(first: usize) -> Vec<String> {
        let types = ["u64", "u64", "u64", "u32", "u64", "u64", "u32"];
        (first..).zip(types).map(|(ix, kind)| format!(".{kind}{ix}")).collect()
    }

    #[test]
    fn the_scan_takes_what_is_handed_over() {
        let own = vec![by_value::<DeviceColumns>(0), by_value::<DeviceSweep>(1)];
        assert_eq!(parameters(PTX, "hyperblock_scan"), [own, rest(2)].concat());
    }

    #[test]
    fn what_is_listed_is_taken_as_it_is_handed_over() {
        let own = vec![
            by_value::<DeviceColumns>(0),
            by_value::<DeviceSweep>(1),
            by_value::<DeviceSlice>(2),
            by_value::<DeviceSlice>(3),
        ];
        assert_eq!(parameters(listed::PTX, "hyperblock_listed"), [own, rest(4)].concat());
    }

    #[test]
    fn the_overlap_join_takes_what_is_handed_over() {
        for kernel in ["count", "fill", "measure", "probe", "dense"] {
            let own = parameters(overlap::PTX, &format!("hyperblock_overlap_{kernel}"));
            assert_eq!(own, [by_value::<DeviceOverlap>(0)]);
        }
        for (kernel, n) in [("totals", 2), ("starts", 1), ("spread", 2)] {
            let own = parameters(overlap::PTX, &format!("hyperblock_overlap_{kernel}"));
            assert_eq!(own, (0..n).map(by_value::<DeviceSlice>).collect::<Vec<_>>());
        }
    }
}
