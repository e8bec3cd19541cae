//! The entry points of sorted neighbourhoods, and of the orders that they are found in.

use super::Hardware;
use super::memory::Memory;
use crate::neighbours::{Near, count, write};
use crate::orders::{order, place};
use hyperblock_shared::layout::{DeviceNeighbours, DeviceOrder, WARP};
use hyperblock_shared::neighbours::warp_words;

#[inline(always)]
fn near<'a>(memory: Memory, device: &DeviceNeighbours) -> Near<'a> {
    Near {
        records: memory.read(device.records),
        starts: memory.read(device.starts),
        windows: memory.read(device.windows),
        places: memory.read(device.places),
        n_left: device.n_left,
        first: device.first,
        n_lefts: device.counts.len() as u32,
        room: device.room,
        is_one_table: device.is_one_table == 1,
    }
}

#[inline(always)]
fn block(device: &DeviceNeighbours) -> Hardware {
    let per_warp = warp_words(device.room, device.windows.len() as u32);
    Hardware::with(|n_threads| n_threads / WARP * per_warp)
}

/// Entry point of [`count()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_neighbours_count(device: DeviceNeighbours) {
    // SAFETY: the orders are read; counts are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    count(&block(&device), &near(memory, &device), memory.atomics(device.counts));
}

/// Entry point of [`write()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_neighbours_write(device: DeviceNeighbours) {
    // SAFETY: the orders are read, and so are the counts, which the host has summed up; what is found is written as atomics.
    let memory = unsafe { Memory::of_launch() };
    let (rights, witnesses) = (memory.atomics(device.rights), memory.atomics(device.witnesses));
    let starts = memory.read(device.counts.to_read());
    write(&block(&device), &near(memory, &device), starts, rights, witnesses);
}

/// Entry point of [`place()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_neighbours_place(device: DeviceOrder) {
    // SAFETY: ranks are read; each record has a word of its own, which is written by one thread.
    let memory = unsafe { Memory::of_launch() };
    let ranks = [memory.read(device.lefts), memory.read(device.rights)];
    place(&Hardware { n_shared: 0 }, ranks, device.n_keys as u32, &memory.written(device.words));
}

/// Entry point of [`order()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_neighbours_order(device: DeviceOrder) {
    // SAFETY: words are read, as the sort left them; records and places are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let (records, places) = (memory.atomics(device.records), memory.atomics(device.places));
    order(&Hardware { n_shared: 0 }, memory.read(device.words.to_read()), records, places);
}
