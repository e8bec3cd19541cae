//! Launches: one safe, typed function a kernel. Nothing else hands arguments to the device.

#![expect(unsafe_code, reason = "what is handed over as it is must be told to be plain data")]

mod join;
mod residual;
mod scan;

pub(super) use join::{JoinKernels, Launches, THREADS, TILE_ROWS};
pub(super) use residual::{RESIDUAL_THREADS, ResidualBuffers, ResidualKernel, launch_residual};
pub(super) use scan::{ScanBuffers, launch_scan};

use super::driver;
use crate::error::{Error, Result};
use cudarc::driver::sys::CUlimit;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, DeviceRepr};
use cudarc::nvrtc::Ptx;
use hyperblock_shared::layout::{DeviceColumns, DeviceJoin, DevicePass, DeviceSettings, DeviceSweep};
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

impl Kernels {
    /// Hands the PTX to the driver, which compiles it, and finds every kernel in it.
    pub(super) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        Ok(Self {
            scan: load(context, device, PTX)?,
            descent: OnceLock::new(),
            join: OnceLock::new(),
            residual: OnceLock::new(),
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

    fn scan(&self, by_descent: bool) -> Result<&CudaFunction> {
        if !by_descent {
            return Ok(&self.scan);
        }
        self.descent.get().ok_or_else(|| Error::Internal("the kernels for recursion are not loaded".into()))
    }
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
    use super::PTX;
    use hyperblock_shared::layout::{DeviceColumns, DeviceSweep};

    /// The arguments that `launch_scan` hands over, as the kernel declares them.
    #[test]
    fn the_scan_takes_what_is_handed_over() {
        let (_, entry) = PTX.split_once(".visible .entry hyperblock_scan(").expect("the kernel is there");
        let (parameters, _) = entry.split_once(')').expect("its parameters end");
        let name = "hyperblock_scan_param_";
        let types: Vec<_> = parameters
            .split(',')
            .map(|parameter| {
                parameter.split_whitespace().filter(|word| *word != ".param").collect::<String>()
            })
            .map(|parameter| {
                parameter.replace(name, "").replace(".ptr.align1", "").replace(".ptr.align8", "")
            })
            .collect();
        let [columns, sweep] = [size_of::<DeviceColumns>(), size_of::<DeviceSweep>()];
        let by_value = |ix: usize, size: usize| format!(".align8.b8{ix}[{size}]");
        // path, path_len, results, capacity, n_found, scratch, scratch_words
        let rest = [".u642", ".u643", ".u644", ".u325", ".u646", ".u647", ".u328"].map(str::to_owned);
        let expected: Vec<_> = [by_value(0, columns), by_value(1, sweep)].into_iter().chain(rest).collect();
        assert_eq!(types, expected);
    }
}
