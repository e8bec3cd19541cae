//! A job's columns in device memory, and the table of addresses through which kernels read them.

use super::{Cuda, driver};
use crate::base::error::{Error, Result};
use crate::encode::{Encoded, SetColumn, TextColumn};
use bytemuck::{Pod, cast_slice};
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr};
use hyperblock_shared::layout::{DeviceColumns, DeviceSets, DeviceSlice, DeviceTexts};

/// Everything a kernel reads of a job.
pub(super) struct UploadedColumns {
    /// Its addresses point into `words` and `halves`.
    pub(super) root: DeviceColumns,
    /// By column of sets: the tokens of all of them.
    pub(super) tokens: Vec<DeviceSlice<u32>>,
    /// What the addresses point at; only kept alive.
    _words: Vec<CudaSlice<u64>>,
    _halves: Vec<CudaSlice<u32>>,
}

impl UploadedColumns {
    pub(super) fn new(gpu: &Cuda, encoded: &Encoded) -> Result<Self> {
        let mut upload = Upload::new(gpu);
        let mut texts = Vec::new();
        for TextColumn { bits, heads, words, .. } in &encoded.texts {
            let (heads, words) = (upload.words(heads)?, upload.words(words)?);
            texts.push(DeviceTexts { bits: u64::from(*bits), heads, words });
        }
        let mut sets = Vec::new();
        for SetColumn { heads, tokens, .. } in &encoded.sets {
            sets.push(DeviceSets { heads: upload.words(heads)?, tokens: upload.halves(tokens)? });
        }
        let reaches =
            encoded.reaches.iter().map(|column| upload.words(&column.reaches)).collect::<Result<Vec<_>>>()?;
        let codes =
            encoded.codes.iter().map(|column| upload.halves(&column.codes)).collect::<Result<Vec<_>>>()?;
        let marks =
            encoded.marks.iter().map(|column| upload.halves(&column.bits)).collect::<Result<Vec<_>>>()?;
        let root = DeviceColumns {
            codes: upload.words(&codes)?,
            texts: upload.words(&texts)?,
            sets: upload.words(&sets)?,
            reaches: upload.words(&reaches)?,
            marks: upload.words(&marks)?,
        };
        let tokens = sets.iter().map(|sets| sets.tokens).collect();
        Ok(Self { root, tokens, _words: upload.words, _halves: upload.halves })
    }
}

/// Arrays on their way to the device.
pub(super) struct Upload<'a> {
    gpu: &'a Cuda,
    words: Vec<CudaSlice<u64>>,
    halves: Vec<CudaSlice<u32>>,
}

impl<'a> Upload<'a> {
    pub(super) fn new(gpu: &'a Cuda) -> Self {
        Self { gpu, words: Vec::new(), halves: Vec::new() }
    }

    /// Anything made of 64-bit words.
    pub(super) fn words<T: Pod>(&mut self, values: &[T]) -> Result<DeviceSlice<T>> {
        let uploaded = self.gpu.upload::<u64>(cast_slice(values))?;
        let slice = Slices(self.gpu).of(&uploaded).of().first(values.len() as u64);
        self.words.push(uploaded);
        Ok(slice)
    }

    /// Anything made of 32-bit words.
    pub(super) fn halves<T: Pod>(&mut self, values: &[T]) -> Result<DeviceSlice<T>> {
        let uploaded = self.gpu.upload::<u32>(cast_slice(values))?;
        let slice = Slices(self.gpu).of(&uploaded).of().first(values.len() as u64);
        self.halves.push(uploaded);
        Ok(slice)
    }
}

/// Arrays as kernels see them.
pub(super) struct Slices<'a>(pub(super) &'a Cuda);

impl Slices<'_> {
    pub(super) fn of<T: DeviceRepr>(&self, array: &CudaSlice<T>) -> DeviceSlice<T> {
        DeviceSlice::new(array.device_ptr(&self.0.stream).0, array.len() as u64)
    }

    /// The first so many elements.
    pub(super) fn first<T: DeviceRepr>(&self, array: &CudaSlice<T>, len: usize) -> DeviceSlice<T> {
        self.of(array).first(len as u64)
    }
}

impl Cuda {
    /// A copy in device memory. An empty array takes one element there, since the driver gives no empty memory.
    pub(super) fn upload<T: Pod + DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>> {
        let values = if values.is_empty() { &[T::zeroed()] } else { values };
        self.transfer(|| {
            self.stream.clone_htod(values).map_err(|error| self.allocation(error, size_of_val(values)))
        })
    }

    /// Sets all of it to 0.
    pub(super) fn clear(&self, array: &mut CudaSlice<u32>) -> Result<()> {
        self.stream.memset_zeros(array).map_err(self.failed("clearing memory"))
    }

    /// Sets all bits of it.
    pub(super) fn fill_with_ones<T: Pod>(&self, array: &mut CudaSlice<T>) -> Result<()> {
        driver::fill_with_ones(&self.stream, array).map_err(self.failed("clearing memory"))
    }

    /// The error for memory that could not be had.
    pub(super) fn allocation(&self, error: cudarc::driver::DriverError, need: usize) -> Error {
        if !driver::is_out_of_memory(error) {
            return driver::failed(&self.name, "copying to the device", error);
        }
        let free = self.free_bytes().unwrap_or(0);
        Error::DeviceMemory { device: self.name.clone(), need: need as u64, free }
    }
}
