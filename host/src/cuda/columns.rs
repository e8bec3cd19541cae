//! A job's columns in device memory, and the table of addresses through which kernels read them.

use super::{Cuda, driver};
use crate::encode::{Encoded, SetColumn, TextColumn};
use crate::error::{Error, Result};
use bytemuck::{Pod, cast_slice};
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr};
use hyperblock_shared::layout::{DeviceColumns, DeviceSets, DeviceSlice, DeviceTexts};

/// Everything a kernel reads of a job.
pub(super) struct UploadedColumns {
    /// A `DeviceColumns`, whose addresses point into `words` and `halves`.
    pub(super) root: CudaSlice<u64>,
    /// What the addresses point at; only kept alive.
    _words: Vec<CudaSlice<u64>>,
    _halves: Vec<CudaSlice<u32>>,
}

impl UploadedColumns {
    pub(super) fn new(gpu: &Cuda, encoded: &Encoded) -> Result<Self> {
        let mut upload = Upload { gpu, words: Vec::new(), halves: Vec::new() };
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
        let root = gpu.upload(cast_slice::<DeviceColumns, u64>(&[root]))?;
        Ok(Self { root, _words: upload.words, _halves: upload.halves })
    }
}

struct Upload<'a> {
    gpu: &'a Cuda,
    words: Vec<CudaSlice<u64>>,
    halves: Vec<CudaSlice<u32>>,
}

impl Upload<'_> {
    /// Anything made of 64-bit words.
    fn words<T: Pod>(&mut self, values: &[T]) -> Result<DeviceSlice> {
        let uploaded = self.gpu.upload::<u64>(cast_slice(values))?;
        let slice =
            DeviceSlice { address: uploaded.device_ptr(&self.gpu.stream).0, len: values.len() as u64 };
        self.words.push(uploaded);
        Ok(slice)
    }

    fn halves(&mut self, values: &[u32]) -> Result<DeviceSlice> {
        let uploaded = self.gpu.upload::<u32>(values)?;
        let slice =
            DeviceSlice { address: uploaded.device_ptr(&self.gpu.stream).0, len: values.len() as u64 };
        self.halves.push(uploaded);
        Ok(slice)
    }
}

impl Cuda {
    /// A copy in device memory. An empty array takes one element there, since the driver gives no empty memory.
    pub(super) fn upload<T: Pod + DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>> {
        let values = if values.is_empty() { &[T::zeroed()] } else { values };
        self.stream.clone_htod(values).map_err(|error| self.allocation(error, size_of_val(values)))
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
