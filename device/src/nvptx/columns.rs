//! The columns in device memory, and the scratch of threads.

#![allow(dead_code, reason = "not all entry points that read columns need scratch")]

use super::memory::Memory;
use core::arch::nvptx;
use hyperblock_shared::columns::{Columns, Point, Reach, Sets, Texts};
use hyperblock_shared::layout::{DeviceColumns, DeviceScratch};
use hyperblock_shared::text::Scratch;

/// The uploaded columns. They are arrays of arrays, and nothing writes any of them.
pub(super) struct Uploaded {
    pub(super) columns: DeviceColumns,
    pub(super) memory: Memory,
}

impl Columns for Uploaded {
    fn codes(&self, operand: u32) -> &[u32] {
        self.memory.read(self.memory.read(self.columns.codes)[operand as usize])
    }

    fn texts(&self, ix: u32) -> Texts<'_> {
        let texts = &self.memory.read(self.columns.texts)[ix as usize];
        let (heads, words) = (self.memory.read(texts.heads), self.memory.read(texts.words));
        Texts { bits: texts.bits as u32, heads, words }
    }

    fn sets(&self, ix: u32) -> Sets<'_> {
        let sets = &self.memory.read(self.columns.sets)[ix as usize];
        Sets { heads: self.memory.read(sets.heads), tokens: self.memory.read(sets.tokens) }
    }

    fn points(&self, ix: u32) -> &[Point] {
        self.memory.read(self.memory.read(self.columns.points)[ix as usize])
    }

    fn reaches(&self, ix: u32) -> &[Reach] {
        self.memory.read(self.memory.read(self.columns.reaches)[ix as usize])
    }

    fn marks(&self, ix: u32) -> &[u32] {
        self.memory.read(self.memory.read(self.columns.marks)[ix as usize])
    }
}

/// A thread's column of an array of `n_words` × all threads. All of it is the same for all threads: the thread's place is
/// looked up when it is needed, which is rare.
pub(super) struct Column {
    array: *mut u64,
    n_words: u32,
}

impl Column {
    /// This thread's, of an array that lies at `array`: handed over beside the struct, since the compiler only knows pointers
    /// that are parameters of their own to be of device memory.
    pub(super) fn new(_: Memory, scratch: &DeviceScratch, array: *mut u64) -> Self {
        Self { array, n_words: scratch.n_words }
    }

    fn place(&self, ix: u32) -> usize {
        assert!(ix < self.n_words);
        // SAFETY: reads special registers.
        let (thread, n_threads, block, n_blocks) = unsafe {
            (nvptx::_thread_idx_x(), nvptx::_block_dim_x(), nvptx::_block_idx_x(), nvptx::_grid_dim_x())
        };
        ix as usize * (n_threads * n_blocks) as usize + (block * n_threads + thread) as usize
    }
}

impl Scratch for Column {
    const IN_LOCKSTEP: bool = true;

    fn get(&self, ix: u32) -> u64 {
        // SAFETY: the launch has `n_words` for each of its threads, below which `place` stays, and no other thread has this
        // column.
        unsafe { *self.array.add(self.place(ix)) }
    }

    fn set(&mut self, ix: u32, word: u64) {
        // SAFETY: the launch has `n_words` for each of its threads, below which `place` stays, and no other thread has this
        // column.
        unsafe { *self.array.add(self.place(ix)) = word }
    }
}
