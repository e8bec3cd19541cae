//! The CUDA backend: the kernels of `device`, on one NVIDIA GPU.
//!
//! The driver is looked up when a device is opened, so everything else works without one. The PTX is embedded; the
//! driver compiles it for the GPU that is there. `columns` brings a job to the device, `launch` is the only place that
//! hands arguments to kernels, and `scan` runs a task and drains its results.

mod columns;
mod driver;
mod launch;
mod scan;

pub use driver::{GpuDescription, gpus};

use crate::backend::{Backend, BackendKind, Scan};
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::plan::Program;
use cudarc::driver::{CudaContext, CudaStream, DriverError};
use launch::Kernels;
use std::sync::Arc;

/// Candidates that the result buffer on the device holds: 12 MB. A drain and a launch then cost little beside finding
/// that many.
const RESULT_CAPACITY: u32 = 1 << 20;

/// The oldest GPUs that the kernels are built for.
const LEAST_CAPABILITY: (i32, i32) = (7, 0);

/// One GPU.
#[derive(Debug)]
pub struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    kernels: Kernels,
    name: String,
    result_capacity: u32,
    most_memory: u64,
}

impl Cuda {
    /// Opens the GPU with this number and loads the kernels.
    pub fn open(ordinal: usize) -> Result<Self> {
        let none = |reason: String| Error::NoDevice { asked: format!("cuda:{ordinal}"), reason };
        let gpus = gpus().map_err(none)?;
        let gpu = gpus.get(ordinal).ok_or_else(|| none(format!("there are {} GPUs", gpus.len())))?;
        if gpu.capability < LEAST_CAPABILITY {
            let ((major, minor), (least, _)) = (gpu.capability, LEAST_CAPABILITY);
            let reason =
                format!("{} has compute capability {major}.{minor}; {least}.0 is the least", gpu.name);
            return Err(none(reason));
        }
        let name = format!("cuda:{ordinal} ({})", gpu.name);
        let doing = |doing: &str, error: DriverError| driver::failed(&name, doing, error);
        let context = CudaContext::new(ordinal).map_err(|error| doing("opening the device", error))?;
        let stream = context.new_stream().map_err(|error| doing("making a stream", error))?;
        let kernels = Kernels::load(&context, &name)?;
        Ok(Self { context, stream, kernels, name, result_capacity: RESULT_CAPACITY, most_memory: u64::MAX })
    }

    /// With a result buffer for so many candidates, at least a warp's. Small ones make for many drains: a test's way to
    /// see that nothing is lost in them.
    pub fn with_result_capacity(self, n_candidates: u32) -> Self {
        Self { result_capacity: n_candidates.max(32), ..self }
    }

    /// With at most so many bytes of device memory in use.
    pub fn with_memory(self, most_bytes: u64) -> Self {
        Self { most_memory: most_bytes, ..self }
    }

    fn failed(&self, doing: &str) -> impl Fn(DriverError) -> Error + '_ {
        let doing = doing.to_owned();
        move |error| driver::failed(&self.name, &doing, error)
    }

    /// The bytes that may still be taken.
    fn free_bytes(&self) -> Result<u64> {
        let (free, _) = self.context.mem_get_info().map_err(self.failed("asking for free memory"))?;
        Ok((free as u64).min(self.most_memory))
    }
}

impl Backend for Cuda {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn kind(&self) -> BackendKind {
        BackendKind::Cuda
    }

    fn pairs_per_task(&self) -> u64 {
        1 << 34
    }

    fn memory_for_columns(&self) -> Result<u64> {
        // The rest is for results and scratch.
        Ok(self.free_bytes()? / 2)
    }

    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        Ok(Box::new(scan::CudaScan::load(self, encoded, program)?))
    }
}
