//! Launches: one safe, typed function a kernel. Nothing else hands arguments to the device.

mod scan;

pub(super) use scan::{ScanBuffers, launch_scan};

use super::driver;
use crate::error::{Error, Result};
use cudarc::driver::{CudaContext, CudaFunction};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;

/// The kernels as `cargo xtask device` built them.
const PTX: &str = include_str!("../../../device/kernels.ptx");

/// The loaded kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    scan: CudaFunction,
}

impl Kernels {
    /// Hands the PTX to the driver, which compiles it, and finds every kernel in it.
    pub(super) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let module = context.load_module(Ptx::from_src(PTX)).map_err(|error| {
            driver::failed(device, "compiling the kernels (is the driver older than CUDA 12?)", error)
        })?;
        let find = |name: &str| {
            module.load_function(name).map_err(|_| Error::Internal(format!("the kernels lack `{name}`")))
        };
        Ok(Self { scan: find("hyperblock_scan")? })
    }
}
