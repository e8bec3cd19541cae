//! The entry points of the transitive closure.
//!
//! # Safety
//! All of them take a `DeviceClosure` whose slices are as `layout` says and outlive the launch, and were
//! brought to the state that the kernel expects by those before it: what one kernel writes through atomics or
//! `Pointer`, a later one reads as a plain slice, and never the same one both. Blocks have a multiple of 32
//! threads, at most 1,024.

use super::words::pointer;
use super::{Hardware, slice};
use crate::closure::{Turned, count, own, rows, sum, write};
use hyperblock_shared::layout::{DeviceClosure, DeviceSlice};

const BLOCK: Hardware = Hardware { n_shared: 0 };

/// Entry point of [`own()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_own(closure: DeviceClosure) {
    // SAFETY: the caller's promise.
    unsafe { own(&BLOCK, slice(&closure.targets), slice(&closure.rows), &closure.sizes) }
}

/// Entry point of [`rows()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_rows(closure: DeviceClosure) {
    // SAFETY: the caller's promise.
    unsafe {
        let predecessors = [slice(&closure.predecessor_starts), slice(&closure.predecessors)];
        rows(&BLOCK, slice(&closure.levels), predecessors, slice(&closure.rows), &closure.sizes);
    }
}

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn turned<'a>(closure: &DeviceClosure) -> Turned<'a> {
    // SAFETY: the caller's promise. Rows are counted in words, and read four at a time.
    let rows = unsafe { slice(&DeviceSlice { len: closure.rows.len / 4, ..closure.rows }) };
    // SAFETY: the caller's promise.
    Turned { targets: unsafe { slice(&closure.targets) }, rows, sizes: closure.sizes }
}

/// Entry point of [`count()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_count(closure: DeviceClosure) {
    // SAFETY: the caller's promise.
    unsafe { count(&BLOCK, &turned(&closure), slice(&closure.counts)) }
}

/// Entry point of [`sum()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_sum(closure: DeviceClosure) {
    // SAFETY: the caller's promise.
    unsafe { sum(&BLOCK, &closure.sizes, slice(&closure.counts), slice(&closure.totals)) }
}

/// Entry point of [`write()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_write(closure: DeviceClosure) {
    let tuples = pointer(&closure.tuples);
    // SAFETY: the caller's promise.
    unsafe {
        let (counts, starts) = (slice(&closure.counts), slice(&closure.starts));
        write(&BLOCK, &turned(&closure), counts, starts, closure.first_tuple, &tuples);
    }
}
