//! The entry points of the join. What one kernel writes as atomics or tuples, a later one reads; none does both.

use super::Hardware;
use super::memory::Memory;
use super::partitions::light_partitions;
use crate::join::{
    Classes, Count, Counts, Heavy, Pairs, Pass, Products, Sample, Select, Source, count, heavy, light,
    partition, products, sample, select, starts,
};
use hyperblock_shared::join::{
    MOST_HEAVY, PRODUCT_WORDS, PRODUCTS_WORDS, SELECT_WORDS, SUM_WORDS, count_words, light_words,
    partition_words,
};
use hyperblock_shared::layout::{DeviceJoin, DevicePass};

/// A pass over a side, as it was prepared.
#[inline(always)]
fn prepared<'a>(memory: Memory, pass: &DevicePass) -> Pass<'a> {
    let is_first = !pass.heavy_slots.is_empty();
    Pass {
        source: match pass.from.is_empty() {
            true => Source::Side { keys: memory.read(pass.keys), rows: memory.read(pass.rows) },
            false => Source::Tuples(memory.read(pass.from)),
        },
        segments: memory.read(pass.segments),
        tiles: memory.read(pass.tiles),
        classes: Classes {
            used: pass.used,
            bits: pass.bits,
            n_heavy: if is_first { memory.value(pass.n_heavy) } else { 0 },
            slots: memory.read(pass.heavy_slots),
            numbers: memory.read(pass.heavy_numbers),
        },
    }
}

/// The most classes of a pass.
fn n_classes(pass: &DevicePass) -> u32 {
    (1 << pass.bits) + if pass.heavy_slots.is_empty() { 0 } else { MOST_HEAVY }
}

/// Entry point of [`sample()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_sample(join: DeviceJoin) {
    // SAFETY: keys are read; the table of the sample and its list are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let [left, right] = &join.sides;
    let job = Sample {
        keys: [memory.read(left.keys), if join.sizes.is_self == 1 { &[] } else { memory.read(right.keys) }],
        step: join.sizes.step,
        slots: memory.atomics(join.sample_slots),
        counts: memory.atomics(join.sample_counts),
        least: join.sizes.least,
        list: memory.atomics(join.sample_list),
        n_listed: memory.cell(join.n_listed),
    };
    sample(&Hardware { n_shared: 0 }, &job);
}

/// Entry point of [`select()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_select(join: DeviceJoin) {
    // SAFETY: the sample is read, as `sample` left it; the table of heavy keys is shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let list = memory.read(join.sample_list.to_read());
    let n_listed = memory.value(join.n_listed) as usize;
    let job = Select {
        slots: memory.read(join.sample_slots.to_read()),
        counts: memory.read(join.sample_counts.to_read()),
        list: &list[..n_listed.min(list.len())],
        least: join.sizes.least,
        heavy_slots: memory.atomics(join.heavy_slots),
        heavy_numbers: memory.atomics(join.heavy_numbers),
        n_heavy: memory.cell(join.n_heavy),
    };
    select(&Hardware { n_shared: SELECT_WORDS }, &job);
}

/// Entry point of [`count()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_count(pass: DevicePass) {
    // SAFETY: rows and the table of heavy keys are read; counts are added to as atomics.
    let memory = unsafe { Memory::of_launch() };
    let block = Hardware { n_shared: count_words(n_classes(&pass)) };
    count(&block, &prepared(memory, &pass), memory.atomics(pass.counts));
}

/// Entry point of [`starts()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_starts(pass: DevicePass) {
    // SAFETY: counts are read, as `count` left them; what follows from them is stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let job = Counts {
        counts: memory.read(pass.counts.to_read()),
        starts: memory.atomics(pass.starts),
        cursors: memory.atomics(pass.cursors),
        tiles: memory.atomics(pass.next_tiles),
        tile_rows: pass.tile_rows,
    };
    starts(&Hardware { n_shared: SUM_WORDS }, &job);
}

