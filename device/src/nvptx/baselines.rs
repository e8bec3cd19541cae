//! The entry points of baselines. What one kernel writes as atomics or tuples, a later one reads; none does both.

use super::Hardware;
use super::joined::relations;
use super::memory::{Memory, Written as Buffer};
use crate::baselines::{
    BucketPass, Counted, Detect, Division, Gbase, Growing, Large, Lists, Normal, Scored, SetList, Skewed,
    Table, Written, begin, count_postings, detect, divide, fill_postings, gbase, list, measure, normal,
    partition, products, project, scored, skewed, wide_join,
};
use crate::join::{Counts, LightSides, Pairs, Source, starts};
use hyperblock_shared::baselines::{DETECT_WORDS, DIVIDE_WORDS, SKEWED_WORDS, bucket_words, chained_words};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{
    DeviceBucketPass, DeviceBuckets, DeviceGbase, DeviceGsh, DeviceGshStarts, DeviceGssjoin, DevicePairs,
    DeviceProject, DeviceWideJoin,
};
use hyperblock_shared::relation::join_words;

/// Lists that are complete.
#[inline(always)]
fn lists<'a>(memory: Memory, buckets: &DeviceBuckets) -> Lists<'a> {
    Lists {
        tuples: memory.read(buckets.tuples.to_read()),
        tails: memory.read(buckets.tails.to_read()),
        next: memory.read(buckets.next.to_read()),
        owners: memory.read(buckets.owners.to_read()),
        n_used: memory.value(buckets.n_used),
        n_rows: buckets.n_rows,
    }
}

/// Lists that grow.
#[inline(always)]
fn growing<'a>(memory: Memory, buckets: &DeviceBuckets) -> Growing<'a> {
    Growing {
        tails: memory.atomics(buckets.tails),
        next: memory.atomics(buckets.next),
        owners: memory.atomics(buckets.owners),
        n_used: memory.cell(buckets.n_used),
        n_rows: buckets.n_rows,
    }
}

/// Pairs that are written.
#[inline(always)]
fn written<'a>(memory: Memory, output: &DevicePairs, buffer: &'a Buffer) -> Written<'a, Buffer> {
    Written::new(memory.cell(output.n_pairs), places(memory, output, buffer), output.piece)
}

/// Places for them.
#[inline(always)]
fn places<'a>(memory: Memory, output: &DevicePairs, buffer: &'a Buffer) -> Pairs<'a, Buffer> {
    Pairs { n_pairs: memory.cell(output.n_taken), pairs: buffer }
}

/// Entry point of [`begin()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_begin(buckets: DeviceBuckets) {
    // SAFETY: what lists are made of is stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    begin(&Hardware { n_shared: 0 }, &growing(memory, &buckets));
}

/// Entry point of [`partition()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_partition(pass: DeviceBucketPass) {
    // SAFETY: the side, or the lists of the first pass, are read; the others grow as atomics, and give each tuple a place
    // of its own.
    let memory = unsafe { Memory::of_launch() };
    let block = Hardware::with(|n_threads| bucket_words(1 << pass.bits, n_threads));
    let is_first = pass.from.tuples.is_empty();
    let job = BucketPass {
        side: Source::Side { keys: memory.read(pass.keys), rows: memory.read(pass.rows) },
        lists: if is_first { None } else { Some(lists(memory, &pass.from)) },
        n_rows: pass.keys.len() as u32,
        used: pass.used,
        bits: pass.bits,
    };
    partition(&block, &job, &growing(memory, &pass.to), &memory.written(pass.to.tuples));
}

/// Both sides, and a table that holds a bucket.
#[inline(always)]
fn gbase_sides<'a>(memory: Memory, join: &DeviceGbase) -> Gbase<'a> {
    let table = Table { used: join.used, slot_bits: join.slot_bits, n_rows: join.sides[0].n_rows };
    Gbase { sides: join.sides.each_ref().map(|side| lists(memory, side)), table }
}

/// Entry point of [`gbase()`], to count.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_gbase_count(join: DeviceGbase) {
    // SAFETY: lists are read; pairs are counted by an atomic.
    let memory = unsafe { Memory::of_launch() };
    let n_shared = chained_words(join.slot_bits, join.sides[0].n_rows, false);
    let mut sink = Counted::new(memory.cell(join.output.n_pairs));
    gbase(&Hardware { n_shared }, &gbase_sides(memory, &join), &mut sink);
}

/// Entry point of [`gbase()`], to write pairs.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_gbase_pairs(join: DeviceGbase) {
    // SAFETY: lists are read; an atomic gives each warp places, which another one has only after the buffer went around,
    // when nobody relies on either.
    let memory = unsafe { Memory::of_launch() };
    let n_shared = chained_words(join.slot_bits, join.sides[0].n_rows, true);
    let buffer = memory.written(join.output.pairs);
    let mut sink = written(memory, &join.output, &buffer);
    gbase(&Hardware { n_shared }, &gbase_sides(memory, &join), &mut sink);
}

