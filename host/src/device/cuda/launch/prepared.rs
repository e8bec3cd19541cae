//! Kernels with the blocks that they are launched with: those are many and short, so they are worked out once.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

use super::file::KernelFile;
use super::{Kernel, n_multiprocessors, one_block};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use bytemuck::Pod;
use cudarc::driver::{CudaContext, CudaModule, LaunchConfig};
use std::sync::Arc;

/// A kernel and its blocks.
#[derive(Debug)]
pub(super) struct Prepared<A> {
    kernel: Kernel<A>,
    config: LaunchConfig,
}

impl<A: Pod> Prepared<A> {
    /// Starts the kernel.
    ///
    /// # Safety
    /// As for [`Kernel::launch`]; the blocks are right.
    pub(super) unsafe fn launch(&self, gpu: &Cuda, arguments: A, doing: &str) -> Result<()> {
        // SAFETY: who calls this has seen to the arrays, and who prepared it to the blocks.
        unsafe { self.kernel.launch(gpu, self.config, arguments, doing) }
    }
}

/// A file of kernels whose names begin alike.
pub(super) struct Module {
    module: Arc<CudaModule>,
    prefix: &'static str,
    n_multiprocessors: u32,
    /// Of a block, where blocks fill the GPU.
    n_threads: u32,
}

impl Module {
    pub(super) fn load(
        file: KernelFile,
        (context, device): (&Arc<CudaContext>, &str),
        prefix: &'static str,
        n_threads: u32,
    ) -> Result<Self> {
        let n_multiprocessors = n_multiprocessors(context, device)?;
        Ok(Self { module: file.load(context, device)?, prefix, n_multiprocessors, n_threads })
    }

    /// A kernel that fills the GPU.
    pub(super) fn filling<A: Pod>(&self, name: &str, shared_words: u32) -> Result<Prepared<A>> {
        let kernel = self.find(name)?;
        let config = kernel.filling(self.n_multiprocessors, self.n_threads, shared_words);
        Ok(Prepared { kernel, config })
    }

    /// A kernel of one block, of so many threads.
    pub(super) fn alone<A: Pod>(&self, name: &str, n_threads: u32, shared_words: u32) -> Result<Prepared<A>> {
        Ok(Prepared { kernel: self.find(name)?, config: one_block(n_threads, shared_words) })
    }

    fn find<A: Pod>(&self, name: &str) -> Result<Kernel<A>> {
        Kernel::find(&self.module, &format!("{}{name}", self.prefix))
    }
}