/// Entry point of [`partition()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_partition(pass: DevicePass) {
    // SAFETY: rows and the table of heavy keys are read; cursors are atomics, and give each tuple a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let block = Hardware::with(|n_threads| partition_words(n_classes(&pass), n_threads));
    let (cursors, tuples) = (memory.atomics(pass.cursors), memory.written(pass.tuples));
    partition(&block, &prepared(memory, &pass), cursors, &tuples);
}

#[inline(always)]
fn light_count<const SELF: bool>(memory: Memory, join: &DeviceJoin) {
    let block = Hardware::with(|n_threads| light_words(join.sizes.n_slots, n_threads, false));
    light::<SELF, _>(&block, &light_partitions(memory, join), &mut Count(memory.cell(join.n_pairs)));
}

#[inline(always)]
fn light_pairs<const SELF: bool>(memory: Memory, join: &DeviceJoin) {
    let block = Hardware::with(|n_threads| light_words(join.sizes.n_slots, n_threads, true));
    let written = memory.written(join.pairs);
    let mut pairs = Pairs { n_pairs: memory.cell(join.n_pairs), pairs: &written };
    light::<SELF, _>(&block, &light_partitions(memory, join), &mut pairs);
}

/// Entry point of [`light()`], to count.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_light_count(join: DeviceJoin) {
    // SAFETY: partitions are read; pairs are counted by an atomic.
    light_count::<false>(unsafe { Memory::of_launch() }, &join);
}

/// Entry point of [`light()`], to count pairs of one side with itself.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_light_count_self(join: DeviceJoin) {
    // SAFETY: partitions are read; pairs are counted by an atomic.
    light_count::<true>(unsafe { Memory::of_launch() }, &join);
}

/// Entry point of [`light()`], to write pairs.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_light_pairs(join: DeviceJoin) {
    // SAFETY: partitions are read; an atomic gives each pair a place, which another one has only after the buffer went
    // around, when nobody relies on either.
    light_pairs::<false>(unsafe { Memory::of_launch() }, &join);
}

/// Entry point of [`light()`], to write pairs of one side with itself.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_light_pairs_self(join: DeviceJoin) {
    // SAFETY: partitions are read; an atomic gives each pair a place, which another one has only after the buffer went
    // around, when nobody relies on either.
    light_pairs::<true>(unsafe { Memory::of_launch() }, &join);
}

/// The heavy keys.
#[inline(always)]
fn heavy_keys<'a>(memory: Memory, join: &DeviceJoin) -> Heavy<'a> {
    Heavy {
        tuples: join.sides.each_ref().map(|side| memory.read(side.heavy_tuples)),
        starts: join.sides.each_ref().map(|side| memory.read(side.heavy_starts)),
        n_heavy: memory.value(join.n_heavy),
        is_self: join.sizes.is_self == 1,
    }
}

/// Entry point of [`products()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_products(join: DeviceJoin) {
    // SAFETY: heavy keys and their partitions are read; units and the number of pairs are atomics.
    let memory = unsafe { Memory::of_launch() };
    let counter = memory.cell(join.n_pairs);
    let counts_only = join.sizes.counts_only == 1;
    let job = Products { units: memory.atomics(join.units), n_pairs: counts_only.then_some(counter) };
    products(&Hardware { n_shared: PRODUCTS_WORDS }, &heavy_keys(memory, &join), &job);
}

/// Entry point of [`heavy()`]; blocks have `PRODUCT_THREADS` threads.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_join_heavy(join: DeviceJoin) {
    // SAFETY: heavy keys, their partitions and the units that `products` numbered are read; an atomic gives each pair a
    // place, which another one has only after the buffer went around, when nobody relies on either.
    let memory = unsafe { Memory::of_launch() };
    let written = memory.written(join.pairs);
    let pairs = Pairs { n_pairs: memory.cell(join.n_pairs), pairs: &written };
    let units = memory.read(join.units.to_read());
    heavy(&Hardware { n_shared: PRODUCT_WORDS }, &heavy_keys(memory, &join), units, &pairs);
}
