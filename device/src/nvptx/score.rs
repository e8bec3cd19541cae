//! The entry points for scores: one for each file of PTX.

use super::Hardware;
use super::columns::{Column, Uploaded};
use super::memory::Memory;
use crate::score::{ScoreWork, score};
use hyperblock_shared::layout::DeviceScores;
use hyperblock_shared::score::Wanted;

/// Entry point of [`score()`] for means.
#[cfg(feature = "mean")]
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_mean(arguments: DeviceScores, scratch: *mut u64) {
    // SAFETY: whoever launches this sees to what `run` asks for.
    unsafe { run(&arguments, scratch, Wanted::mean(arguments.wanted)) }
}

/// Entry point of [`score()`] for levels.
#[cfg(feature = "pattern")]
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_pattern(arguments: DeviceScores, scratch: *mut u64) {
    // SAFETY: whoever launches this sees to what `run` asks for.
    unsafe { run(&arguments, scratch, Wanted::Pattern) }
}

/// Entry point of [`score()`] for weights.
#[cfg(feature = "weight")]
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_weight(arguments: DeviceScores, scratch: *mut u64) {
    // SAFETY: whoever launches this sees to what `run` asks for.
    unsafe { run(&arguments, scratch, Wanted::weight(arguments.wanted)) }
}

/// # Safety
/// As of all entry points; `scratch` is the address of `arguments.scratch`.
#[inline(always)]
unsafe fn run(arguments: &DeviceScores, scratch: *mut u64, wanted: Wanted) {
    // SAFETY: columns, attributes, terms and pairs are read; what is written is shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let columns = Uploaded { columns: arguments.columns, memory };
    let mut scratch = Column::new(memory, &arguments.scratch, scratch);
    let job = ScoreWork {
        columns: &columns,
        attributes: memory.read(arguments.attributes),
        terms: memory.read(arguments.terms),
        pairs: memory.atomics(arguments.pairs),
        wanted,
        results: memory.atomics(arguments.results),
        warps: memory.atomics(arguments.warps),
        n_kept: memory.cell(arguments.n_kept),
    };
    score(&Hardware { n_shared: 0 }, &job, &mut scratch);
}
