//! The entry points of the relational operators.
//!
//! # Safety
//! Slices are as the kernels' files say, of the types that are named here, and outlive the launch: what one kernel writes
//! through atomics or `Pointer`, a later one reads as a plain slice, and never the same one both. Blocks have a multiple of
//! 32 threads, a power of two, at most 1,024, and the words of shared memory that `hyperblock_shared::relation` says.

use super::words::pointer;
use super::{Hardware, slice};
use crate::overlap;
use crate::relation::{
    Deduplicate, Join, Merge, compact, count, deduplicate, fill, histogram, index, join, mark, measure,
    merge, scatter, split, starts,
};
use core::arch::nvptx;
use core::sync::atomic::AtomicU64;
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::DeviceSlice;
use hyperblock_shared::relation::{
    Digit, HISTOGRAM_WORDS, WIDE_SUM_WORDS, join_words, merge_words, scatter_words,
};

/// The block, where its shared memory depends on how many threads it has.
#[inline(always)]
fn with_words(words: impl Fn(u32) -> u32) -> Hardware {
    // SAFETY: reads a special register.
    let n_threads = unsafe { nvptx::_block_dim_x() as u32 };
    Hardware { n_shared: words(n_threads) }
}

/// Entry point of [`histogram()`]: words, counts; and the digit.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_histogram(
    words: DeviceSlice,
    counts: DeviceSlice,
    digit: u64,
) {
    let block = Hardware { n_shared: HISTOGRAM_WORDS };
    // SAFETY: the caller's promise.
    unsafe { histogram(&block, slice(&words), Digit::unpacked(digit), slice(&counts)) }
}

/// Entry point of [`overlap::totals()`]: words, and their tiles.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_totals(words: DeviceSlice, tiles: DeviceSlice) {
    // SAFETY: the caller's promise.
    unsafe { overlap::totals(&Hardware { n_shared: 0 }, slice(&words), slice(&tiles)) }
}

/// Entry point of [`overlap::starts()`].
///
/// # Safety
/// See above; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_narrow_starts(tiles: DeviceSlice) {
    // SAFETY: the caller's promise.
    unsafe { overlap::starts(&Hardware { n_shared: SUM_WORDS }, slice(&tiles)) }
}

/// Entry point of [`overlap::spread()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_spread(words: DeviceSlice, tiles: DeviceSlice) {
    // SAFETY: the caller's promise.
    unsafe { overlap::spread(&Hardware { n_shared: 0 }, slice(&words), slice(&tiles)) }
}

/// Entry point of [`scatter()`]: words, where they start by digit and tile, and room for all; and the digit.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_scatter(
    words: DeviceSlice,
    starts: DeviceSlice,
    sorted: DeviceSlice,
    digit: u64,
) {
    let (block, digit) = (with_words(scatter_words), Digit::unpacked(digit));
    // SAFETY: the caller's promise.
    unsafe { scatter(&block, slice(&words), digit, slice(&starts), &pointer(&sorted)) }
}

/// Entry point of [`starts()`]: tiles, and one word for the sum of all.
///
/// # Safety
/// See above; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_starts(tiles: DeviceSlice, total: DeviceSlice) {
    let block = Hardware { n_shared: WIDE_SUM_WORDS };
    // SAFETY: the caller's promise.
    unsafe { starts(&block, slice(&tiles), &slice::<AtomicU64>(&total)[0]) }
}

/// Entry point of [`mark()`]: words, others, masks, tiles.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_mark(
    words: DeviceSlice,
    others: DeviceSlice,
    masks: DeviceSlice,
    tiles: DeviceSlice,
) {
    let block = Hardware { n_shared: 0 };
    // SAFETY: the caller's promise.
    unsafe { mark(&block, slice(&words), slice(&others), slice(&masks), slice(&tiles)) }
}

/// Entry point of [`compact()`]: words, masks, starts of tiles, and room for what is kept.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_compact(
    words: DeviceSlice,
    masks: DeviceSlice,
    starts: DeviceSlice,
    kept: DeviceSlice,
) {
    let block = Hardware { n_shared: 0 };
    // SAFETY: the caller's promise.
    unsafe { compact(&block, slice(&words), slice(&masks), slice(&starts), &pointer(&kept)) }
}

