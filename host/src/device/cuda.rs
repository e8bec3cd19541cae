//! The CUDA backend: the kernels of `device`, on one NVIDIA GPU.
//!
//! The driver is looked up when a device is opened, so everything else works without one. The kernels are embedded, as
//! machine code for most GPUs and as PTX for the others, where the driver compiles it. `columns` and `lists` bring a job to
//! the device, and `copies` sees to it that the places of a GPU share what is there; `staging` brings results
//! back. `launch` is the only place that hands
//! arguments to kernels, `scan` runs a task and brings its results back, and `score` does so with scores.

mod baselines;
mod clock;
mod closure;
mod columns;
mod components;
mod condensed;
mod copies;
mod driver;
mod join;
mod launch;
mod listing;
mod lists;
mod matrix;
mod neighbours;
mod orders;
mod overlap;
mod relation;
mod scan;
mod score;
mod semi_naive;
mod staging;
mod travelled;

pub use baselines::{GpuBaseline, MemoryKind, PaperClosure, PaperTimes};
pub use copies::Copies;
pub use driver::{GpuDescription, gpus};

use crate::base::control::Watch;
use crate::base::error::{Error, Result};
use crate::base::timeline::Lane;
use crate::encode::Ready;
use crate::operators::Backend;
use crate::plan::cost::{BackendKind, Figures};
use clock::Epoch;
use cudarc::driver::{CudaContext, CudaStream, DriverError};
use hyperblock_shared::layout::Candidate;
use launch::Kernels;
use staging::Staging;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use travelled::Travelled;

/// Candidates that the result buffer on the device holds at first: 200 MB. Most jobs find fewer.
const FIRST_CAPACITY: usize = 1 << 24;

/// The oldest GPUs that the kernels are built for.
const LEAST_CAPABILITY: (i32, i32) = (7, 0);

/// The compute capability whose machine code a GPU is given; the driver compiles the kernels for it where there is none.
pub fn machine_code_for(capability: (i32, i32)) -> Option<(i32, i32)> {
    // What every job needs speaks for all.
    launch::SCAN.serving(capability)
}

