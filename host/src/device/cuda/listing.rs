//! Keys and lists, made on the GPU from the columns that are there, by the kernels of `device::listing`. What comes back to the
//! host are a few numbers, and intervals.

mod items;
mod keys;

pub(super) use items::{List, Which, groups, intervals};
pub(super) use keys::Keys;

use super::Cuda;
use super::columns::UploadedColumns;
use super::launch::ListingLaunches;
use super::relation::SortBuffers;
use crate::base::error::Result;
use crate::encode::Encoded;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{
    DeviceAtomics, DeviceCell, DeviceColumns, DeviceKeys, DeviceLists, DeviceSlice,
};
use hyperblock_shared::listing::Listing;
use std::ops::Range;

/// What lists are made of.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) gpu: &'a Cuda,
    pub(super) encoded: &'a Encoded,
    pub(super) columns: &'a UploadedColumns,
    pub(super) path: DeviceSlice<u8>,
    /// Left items in an interval.
    pub(super) interval: u32,
}

/// Words in device memory.
pub(super) struct Words {
    pub(super) array: CudaSlice<u64>,
    pub(super) n: usize,
}

/// Bytes that a record may take while keys and lists are made of it: slots, keys and counts, words and room to sort them, a list.
const BYTES_PER_RECORD: u64 = 32 + 16 + 16 + 24 + 40;

/// Records whose combinations still have numbers of 32 bits, with half of their slots empty.
const MOST_RECORDS: usize = 1 << 30;

impl Cuda {
    fn listing_launches(&self) -> Result<ListingLaunches<'_>> {
        Ok(ListingLaunches { gpu: self, kernels: self.kernels.load_listing(&self.context, &self.name)? })
    }

    /// Whether there is room to list so many records.
    pub(super) fn can_list(&self, n_records: usize) -> Result<bool> {
        let n_bytes = n_records as u64 * BYTES_PER_RECORD + SortBuffers::n_bytes(n_records as u64);
        Ok(n_records <= MOST_RECORDS && n_bytes <= self.half_of_free()?)
    }
}

/// The bits of the upper half of words in which values below `n` differ.
pub(super) fn upper_bits(n: u32) -> Range<u32> {
    32..64 - n.saturating_sub(1).leading_zeros()
}

/// Of keys, nothing yet.
fn no_keys() -> DeviceKeys {
    DeviceKeys {
        firsts: DeviceSlice::NOTHING,
        seconds: DeviceSlice::NOTHING,
        slots: DeviceAtomics::NOTHING,
        keys: DeviceAtomics::NOTHING,
        counts: [DeviceAtomics::NOTHING; 2],
        kinds: DeviceAtomics::NOTHING,
        totals: DeviceAtomics::NOTHING,
        light: DeviceSlice::NOTHING.to_write(),
        heavy: DeviceSlice::NOTHING.to_write(),
        n_dealt: DeviceAtomics::NOTHING,
        most: 0,
        first: 0,
        side: 0,
        is_symmetric: 0,
        is_joined: 0,
    }
}

/// Of a list, nothing but what it is of.
fn no_list(columns: DeviceColumns, listing: Option<Listing>, n_words: DeviceCell<u32>) -> DeviceLists {
    DeviceLists {
        columns,
        from: DeviceSlice::NOTHING,
        words: DeviceAtomics::NOTHING,
        n_words,
        keys: DeviceSlice::NOTHING,
        kinds: DeviceSlice::NOTHING,
        begins: DeviceAtomics::NOTHING,
        sketches: DeviceAtomics::NOTHING,
        uppers: DeviceAtomics::NOTHING,
        lens: DeviceAtomics::NOTHING,
        starts: DeviceAtomics::NOTHING,
        records: DeviceAtomics::NOTHING,
        bounds: DeviceAtomics::NOTHING,
        listing: listing.into(),
        first: 0,
        n_records: 0,
        n_items: 0,
        padding: 0,
    }
}
