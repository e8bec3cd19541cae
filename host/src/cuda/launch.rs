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

#[cfg(test)]
mod tests {
    use super::PTX;

    /// The arguments that `launch_scan` hands over, as the kernel declares them.
    #[test]
    fn the_scan_takes_what_is_handed_over() {
        let (_, entry) = PTX.split_once(".visible .entry hyperblock_scan(").expect("the kernel is there");
        let (parameters, _) = entry.split_once(')').expect("its parameters end");
        let types: Vec<_> =
            parameters.split(',').map(|parameter| parameter.split_whitespace().nth(1)).collect();
        let (word, half) = (Some(".u64"), Some(".u32"));
        // columns, path, path_len, task, stretch, counters, resume, results, capacity, scratch, scratch_words
        assert_eq!(types, [word, word, word, word, half, word, word, word, half, word, half]);
    }
}
