//! The entry points of what makes the values of overlap joins.

use super::Hardware;
use super::columns::Uploaded;
use super::memory::Memory;
use crate::elements::{
    Alike, Grams, Of, Valued, counts, groups, number, place, rank, runs, same, shared, take, used, values,
};
use hyperblock_shared::columns::Columns;
use hyperblock_shared::grams::GramWords;
use hyperblock_shared::layout::{DeviceAlike, DeviceGrams, DeviceGroups, DeviceValued};

const BLOCK: Hardware = Hardware { n_shared: 0 };

#[inline(always)]
fn grams<'a>(of: &DeviceGrams, columns: &'a Uploaded) -> Grams<'a> {
    Grams { texts: columns.texts(of.texts), words: GramWords { q: of.q, nth_bits: of.nth_bits } }
}

/// Entry point of [`counts()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_counts(of: DeviceGrams) {
    // SAFETY: columns are read; counts are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let columns = Uploaded { columns: of.columns, memory };
    counts(&BLOCK, &grams(&of, &columns), memory.atomics(of.starts));
}

/// Entry point of [`number()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_number(of: DeviceGrams) {
    // SAFETY: columns and starts are read, as kernels before left them; slots, counts and what is found are atomics.
    let memory = unsafe { Memory::of_launch() };
    let columns = Uploaded { columns: of.columns, memory };
    let written = (memory.atomics(of.numbers), memory.atomics(of.found));
    let (starts, slots) = (memory.read(of.starts.to_read()), memory.atomics(of.slots));
    number(&BLOCK, &grams(&of, &columns), starts, slots, written);
}

/// Entry point of [`used()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_used(of: DeviceGrams) {
    // SAFETY: counts are read, as `number` left them; words are written, each by the thread that counted it.
    let memory = unsafe { Memory::of_launch() };
    let words = memory.written(of.words.to_read().to_write());
    used(&BLOCK, memory.read(of.numbers.to_read()), &words, memory.cell(of.n_words));
}

/// Entry point of [`rank()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_rank(of: DeviceGrams) {
    // SAFETY: words are read, as the sort left them; numbers are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    rank(&BLOCK, memory.read(of.words.to_read()), memory.atomics(of.numbers));
}

/// Entry point of [`place()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_place(of: DeviceGrams) {
    // SAFETY: starts, numbers and what was found are read, as kernels before left them; words are written, each by the thread
    // that has its q-gram.
    let memory = unsafe { Memory::of_launch() };
    let (starts, numbers) = (memory.read(of.starts.to_read()), memory.read(of.numbers.to_read()));
    let words = memory.written(of.words.to_read().to_write());
    place(&BLOCK, starts, numbers, memory.read(of.found.to_read()), &words);
}

/// Entry point of [`take()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_take(of: DeviceGrams) {
    // SAFETY: words are read, as the sort left them; elements are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    take(&BLOCK, memory.read(of.words.to_read()), memory.atomics(of.elements));
}

/// Entry point of [`values()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_values(of: DeviceValued) {
    // SAFETY: columns, lists and elements are read, as kernels before left them; values and signatures are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let columns = Uploaded { columns: of.columns, memory };
    let job = Valued {
        columns: &columns,
        operand: of.operand,
        of: match of.grams.is_empty() {
            true => Of::Sets(of.sets),
            false => Of::Grams(memory.read(of.grams)),
        },
        elements: memory.read(of.elements),
        starts: memory.read(of.starts),
        records: memory.read(of.records),
        first: of.first,
        classes: memory.read(of.classes),
        values: memory.atomics(of.values),
        signatures: memory.atomics(of.signatures),
    };
    values(&BLOCK, &job);
}

/// Entry point of [`groups()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_groups(of: DeviceGroups) {
    // SAFETY: the tables of classes are read; each group is written by one thread.
    let memory = unsafe { Memory::of_launch() };
    groups(&BLOCK, memory.read(of.firsts), memory.read(of.values), &memory.written(of.groups));
}

#[inline(always)]
fn alike<'a>(memory: Memory, of: &DeviceAlike) -> Alike<'a> {
    Alike {
        lens: memory.read(of.lens),
        starts: memory.read(of.starts),
        records: memory.read(of.records),
        longest_swept: of.longest_swept,
    }
}

/// Entry point of [`runs()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_runs(of: DeviceAlike) {
    // SAFETY: lengths are read; words are written, each by the thread that counted it.
    let memory = unsafe { Memory::of_launch() };
    runs(&BLOCK, memory.read(of.lens), &memory.written(of.words), memory.cell(of.n_words));
}

/// Entry point of [`same()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_same(of: DeviceAlike) {
    // SAFETY: the list is read; totals are atomics.
    let memory = unsafe { Memory::of_launch() };
    same(&BLOCK, &alike(memory, &of), memory.atomics(of.totals));
}

/// Entry point of [`shared()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_elements_shared(of: DeviceAlike) {
    // SAFETY: the list is read; words are written, each by the thread that counted it.
    let memory = unsafe { Memory::of_launch() };
    let words = memory.written(of.words);
    shared(&BLOCK, &alike(memory, &of), of.is_joined == 1, &words, memory.cell(of.n_words));
}