/// Both sides, by partition.
#[inline(always)]
fn partitions<'a>(memory: Memory, join: &DeviceGsh) -> LightSides<'a> {
    LightSides {
        tuples: join.sides.each_ref().map(|side| memory.read(side.tuples)),
        starts: join.sides.each_ref().map(|side| memory.read(side.starts)),
    }
}

/// Entry point of [`list()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_list(join: DeviceGsh) {
    // SAFETY: partitions are read; the list is made of atomics.
    let memory = unsafe { Memory::of_launch() };
    let large = Large {
        numbers: memory.atomics(join.numbers),
        partitions: memory.atomics(join.large),
        n_rows: join.sides.each_ref().map(|side| memory.atomics(side.n_rows)),
        n_large: memory.cell(join.n_large),
    };
    list(&Hardware { n_shared: 0 }, &partitions(memory, &join), join.sizes.table_rows, &large);
}

/// Entry point of [`detect()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_detect(join: DeviceGsh) {
    // SAFETY: partitions and the list of large ones are read; keys and their number are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let job = Detect {
        one_of: join.sizes.one_of,
        top: join.sizes.top,
        keys: memory.atomics(join.keys),
        n_skewed: memory.cell(join.n_skewed),
    };
    let large = memory.read(join.large.to_read());
    detect(&Hardware { n_shared: DETECT_WORDS }, &partitions(memory, &join), large, &job);
}

/// The large partitions of the side that is divided.
#[inline(always)]
fn division<'a>(memory: Memory, join: &DeviceGsh) -> Division<'a> {
    let [side, _] = &join.sides;
    Division {
        tuples: memory.read(side.tuples),
        starts: memory.read(side.starts),
        large: memory.read(join.large.to_read()),
        tiles: memory.read(side.tiles.to_read()),
        keys: memory.read(join.keys.to_read()),
        top: join.sizes.top,
    }
}

/// Entry point of [`measure()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_measure(join: DeviceGsh) {
    // SAFETY: large partitions and their keys are read; counts are added to as atomics.
    let memory = unsafe { Memory::of_launch() };
    let counts = memory.atomics(join.sides[0].counts);
    measure(&Hardware { n_shared: DIVIDE_WORDS }, &division(memory, &join), counts);
}

/// Entry point of [`starts()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_starts(classes: DeviceGshStarts) {
    // SAFETY: counts are read; what follows from them is stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let job = Counts {
        counts: memory.read(classes.counts),
        starts: memory.atomics(classes.starts),
        cursors: memory.atomics(classes.cursors),
        tiles: memory.atomics(classes.tiles),
        tile_rows: classes.tile_rows,
    };
    starts(&Hardware { n_shared: SUM_WORDS }, &job);
}

/// Entry point of [`divide()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_divide(join: DeviceGsh) {
    // SAFETY: large partitions and their keys are read; cursors are atomics, and give each tuple a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let [side, _] = &join.sides;
    let (cursors, divided) = (memory.atomics(side.cursors), memory.written(side.divided));
    divide(&Hardware { n_shared: DIVIDE_WORDS }, &division(memory, &join), cursors, &divided);
}

/// What tables join.
#[inline(always)]
fn normal_rows<'a>(memory: Memory, join: &DeviceGsh) -> Normal<'a> {
    let first = join.large.len() * u64::from(join.sizes.top);
    Normal {
        sides: partitions(memory, join),
        numbers: memory.read(join.numbers.to_read()),
        rests: LightSides {
            tuples: join.sides.each_ref().map(|side| memory.read(side.divided.to_read())),
            starts: join
                .sides
                .each_ref()
                .map(|side| &memory.read(side.class_starts.to_read())[first as usize..]),
        },
        table: Table {
            used: join.sizes.bits,
            slot_bits: join.sizes.slot_bits,
            n_rows: join.sizes.table_rows,
        },
    }
}

/// Entry point of [`normal()`], to count.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_normal_count(join: DeviceGsh) {
    // SAFETY: partitions, and what they were divided into, are read; pairs are counted by an atomic.
    let memory = unsafe { Memory::of_launch() };
    let n_shared = chained_words(join.sizes.slot_bits, join.sizes.table_rows, false);
    let mut sink = Counted::new(memory.cell(join.output.n_pairs));
    normal(&Hardware { n_shared }, &normal_rows(memory, &join), &mut sink);
}

