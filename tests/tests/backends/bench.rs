//! A bench: the backend that a trial is tried on, and how its devices are set up.

use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda::Cuda;
use hyperblock::operators::Backend;
use hyperblock::plan::{JoinChoice, ScanOptions};
use hyperblock_tests::small::SmallCpu;
use hyperblock_tests::threads::KernelOnThreads;
use std::fmt;
use std::ops::Deref;

/// A backend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum On {
    /// The CPU, as users have it.
    Cpu,
    /// The kernels, on CPU threads.
    Threads,
    /// The kernels, on a GPU.
    Gpu,
}

/// Most trials: what a backend is does not matter.
pub(crate) const EVERYWHERE: &[On] = &[On::Cpu, On::Threads, On::Gpu];
/// Trials that would take the kernels on CPU threads minutes.
pub(crate) const NOT_ON_THREADS: &[On] = &[On::Cpu, On::Gpu];
/// Trials of what only kernels have: buffers that get full, joins of blocks.
pub(crate) const KERNELS: &[On] = &[On::Threads, On::Gpu];
/// Trials of one backend alone; the rows that name these say why.
pub(crate) const CPU: &[On] = &[On::Cpu];
pub(crate) const THREADS: &[On] = &[On::Threads];
pub(crate) const GPU: &[On] = &[On::Gpu];

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Threads => "threads",
            Self::Gpu => "gpu",
        })
    }
}

/// A row of a file's table.
pub(crate) struct Registered {
    /// The file it stands in, as a module.
    pub(crate) module: &'static str,
    /// The function's name.
    pub(crate) function: &'static str,
    /// Where it runs.
    pub(crate) on: &'static [On],
    /// It panics if something is wrong.
    pub(crate) check: fn(Bench),
}

impl Registered {
    /// What the trial is called on a backend.
    pub(crate) fn name(&self, on: On) -> String {
        let file = self.module.rsplit("::").next().unwrap_or(self.module);
        format!("{file}::{} [{on}]", self.function)
    }
}

/// A file's table of trials: `backends => [trial, …]`.
macro_rules! trials {
    ($($on:expr => [$($trial:ident),+ $(,)?]),+ $(,)?) => {
        &[$($($crate::bench::Registered {
            module: module_path!(),
            function: stringify!($trial),
            on: $on,
            check: $trial,
        }),+),+]
    };
}
pub(crate) use trials;

/// Opens devices of one backend. What is set up and a backend does not have is passed over.
#[derive(Clone, Copy)]
pub(crate) struct Bench {
    /// The backend.
    pub(crate) on: On,
    shape: Shape,
    results: Option<u32>,
    memory: Option<u64>,
    heavies: Option<u32>,
}

/// The kernels' launches on CPU threads.
#[derive(Clone, Copy)]
struct Shape {
    threads_per_block: u32,
    n_blocks: u32,
    results: u32,
}

impl Bench {
    /// A bench of usual devices.
    pub(crate) fn new(on: On) -> Self {
        let shape = Shape { threads_per_block: 32, n_blocks: 2, results: 1 << 12 };
        Self { on, shape, results: None, memory: None, heavies: None }
    }

    /// One of three.
    pub(crate) fn by<T>(self, cpu: T, threads: T, gpu: T) -> T {
        match self.on {
            On::Cpu => cpu,
            On::Threads => threads,
            On::Gpu => gpu,
        }
    }

    /// On CPU threads: so many a block, so many blocks, and room for so many results.
    pub(crate) fn shape(self, threads_per_block: u32, n_blocks: u32, results: u32) -> Self {
        Self { shape: Shape { threads_per_block, n_blocks, results }, ..self }
    }

    /// With room for so many candidates, on all kernels.
    pub(crate) fn results(self, results: u32) -> Self {
        Self { results: Some(results), ..self }
    }

    /// With so many bytes of memory.
    pub(crate) fn memory(self, n_bytes: u64) -> Self {
        Self { memory: Some(n_bytes), ..self }
    }

    /// On CPU threads: with room for so many heavy pairs of items.
    pub(crate) fn heavies(self, most: u32) -> Self {
        Self { heavies: Some(most), ..self }
    }

    /// Opens a device.
    pub(crate) fn open(self) -> Device {
        match self.on {
            On::Cpu => self.memory.map_or(Device::Cpu(Cpu::new()), |memory| Device::Small(SmallCpu(memory))),
            On::Threads => {
                let Shape { threads_per_block, n_blocks, results } = self.shape;
                let results = self.results.unwrap_or(results);
                let device = KernelOnThreads::new(threads_per_block, n_blocks, results);
                let device = self.memory.into_iter().fold(device, KernelOnThreads::with_memory);
                Device::Threads(self.heavies.into_iter().fold(device, KernelOnThreads::with_room_for_heavies))
            }
            On::Gpu => {
                let device = Cuda::open(0).unwrap_or_else(|error| panic!("{error}"));
                let results = self.results.map(|results| results as usize);
                let device = results.into_iter().fold(device, Cuda::with_result_capacity);
                Device::Gpu(Box::new(self.memory.into_iter().fold(device, Cuda::with_memory)))
            }
        }
    }
}

/// With hash joins wherever there is a key, however few rows have it.
pub(crate) fn hashed() -> ScanOptions {
    ScanOptions { join: JoinChoice::Skew, ..ScanOptions::default() }
}

/// A device of a bench.
pub(crate) enum Device {
    Cpu(Cpu),
    Small(SmallCpu),
    Threads(KernelOnThreads),
    Gpu(Box<Cuda>),
}

impl Device {
    /// As a place beside others.
    pub(crate) fn boxed(self) -> Box<dyn Backend> {
        match self {
            Self::Cpu(cpu) => Box::new(cpu),
            Self::Small(cpu) => Box::new(cpu),
            Self::Threads(threads) => Box::new(threads),
            Self::Gpu(gpu) => gpu,
        }
    }

    /// The GPU.
    pub(crate) fn gpu(&self) -> Option<&Cuda> {
        match self {
            Self::Gpu(gpu) => Some(gpu),
            _ => None,
        }
    }

    /// The kernels on CPU threads, which count what befell them.
    pub(crate) fn threads(&self) -> Option<&KernelOnThreads> {
        match self {
            Self::Threads(threads) => Some(threads),
            _ => None,
        }
    }
}

impl Deref for Device {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Cpu(cpu) => cpu,
            Self::Small(cpu) => cpu,
            Self::Threads(threads) => threads,
            Self::Gpu(gpu) => &**gpu,
        }
    }
}
