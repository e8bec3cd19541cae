//! The entry points of what makes lists.

use super::Hardware;
use super::columns::Uploaded;
use super::memory::Memory;
use crate::listing::{
    Dealt, Fill, Kinds, Met, Places, begin, count, deal, groups, items, kinds, lens, number, place, reach,
};
use hyperblock_shared::layout::{DeviceKeys, DeviceLists, DeviceReach, DeviceSlice};
use hyperblock_shared::path::{Path, Walk};
use hyperblock_shared::screen::Screen;
use hyperblock_shared::sweep::Order;

const BLOCK: Hardware = Hardware { n_shared: 0 };

/// Entry point of [`number()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_number(of: DeviceKeys) {
    // SAFETY: codes and keys so far are read; slots and the new keys, another array, are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let columns = [memory.read(of.firsts), memory.read(of.seconds)];
    number(&BLOCK, columns, memory.atomics(of.slots), memory.atomics(of.keys));
}

/// Entry point of [`count()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_count(of: DeviceKeys) {
    // SAFETY: keys are read, as a kernel or a copy before left them; counts are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    // By a number that is only known here, the array would be copied to where it can be looked up.
    let counts = if of.side == 1 { of.counts[1] } else { of.counts[0] };
    count(&BLOCK, memory.read(of.keys.to_read()), memory.atomics(counts));
}

/// Entry point of [`kinds()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_kinds(of: DeviceKeys) {
    // SAFETY: counts are read, as `count` left them; kinds and totals are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let job = Kinds {
        counts: [memory.read(of.counts[0].to_read()), memory.read(of.counts[1].to_read())],
        is_symmetric: of.is_symmetric == 1,
        most: of.most,
        kinds: memory.atomics(of.kinds),
        totals: memory.atomics(of.totals),
    };
    kinds(&BLOCK, &job);
}

/// Entry point of [`deal()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_deal(of: DeviceKeys) {
    // SAFETY: keys and kinds are read, as kernels before left them; words are written, each by the thread that counted it.
    let memory = unsafe { Memory::of_launch() };
    let job = Dealt {
        keys: memory.read(of.keys.to_read()),
        kinds: memory.read(of.kinds.to_read()),
        first: of.first,
        is_joined: of.is_joined == 1,
        light: &memory.written(of.light),
        heavy: &memory.written(of.heavy),
        n_dealt: memory.atomics(of.n_dealt),
    };
    deal(&BLOCK, &job);
}

/// Entry point of [`place()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_place(of: DeviceLists) {
    // SAFETY: columns and the records of `from` are read; words are written, each by the thread that counted it.
    let memory = unsafe { Memory::of_launch() };
    let columns = Uploaded { columns: of.columns, memory };
    let from = match of.from.is_empty() {
        true => Places::All { first: of.first, n: of.n_records },
        false => Places::Of(memory.read(of.from)),
    };
    let words = memory.written(of.words.to_read().to_write());
    place(&BLOCK, of.listing.into(), &columns, from, &words, memory.cell(of.n_words));
}

/// Entry point of [`lens()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_lens(of: DeviceLists) {
    // SAFETY: columns are read; words are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let columns = Uploaded { columns: of.columns, memory };
    lens(&BLOCK, of.listing.into(), &columns, memory.atomics(of.words));
}

/// Entry point of [`groups()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_groups(of: DeviceLists) {
    // SAFETY: keys and kinds are read; words are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    groups(&BLOCK, of.first, memory.read(of.keys), memory.read(of.kinds), memory.atomics(of.words));
}

/// Entry point of [`begin()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_begin(of: DeviceLists) {
    // SAFETY: columns and words are read, as the sort left them; what begins is stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let columns = Uploaded { columns: of.columns, memory };
    let words = memory.read(of.words.to_read());
    begin(&BLOCK, of.listing.into(), &columns, words, memory.atomics(of.begins));
}

/// Entry point of [`items()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_items(of: DeviceLists) {
    // SAFETY: columns, words and sums are read, as kernels before left them; the list is stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let columns = Uploaded { columns: of.columns, memory };
    let job = Fill {
        listing: of.listing.into(),
        columns: &columns,
        words: memory.read(of.words.to_read()),
        begins: memory.read(of.begins.to_read()),
        n_items: of.n_items,
        sketches: memory.atomics(of.sketches),
        uppers: memory.atomics(of.uppers),
        lens: memory.atomics(of.lens),
        starts: memory.atomics(of.starts),
        records: memory.atomics(of.records),
        bounds: memory.atomics(of.bounds),
    };
    items(&BLOCK, &job);
}

/// The rules.
#[inline(always)]
fn path<'a>(memory: Memory, path: DeviceSlice<u8>) -> Walk<'a> {
    // SAFETY: the bytes are those that `rkyv` made of a path on the host, where they were checked, copied to where the driver
    // gives memory, at a multiple of 256 bytes.
    unsafe { rkyv::access_unchecked::<rkyv::Archived<Path<'_>>>(memory.read(path)).walk() }
}

/// Entry point of [`reach()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listing_reach(of: DeviceReach) {
    // SAFETY: the path and the lists are read, as kernels before left them; the words of intervals are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let screen = Screen::from_number(of.screen);
    let measure = match screen {
        Screen::Signatures | Screen::WideSignatures => path(memory, of.path).predicate(of.lead).measure(),
        Screen::None | Screen::Codes | Screen::Reaches => None,
    };
    let met = Met {
        screen,
        order: Order::from_number(of.order),
        measure,
        sketches: of.sketches.map(|sketches| memory.read(sketches)),
        lens: of.lens.map(|lens| memory.read(lens)),
    };
    reach(&BLOCK, &met, memory.atomics(of.intervals));
}
