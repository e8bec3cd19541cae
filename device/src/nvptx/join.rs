//! The entry points of the join.
//!
//! # Safety
//! All of them take a `DeviceJoin` or a `DevicePass` whose slices are as `layout` says and outlive the launch, and were brought to the state that
//! the kernel expects by those before it: what one kernel writes through atomics or `Pointer`, a later one reads as a plain
//! slice, and never the same one both. Blocks have a multiple of 32 threads, at most 1,024, and the words of shared memory
//! that `hyperblock_shared::join` says.

use super::partitions::{light_partitions, n_threads};
use super::words::pointer;
use super::{Hardware, slice};
use crate::join::{
    Classes, Count, Counts, Heavy, Pairs, Pass, Products, Sample, Select, Source, count, heavy, light,
    partition, products, sample, select, starts,
};
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::join::{
    MOST_HEAVY, PRODUCT_WORDS, SELECT_WORDS, SUM_WORDS, count_words, light_words, partition_words,
};
use hyperblock_shared::layout::{DeviceJoin, DevicePass};

/// A pass over a side, as it was prepared.
///
/// # Safety
/// As for the entry points.
unsafe fn prepared(pass: &DevicePass) -> Pass<'_> {
    let is_first = pass.heavy_slots.len > 0;
    // SAFETY: the caller's promise.
    unsafe {
        Pass {
            source: match is_first {
                true => Source::Side { keys: slice(&pass.keys), rows: slice(&pass.rows) },
                false => Source::Tuples(slice(&pass.from)),
            },
            segments: slice(&pass.segments),
            tiles: slice(&pass.tiles),
            classes: Classes {
                used: pass.used,
                bits: pass.bits,
                n_heavy: if is_first { slice::<u32>(&pass.n_heavy)[0] } else { 0 },
                slots: slice(&pass.heavy_slots),
                numbers: slice(&pass.heavy_numbers),
            },
        }
    }
}

/// The most classes of a pass.
fn n_classes(pass: &DevicePass) -> u32 {
    (1 << pass.bits) + if pass.heavy_slots.len > 0 { MOST_HEAVY } else { 0 }
}

/// Entry point of [`sample()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_sample(join: DeviceJoin) {
    // SAFETY: the caller's promise.
    unsafe {
        let [left, right] = &join.sides;
        let right: &[u32] = if join.sizes.is_self == 1 { &[] } else { slice(&right.keys) };
        let job = Sample {
            keys: [slice(&left.keys), right],
            step: join.sizes.step,
            slots: slice(&join.sample_slots),
            counts: slice(&join.sample_counts),
            least: join.sizes.least,
            list: slice(&join.sample_list),
            n_listed: &slice::<AtomicU32>(&join.n_listed)[0],
        };
        sample(&Hardware { n_shared: 0 }, &job);
    }
}

/// Entry point of [`select()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_select(join: DeviceJoin) {
    // SAFETY: the caller's promise.
    unsafe {
        let list: &[u32] = slice(&join.sample_list);
        let n_listed = slice::<u32>(&join.n_listed)[0] as usize;
        let job = Select {
            slots: slice(&join.sample_slots),
            counts: slice(&join.sample_counts),
            list: &list[..n_listed.min(list.len())],
            least: join.sizes.least,
            heavy_slots: slice(&join.heavy_slots),
            heavy_numbers: slice(&join.heavy_numbers),
            n_heavy: &slice::<AtomicU32>(&join.n_heavy)[0],
        };
        select(&Hardware { n_shared: SELECT_WORDS }, &job);
    }
}

/// Entry point of [`count()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_count(pass: DevicePass) {
    let block = Hardware { n_shared: count_words(n_classes(&pass)) };
    // SAFETY: the caller's promise.
    unsafe { count(&block, &prepared(&pass), slice(&pass.counts)) }
}

