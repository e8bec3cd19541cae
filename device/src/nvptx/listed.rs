//! The entry point for pairs that are listed.

use super::memory::Memory;
use super::{Hardware, decide};
use crate::overlap::{Listed, listed};
use hyperblock_shared::layout::{DeviceListed, listed_shared_words};

/// Entry point of [`listed()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_listed(arguments: DeviceListed, path: *const u8, scratch: *mut u64) {
    // SAFETY: columns, path, lists and pairs are read; what pairs are handed on, counters and results are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let block = Hardware::with(listed_shared_words);
    let path = decide::path(memory, &arguments.decide, path);
    let columns = decide::columns(memory, &arguments.decide);
    let mut scratch = decide::scratch(memory, &arguments.decide, scratch);
    let job = Listed {
        scan: decide::scan(memory, &columns, &arguments.decide, path, &arguments.sweep),
        pairs: memory.read(arguments.pairs),
        counters: memory.atomics(arguments.counters),
    };
    listed(&block, &job, decide::way(memory, &arguments.decide), &mut scratch);
}
