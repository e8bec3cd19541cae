//! What pairs are decided by, in device memory, and the lists that they are of.

use super::columns::{Column, Uploaded};
use super::memory::Memory;
use crate::scan::Results;
#[cfg(any(feature = "scan", feature = "listed"))]
use crate::scan::Scan;
use hyperblock_shared::layout::DeviceDecide;
#[cfg(any(feature = "scan", feature = "listed"))]
use hyperblock_shared::layout::{DeviceItems, DeviceSweep};
use hyperblock_shared::path::{Path, Walk};
#[cfg(any(feature = "scan", feature = "listed"))]
use hyperblock_shared::sweep::{Items, Sweep};

#[inline(always)]
pub(super) fn columns(memory: Memory, decide: &DeviceDecide) -> Uploaded {
    Uploaded { columns: decide.columns, memory }
}

#[inline(always)]
pub(super) fn scratch(memory: Memory, decide: &DeviceDecide, array: *mut u64) -> Column {
    Column::new(memory, &decide.scratch, array)
}

/// The rules, which lie at `path`: handed over beside the struct, since the compiler only knows pointers that are parameters
/// of their own to be of device memory, and paths are read most.
#[inline(always)]
pub(super) fn path<'a>(_: Memory, decide: &DeviceDecide, path: *const u8) -> Walk<'a> {
    // SAFETY: `path` is where `decide.path` lies, which nobody writes. The bytes are those that `rkyv` made of a path on the
    // host, where they were checked, copied to where the driver gives memory, at a multiple of 256 bytes.
    unsafe {
        let archive = core::slice::from_raw_parts(path, decide.path.len() as usize);
        rkyv::access_unchecked::<rkyv::Archived<Path<'_>>>(archive).walk()
    }
}

/// How these kernels walk paths.
#[cfg(not(any(feature = "descent", feature = "counted")))]
#[inline(always)]
pub(super) fn way(_: Memory, _: &DeviceDecide) -> crate::walk::StepByStep {
    crate::walk::StepByStep
}

#[cfg(feature = "descent")]
#[inline(always)]
pub(super) fn way(_: Memory, _: &DeviceDecide) -> crate::walk::ByDescent {
    crate::walk::ByDescent
}

#[cfg(feature = "counted")]
#[inline(always)]
pub(super) fn way<'a>(memory: Memory, decide: &DeviceDecide) -> crate::walk::Counted<'a> {
    crate::walk::Counted(hyperblock_shared::counts::Counts(memory.atomics(decide.counts)))
}

/// Where candidates go.
#[inline(always)]
pub(super) fn results<'a>(memory: Memory, decide: &DeviceDecide) -> Results<'a> {
    Results { words: memory.atomics(decide.results.words()), n_found: memory.cell(decide.n_found) }
}

/// A list.
#[cfg(any(feature = "scan", feature = "listed"))]
#[inline(always)]
fn items<'a>(memory: Memory, items: &DeviceItems) -> Items<'a> {
    Items {
        sketches: memory.read(items.sketches),
        uppers: memory.read(items.uppers),
        lens: memory.read(items.lens),
        starts: memory.read(items.starts),
        records: memory.read(items.records),
    }
}

/// A scan of a sweep's pairs.
#[cfg(any(feature = "scan", feature = "listed"))]
#[inline(always)]
pub(super) fn scan<'a>(
    memory: Memory,
    columns: &'a Uploaded,
    decide: &DeviceDecide,
    path: Walk<'a>,
    sweep: &DeviceSweep,
) -> Scan<'a, Uploaded> {
    Scan {
        columns,
        path,
        sweep: Sweep {
            left: items(memory, &sweep.left),
            right: items(memory, &sweep.right),
            intervals: memory.read(sweep.intervals),
            firsts: memory.read(sweep.firsts),
            settings: sweep.settings.into(),
        },
        slots: memory.atomics(sweep.slots),
        claimed: memory.atomics(sweep.claimed),
        latencies: memory.atomics(sweep.latencies),
        heavies: memory.atomics(sweep.heavies),
        counters: memory.atomics(sweep.counters),
        results: results(memory, decide),
    }
}
