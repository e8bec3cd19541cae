//! The entry point of the join that decides its pairs.

use super::memory::Memory;
use super::partitions::light_partitions;
use super::{Hardware, decide};
use crate::join::{Residual, residual};
use hyperblock_shared::join::residual_words;
use hyperblock_shared::layout::DeviceResidual;
use hyperblock_shared::sweep::Settings;

/// Entry point of [`residual()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_residual(
    arguments: DeviceResidual,
    path: *const u8,
    scratch: *mut u64,
) {
    // SAFETY: columns, path and the partitions of earlier launches are read; results are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let DeviceResidual { decide, join, settings } = &arguments;
    let block = Hardware::with(|n_threads| residual_words(join.sizes.n_slots, n_threads));
    let settings = Settings::from(*settings);
    let columns = decide::columns(memory, decide);
    let mut scratch = decide::scratch(memory, decide, scratch);
    let job = Residual {
        columns: &columns,
        path: decide::path(memory, decide, path),
        branch: settings.branch(settings.is_decided),
        order: settings.order,
        results: decide::results(memory, decide),
    };
    residual(&block, &light_partitions(memory, join), &job, decide::way(memory, decide), &mut scratch);
}
