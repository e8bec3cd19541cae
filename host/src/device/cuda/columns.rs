//! A job's columns in device memory, and the table of addresses through which kernels read them. They come from the host, or
//! from another copy of them on a device; or they have travelled ahead.

use super::{Cuda, driver};
use crate::base::error::{Error, Result};
use crate::encode::{Encoded, SetColumn, TextColumn};
use bytemuck::{Pod, cast_slice};
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr};
use hyperblock_shared::layout::{DeviceColumns, DeviceSets, DeviceSlice, DeviceTexts};

/// Everything a kernel reads of a job.
pub(super) struct UploadedColumns {
    /// Its addresses point into the arrays below.
    pub(super) root: DeviceColumns,
    /// By operand: its codes.
    pub(super) codes: Vec<DeviceSlice<u32>>,
    /// By column of sets: the tokens of all of them.
    pub(super) tokens: Vec<DeviceSlice<u32>>,
    /// What the addresses point at, in the order in which it was brought there; the next copy is made from it.
    words: Vec<CudaSlice<u64>>,
    halves: Vec<CudaSlice<u32>>,
    /// Only kept alive: what holds addresses of this copy is of no use to another one.
    _tables: Vec<CudaSlice<u64>>,
}

impl UploadedColumns {
    /// Copies columns, from a `source` that has the same ones if there is any.
    pub(super) fn new(gpu: &Cuda, encoded: &Encoded, source: Option<&Self>) -> Result<Self> {
        let mut upload = Upload { source, ..Upload::new(gpu) };
        let mut texts = Vec::new();
        for TextColumn { bits, heads, words, .. } in &encoded.texts {
            let (heads, words) = (upload.words(heads)?, upload.words(words)?);
            texts.push(DeviceTexts { bits: u64::from(*bits), heads, words });
        }
        let mut sets = Vec::new();
        for SetColumn { heads, tokens, .. } in &encoded.sets {
            sets.push(DeviceSets { heads: upload.words(heads)?, tokens: upload.halves(tokens)? });
        }
        let points = encoded.points.iter().map(|column| upload.words(&column.points));
        let points = points.collect::<Result<Vec<_>>>()?;
        let reaches =
            encoded.reaches.iter().map(|column| upload.words(&column.reaches)).collect::<Result<Vec<_>>>()?;
        let codes =
            encoded.codes.iter().map(|column| upload.halves(&column.codes)).collect::<Result<Vec<_>>>()?;
        let marks =
            encoded.marks.iter().map(|column| upload.halves(&column.bits)).collect::<Result<Vec<_>>>()?;
        let root = DeviceColumns {
            codes: upload.table(&codes)?,
            texts: upload.table(&texts)?,
            sets: upload.table(&sets)?,
            points: upload.table(&points)?,
            reaches: upload.table(&reaches)?,
            marks: upload.table(&marks)?,
        };
        let tokens = sets.iter().map(|sets| sets.tokens).collect();
        // Those of a job that is loaded in another way.
        gpu.travelled.clear();
        let Upload { words, halves, tables, .. } = upload;
        Ok(Self { root, codes, tokens, words, halves, _tables: tables })
    }
}

/// Arrays on their way to the device.
pub(super) struct Upload<'a> {
    gpu: &'a Cuda,
    /// Columns that have the same arrays in the same order, on a device already.
    source: Option<&'a UploadedColumns>,
    words: Vec<CudaSlice<u64>>,
    halves: Vec<CudaSlice<u32>>,
    tables: Vec<CudaSlice<u64>>,
}

impl<'a> Upload<'a> {
    pub(super) fn new(gpu: &'a Cuda) -> Self {
        Self { gpu, source: None, words: Vec::new(), halves: Vec::new(), tables: Vec::new() }
    }

    /// Anything made of 64-bit words.
    pub(super) fn words<T: Pod>(&mut self, values: &[T]) -> Result<DeviceSlice<T>> {
        let there = self.source.map(|source| source.words.get(self.words.len()));
        let uploaded = match self.gpu.travelled.words(cast_slice(values)) {
            Some(here) => here,
            None => self.gpu.copy::<u64>(cast_slice(values), there)?,
        };
        let slice = Slices(self.gpu).of(&uploaded).of().first(values.len() as u64);
        self.words.push(uploaded);
        Ok(slice)
    }

    /// Anything made of 32-bit words.
    pub(super) fn halves<T: Pod>(&mut self, values: &[T]) -> Result<DeviceSlice<T>> {
        let there = self.source.map(|source| source.halves.get(self.halves.len()));
        let uploaded = match self.gpu.travelled.halves(cast_slice(values)) {
            Some(here) => here,
            None => self.gpu.copy::<u32>(cast_slice(values), there)?,
        };
        let slice = Slices(self.gpu).of(&uploaded).of().first(values.len() as u64);
        self.halves.push(uploaded);
        Ok(slice)
    }

    /// Anything made of addresses, which come from the host whatever the source is.
    fn table<T: Pod>(&mut self, values: &[T]) -> Result<DeviceSlice<T>> {
        let uploaded = self.gpu.upload::<u64>(cast_slice(values))?;
        let slice = Slices(self.gpu).of(&uploaded).of().first(values.len() as u64);
        self.tables.push(uploaded);
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
        self.transfer(|| self.allocate(size_of_val(values), || self.stream.clone_htod(values)))
    }

    /// The same; and if it is to be `there`, on a device, from there.
    fn copy<T: Pod + DeviceRepr>(
        &self,
        values: &[T],
        there: Option<Option<&CudaSlice<T>>>,
    ) -> Result<CudaSlice<T>> {
        let Some(there) = there else { return self.upload(values) };
        let same = there.filter(|array| array.len() == values.len().max(1));
        let array = same.ok_or_else(|| Error::Internal("a copy of other columns".into()))?;
        self.transfer(|| self.allocate(array.num_bytes(), || self.stream.clone_dtod(array)))
    }

    /// Sets all of it to 0.
    pub(super) fn clear(&self, array: &mut CudaSlice<u32>) -> Result<()> {
        self.stream.memset_zeros(array).map_err(self.failed("clearing memory"))
    }

    /// Sets all bits of it.
    pub(super) fn fill_with_ones<T: Pod>(&self, array: &mut CudaSlice<T>) -> Result<()> {
        driver::fill_with_ones(&self.stream, array).map_err(self.failed("clearing memory"))
    }
}
