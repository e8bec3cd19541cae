//! The entry points of the relational operators. Blocks have a power of two of threads.

use super::Hardware;
use super::joined::relations;
use super::memory::Memory;
use crate::primitives::radix::{histogram, scatter};
use crate::primitives::sums::{self, spread, totals};
use crate::relation::{
    Deduplicate, Merge, compact, count, deduplicate, fill, index, join, kept, mark, measure, merge, pack,
    pairs, rules, split,
};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{
    DeviceCompact, DeviceDeduplicate, DeviceFill, DeviceHistogram, DeviceIndexing, DeviceMark, DeviceMeasure,
    DevicePack, DeviceProjection, DeviceScatter, DeviceSplit, DeviceStarts, DeviceSums, DeviceUnion,
    DeviceUnionCount, DeviceUnpack,
};
use hyperblock_shared::packing::Packing;
use hyperblock_shared::relation::{
    Digit, HISTOGRAM_WORDS, RULE_WORDS, WIDE_SUM_WORDS, join_words, merge_words, scatter_words,
};

const WITHOUT_SHARED: Hardware = Hardware { n_shared: 0 };

/// Entry point of [`histogram()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_histogram(of: DeviceHistogram) {
    // SAFETY: words are read; counts are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let block = Hardware { n_shared: HISTOGRAM_WORDS };
    histogram(&block, memory.read(of.words), Digit::unpacked(of.digit), memory.atomics(of.counts));
}

/// Entry point of [`totals()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_totals(sums: DeviceSums) {
    // SAFETY: words are read, as `histogram` left them; tiles are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    totals(&WITHOUT_SHARED, memory.read(sums.words.to_read()), memory.atomics(sums.tiles));
}

/// Entry point of [`sums::starts()`], of 32 bits; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_narrow_starts(of: DeviceSums) {
    // SAFETY: tiles are all that is looked at, and loaded and stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    sums::starts::<u32>(&Hardware { n_shared: SUM_WORDS }, memory.atomics(of.tiles), None);
}

/// Entry point of [`spread()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_spread(sums: DeviceSums) {
    // SAFETY: tiles are read, as the kernel before left them; words are loaded and stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    spread(&WITHOUT_SHARED, memory.atomics(sums.words), memory.read(sums.tiles.to_read()));
}

/// Entry point of [`scatter()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_scatter(of: DeviceScatter) {
    // SAFETY: words and starts are read; sums over counts give each word a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let (block, sorted) = (Hardware::with(scatter_words), memory.written(of.sorted));
    scatter(&block, memory.read(of.words), Digit::unpacked(of.digit), memory.read(of.starts), &sorted);
}

/// Entry point of [`pack()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_pack(of: DevicePack) {
    // SAFETY: candidates are read; each word is written by one thread.
    let memory = unsafe { Memory::of_launch() };
    let packing = Packing { right_bits: of.right_bits, rule_bits: of.rule_bits };
    pack(&WITHOUT_SHARED, memory.read(of.candidates), packing, &memory.written(of.words));
}

#[inline(always)]
fn packing(of: &DeviceUnpack) -> Packing {
    Packing { right_bits: of.right_bits, rule_bits: of.rule_bits }
}

/// Entry point of [`rules()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_rules(of: DeviceUnpack) {
    // SAFETY: words are read; counts are added to as atomics.
    let memory = unsafe { Memory::of_launch() };
    let block = Hardware { n_shared: RULE_WORDS };
    rules(&block, memory.read(of.words), packing(&of), memory.atomics(of.counts));
}

/// Entry point of [`pairs()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_pairs(of: DeviceUnpack) {
    // SAFETY: words and the numbers of records are read; each pair is written by one thread.
    let memory = unsafe { Memory::of_launch() };
    let numbers = [memory.read(of.lefts), memory.read(of.rights)];
    pairs(&WITHOUT_SHARED, memory.read(of.words), packing(&of), numbers, &memory.written(of.pairs));
}

