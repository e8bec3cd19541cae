//! Staging: large results, by way of memory that the device writes to by itself.
//!
//! The driver copies to ordinary memory with one thread, page by page. Here the device fills one of two buffers while all
//! threads are busy with the other. Columns and lists go the other way as they are: nothing was gained with them.

use super::Cuda;
use super::driver::{self, Flight, Pinned};
use crate::base::error::Result;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use cudarc::driver::{DevicePtr, DeviceRepr, DriverError};
use std::sync::{Mutex, PoisonError};

/// Bytes of a buffer: whole words and candidates, and few, since the driver takes a millisecond to make one.
const BUFFER: usize = 12 << 17;
/// The same where very much is copied: then threads are woken less often.
const LARGE_BUFFER: usize = 8 * BUFFER;
/// Bytes that are copied by way of buffers, at least: fewer are there as soon by themselves.
const LEAST: usize = 4 << 20;
/// Bytes that are worth large ones.
const MANY: usize = 48 << 20;

/// Buffers that nothing is on its way to or from; made when they are needed.
#[derive(Debug, Default)]
pub(super) struct Staging(Mutex<Vec<Pinned>>);

/// The buffers of one copy, given back when it is over.
struct Buffers<'a> {
    gpu: &'a Cuda,
    free: Vec<Pinned>,
}

impl<'a> Buffers<'a> {
    /// Two of them, for so many bytes; none if the host has no such memory left.
    fn take(gpu: &'a Cuda, n_bytes: usize) -> Option<Self> {
        let len = if n_bytes < MANY { BUFFER } else { LARGE_BUFFER };
        let mut free = std::mem::take(&mut *gpu.staging.0.lock().unwrap_or_else(PoisonError::into_inner));
        free.retain(|buffer| buffer.bytes().len() >= len);
        while free.len() < 2 {
            match Pinned::new(&gpu.context, len) {
                Ok(buffer) => free.push(buffer),
                Err(error) => {
                    tracing::debug!("no memory to stage copies in: {error}");
                    return None;
                }
            }
        }
        Some(Self { gpu, free })
    }
}

impl Drop for Buffers<'_> {
    fn drop(&mut self) {
        let mut free = self.gpu.staging.0.lock().unwrap_or_else(PoisonError::into_inner);
        free.append(&mut self.free);
    }
}

impl Cuda {
    /// Hands the first so many elements of an array on, some at a time and in order. Waits for all kernels before.
    pub(super) fn receive<T, S>(&self, from: &S, n: usize, take: &mut dyn FnMut(&[T])) -> Result<()>
    where
        T: Pod + DeviceRepr,
        S: DevicePtr<T>,
    {
        let (address, _read) = from.device_ptr(&self.stream);
        let n_bytes = n * size_of::<T>();
        let buffers = if n_bytes < LEAST { None } else { Buffers::take(self, n_bytes) };
        match buffers {
            Some(buffers) => {
                let received = self.receive_by(buffers, address, n, take);
                received.map_err(self.failed("copying from the device"))
            }
            None => {
                let mut values = vec![T::zeroed(); n];
                let copied = driver::copy_back(&self.stream, address, cast_slice_mut(&mut values));
                copied.map_err(self.failed("copying from the device"))?;
                take(&values);
                Ok(())
            }
        }
    }

    fn receive_by<T: Pod>(
        &self,
        mut buffers: Buffers<'_>,
        mut from: u64,
        n: usize,
        take: &mut dyn FnMut(&[T]),
    ) -> Result<(), DriverError> {
        let shortest = buffers.free.iter().map(|buffer| buffer.bytes().len()).min().unwrap_or(BUFFER);
        let most = shortest / size_of::<T>() * size_of::<T>();
        let mut n_left = n * size_of::<T>();
        let mut flying: Option<(Flight, usize)> = None;
        while n_left > 0 || flying.is_some() {
            // The next one sets out before this one is looked at.
            let n_bytes = n_left.min(most);
            let buffer = if n_bytes > 0 { buffers.free.pop() } else { None };
            let next = buffer.map(|buffer| buffer.received(&self.stream, from, n_bytes)).transpose()?;
            if next.is_some() {
                (from, n_left) = (from + n_bytes as u64, n_left - n_bytes);
            }
            let next = next.map(|flight| (flight, n_bytes));
            if let Some((flight, n_bytes)) = std::mem::replace(&mut flying, next) {
                let buffer = flight.landed()?;
                take(cast_slice(&buffer.bytes()[..n_bytes]));
                buffers.free.push(buffer);
            }
        }
        Ok(())
    }
}
