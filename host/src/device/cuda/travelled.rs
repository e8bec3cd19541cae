//! Columns that travel while others are still encoded, by a stream of their own; and those that have arrived, until their job is
//! loaded.
//!
//! They are known by where they are on the host. Nobody else can be there: who has travelled is held on to.

use super::Cuda;
use crate::base::error::Result;
use crate::encode::Ready;
use bytemuck::{Pod, cast_slice};
use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What part of the free memory columns may take before it is known whether the job fits.
const MOST: u64 = 4;
/// Elements of an array that is worth it.
const LEAST: usize = 1 << 14;

/// The columns that have arrived.
#[derive(Debug, Default)]
pub(super) struct Travelled(Mutex<Arrived>);

#[derive(Debug, Default)]
struct Arrived {
    stream: Option<Arc<CudaStream>>,
    words: Vec<(Ready, CudaSlice<u64>)>,
    halves: Vec<(Ready, CudaSlice<u32>)>,
}

impl Travelled {
    fn arrived(&self) -> MutexGuard<'_, Arrived> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of those that are still waited for.
    pub(super) fn n_bytes(&self) -> u64 {
        let arrived = self.arrived();
        let words = arrived.words.iter().map(|(_, array)| array.num_bytes());
        words.chain(arrived.halves.iter().map(|(_, array)| array.num_bytes())).sum::<usize>() as u64
    }

    /// Lets go of all that are here.
    pub(super) fn clear(&self) {
        let mut arrived = self.arrived();
        arrived.words.clear();
        arrived.halves.clear();
    }

    /// An array of words, if it is here.
    pub(super) fn words(&self, values: &[u64]) -> Option<CudaSlice<u64>> {
        taken(&mut self.arrived().words, |ready| match ready {
            Ready::Words(array) => is_at(array, values),
            Ready::Heads(array) => is_at(cast_slice(array), values),
            Ready::Points(array) => is_at(cast_slice(array), values),
            Ready::Halves(_) => false,
        })
    }

    /// An array of halves of words, if it is here.
    pub(super) fn halves(&self, values: &[u32]) -> Option<CudaSlice<u32>> {
        taken(&mut self.arrived().halves, |ready| match ready {
            Ready::Halves(array) => is_at(array, values),
            Ready::Words(_) | Ready::Heads(_) | Ready::Points(_) => false,
        })
    }
}

fn is_at<T>(array: &[T], values: &[T]) -> bool {
    std::ptr::eq(array, values)
}

fn taken<T>(here: &mut Vec<(Ready, CudaSlice<T>)>, is_it: impl Fn(&Ready) -> bool) -> Option<CudaSlice<T>> {
    // Those that nobody else has will never be asked for.
    here.retain(|(ready, _)| !ready.is_last());
    let place = here.iter().position(|(ready, _)| is_it(ready))?;
    Some(here.swap_remove(place).1)
}

impl Cuda {
    /// Brings a column here, if it is long and there is room for it. If that fails, it is brought with its job.
    pub(super) fn bring_ahead(&self, column: Ready) {
        if let Err(error) = self.brought_ahead(column) {
            tracing::debug!("a column did not travel ahead: {error}");
        }
    }

    fn brought_ahead(&self, column: Ready) -> Result<()> {
        let (n_elements, n_bytes) = match &column {
            Ready::Halves(array) => (array.len(), size_of_val(&array[..])),
            Ready::Words(array) => (array.len(), size_of_val(&array[..])),
            Ready::Heads(array) => (array.len(), size_of_val(&array[..])),
            Ready::Points(array) => (array.len(), size_of_val(&array[..])),
        };
        // Whoever has a budget asks first what fits into it.
        let is_free = self.most_memory == u64::MAX;
        let n_here = self.travelled.n_bytes();
        if !is_free || n_elements < LEAST || n_here + n_bytes as u64 > (self.free_bytes()? + n_here) / MOST {
            return Ok(());
        }
        let known = self.travelled.arrived().stream.clone();
        let stream = match known {
            Some(stream) => stream,
            None => {
                let stream = self.context.new_stream().map_err(self.failed("making a stream"))?;
                self.travelled.arrived().stream.insert(stream).clone()
            }
        };
        match &column {
            Ready::Halves(array) => {
                let copy = self.travelled_by(&stream, array)?;
                self.travelled.arrived().halves.push((column, copy));
            }
            Ready::Words(array) => {
                let copy = self.travelled_by(&stream, array)?;
                self.travelled.arrived().words.push((column, copy));
            }
            Ready::Heads(array) => {
                let copy = self.travelled_by(&stream, cast_slice(array))?;
                self.travelled.arrived().words.push((column, copy));
            }
            Ready::Points(array) => {
                let copy = self.travelled_by(&stream, cast_slice(array))?;
                self.travelled.arrived().words.push((column, copy));
            }
        }
        Ok(())
    }

    /// A copy that is complete.
    fn travelled_by<T: Pod + DeviceRepr>(
        &self,
        stream: &Arc<CudaStream>,
        values: &[T],
    ) -> Result<CudaSlice<T>> {
        let copy = self.allocate(size_of_val(values), || stream.clone_htod(values))?;
        stream.synchronize().map_err(self.failed("copying to the device"))?;
        Ok(copy)
    }
}
