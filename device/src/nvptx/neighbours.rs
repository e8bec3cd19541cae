//! The entry points of sorted neighbourhoods.
//!
//! # Safety
//! They take a `DeviceNeighbours` whose slices are as `layout` says and outlive the launch. `write` comes after `count`, with
//! counts summed up, and with room for all pairs. Blocks have a multiple of 32 threads, and `warp_words` words of shared
//! memory for each warp.

use super::{Hardware, slice};
use crate::neighbours::{Near, count, write};
use core::arch::nvptx;
use hyperblock_shared::layout::{DeviceNeighbours, WARP};
use hyperblock_shared::neighbours::warp_words;

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn near<'a>(device: &DeviceNeighbours) -> Near<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        Near {
            records: slice(&device.records),
            starts: slice(&device.starts),
            windows: slice(&device.windows),
            places: slice(&device.places),
            n_left: device.n_left,
            first: device.first,
            n_lefts: device.counts.len as u32,
            room: device.room,
            is_one_table: device.is_one_table == 1,
        }
    }
}

#[inline(always)]
fn block(device: &DeviceNeighbours) -> Hardware {
    // SAFETY: reads a special register.
    let n_threads = unsafe { nvptx::_block_dim_x() as u32 };
    Hardware { n_shared: n_threads / WARP * warp_words(device.room, device.windows.len as u32) }
}

/// Entry point of [`count()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_neighbours_count(device: DeviceNeighbours) {
    // SAFETY: the caller's promise.
    unsafe { count(&block(&device), &near(&device), slice(&device.counts)) }
}

/// Entry point of [`write()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_neighbours_write(device: DeviceNeighbours) {
    // SAFETY: the caller's promise.
    unsafe {
        let (rights, witnesses) = (slice(&device.rights), slice(&device.witnesses));
        write(&block(&device), &near(&device), slice(&device.counts), rights, witnesses);
    }
}
