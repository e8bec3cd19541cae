//! Lists of items in device memory. Branches often share a list, so each is brought there once.

use super::Cuda;
use super::columns::Upload;
use crate::base::error::Result;
use crate::plan::sweep::ItemList;
use hyperblock_shared::layout::DeviceItems;
use std::sync::Arc;

/// The lists that are on the device.
pub(super) struct UploadedLists<'a> {
    upload: Upload<'a>,
    lists: Vec<(Arc<ItemList>, DeviceItems)>,
}

impl<'a> UploadedLists<'a> {
    pub(super) fn new(gpu: &'a Cuda) -> Self {
        Self { upload: Upload::new(gpu), lists: Vec::new() }
    }

    /// The bytes that they take.
    pub(super) fn n_bytes(&self) -> u64 {
        self.lists.iter().map(|(list, _)| list.n_bytes()).sum()
    }

    /// A list, brought to the device if it is not there yet.
    pub(super) fn items(&mut self, list: &Arc<ItemList>) -> Result<DeviceItems> {
        if let Some((_, items)) = self.lists.iter().find(|(known, _)| Arc::ptr_eq(known, list)) {
            return Ok(*items);
        }
        let items = DeviceItems {
            sketches: self.upload.words(&list.sketches)?,
            uppers: self.upload.words(&list.uppers)?,
            lens: self.upload.halves(&list.lens)?,
            starts: self.upload.halves(&list.starts)?,
            records: self.upload.halves(&list.records)?,
        };
        self.lists.push((list.clone(), items));
        Ok(items)
    }
}
