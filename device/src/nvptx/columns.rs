//! The columns in device memory, and the scratch of threads.

use super::slice;
use core::arch::nvptx;
use hyperblock_shared::columns::{Columns, Head, Reach, Sets, Texts};
use hyperblock_shared::layout::{DeviceColumns, DeviceSets, DeviceSlice, DeviceTexts};
use hyperblock_shared::text::Scratch;

/// The uploaded columns. Holding one promises that every slice in it, down to the leaves, is as `layout` says.
pub(super) struct Uploaded(pub(super) DeviceColumns);

impl Columns for Uploaded {
    fn codes(&self, operand: u32) -> &[u32] {
        // SAFETY: the promise of `Uploaded`.
        unsafe { slice(&slice::<DeviceSlice>(&self.0.codes)[operand as usize]) }
    }

    fn texts(&self, ix: u32) -> Texts<'_> {
        // SAFETY: the promise of `Uploaded`.
        unsafe {
            let texts = &slice::<DeviceTexts>(&self.0.texts)[ix as usize];
            Texts { bits: texts.bits as u32, heads: slice::<Head>(&texts.heads), words: slice(&texts.words) }
        }
    }

    fn sets(&self, ix: u32) -> Sets<'_> {
        // SAFETY: the promise of `Uploaded`.
        unsafe {
            let sets = &slice::<DeviceSets>(&self.0.sets)[ix as usize];
            Sets { heads: slice::<Head>(&sets.heads), tokens: slice(&sets.tokens) }
        }
    }

    fn reaches(&self, ix: u32) -> &[Reach] {
        // SAFETY: the promise of `Uploaded`.
        unsafe { slice(&slice::<DeviceSlice>(&self.0.reaches)[ix as usize]) }
    }

    fn marks(&self, ix: u32) -> &[u32] {
        // SAFETY: the promise of `Uploaded`.
        unsafe { slice(&slice::<DeviceSlice>(&self.0.marks)[ix as usize]) }
    }
}

/// A thread's column of an array of `n_words` × all threads. All of it is the same for all threads: the thread's place is
/// looked up when it is needed, which is rare.
pub(super) struct Column {
    pub(super) array: *mut u64,
    pub(super) n_words: u32,
}

impl Column {
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
    fn get(&self, ix: u32) -> u64 {
        // SAFETY: within the array, and no other thread touches this column.
        unsafe { *self.array.add(self.place(ix)) }
    }

    fn set(&mut self, ix: u32, word: u64) {
        // SAFETY: within the array, and no other thread touches this column.
        unsafe { *self.array.add(self.place(ix)) = word }
    }
}
