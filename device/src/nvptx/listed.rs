//! The entry point for pairs that are listed.

use super::columns::{Column, Uploaded};
use super::lists::{ArchivedPath, Candidates, prepared};
use super::{Hardware, slice};
use crate::overlap::{Listed, listed};
use core::arch::nvptx;
use core::sync::atomic::AtomicU32;
use hyperblock_shared::layout::{DeviceColumns, DeviceSlice, DeviceSweep, listed_shared_words};

/// Entry point of [`listed()`]. What is the same for all threads comes by value: it then lies in the constant bank, and
/// takes no registers.
///
/// # Safety
/// As for `hyperblock_scan`, but the sweep needs no intervals, slots and claims, and blocks have `listed_shared_words` words
/// of dynamic shared memory. `counters` are those of an `OverlapCounters`. `pairs` has as many words as they say, whose
/// halves are items of the sweep's lists; or they say more than it has room for.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listed(
    columns: DeviceColumns,
    sweep: DeviceSweep,
    pairs: DeviceSlice,
    counters: DeviceSlice,
    path: *const u8,
    path_len: u64,
    results: *const AtomicU32,
    capacity: u32,
    n_found: *const AtomicU32,
    scratch: *mut u64,
    scratch_words: u32,
) {
    // SAFETY: reads a special register.
    let n_threads = unsafe { nvptx::_block_dim_x() as u32 };
    let block = Hardware { n_shared: listed_shared_words(n_threads) };
    let mut column = Column { array: scratch, n_words: scratch_words };
    let (path, results) = (ArchivedPath(path, path_len), Candidates(results, capacity, n_found));
    let columns = Uploaded(columns);
    // SAFETY: the caller's promise.
    let job = unsafe {
        Listed {
            scan: prepared(&columns, &sweep, path, results),
            pairs: slice(&pairs),
            counters: slice(&counters),
        }
    };
    listed(&block, &job, &mut column);
}
