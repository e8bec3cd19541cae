//! Kinds of memory: how edges come to the device, where arrays are, and how tuples come back.
//!
//! No kind is asked for more than the card has free. Unified memory would give it, and then pages move to and fro.

use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::driver::{self, Pinned};
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, UnifiedSlice};
use hyperblock_shared::layout::DeviceSlice;
use std::cell::Cell;
use strum::{Display, EnumString, VariantNames};

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum MemoryKind {
    /// Edges and tuples in memory of the host that the device copies from and to by itself.
    Pinned,
    /// Edges and tuples in ordinary memory of the host.
    Pageable,
    /// Everything in memory that host and device both see.
    Unified,
}

/// Makes arrays of one kind, and counts their bytes.
pub(super) struct Arrays<'a> {
    gpu: &'a Cuda,
    memory: MemoryKind,
    free: u64,
    n_bytes: Cell<u64>,
    most_bytes: Cell<u64>,
}

impl<'a> Arrays<'a> {
    pub(super) fn new(gpu: &'a Cuda, memory: MemoryKind) -> Result<Self> {
        let free = gpu.free_bytes()?;
        Ok(Self { gpu, memory, free, n_bytes: Cell::new(0), most_bytes: Cell::new(0) })
    }

    /// The most that there were at once.
    pub(super) fn most_bytes(&self) -> u64 {
        self.most_bytes.get()
    }

    /// Room for so many elements, whatever is in it.
    pub(super) fn room<T: Pod + DeviceRepr>(&'a self, len: usize) -> Result<Array<'a, T>> {
        let len = len.max(1);
        let bytes = (len * size_of::<T>()) as u64;
        let n_bytes = self.n_bytes.get() + bytes;
        if n_bytes > self.free {
            return Err(self.gpu.no_memory(bytes as usize));
        }
        let words = match self.memory {
            MemoryKind::Unified => {
                let unified = || driver::unified(&self.gpu.context, len);
                Words::Unified(self.gpu.allocate(bytes as usize, unified)?)
            }
            MemoryKind::Pinned | MemoryKind::Pageable => Words::Device(self.gpu.room(len)?),
        };
        self.n_bytes.set(n_bytes);
        self.most_bytes.set(self.most_bytes.get().max(n_bytes));
        Ok(Array { arrays: self, words, bytes })
    }
}

/// An array that kernels see.
pub(super) struct Array<'a, T> {
    arrays: &'a Arrays<'a>,
    words: Words<T>,
    bytes: u64,
}

enum Words<T> {
    Device(CudaSlice<T>),
    Unified(UnifiedSlice<T>),
}

impl<T> Drop for Array<'_, T> {
    fn drop(&mut self) {
        let Self { arrays, words, bytes } = self;
        if let Words::Unified(_) = words {
            // The driver does not know which kernels look at it. Who asks next is told of what fails here.
            let _ = arrays.gpu.synchronize();
        }
        arrays.n_bytes.set(arrays.n_bytes.get() - *bytes);
    }
}

impl<'a, T: Pod + DeviceRepr> Array<'a, T> {
    /// All of it.
    pub(super) fn all(&self) -> DeviceSlice<T> {
        let n = self.bytes / size_of::<T>() as u64;
        match &self.words {
            Words::Device(words) => Slices(self.arrays.gpu).of(words),
            Words::Unified(words) => DeviceSlice::new(words.device_ptr(&self.arrays.gpu.stream).0, n),
        }
    }

    /// Its first elements.
    pub(super) fn first(&self, n: usize) -> DeviceSlice<T> {
        self.all().first(n as u64)
    }

    pub(super) fn fill_with_ones(&mut self, gpu: &Cuda) -> Result<()> {
        let filled = match &mut self.words {
            Words::Device(words) => driver::fill_with_ones(&gpu.stream, words),
            Words::Unified(words) => driver::fill_with_ones(&gpu.stream, words),
        };
        filled.map_err(gpu.failed("clearing memory"))
    }
}

