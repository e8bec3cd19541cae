//! Lists of items in device memory. Branches often share a list, and the tasks of a job do, so each is brought there once.

use super::Cuda;
use super::columns::Upload;
use crate::base::error::Result;
use crate::plan::sweep::ItemList;
use hyperblock_shared::layout::DeviceItems;
use std::sync::{Arc, Weak};

/// The lists that are on the device.
pub(super) struct UploadedLists<'a> {
    upload: Upload<'a>,
    lists: Vec<OneList>,
}

struct OneList {
    /// As long as it is there, its address is nobody else's.
    list: Weak<ItemList>,
    n_bytes: u64,
    items: DeviceItems,
}

impl<'a> UploadedLists<'a> {
    pub(super) fn new(gpu: &'a Cuda) -> Self {
        Self { upload: Upload::new(gpu), lists: Vec::new() }
    }

    /// The bytes that they take.
    pub(super) fn n_bytes(&self) -> u64 {
        self.lists.iter().map(|list| list.n_bytes).sum()
    }

    /// A list, brought to the device if it is not there yet.
    pub(super) fn items(&mut self, list: &Arc<ItemList>) -> Result<DeviceItems> {
        if let Some(known) = self.lists.iter().find(|known| known.list.as_ptr() == Arc::as_ptr(list)) {
            return Ok(known.items);
        }
        let items = DeviceItems {
            sketches: self.upload.words(&list.sketches)?,
            uppers: self.upload.words(&list.uppers)?,
            lens: self.upload.halves(&list.lens)?,
            starts: self.upload.halves(&list.starts)?,
            records: self.upload.halves(&list.records)?,
        };
        self.lists.push(OneList { list: Arc::downgrade(list), n_bytes: list.n_bytes(), items });
        Ok(items)
    }
}
