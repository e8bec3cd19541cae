//! Arrays in device memory, each with the type of its elements.
//!
//! The host makes one of memory that it holds, and a kernel takes it for what it says. It is an address and a number and
//! nothing more: it keeps no memory alive. There are three kinds, by how threads of a launch share the elements: those of a
//! [`DeviceSlice`] are only read, those of [`DeviceAtomics`] are read and written by all of them as atomics, and those of a
//! [`DeviceSliceMut`] are written, by one thread each. An array may be of another kind for the next kernel.

use super::{CANDIDATE_WORDS, Candidate};
use bytemuck::{Pod, Zeroable};
use core::fmt;
use core::marker::PhantomData;
use core::ops::Range;

/// Where an array lies.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Place {
    address: u64,
    len: u64,
}

/// Nothing has an address too, as references do: one that suits all elements.
const NOWHERE: Place = Place { address: 16, len: 0 };

/// An array that threads of a launch only read.
#[repr(transparent)]
#[derive(Pod, Zeroable)]
pub struct DeviceSlice<T> {
    place: Place,
    of: PhantomData<T>,
}

/// An array that threads of a launch read and write as atomics, a word of an element at a time.
#[repr(transparent)]
#[derive(Pod, Zeroable)]
pub struct DeviceAtomics<T> {
    place: Place,
    of: PhantomData<T>,
}

/// An array that threads of a launch write, each element by one thread, and that none of them reads.
#[repr(transparent)]
#[derive(Pod, Zeroable)]
pub struct DeviceSliceMut<T> {
    place: Place,
    of: PhantomData<T>,
}

/// One word, which threads of a launch read and write as an atomic.
#[repr(transparent)]
#[derive(Pod, Zeroable)]
pub struct DeviceCell<T> {
    address: u64,
    of: PhantomData<T>,
}

const _: () = assert!(size_of::<DeviceSlice<u8>>() == 16 && size_of::<DeviceSliceMut<u8>>() == 16);
const _: () = assert!(size_of::<DeviceAtomics<u32>>() == 16 && size_of::<DeviceCell<u32>>() == 8);

impl<T> DeviceSlice<T> {
    /// So many elements from an address on.
    pub const fn new(address: u64, len: u64) -> Self {
        Self { place: Place { address, len }, of: PhantomData }
    }

    /// Some of its elements.
    ///
    /// # Panics
    /// If it does not have them.
    pub fn part(self, range: Range<u64>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "an array lacks what is asked of it");
        Self::new(self.address() + range.start * size_of::<T>() as u64, range.end - range.start)
    }

    /// Its first elements, so many.
    ///
    /// # Panics
    /// If it does not have them.
    pub fn first(self, len: u64) -> Self {
        self.part(0..len)
    }

    /// One of its elements, for kernels whose threads share it.
    ///
    /// # Panics
    /// If it does not have it.
    pub fn cell(self, ix: u64) -> DeviceCell<T> {
        DeviceCell { address: self.part(ix..ix + 1).address(), of: PhantomData }
    }

    /// The same bytes as elements of another type, as many as there are whole.
    #[inline(always)]
    pub const fn of<U>(self) -> DeviceSlice<U> {
        DeviceSlice::new(self.address(), self.len() * size_of::<T>() as u64 / size_of::<U>() as u64)
    }

    /// The same, for a kernel whose threads share it.
    pub const fn atomic(self) -> DeviceAtomics<T> {
        DeviceAtomics { place: self.place, of: PhantomData }
    }

    /// The same, for a kernel that writes it.
    pub const fn to_write(self) -> DeviceSliceMut<T> {
        DeviceSliceMut { place: self.place, of: PhantomData }
    }
}

impl<T> DeviceAtomics<T> {
    /// The same, for a kernel that only reads it.
    #[inline(always)]
    pub const fn to_read(self) -> DeviceSlice<T> {
        DeviceSlice { place: self.place, of: PhantomData }
    }
}

impl DeviceAtomics<Candidate> {
    /// The words of candidates, of which there are fewer than 2^32: threads share them one by one.
    #[inline(always)]
    pub const fn words(self) -> DeviceAtomics<u32> {
        // Where it is known to have 32 bits, dividing the product takes nothing.
        let len = self.len() as u32 as u64 * CANDIDATE_WORDS as u64;
        DeviceAtomics { place: Place { len, ..self.place }, of: PhantomData }
    }
}

impl<T> DeviceSliceMut<T> {
    /// The same, for a kernel that only reads it.
    #[inline(always)]
    pub const fn to_read(self) -> DeviceSlice<T> {
        DeviceSlice { place: self.place, of: PhantomData }
    }
}

impl<T> DeviceCell<T> {
    /// Where it is.
    #[inline(always)]
    pub const fn address(&self) -> u64 {
        self.address
    }
}

/// What all arrays have. A derived `Clone` would ask for elements that have it, too.
macro_rules! arrays {
    ($($kind:ident)*) => {
        $(
            impl<T> $kind<T> {
                /// No array at all.
                pub const NOTHING: Self = Self { place: NOWHERE, of: PhantomData };

                /// Where it starts.
                #[inline(always)]
                pub const fn address(&self) -> u64 {
                    self.place.address
                }

                /// How many elements it has.
                #[inline(always)]
                pub const fn len(&self) -> u64 {
                    self.place.len
                }

                /// Whether it has none.
                #[inline(always)]
                pub const fn is_empty(&self) -> bool {
                    self.place.len == 0
                }
            }

            impl<T> Clone for $kind<T> {
                #[inline(always)]
                fn clone(&self) -> Self {
                    *self
                }
            }

            impl<T> Copy for $kind<T> {}

            impl<T> fmt::Debug for $kind<T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.place.fmt(f)
                }
            }
        )*
    };
}

arrays!(DeviceSlice DeviceAtomics DeviceSliceMut);

impl<T> Clone for DeviceCell<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceCell<T> {}

impl<T> fmt::Debug for DeviceCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::DeviceSlice;

    #[test]
    fn parts_are_counted_in_elements() {
        let words = DeviceSlice::<u64>::new(4096, 10);
        assert_eq!((words.part(3..7).address(), words.part(3..7).len()), (4096 + 24, 4));
        assert_eq!((words.first(0).address(), words.first(10).len()), (4096, 10));
        assert_eq!(words.cell(9).address(), 4096 + 72);
        assert_eq!(DeviceSlice::<u32>::new(64, 4).part(1..4).address(), 68);
        assert_eq!(DeviceSlice::<u32>::new(64, 7).of::<u64>().len(), 3);
    }

    #[test]
    #[should_panic(expected = "lacks")]
    fn an_array_has_no_more_than_it_has() {
        DeviceSlice::<u32>::new(64, 4).part(1..5);
    }
}