impl<'a> Array<'a, u64> {
    /// Another one with the same first words.
    pub(super) fn copied(&self, arrays: &'a Arrays<'a>, n: usize) -> Result<Self> {
        let mut copy = arrays.room(n)?;
        let stream = &arrays.gpu.stream;
        let copied = match (&self.words, &mut copy.words) {
            (Words::Device(from), Words::Device(to)) => stream.memcpy_dtod(from, to),
            (Words::Unified(from), Words::Unified(to)) => stream.memcpy_dtod(from, to),
            _ => return Err(Error::Internal("arrays of two kinds of memory".into())),
        };
        copied.map_err(arrays.gpu.failed("copying tuples"))?;
        Ok(copy)
    }

    /// Has somebody read its first words on the host.
    pub(super) fn read(self, arrays: &Arrays<'_>, n: usize, read: &mut dyn FnMut(&[u64])) -> Result<()> {
        let gpu = arrays.gpu;
        let failed = gpu.failed("copying from the device");
        match &self.words {
            Words::Unified(words) => read(&words.as_slice().map_err(failed)?[..n]),
            Words::Device(words) if arrays.memory == MemoryKind::Pinned => {
                let bytes = (8 * n).max(8);
                let buffer = Pinned::new(&gpu.context, bytes).map_err(&failed)?;
                let from = words.device_ptr(&gpu.stream).0;
                let flight = buffer.received(&gpu.stream, from, 8 * n).map_err(&failed)?;
                read(&cast_slice(flight.landed().map_err(&failed)?.bytes())[..n]);
            }
            Words::Device(words) => {
                let mut tuples = vec![0u64; n];
                let from = words.device_ptr(&gpu.stream).0;
                let copied = driver::copy_back(&gpu.stream, from, cast_slice_mut(&mut tuples));
                copied.map_err(failed)?;
                read(&tuples);
            }
        }
        Ok(())
    }
}

/// A graph's edges on the host, in memory of the kind.
pub(super) enum HostEdges<'a> {
    Pinned(Pinned, usize),
    Pageable(&'a [u64]),
    Unified(Array<'a, u64>),
}

impl<'a> HostEdges<'a> {
    pub(super) fn new(arrays: &'a Arrays<'a>, edges: &'a [u64]) -> Result<Self> {
        let failed = arrays.gpu.failed("asking for host memory");
        Ok(match arrays.memory {
            MemoryKind::Pageable => Self::Pageable(edges),
            MemoryKind::Pinned => {
                let mut pinned =
                    Pinned::new(&arrays.gpu.context, (8 * edges.len()).max(8)).map_err(failed)?;
                pinned.bytes_mut()[..8 * edges.len()].copy_from_slice(cast_slice(edges));
                Self::Pinned(pinned, edges.len())
            }
            MemoryKind::Unified => {
                let mut array = arrays.room(edges.len())?;
                if let Words::Unified(words) = &mut array.words {
                    words.as_mut_slice().map_err(failed)?[..edges.len()].copy_from_slice(edges);
                }
                Self::Unified(array)
            }
        })
    }

    /// Where kernels see them.
    pub(super) fn on_device(self, arrays: &'a Arrays<'a>) -> Result<Array<'a, u64>> {
        let uploaded = |edges: &[u64]| {
            let mut array = arrays.room(edges.len())?;
            if let (Words::Device(words), false) = (&mut array.words, edges.is_empty()) {
                let copied = arrays.gpu.stream.memcpy_htod(edges, words);
                copied.map_err(arrays.gpu.failed("copying to the device"))?;
            }
            Ok(array)
        };
        match self {
            Self::Pageable(edges) => uploaded(edges),
            Self::Pinned(pinned, n) => {
                let array = uploaded(&cast_slice(pinned.bytes())[..n])?;
                // The copy may be under way.
                arrays.gpu.synchronize()?;
                Ok(array)
            }
            Self::Unified(array) => Ok(array),
        }
    }
}
