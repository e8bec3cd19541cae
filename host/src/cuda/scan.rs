//! Runs a task on the GPU: launch, drain, and again until no block has anything left.

use super::columns::UploadedColumns;
use super::launch::{ScanBuffers, launch_scan};
use super::{Cuda, driver};
use crate::backend::{Outcome, Scan};
use crate::control::Control;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::plan::Program;
use bytemuck::cast_slice;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{CANDIDATE_WORDS, Candidate, NO_TILE, ScanCounters, resume_words};
use hyperblock_shared::text::scratch_words;
use hyperblock_shared::window::{INTERVAL, STRETCH, Task, WINDOW};

/// A job in device memory, with the buffers that its scans need.
pub(super) struct CudaScan<'a> {
    gpu: &'a Cuda,
    columns: UploadedColumns,
    path: CudaSlice<u64>,
    path_len: u64,
    results: CudaSlice<u32>,
    scratch: CudaSlice<u64>,
    scratch_words: u32,
    window: u32,
    downloaded: Vec<u32>,
}

impl<'a> CudaScan<'a> {
    pub(super) fn load(gpu: &'a Cuda, encoded: &Encoded, program: &Program) -> Result<Self> {
        let columns = UploadedColumns::new(gpu, encoded)?;
        let mut archive = program.bytes().to_vec();
        archive.resize(archive.len().next_multiple_of(8), 0);
        let path = gpu.upload(&bytemuck::allocation::pod_collect_to_vec::<u8, u64>(&archive))?;
        let results = gpu.zeros::<u32>(gpu.result_capacity as usize * CANDIDATE_WORDS)?;
        // Long values need scratch in every thread: a narrower window keeps that within a quarter of what is free.
        let scratch_words = scratch_words(encoded.longest());
        let words_per_block = u64::from(scratch_words) * u64::from(INTERVAL);
        let affordable = (gpu.free_bytes()? / 4 / 8).checked_div(words_per_block).unwrap_or(u64::MAX);
        let window = affordable.clamp(1, u64::from(WINDOW)) as u32;
        let scratch = gpu.zeros::<u64>((words_per_block as usize * window as usize).max(1))?;
        let path_len = program.bytes().len() as u64;
        Ok(Self {
            gpu,
            columns,
            path,
            path_len,
            results,
            scratch,
            scratch_words,
            window,
            downloaded: Vec::new(),
        })
    }
}

impl Scan for CudaScan<'_> {
    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let gpu = self.gpu;
        let n_tiles = u32::try_from(task.n_tiles(INTERVAL, STRETCH)).unwrap_or(u32::MAX);
        if n_tiles > u32::MAX / 2 {
            // Blocks count on a little past the end.
            return Err(Error::Internal(format!("a task of {n_tiles} tiles was not cut")));
        }
        let on_device = gpu.upload(cast_slice::<Task, u32>(&[*task]))?;
        let mut resume = gpu.upload(&vec![NO_TILE; (self.window * resume_words(INTERVAL)) as usize])?;
        let mut counters = ScanCounters::START;
        loop {
            let mut counted = gpu.upload(cast_slice::<ScanCounters, u32>(&[counters]))?;
            let buffers = ScanBuffers {
                columns: &self.columns.root,
                path: &self.path,
                path_len: self.path_len,
                task: &on_device,
                counters: &mut counted,
                resume: &mut resume,
                results: &mut self.results,
                scratch: &mut self.scratch,
                scratch_words: self.scratch_words,
                window: self.window,
            };
            launch_scan(&gpu.stream, &gpu.kernels, buffers, gpu.failed("launching the scan"))?;
            let mut words = [0u32; size_of::<ScanCounters>() / 4];
            gpu.download(&counted, &mut words)?;
            counters = bytemuck::cast(words);
            self.drain(&counters, found)?;
            if found.len() > most {
                return Ok(Outcome::TooMany);
            }
            if counters.n_stopped == 0 {
                control.advance(task.n_pairs());
                return Ok(Outcome::Done);
            }
            control.check()?;
            counters = ScanCounters { next_tile: counters.next_tile.min(n_tiles), ..ScanCounters::START };
        }
    }
}

impl CudaScan<'_> {
    /// Appends what the last launch found.
    fn drain(&mut self, counters: &ScanCounters, found: &mut Vec<Candidate>) -> Result<()> {
        let n_words = counters.n_written(self.gpu.result_capacity) as usize * CANDIDATE_WORDS;
        if n_words == 0 {
            return Ok(());
        }
        self.downloaded.resize(n_words, 0);
        self.gpu.download(&self.results.slice(..n_words), &mut self.downloaded)?;
        found.extend_from_slice(cast_slice(&self.downloaded));
        Ok(())
    }
}

impl Cuda {
    fn zeros<T>(&self, len: usize) -> Result<CudaSlice<T>>
    where
        T: cudarc::driver::DeviceRepr + cudarc::driver::ValidAsZeroBits,
    {
        self.stream.alloc_zeros(len).map_err(|error| self.allocation(error, len * size_of::<T>()))
    }

    /// Copies from the device and waits for it, and so for all kernels before.
    fn download<T, S>(&self, from: &S, to: &mut [T]) -> Result<()>
    where
        T: cudarc::driver::DeviceRepr,
        S: cudarc::driver::DevicePtr<T>,
    {
        let failed = |error| driver::failed(&self.name, "scanning", error);
        self.stream.memcpy_dtoh(from, to).map_err(failed)?;
        self.stream.synchronize().map_err(failed)
    }
}
