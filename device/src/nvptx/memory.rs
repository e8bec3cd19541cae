//! The arrays of a launch, as kernels read and write them.

#![allow(dead_code, reason = "a file of PTX has some of the entry points, and those use some of it")]

use crate::memory::{Quads, Words};
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::layout::{DeviceAtomics, DeviceCell, DeviceSlice, DeviceSliceMut, Quad};

/// The arrays that a launch was handed. Holding one promises that the launch keeps to what [`super`] asks of it, and that
/// all threads of it use an array in the same way: read it, or share it as atomics, or write different elements of it.
#[derive(Clone, Copy)]
pub(super) struct Memory(());

/// A word that may be shared as an atomic.
pub(super) trait Word: Copy {
    type Atomic;
}

impl Word for u32 {
    type Atomic = AtomicU32;
}

impl Word for u64 {
    type Atomic = AtomicU64;
}

impl Memory {
    /// Of the launch that this thread belongs to.
    ///
    /// # Safety
    /// The kernel that begins with this uses each array that it was handed in one way: it reads what it asks for as
    /// [`Self::read`] or [`Self::value`], and writes none of that.
    #[inline(always)]
    pub(super) unsafe fn of_launch() -> Self {
        Self(())
    }

    /// An array that no thread writes.
    #[inline(always)]
    pub(super) fn read<'a, T>(self, array: DeviceSlice<T>) -> &'a [T] {
        // SAFETY: `Memory` promises that so many elements lie there as long as the launch runs, and that nobody writes them.
        // Memory of the driver is aligned for all of them.
        unsafe { core::slice::from_raw_parts(array.address() as *const T, array.len() as usize) }
    }

    /// An array that threads share.
    #[inline(always)]
    pub(super) fn atomics<'a, T: Word>(self, array: DeviceAtomics<T>) -> &'a [T::Atomic] {
        // SAFETY: `Memory` promises that so many words lie there as long as the launch runs, and that threads read and write
        // them as atomics alone, which are laid out as the words.
        unsafe { core::slice::from_raw_parts(array.address() as *const T::Atomic, array.len() as usize) }
    }

    /// A word that threads share.
    #[inline(always)]
    pub(super) fn cell<'a, T: Word>(self, cell: DeviceCell<T>) -> &'a T::Atomic {
        // SAFETY: `Memory` promises that the word lies there as long as the launch runs, and that threads read and write it
        // as an atomic alone.
        unsafe { &*(cell.address() as *const T::Atomic) }
    }

    /// A word that no thread writes.
    #[inline(always)]
    pub(super) fn value<T: Word>(self, cell: DeviceCell<T>) -> T {
        // SAFETY: `Memory` promises that the word lies there, and that nobody writes it while the launch runs.
        unsafe { *(cell.address() as *const T) }
    }

    /// An array of which threads write different elements.
    #[inline(always)]
    pub(super) fn written(self, array: DeviceSliceMut<u64>) -> Written {
        Written { array: array.address() as *mut u64, len: array.len() }
    }

    /// An array that is read once.
    #[inline(always)]
    pub(super) fn streamed(self, array: DeviceSlice<Quad>) -> Streamed {
        Streamed { array: array.address() as *const [u32; 4], len: array.len() as u32 }
    }
}

/// An array that threads write, from [`Memory::written`].
pub(super) struct Written {
    array: *mut u64,
    len: u64,
}

impl Words for Written {
    #[inline(always)]
    fn len(&self) -> u64 {
        self.len
    }

    #[inline(always)]
    fn set(&self, ix: u64, word: u64) {
        debug_assert!(ix < self.len);
        // SAFETY: kernels set what their counts gave them room for, and tests on CPU threads check every index; no other
        // thread sets the same word, and none reads it.
        unsafe { *self.array.add(ix as usize) = word }
    }

    #[inline(always)]
    fn set_two(&self, ix: u64, [first, second]: [u64; 2]) {
        debug_assert!(ix + 1 < self.len && ix.is_multiple_of(2));
        // SAFETY: kernels have room for both words, as tests on CPU threads check, and no other thread sets them. The driver
        // gives memory at multiples of 256 bytes, so an even word is at one of 16.
        unsafe {
            core::arch::asm!(
                "st.global.v2.u64 [{0}], {{{1}, {2}}};",
                in(reg64) self.array.add(ix as usize),
                in(reg64) first,
                in(reg64) second,
                options(nostack)
            );
        }
    }
}

/// Four words at a time, past the caches, from [`Memory::streamed`].
pub(super) struct Streamed {
    array: *const [u32; 4],
    len: u32,
}

impl Quads for Streamed {
    #[inline(always)]
    fn len(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    fn get(&self, ix: u32) -> [u32; 4] {
        debug_assert!(ix < self.len);
        let (a, b, c, d): (u32, u32, u32, u32);
        // SAFETY: kernels stay below `len`, and tests on CPU threads check every index; nobody writes the array, and quads of
        // one that the driver gave are at multiples of 16 bytes.
        unsafe {
            core::arch::asm!(
                "ld.global.cs.v4.u32 {{{0}, {1}, {2}, {3}}}, [{4}];",
                out(reg32) a,
                out(reg32) b,
                out(reg32) c,
                out(reg32) d,
                in(reg64) self.array.add(ix as usize),
                options(nostack, readonly, pure)
            );
        }
        [a, b, c, d]
    }
}
