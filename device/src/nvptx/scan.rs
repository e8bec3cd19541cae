//! The scan's entry point.

use super::memory::Memory;
use super::{Hardware, decide};
use hyperblock_shared::layout::{DeviceScan, scan_shared_words};

/// Entry point of [`crate::scan`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_scan(arguments: DeviceScan, path: *const u8, scratch: *mut u64) {
    // SAFETY: columns, path, lists and intervals are read; slots, claims, counters and results are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let block = Hardware::with(scan_shared_words);
    let path = decide::path(memory, &arguments.decide, path);
    let columns = decide::columns(memory, &arguments.decide);
    let mut scratch = decide::scratch(memory, &arguments.decide, scratch);
    let job = decide::scan(memory, &columns, &arguments.decide, path, &arguments.sweep);
    crate::scan::scan(&block, &job, decide::way(memory, &arguments.decide), &mut scratch);
}
