//! A sweep in device memory, and what its pairs are decided by.

use super::columns::Uploaded;
use super::slice;
use crate::scan::{Results, Scan};
use core::sync::atomic::AtomicU32;
use hyperblock_shared::layout::{CANDIDATE_WORDS, DeviceItems, DeviceSweep};
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

/// The path that pairs are decided by: an archive, so many bytes long.
#[derive(Clone, Copy)]
pub(super) struct ArchivedPath(pub(super) *const u8, pub(super) u64);

/// Room for so many candidates, and a word that counts them.
#[derive(Clone, Copy)]
pub(super) struct Candidates(pub(super) *const AtomicU32, pub(super) u32, pub(super) *const AtomicU32);

/// A scan of a sweep's pairs.
///
/// # Safety
/// All of it is as `layout` says and outlives the kernel; what is not atomic is written by nobody, and the path is one over
/// these columns.
#[inline(always)]
pub(super) unsafe fn prepared<'a>(
    columns: &'a Uploaded,
    sweep: &DeviceSweep,
    ArchivedPath(path, path_len): ArchivedPath,
    Candidates(results, capacity, n_found): Candidates,
) -> Scan<'a, Uploaded> {
    // SAFETY: the caller's promise.
    unsafe {
        let archive = core::slice::from_raw_parts(path, path_len as usize);
        Scan {
            columns,
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
        }
    }
}
