//! The entry points of the overlap join. What one kernel writes as atomics or postings, a later one reads; none does both.

use super::Hardware;
use super::memory::{Memory, Written};
use crate::overlap::{Dense, Pairs, Probe, Probing, count, dense, fill, measure, probe};
use crate::primitives::sums::{spread, starts, totals};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{DeviceOverlap, DeviceSums, DeviceValues, PROBE_WORDS, WARP};
use hyperblock_shared::overlap::{Overlap, OverlapSide, Range32};

const WITHOUT_SHARED: Hardware = Hardware { n_shared: 0 };

#[inline(always)]
fn side<'a>(memory: Memory, side: &DeviceValues) -> OverlapSide<'a> {
    OverlapSide {
        values: memory.read(side.values),
        // They are aligned better, and read as those of `Probe` and `Dense`.
        signatures: &[],
        elements: memory.read(side.elements),
        classes: memory.read(side.classes),
        bounds: memory.read(side.bounds),
    }
}

#[inline(always)]
fn sides<'a>(memory: Memory, overlap: &DeviceOverlap) -> Overlap<'a> {
    Overlap {
        indexed: side(memory, &overlap.indexed),
        probing: side(memory, &overlap.probing),
        least: memory.read(overlap.least),
        sizes: overlap.sizes,
    }
}

/// What is looked up, in an index that is done.
#[inline(always)]
fn probing<'a>(memory: Memory, overlap: &DeviceOverlap) -> Probing<'a> {
    Probing {
        overlap: sides(memory, overlap),
        slots: memory.read(overlap.slots.to_read()),
        groups: memory.read(overlap.groups),
    }
}

/// Entry point of [`count()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_count(overlap: DeviceOverlap) {
    // SAFETY: values are read; slots are added to as atomics.
    let memory = unsafe { Memory::of_launch() };
    count(&WITHOUT_SHARED, &sides(memory, &overlap), memory.atomics(overlap.slots));
}

/// Entry point of [`totals()`], of any words and their tiles.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_totals(sums: DeviceSums) {
    // SAFETY: words are read, which earlier launches wrote; tiles are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    totals(&WITHOUT_SHARED, memory.read(sums.words.to_read()), memory.atomics(sums.tiles));
}

/// Entry point of [`starts()`]; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_starts(sums: DeviceSums) {
    // SAFETY: tiles are all that is looked at, and loaded and stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    starts::<u32>(&Hardware { n_shared: SUM_WORDS }, memory.atomics(sums.tiles), None);
}

/// Entry point of [`spread()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_spread(sums: DeviceSums) {
    // SAFETY: tiles are read, as `starts` left them; words are loaded and stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    spread(&WITHOUT_SHARED, memory.atomics(sums.words), memory.read(sums.tiles.to_read()));
}

/// Entry point of [`fill()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_fill(overlap: DeviceOverlap) {
    // SAFETY: values are read; slots are atomics, and give each posting a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let (slots, postings) = (memory.atomics(overlap.slots), memory.written(overlap.postings));
    fill(&WITHOUT_SHARED, &sides(memory, &overlap), slots, &postings);
}

#[inline(always)]
fn pairs<'a>(memory: Memory, overlap: &DeviceOverlap, words: &'a Written) -> Pairs<'a, Written> {
    Pairs {
        counters: memory.atomics(overlap.counters),
        words,
        firsts: [overlap.first_indexed, overlap.first_probing],
        is_left_indexed: overlap.is_left_indexed == 1,
    }
}

/// The block, where each warp has so many words of shared memory.
#[inline(always)]
fn with_words(per_warp: u32) -> Hardware {
    Hardware::with(|n_threads| n_threads / WARP * per_warp)
}

/// Entry point of [`measure()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_measure(overlap: DeviceOverlap) {
    // SAFETY: values, groups and the index are read; segments and counters are atomics.
    let memory = unsafe { Memory::of_launch() };
    let (segments, counters) = (memory.atomics(overlap.segments), memory.atomics(overlap.counters));
    measure(&WITHOUT_SHARED, &probing(memory, &overlap), segments, counters);
}

/// Entry point of [`probe()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_probe(overlap: DeviceOverlap) {
    // SAFETY: values, groups, the index and segments are read; counters are atomics, and give each pair a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let words = memory.written(overlap.pairs);
    let job = Probe {
        probing: probing(memory, &overlap),
        postings: memory.read(overlap.postings.to_read()),
        rooms: memory.read(overlap.rooms),
        signatures: [memory.read(overlap.indexed.signatures), memory.read(overlap.probing.signatures)],
        segments: memory.read(overlap.segments.to_read()),
        pairs: pairs(memory, &overlap, &words),
    };
    probe(&with_words(PROBE_WORDS), &job);
}

/// Entry point of [`dense()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_overlap_dense(overlap: DeviceOverlap) {
    // SAFETY: values and the host's segments are read; counters are atomics, and give each pair a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let words = memory.written(overlap.pairs);
    let job = Dense {
        overlap: sides(memory, &overlap),
        values: Range32 { from: overlap.probing_from, upto: overlap.probing_upto },
        rooms: memory.read(overlap.rooms),
        signatures: [memory.read(overlap.indexed.signatures), memory.read(overlap.probing.signatures)],
        segments: memory.read(overlap.segments.to_read()),
        pairs: pairs(memory, &overlap, &words),
    };
    dense(&with_words(DeviceOverlap::DENSE_WORDS), &job);
}
