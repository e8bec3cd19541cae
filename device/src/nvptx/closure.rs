//! The entry points of the transitive closure.

use super::Hardware;
use super::memory::Memory;
use crate::closure::{Turned, count, own, rows, sum, write};
use hyperblock_shared::layout::{DeviceClosure, Quad};

const BLOCK: Hardware = Hardware { n_shared: 0 };

/// Entry point of [`own()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_own(closure: DeviceClosure) {
    // SAFETY: targets are read; bits of rows are set as atomics.
    let memory = unsafe { Memory::of_launch() };
    own(&BLOCK, memory.read(closure.targets), memory.atomics(closure.rows), &closure.sizes);
}

/// Entry point of [`rows()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_rows(closure: DeviceClosure) {
    // SAFETY: levels and predecessors are read; rows, which blocks of later levels read, are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    let predecessors = [memory.read(closure.predecessor_starts), memory.read(closure.predecessors)];
    let levels = memory.read(closure.levels);
    rows(&BLOCK, levels, predecessors, memory.atomics(closure.rows), &closure.sizes);
}

/// The rows, which are whole.
#[inline(always)]
fn turned<'a>(memory: Memory, closure: &DeviceClosure) -> Turned<'a> {
    let rows = closure.rows.to_read().of::<Quad>();
    Turned { targets: memory.read(closure.targets), rows: memory.read(rows), sizes: closure.sizes }
}

/// Entry point of [`count()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_count(closure: DeviceClosure) {
    // SAFETY: rows are whole, and like targets only read; counts are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    count(&BLOCK, &turned(memory, &closure), memory.atomics(closure.counts));
}

/// Entry point of [`sum()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_sum(closure: DeviceClosure) {
    // SAFETY: counts and totals are all there is, and shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    sum(&BLOCK, &closure.sizes, memory.atomics(closure.counts), memory.atomics(closure.totals));
}

/// Entry point of [`write()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_closure_write(closure: DeviceClosure) {
    // SAFETY: rows, targets, the sums of counts and where sources begin are read; each tuple has a place of its own.
    let memory = unsafe { Memory::of_launch() };
    let (counts, starts) = (memory.read(closure.counts.to_read()), memory.read(closure.starts));
    let tuples = memory.written(closure.tuples);
    write(&BLOCK, &turned(memory, &closure), counts, starts, closure.first_tuple, &tuples);
}
