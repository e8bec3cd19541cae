//! The scan's entry point.

use super::Hardware;
use super::columns::{Column, Uploaded};
use super::lists::{ArchivedPath, Candidates, prepared};
use crate::scan::scan;
use core::arch::nvptx;
use core::sync::atomic::AtomicU32;
use hyperblock_shared::layout::{DeviceColumns, DeviceSweep, scan_shared_words};

/// Entry point of [`crate::scan`]. What is the same for all threads comes by value: it then lies in the constant bank, and
/// takes no registers.
///
/// # Safety
/// `columns` and `sweep` are as `layout` says and `path` is an archive of a path over those columns, `path_len` bytes long.
/// `results` has room for `capacity` candidates, `n_found` is a word, and `scratch` has `scratch_words` words for every
/// thread. The sweep's slots are as many as blocks. Nobody writes any of it but this launch, and it writes only atomics and
/// scratch. Blocks have a multiple of 32 threads and `scan_shared_words` words of dynamic shared memory.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_scan(
    columns: DeviceColumns,
    sweep: DeviceSweep,
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
    let block = Hardware { n_shared: scan_shared_words(n_threads) };
    let columns = Uploaded(columns);
    let mut column = Column { array: scratch, n_words: scratch_words };
    let (path, results) = (ArchivedPath(path, path_len), Candidates(results, capacity, n_found));
    // SAFETY: the caller's promise.
    let job = unsafe { prepared(&columns, &sweep, path, results) };
    scan::<{ cfg!(feature = "descent") }>(&block, &job, &mut column);
}
