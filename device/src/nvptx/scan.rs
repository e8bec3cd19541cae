//! The scan's entry point.

use super::columns::{Column, Uploaded};
use super::{Hardware, slice};
use crate::scan::{Results, Scan, scan};
use core::arch::nvptx;
use core::sync::atomic::AtomicU32;
use hyperblock_shared::layout::{
    CANDIDATE_WORDS, DeviceColumns, DeviceItems, DeviceSweep, scan_shared_words,
};
use hyperblock_shared::path::Path;
use hyperblock_shared::sweep::{Items, Sweep};

/// The list behind a `DeviceItems`.
///
/// # Safety
/// Its slices must be as `layout` says, written by nobody, and outlive the kernel.
unsafe fn items<'a>(items: &DeviceItems) -> Items<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        Items {
            sketches: slice(&items.sketches),
            uppers: slice(&items.uppers),
            lens: slice(&items.lens),
            starts: slice(&items.starts),
            records: slice(&items.records),
        }
    }
}

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
    // SAFETY: all of this is the caller's promise.
    unsafe {
        let archive = core::slice::from_raw_parts(path, path_len as usize);
        let job = Scan {
            columns: &Uploaded(columns),
            path: rkyv::access_unchecked::<rkyv::Archived<Path<'_>>>(archive).walk(),
            sweep: Sweep {
                left: items(&sweep.left),
                right: items(&sweep.right),
                intervals: slice(&sweep.intervals),
                firsts: slice(&sweep.firsts),
                settings: sweep.settings.into(),
            },
            slots: slice(&sweep.slots),
            claimed: slice(&sweep.claimed),
            latencies: slice(&sweep.latencies),
            heavies: slice(&sweep.heavies),
            counters: slice(&sweep.counters),
            results: Results {
                words: core::slice::from_raw_parts(results, capacity as usize * CANDIDATE_WORDS),
                n_found: &*n_found,
            },
        };
        let mut column = Column { array: scratch, n_words: scratch_words };
        scan::<{ cfg!(feature = "descent") }>(&block, &job, &mut column);
    }
}
