//! Arrays in device memory that kernels write.

use crate::memory::Words;
use hyperblock_shared::layout::DeviceSlice;

/// An array that a kernel writes. Holding one promises that it has `len` words, and that threads set different ones.
pub(super) struct Pointer {
    array: *mut u64,
    len: u64,
}

impl Words for Pointer {
    fn len(&self) -> u64 {
        self.len
    }

    fn set(&self, ix: u64, word: u64) {
        debug_assert!(ix < self.len);
        // SAFETY: kernels set what their counts gave them room for, and tests on CPU threads check every index.
        unsafe { *self.array.add(ix as usize) = word }
    }

    fn set_two(&self, ix: u64, [first, second]: [u64; 2]) {
        debug_assert!(ix + 1 < self.len && ix.is_multiple_of(2));
        // SAFETY: as for `set`. The driver gives memory at multiples of 256 bytes, so an even word is at one of 16.
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

pub(super) fn pointer(slice: &DeviceSlice) -> Pointer {
    Pointer { array: slice.address as *mut u64, len: slice.len }
}