/// Entry point of [`starts()`]; `tile_rows` are those of a tile in the next pass.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_starts(pass: DevicePass, tile_rows: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        let job = Counts {
            counts: slice(&pass.counts),
            starts: slice(&pass.starts),
            cursors: slice(&pass.cursors),
            tiles: slice(&pass.next_tiles),
            tile_rows,
        };
        starts(&Hardware { n_shared: SUM_WORDS }, &job);
    }
}

/// Entry point of [`partition()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_partition(pass: DevicePass) {
    let block = Hardware { n_shared: partition_words(n_classes(&pass), n_threads()) };
    // SAFETY: the caller's promise.
    unsafe { partition(&block, &prepared(&pass), slice(&pass.cursors), &pointer(&pass.tuples)) }
}

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn light_count<const SELF: bool>(join: &DeviceJoin) {
    let block = Hardware { n_shared: light_words(join.sizes.n_slots, n_threads(), false) };
    // SAFETY: the caller's promise.
    unsafe {
        light::<SELF, _>(&block, &light_partitions(join), &mut Count(&slice::<AtomicU64>(&join.n_pairs)[0]))
    }
}

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn light_pairs<const SELF: bool>(join: &DeviceJoin) {
    let block = Hardware { n_shared: light_words(join.sizes.n_slots, n_threads(), true) };
    // SAFETY: the caller's promise.
    unsafe {
        let mut pairs =
            Pairs { n_pairs: &slice::<AtomicU64>(&join.n_pairs)[0], pairs: &pointer(&join.pairs) };
        light::<SELF, _>(&block, &light_partitions(join), &mut pairs);
    }
}

/// Entry point of [`light()`], to count.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_light_count(join: DeviceJoin) {
    // SAFETY: the caller's promise.
    unsafe { light_count::<false>(&join) }
}

/// Entry point of [`light()`], to count pairs of one side with itself.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_light_count_self(join: DeviceJoin) {
    // SAFETY: the caller's promise.
    unsafe { light_count::<true>(&join) }
}

/// Entry point of [`light()`], to write pairs.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_light_pairs(join: DeviceJoin) {
    // SAFETY: the caller's promise.
    unsafe { light_pairs::<false>(&join) }
}

/// Entry point of [`light()`], to write pairs of one side with itself.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_light_pairs_self(join: DeviceJoin) {
    // SAFETY: the caller's promise.
    unsafe { light_pairs::<true>(&join) }
}

/// The heavy keys.
///
/// # Safety
/// As for the entry points.
unsafe fn heavy_keys(join: &DeviceJoin) -> Heavy<'_> {
    // SAFETY: the caller's promise.
    unsafe {
        Heavy {
            tuples: join.sides.each_ref().map(|side| slice(&side.heavy_tuples)),
            starts: join.sides.each_ref().map(|side| slice(&side.heavy_starts)),
            n_heavy: slice::<u32>(&join.n_heavy)[0],
            is_self: join.sizes.is_self == 1,
        }
    }
}

/// Entry point of [`products()`]; with `counts` 1, pairs are only counted.
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_products(join: DeviceJoin, counts: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        let counter = &slice::<AtomicU64>(&join.n_pairs)[0];
        let job = Products { units: slice(&join.units), n_pairs: (counts == 1).then_some(counter) };
        products(&Hardware { n_shared: 2 * MOST_HEAVY }, &heavy_keys(&join), &job);
    }
}

/// Entry point of [`heavy()`].
///
/// # Safety
/// See above; blocks have `PRODUCT_THREADS` threads.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_heavy(join: DeviceJoin) {
    // SAFETY: the caller's promise.
    unsafe {
        let pairs = Pairs { n_pairs: &slice::<AtomicU64>(&join.n_pairs)[0], pairs: &pointer(&join.pairs) };
        heavy(&Hardware { n_shared: PRODUCT_WORDS }, &heavy_keys(&join), slice(&join.units), &pairs);
    }
}
