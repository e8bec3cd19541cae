//! Copies of a job's columns: one on each GPU, however many places it is divided into.
//!
//! Whoever needs columns asks for them here. If they are on the GPU already they are shared. If another GPU has them they
//! come from there, which takes a fraction of the time that it takes to bring them from the host. Nobody owns a copy: it
//! goes with the last one who reads it.

use super::Cuda;
use super::columns::UploadedColumns;
use crate::base::error::{Error, Result};
use crate::encode::Encoded;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The columns that are on GPUs, as far as their places know of each other.
#[derive(Debug, Default)]
pub struct Copies(Mutex<Vec<OneCopy>>);

#[derive(Debug)]
struct OneCopy {
    /// Where the columns are on the host, which says whose they are: whoever holds the copy borrows the columns
    /// ([`HeldColumns`]), so as long as there is a copy nothing else can be at that address.
    address: usize,
    /// Which GPU it is on.
    ordinal: usize,
    columns: Weak<UploadedColumns>,
}

/// Columns in the memory of a place's GPU, perhaps read by other places as well.
pub(super) struct HeldColumns<'a> {
    gpu: &'a Cuda,
    columns: Arc<UploadedColumns>,
    /// They are found by its address, so it stays where it is.
    _encoded: PhantomData<&'a Encoded>,
}

impl Deref for HeldColumns<'_> {
    type Target = UploadedColumns;

    fn deref(&self) -> &UploadedColumns {
        &self.columns
    }
}

impl Drop for HeldColumns<'_> {
    /// Kernels of this place may still read them, and who goes last lets go of the memory in the order of another
    /// place's stream.
    fn drop(&mut self) {
        self.gpu.settle();
    }
}

impl Cuda {
    /// The columns in this GPU's memory, brought there if need be.
    pub(super) fn columns<'a>(&'a self, encoded: &'a Encoded) -> Result<HeldColumns<'a>> {
        let held = |columns| HeldColumns { gpu: self, columns, _encoded: PhantomData };
        let (address, ordinal) = (ptr::from_ref(encoded).addr(), self.context.ordinal());
        // Locked until they are there: who comes second waits for the copy, and makes none of its own.
        let mut copies = self.copies.0.lock().unwrap_or_else(PoisonError::into_inner);
        copies.retain(|copy| copy.columns.strong_count() > 0);
        let mut source = None;
        for copy in copies.iter().filter(|copy| copy.address == address) {
            let Some(columns) = copy.columns.upgrade() else { continue };
            if copy.ordinal == ordinal && !self.has_own_columns {
                return Ok(held(columns));
            }
            source = Some(columns);
        }
        let columns = Arc::new(self.new_copy(encoded, source)?);
        copies.push(OneCopy { address, ordinal, columns: Arc::downgrade(&columns) });
        Ok(held(columns))
    }

    /// A copy that is complete: kernels of other streams are given its addresses, and the driver does not know what they
    /// would have to wait for.
    fn new_copy(&self, encoded: &Encoded, source: Option<Arc<UploadedColumns>>) -> Result<UploadedColumns> {
        let complete = |columns| self.synchronize().map(|()| columns);
        if let Some(source) = source {
            match UploadedColumns::new(self, encoded, Some(&source)).and_then(complete) {
                Ok(columns) => return Ok(columns),
                Err(error) => {
                    // Some of it may still be on its way, and this may be the last one to hold the source.
                    self.settle();
                    if !matches!(error, Error::Driver { .. }) {
                        return Err(error);
                    }
                    tracing::info!("the columns are copied from the host, not from another device: {error}");
                }
            }
        }
        UploadedColumns::new(self, encoded, None).and_then(complete)
    }

    /// Waits for all that this place has begun, before memory goes that it may still read. If that fails, nothing runs.
    fn settle(&self) {
        let wait = || self.synchronize();
        // If something went wrong unseen before, the first call only says so, and does not wait.
        let _ = wait().or_else(|_| wait());
    }
}
