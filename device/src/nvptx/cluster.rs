//! The entry points of clustering. Pairs are of records that have a parent, or of rows that the matrix has.

use super::Hardware;
use super::memory::Memory;
use crate::components::{Hook, begin, choose, compress, hook, mark};
use crate::matrix::{Matrix, connect, cross, diagonal, firsts, rest};
use hyperblock_shared::layout::{DeviceForest, DeviceMatrix};
use hyperblock_shared::matrix::{DIAGONAL_WORDS, PANEL_WORDS};

const WITHOUT_SHARED: Hardware = Hardware { n_shared: 0 };

/// Entry point of [`begin()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_begin(forest: DeviceForest) {
    // SAFETY: parents are all there is, and stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    begin(&WITHOUT_SHARED, memory.atomics(forest.parents));
}

/// Entry point of [`hook()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_hook(forest: DeviceForest) {
    // SAFETY: pairs, members and the giant are read, `mark` and `choose` alone write the last two; parents are shared as
    // atomics.
    let memory = unsafe { Memory::of_launch() };
    let job = Hook {
        pairs: &memory.streamed(forest.pairs),
        parents: memory.atomics(forest.parents),
        members: memory.read(forest.members.to_read()),
        giant: memory.value(forest.giant),
        first: forest.first,
        step: forest.step,
    };
    hook(&WITHOUT_SHARED, &job);
}

/// Entry point of [`compress()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_compress(forest: DeviceForest) {
    // SAFETY: the giant is read, `choose` alone writes it; parents are shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    compress(&WITHOUT_SHARED, memory.atomics(forest.parents), memory.value(forest.giant));
}

/// Entry point of [`choose()`]; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_choose(forest: DeviceForest) {
    // SAFETY: parents are read, and `compress` has made them roots; the giant is stored as an atomic.
    let memory = unsafe { Memory::of_launch() };
    let parents = memory.read(forest.parents.to_read());
    choose(&Hardware::with(|n_threads| n_threads), parents, memory.cell(forest.giant));
}

/// Entry point of [`mark()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_mark(forest: DeviceForest) {
    // SAFETY: parents and the giant are read, which earlier launches wrote; members are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    let (parents, giant) = (memory.read(forest.parents.to_read()), memory.value(forest.giant));
    mark(&WITHOUT_SHARED, parents, giant, memory.atomics(forest.members));
}

#[inline(always)]
fn matrix<'a>(memory: Memory, matrix: &DeviceMatrix) -> Matrix<'a> {
    let DeviceMatrix { words, stride, n_rows, first, pivot, column, .. } = *matrix;
    Matrix { words: memory.atomics(words), stride, n_rows, first, pivot, column }
}

/// Entry point of [`connect()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_connect(of: DeviceMatrix) {
    // SAFETY: pairs are read; bits of the matrix are set as atomics.
    let memory = unsafe { Memory::of_launch() };
    connect(&WITHOUT_SHARED, &matrix(memory, &of), memory.read(of.pairs), of.firsts.len() as u32);
}

/// Entry point of [`diagonal()`]; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_diagonal(of: DeviceMatrix) {
    // SAFETY: the matrix is all there is, and shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    diagonal(&Hardware { n_shared: DIAGONAL_WORDS }, &matrix(memory, &of));
}

/// Entry point of [`cross()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_cross(of: DeviceMatrix) {
    // SAFETY: the matrix is all there is, and shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    cross(&Hardware { n_shared: PANEL_WORDS }, &matrix(memory, &of));
}

/// Entry point of [`rest()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_rest(of: DeviceMatrix) {
    // SAFETY: the matrix is all there is, and shared as atomics.
    let memory = unsafe { Memory::of_launch() };
    rest(&Hardware { n_shared: PANEL_WORDS }, &matrix(memory, &of));
}

/// Entry point of [`firsts()`].
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_firsts(of: DeviceMatrix) {
    // SAFETY: the matrix is loaded and the first bits are stored as atomics.
    let memory = unsafe { Memory::of_launch() };
    firsts(&WITHOUT_SHARED, &matrix(memory, &of), memory.atomics(of.firsts));
}
