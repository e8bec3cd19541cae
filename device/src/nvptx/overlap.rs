//! The entry points of the overlap join.
//!
//! # Safety
//! All of them take a `DeviceOverlap` whose slices are as `layout` says and outlive the launch, and were brought to the state
//! that the kernel expects by those before it: what one kernel writes through atomics or `Pointer`, a later one reads as a
//! plain slice, and never the same one both. Blocks have a multiple of 32 threads, at most 1,024, and the words of shared
//! memory that the kernels' files say.

use super::words::{Pointer, pointer};
use super::{Hardware, slice};
use crate::overlap::{
    Dense, Pairs, Probe, Probing, count, dense, fill, measure, probe, spread, starts, totals,
};
use core::arch::nvptx;
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{DeviceOverlap, DeviceSlice, DeviceValues, PROBE_WORDS, WARP};
use hyperblock_shared::overlap::{Overlap, Range32, Side};

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn side<'a>(side: &DeviceValues) -> Side<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        Side {
            values: slice(&side.values),
            // They are aligned better, and read as those of `Probe` and `Dense`.
            signatures: &[],
            elements: slice(&side.elements),
            classes: slice(&side.classes),
            bounds: slice(&side.bounds),
        }
    }
}

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn sides<'a>(overlap: &DeviceOverlap) -> Overlap<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        Overlap {
            indexed: side(&overlap.indexed),
            probing: side(&overlap.probing),
            least: slice(&overlap.least),
            sizes: overlap.sizes,
        }
    }
}

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn probing<'a>(overlap: &DeviceOverlap) -> Probing<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        Probing { overlap: sides(overlap), slots: slice(&overlap.slots), groups: slice(&overlap.groups) }
    }
}

/// Entry point of [`count()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_count(overlap: DeviceOverlap) {
    // SAFETY: the caller's promise.
    unsafe { count(&Hardware { n_shared: 0 }, &sides(&overlap), slice(&overlap.slots)) }
}

/// Entry point of [`totals()`], of any words and their tiles.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_totals(words: DeviceSlice, tiles: DeviceSlice) {
    // SAFETY: the caller's promise.
    unsafe { totals(&Hardware { n_shared: 0 }, slice(&words), slice(&tiles)) }
}

/// Entry point of [`starts()`].
///
/// # Safety
/// See above; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_starts(tiles: DeviceSlice) {
    // SAFETY: the caller's promise.
    unsafe { starts(&Hardware { n_shared: SUM_WORDS }, slice(&tiles)) }
}

/// Entry point of [`spread()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_spread(words: DeviceSlice, tiles: DeviceSlice) {
    // SAFETY: the caller's promise.
    unsafe { spread(&Hardware { n_shared: 0 }, slice(&words), slice(&tiles)) }
}

/// Entry point of [`fill()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_fill(overlap: DeviceOverlap) {
    let block = Hardware { n_shared: 0 };
    // SAFETY: the caller's promise.
    unsafe { fill(&block, &sides(&overlap), slice(&overlap.slots), &pointer(&overlap.postings)) }
}

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn pairs<'a>(overlap: &DeviceOverlap, words: &'a Pointer) -> Pairs<'a, Pointer> {
    Pairs {
        // SAFETY: the caller's promise.
        counters: unsafe { slice(&overlap.counters) },
        words,
        firsts: [overlap.first_indexed, overlap.first_probing],
        is_left_indexed: overlap.is_left_indexed == 1,
    }
}

/// The block, where each warp has so many words of shared memory.
#[inline(always)]
fn with_words(per_warp: u32) -> Hardware {
    // SAFETY: reads a special register.
    let n_threads = unsafe { nvptx::_block_dim_x() as u32 };
    Hardware { n_shared: n_threads / WARP * per_warp }
}

/// Entry point of [`measure()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_measure(overlap: DeviceOverlap) {
    let block = Hardware { n_shared: 0 };
    // SAFETY: the caller's promise.
    unsafe { measure(&block, &probing(&overlap), slice(&overlap.segments), slice(&overlap.counters)) }
}

/// Entry point of [`probe()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_probe(overlap: DeviceOverlap) {
    let words = pointer(&overlap.pairs);
    // SAFETY: the caller's promise.
    let job = unsafe {
        Probe {
            probing: probing(&overlap),
            postings: slice(&overlap.postings),
            rooms: slice(&overlap.rooms),
            signatures: [slice(&overlap.indexed.signatures), slice(&overlap.probing.signatures)],
            segments: slice(&overlap.segments),
            pairs: pairs(&overlap, &words),
        }
    };
    probe(&with_words(PROBE_WORDS), &job);
}

/// Entry point of [`dense()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_dense(overlap: DeviceOverlap) {
    let words = pointer(&overlap.pairs);
    // SAFETY: the caller's promise.
    let job = unsafe {
        Dense {
            overlap: sides(&overlap),
            values: Range32 { from: overlap.probing_from, upto: overlap.probing_upto },
            rooms: slice(&overlap.rooms),
            signatures: [slice(&overlap.indexed.signatures), slice(&overlap.probing.signatures)],
            segments: slice(&overlap.segments),
            pairs: pairs(&overlap, &words),
        }
    };
    dense(&with_words(DeviceOverlap::DENSE_WORDS), &job);
}