/// One GPU, or a place of it.
#[derive(Debug)]
pub struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    kernels: Arc<Kernels>,
    copies: Arc<Copies>,
    name: String,
    figures: Figures,
    result_capacity: Option<usize>,
    most_memory: u64,
    has_own_columns: bool,
    /// Allocations that are granted before one is refused: for tests.
    granted: Option<Arc<AtomicI64>>,
    staging: Staging,
    /// Columns that came before their job did.
    travelled: Travelled,
    /// What this process may have of the memory in all, as the driver said when it was asked.
    asked: Mutex<Option<u64>>,
    watch: Mutex<Option<Arc<Watch>>>,
    epoch: Mutex<Option<Arc<Epoch>>>,
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
        driver::keep_memory(&context).map_err(|error| doing("setting up memory", error))?;
        let kernels = Arc::new(Kernels::load(&context, &name)?);
        let figures = driver::figures(&context);
        Ok(Self {
            context,
            stream,
            kernels,
            copies: Arc::default(),
            name,
            figures,
            result_capacity: None,
            most_memory: u64::MAX,
            has_own_columns: false,
            granted: None,
            staging: Staging::default(),
            travelled: Travelled::default(),
            asked: Mutex::default(),
            watch: Mutex::default(),
            epoch: Mutex::default(),
        })
    }

    /// So many places of this GPU, at least one. They share its memory in equal parts, and one copy of a job's columns.
    pub fn shares(self, n: usize) -> Result<Vec<Self>> {
        let share = self.free_bytes()? / n.max(1) as u64;
        let first = self.with_memory(share);
        let others = (1..n).map(|_| first.beside()).collect::<Result<Vec<_>>>()?;
        Ok([first].into_iter().chain(others).collect())
    }

    /// Another place of this GPU: with a stream of its own, they do not wait for each other.
    fn beside(&self) -> Result<Self> {
        Ok(Self {
            context: self.context.clone(),
            stream: self.context.new_stream().map_err(self.failed("making a stream"))?,
            kernels: self.kernels.clone(),
            copies: self.copies.clone(),
            name: self.name.clone(),
            figures: self.figures,
            result_capacity: self.result_capacity,
            most_memory: self.most_memory,
            has_own_columns: self.has_own_columns,
            granted: self.granted.clone(),
            staging: Staging::default(),
            travelled: Travelled::default(),
            asked: Mutex::default(),
            watch: Mutex::default(),
            epoch: Mutex::default(),
        })
    }

    /// With columns copied from other GPUs that have the same `copies`, where they are on one of them already.
    pub fn with_copies(self, copies: Arc<Copies>) -> Self {
        Self { copies, ..self }
    }

    /// With columns that no other place reads, copied from another place's even if that is of this GPU: a test's way to see
    /// that columns come whole from device to device.
    pub fn with_own_columns(self) -> Self {
        Self { has_own_columns: true, ..self }
    }

    /// With a result buffer for so many candidates, that does not grow. A task with more is done in parts: a test's way to
    /// see that nothing is lost in that.
    pub fn with_result_capacity(self, n_candidates: usize) -> Self {
        Self { result_capacity: Some(n_candidates.max(1)), ..self }
    }

    /// With at most so many bytes of device memory in use.
    pub fn with_memory(self, most_bytes: u64) -> Self {
        Self { most_memory: most_bytes, ..self }
    }

    /// One that refuses an allocation, the one after so many, as if there were no memory left: a test's way to see that nothing
    /// is lost in that. It counts down, and is below 0 once that has come up.
    pub fn refusing_after(self, n: Arc<AtomicI64>) -> Self {
        Self { granted: Some(n), ..self }
    }

    /// Allocates, unless that is refused.
    fn allocate<T>(&self, n_bytes: usize, allocate: impl FnOnce() -> Result<T, DriverError>) -> Result<T> {
        let is_refused = self.granted.as_ref().is_some_and(|granted| granted.fetch_sub(1, Relaxed) == 0);
        if is_refused {
            return Err(self.no_memory(n_bytes));
        }
        allocate().map_err(|error| match driver::is_out_of_memory(error) {
            true => self.no_memory(n_bytes),
            false => driver::failed(&self.name, "copying to the device", error),
        })
    }

    /// The error for memory that could not be had.
    fn no_memory(&self, n_bytes: usize) -> Error {
        let free = self.free_bytes().unwrap_or(0);
        Error::DeviceMemory { device: self.name.clone(), need: n_bytes as u64, free }
    }

    /// Where the timeline has what it does, by its own clock.
    fn lane(&self) -> Lane {
        Lane::Gpu(u16::try_from(self.context.ordinal()).unwrap_or(u16::MAX))
    }

    fn failed(&self, doing: &str) -> impl Fn(DriverError) -> Error + '_ {
        let doing = doing.to_owned();
        move |error| driver::failed(&self.name, &doing, error)
    }

    /// Copies to or from the device; how long the host was busy with it, or waited for it, is told to who watches.
    fn transfer<T>(&self, copy: impl FnOnce() -> Result<T>) -> Result<T> {
        let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(watch) = watch else { return copy() };
        // Copies wait for the kernels before them: those are not part of it.
        self.synchronize()?;
        let start = Instant::now();
        let copied = copy()?;
        let end = Instant::now();
        watch.record(|latencies| {
            latencies.transfers.record(end - start);
            latencies.timeline.add(self.lane(), "copies", start, end);
        });
        Ok(copied)
    }

    /// What a job's columns or lists may take: the rest is for results and scratch.
    fn half_of_free(&self) -> Result<u64> {
        Ok(self.free_bytes()? / 2)
    }

    /// Candidates that the result buffer holds at first.
    fn first_capacity(&self) -> Result<usize> {
        Ok(self.result_capacity.unwrap_or(FIRST_CAPACITY).min(self.most_capacity()?))
    }

    /// Candidates that it may hold at most: a quarter of what is free.
    fn most_capacity(&self) -> Result<usize> {
        let affordable = (self.free_bytes()? / 4 / size_of::<Candidate>() as u64).max(1) as usize;
        // The kernels count in 32 bits, and a little past the end.
        Ok(self.result_capacity.unwrap_or(usize::MAX).min(affordable).min(1 << 31))
    }

    /// The bytes that may still be taken: what there was when the driver was asked last, less what was taken since. To ask
    /// takes about a millisecond.
    fn free_bytes(&self) -> Result<u64> {
        let failed = self.failed("asking for free memory");
        let [kept, used] = driver::kept_and_used(&self.context).map_err(&failed)?;
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let all = match *asked {
            Some(all) => all,
            None => {
                let (free, _) = self.context.mem_get_info().map_err(&failed)?;
                *asked.insert(free as u64 + kept)
            }
        };
        Ok(all.saturating_sub(used).min(self.most_memory))
    }
}

impl Backend for Cuda {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn kind(&self) -> BackendKind {
        BackendKind::Cuda
    }

    fn figures(&self) -> Option<Figures> {
        Some(self.figures)
    }

    fn memory_for_columns(&self) -> Result<u64> {
        // Others may have taken or given back some since.
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = None;
        // Columns that are there already are some of those that are asked for. The rest is for what is made of them, and results.
        Ok((self.free_bytes()? + self.travelled.n_bytes()) / 3 * 2)
    }

    fn peak_memory(&self) -> Option<u64> {
        driver::most_used(&self.context).ok()
    }

    fn bring(&self, column: Ready) {
        self.bring_ahead(column);
    }

    fn watch(&self, watch: Option<Arc<Watch>>) {
        *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = watch;
    }
}