/// Entry point of [`normal()`], to write pairs.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_normal_pairs(join: DeviceGsh) {
    // SAFETY: partitions, and what they were divided into, are read; an atomic gives each warp places, which another one
    // has only after the buffer went around, when nobody relies on either.
    let memory = unsafe { Memory::of_launch() };
    let n_shared = chained_words(join.sizes.slot_bits, join.sizes.table_rows, true);
    let buffer = memory.written(join.output.pairs);
    let mut sink = written(memory, &join.output, &buffer);
    normal(&Hardware { n_shared }, &normal_rows(memory, &join), &mut sink);
}

/// The skewed keys.
#[inline(always)]
fn skewed_keys<'a>(memory: Memory, join: &DeviceGsh) -> Skewed<'a> {
    let n_keys = join.large.len() * u64::from(join.sizes.top);
    Skewed {
        tuples: join.sides.each_ref().map(|side| memory.read(side.divided.to_read())),
        starts: join
            .sides
            .each_ref()
            .map(|side| &memory.read(side.class_starts.to_read())[..=n_keys as usize]),
    }
}

/// Entry point of [`products()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_products(join: DeviceGsh) {
    // SAFETY: what was divided is read; pairs are counted by an atomic.
    let memory = unsafe { Memory::of_launch() };
    products(&Hardware { n_shared: 0 }, &skewed_keys(memory, &join), memory.cell(join.output.n_pairs));
}

/// Entry point of [`skewed()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_skewed(join: DeviceGsh) {
    // SAFETY: what was divided is read; an atomic gives each pair a place, which another one has only after the buffer went
    // around, when nobody relies on either.
    let memory = unsafe { Memory::of_launch() };
    let buffer = memory.written(join.output.pairs);
    let pairs = places(memory, &join.output, &buffer);
    let n_pairs = memory.cell(join.output.n_pairs);
    skewed(&Hardware { n_shared: SKEWED_WORDS }, &skewed_keys(memory, &join), n_pairs, &pairs);
}

/// The sets.
#[inline(always)]
fn sets<'a>(memory: Memory, of: &DeviceGssjoin) -> SetList<'a> {
    SetList { starts: memory.read(of.starts), elements: memory.read(of.elements) }
}

/// Entry point of [`count_postings()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_count_postings(of: DeviceGssjoin) {
    // SAFETY: sets are read; slots are atomics.
    let memory = unsafe { Memory::of_launch() };
    count_postings(&Hardware { n_shared: 0 }, &sets(memory, &of), memory.atomics(of.slots));
}

/// Entry point of [`fill_postings()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_fill_postings(of: DeviceGssjoin) {
    // SAFETY: sets are read; slots and postings are atomics.
    let memory = unsafe { Memory::of_launch() };
    let (slots, postings) = (memory.atomics(of.slots), memory.atomics(of.postings));
    fill_postings(&Hardware { n_shared: 0 }, &sets(memory, &of), slots, postings);
}

/// What sets are scored with.
#[inline(always)]
fn scores<'a>(memory: Memory, of: &DeviceGssjoin) -> Scored<'a> {
    Scored {
        sets: sets(memory, of),
        ends: memory.read(of.slots.to_read()),
        postings: memory.read(of.postings.to_read()),
        sizes: memory.read(of.sizes),
        n_sizes: of.n_sizes,
        least: memory.read(of.least),
        scores: memory.atomics(of.scores),
    }
}

/// Entry point of [`scored()`], to count.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_scored_count(of: DeviceGssjoin) {
    // SAFETY: sets and their index are read; scores are atomics; pairs are counted by an atomic.
    let memory = unsafe { Memory::of_launch() };
    let mut sink = Counted::new(memory.cell(of.output.n_pairs));
    scored(&Hardware { n_shared: 0 }, &scores(memory, &of), &mut sink);
}

/// Entry point of [`scored()`], to write pairs.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_scored_pairs(of: DeviceGssjoin) {
    // SAFETY: sets and their index are read; scores are atomics; an atomic gives each warp places, which another one has only
    // after the buffer went around, when nobody relies on either.
    let memory = unsafe { Memory::of_launch() };
    let buffer = memory.written(of.output.pairs);
    let mut sink = written(memory, &of.output, &buffer);
    scored(&Hardware { n_shared: 0 }, &scores(memory, &of), &mut sink);
}

/// Entry point of [`wide_join()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_wide_join(of: DeviceWideJoin) {
    // SAFETY: both relations, the index and starts are read; columns are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let (join, columns) = (relations(memory, &of.relations), of.columns.map(|column| memory.atomics(column)));
    wide_join(&Hardware::with(join_words), &join, memory.read(of.starts), of.from, columns);
}

/// Entry point of [`project()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_baselines_project(of: DeviceProject) {
    // SAFETY: columns are read, as `wide_join` left them; each pair has a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let [firsts, thirds] = of.columns.map(|column| memory.read(column.to_read()));
    project(&Hardware { n_shared: 0 }, firsts, thirds, &memory.written(of.projected));
}