/// Entry point of [`split()`]: left, right, and room for where tiles part them.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_split(
    left: DeviceSlice,
    right: DeviceSlice,
    splits: DeviceSlice,
) {
    let block = Hardware { n_shared: 0 };
    // SAFETY: the caller's promise.
    unsafe { split(&block, slice(&left), slice(&right), &pointer(&splits)) }
}

/// Entry point of [`count()`]: left, right, splits, tiles.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_count(
    left: DeviceSlice,
    right: DeviceSlice,
    splits: DeviceSlice,
    tiles: DeviceSlice,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let job = Merge { left: slice(&left), right: slice(&right), splits: slice(&splits) };
        count(&with_words(merge_words), &job, slice(&tiles));
    }
}

/// Entry point of [`merge()`]: left, right, splits, starts of tiles, and room for what is kept.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_merge(
    left: DeviceSlice,
    right: DeviceSlice,
    splits: DeviceSlice,
    starts: DeviceSlice,
    merged: DeviceSlice,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let job = Merge { left: slice(&left), right: slice(&right), splits: slice(&splits) };
        merge(&with_words(merge_words), &job, slice(&starts), &pointer(&merged));
    }
}

/// Entry point of [`index()`]: rows, slots, lens.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_index(
    rows: DeviceSlice,
    slots: DeviceSlice,
    lens: DeviceSlice,
) {
    // SAFETY: the caller's promise.
    unsafe { index(&Hardware { n_shared: 0 }, slice(&rows), slice(&slots), slice(&lens)) }
}

/// Entry point of [`fill()`]: tuples, slots.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_fill(tuples: DeviceSlice, slots: DeviceSlice) {
    // SAFETY: the caller's promise.
    unsafe { fill(&Hardware { n_shared: 0 }, slice(&tuples), slice(&slots)) }
}

/// Entry point of [`deduplicate()`]: joined, how many were, slots, tuples, how many they are; and how many were joined before
/// these.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_deduplicate(
    joined: DeviceSlice,
    n_joined: DeviceSlice,
    slots: DeviceSlice,
    tuples: DeviceSlice,
    n_tuples: DeviceSlice,
    n_before: u64,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let job = Deduplicate {
            joined: slice(&joined),
            n_joined: [n_before, slice::<u64>(&n_joined)[0]],
            slots: slice(&slots),
            tuples: &pointer(&tuples),
            n_tuples: &slice::<AtomicU64>(&n_tuples)[0],
        };
        deduplicate(&Hardware { n_shared: 0 }, &job);
    }
}

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn relations<'a>([outer, inner, slots, lens]: [&DeviceSlice; 4]) -> Join<'a> {
    // SAFETY: the caller's promise.
    unsafe { Join { outer: slice(outer), inner: slice(inner), slots: slice(slots), lens: slice(lens) } }
}

/// Entry point of [`measure()`]: outer, inner, slots, lens, tiles.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_measure(
    outer: DeviceSlice,
    inner: DeviceSlice,
    slots: DeviceSlice,
    lens: DeviceSlice,
    tiles: DeviceSlice,
) {
    let block = Hardware { n_shared: 0 };
    // SAFETY: the caller's promise.
    unsafe { measure(&block, &relations([&outer, &inner, &slots, &lens]), slice(&tiles)) }
}

/// Entry point of [`join()`]: outer, inner, slots, lens, starts of tiles, room for what is joined; and how many were joined
/// before.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_join(
    outer: DeviceSlice,
    inner: DeviceSlice,
    slots: DeviceSlice,
    lens: DeviceSlice,
    starts: DeviceSlice,
    joined: DeviceSlice,
    from: u64,
) {
    let block = with_words(join_words);
    // SAFETY: the caller's promise.
    unsafe {
        let job = relations([&outer, &inner, &slots, &lens]);
        join(&block, &job, slice(&starts), from, &pointer(&joined));
    }
}
