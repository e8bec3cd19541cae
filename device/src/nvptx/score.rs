//! The entry point for scores.

use super::Hardware;
use super::columns::{Column, Uploaded};
use super::memory::Memory;
use crate::score::{ScoreWork, score};
use hyperblock_shared::layout::DeviceScores;
use hyperblock_shared::score::Wanted;

/// Entry point of [`score()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_score(arguments: DeviceScores, scratch: *mut u64) {
    // SAFETY: columns, attributes and pairs are read; results are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let columns = Uploaded { columns: arguments.columns, memory };
    let mut scratch = Column::new(memory, &arguments.scratch, scratch);
    let job = ScoreWork {
        columns: &columns,
        attributes: memory.read(arguments.attributes),
        terms: memory.read(arguments.terms),
        pairs: memory.read(arguments.pairs),
        wanted: Wanted::from_numbers(arguments.wanted),
        results: memory.atomics(arguments.results),
        n_kept: memory.cell(arguments.n_kept),
    };
    score(&Hardware { n_shared: 0 }, &job, &mut scratch);
}