/// Entry point of [`kept()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_kept(of: DeviceUnpack) {
    // SAFETY: words are read, and so is what the scores have left for each warp: it gives each word a place of its own.
    let memory = unsafe { Memory::of_launch() };
    kept(&WITHOUT_SHARED, memory.read(of.words), memory.read(of.warps), &memory.written(of.kept));
}

/// Entry point of [`sums::starts()`], of 64 bits; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_starts(of: DeviceStarts) {
    // SAFETY: tiles and their total are all there is, and loaded and stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let block = Hardware { n_shared: WIDE_SUM_WORDS };
    sums::starts::<u64>(&block, memory.atomics(of.tiles), Some(memory.cell(of.total)));
}

/// Entry point of [`mark()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_mark(of: DeviceMark) {
    // SAFETY: words and others are read; masks and tiles are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let (masks, tiles) = (memory.atomics(of.masks), memory.atomics(of.tiles));
    mark(&WITHOUT_SHARED, memory.read(of.words), memory.read(of.others), masks, tiles);
}

/// Entry point of [`compact()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_compact(of: DeviceCompact) {
    // SAFETY: words, masks and starts are read; masks and starts give each word that is kept a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let (masks, starts, kept) = (memory.read(of.masks), memory.read(of.starts), memory.written(of.kept));
    compact(&WITHOUT_SHARED, memory.read(of.words), masks, starts, &kept);
}

/// Entry point of [`split()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_split(of: DeviceSplit) {
    // SAFETY: both arrays are read; each tile's split is written by one thread.
    let memory = unsafe { Memory::of_launch() };
    split(&WITHOUT_SHARED, memory.read(of.left), memory.read(of.right), &memory.written(of.splits));
}

/// Entry point of [`count()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_count(of: DeviceUnionCount) {
    // SAFETY: both arrays and their splits are read; tiles are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let job =
        Merge { left: memory.read(of.left), right: memory.read(of.right), splits: memory.read(of.splits) };
    count(&Hardware::with(merge_words), &job, memory.atomics(of.tiles));
}

/// Entry point of [`merge()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_merge(of: DeviceUnion) {
    // SAFETY: both arrays, their splits and starts are read; starts give each word that is kept a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let job =
        Merge { left: memory.read(of.left), right: memory.read(of.right), splits: memory.read(of.splits) };
    merge(&Hardware::with(merge_words), &job, memory.read(of.starts), &memory.written(of.merged));
}

/// Entry point of [`index()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_index(of: DeviceIndexing) {
    // SAFETY: rows are read; slots and lens are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    index(&WITHOUT_SHARED, memory.read(of.rows), memory.atomics(of.slots), memory.atomics(of.lens));
}

/// Entry point of [`fill()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_fill(of: DeviceFill) {
    // SAFETY: tuples are read; slots are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    fill(&WITHOUT_SHARED, memory.read(of.tuples), memory.atomics(of.slots));
}

/// Entry point of [`deduplicate()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_deduplicate(of: DeviceDeduplicate) {
    // SAFETY: what was joined, and how much, is read; slots are atomics, and the number of tuples gives each new one a place
    // of its own.
    let memory = unsafe { Memory::of_launch() };
    let job = Deduplicate {
        joined: memory.read(of.joined),
        n_joined: [of.n_before, memory.value(of.n_joined)],
        slots: memory.atomics(of.set.slots),
        tuples: &memory.written(of.set.tuples),
        n_tuples: memory.cell(of.set.n_tuples),
    };
    deduplicate(&WITHOUT_SHARED, &job);
}

/// Entry point of [`measure()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_measure(of: DeviceMeasure) {
    // SAFETY: both relations and the index are read; tiles are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    measure(&WITHOUT_SHARED, &relations(memory, &of.relations), memory.atomics(of.tiles));
}

/// Entry point of [`join()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_relation_join(of: DeviceProjection) {
    // SAFETY: both relations, the index and starts are read; the number of a tuple is its place, and each is written once.
    let memory = unsafe { Memory::of_launch() };
    let (block, joined) = (Hardware::with(join_words), memory.written(of.joined));
    join(&block, &relations(memory, &of.relations), memory.read(of.starts), of.from, &joined);
}
