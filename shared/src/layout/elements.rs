//! What the kernels receive that make the values of overlap joins: the q-grams of texts, values in the order of a list, and
//! what of them stands for several records.

use super::{DeviceAtomics, DeviceCell, DeviceColumns, DeviceSlice, DeviceSliceMut};
use crate::overlap::Class;
use bytemuck::{Pod, Zeroable};

/// The q-grams of a column of texts on their way to being elements. Each kernel takes its part.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceGrams {
    /// The tables.
    pub columns: DeviceColumns,
    /// By value how many q-grams it has, then where they begin; and one more, 0 at first.
    pub starts: DeviceAtomics<u32>,
    /// A power of two of slots for the different ones, all `EMPTY` at first.
    pub slots: DeviceAtomics<u64>,
    /// By slot how many values have it, 0 at first; then its number.
    pub numbers: DeviceAtomics<u32>,
    /// By q-gram of all values: its slot.
    pub found: DeviceAtomics<u32>,
    /// Words, sorted between the kernels: of slots that are in use, by how many values have them; then of all q-grams, by
    /// value and number.
    pub words: DeviceAtomics<u64>,
    /// How many slots are in use, 0 at first.
    pub n_words: DeviceCell<u32>,
    /// By value its elements, ascending.
    pub elements: DeviceAtomics<u32>,
    /// Which column of texts.
    pub texts: u32,
    /// See `GramWords`.
    pub q: u32,
    /// See above.
    pub nth_bits: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// The values of a block of items.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceValued {
    /// The tables.
    pub columns: DeviceColumns,
    /// By code where its elements begin, and one more; none, if they are the tokens of sets.
    pub grams: DeviceSlice<u32>,
    /// The elements of all values.
    pub elements: DeviceSlice<u32>,
    /// By item of the list, and one more, where its records begin; none, if items are records.
    pub starts: DeviceSlice<u32>,
    /// The records.
    pub records: DeviceSlice<u32>,
    /// The classes of the block, by ascending length.
    pub classes: DeviceSlice<Class>,
    /// By item of the block: the words of its value.
    pub values: DeviceAtomics<u64>,
    /// By item of the block: the four words of its signature.
    pub signatures: DeviceAtomics<u64>,
    /// The operand.
    pub operand: u32,
    /// Which sets, if there are no q-grams.
    pub sets: u32,
    /// The first item of the block.
    pub first: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// Groups of elements that are looked up.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceGroups {
    /// By class its first group, and one more.
    pub firsts: DeviceSlice<u32>,
    /// By class its first value, and one more.
    pub values: DeviceSlice<u32>,
    /// Room for all groups.
    pub groups: DeviceSliceMut<u64>,
}

/// What of a list's items is told apart: by length, and by whether several records have them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceAlike {
    /// By item.
    pub lens: DeviceSlice<u32>,
    /// By item, and one more.
    pub starts: DeviceSlice<u32>,
    /// The records.
    pub records: DeviceSlice<u32>,
    /// Room for what is appended.
    pub words: DeviceSliceMut<u64>,
    /// How many words were, 0 at first.
    pub n_words: DeviceCell<u32>,
    /// Records that have their value in common with others, and pairs of them, 0 at first.
    pub totals: DeviceAtomics<u64>,
    /// Values of so many elements, or fewer, are left to others.
    pub longest_swept: u32,
    /// 1, if records are joined: then words have the item in the lower half.
    pub is_joined: u32,
}

const _: () = assert!(size_of::<DeviceGrams>() == 96 + 6 * 16 + 8 + 16);
const _: () = assert!(size_of::<DeviceValued>() == 96 + 7 * 16 + 16);
const _: () = assert!(size_of::<DeviceGroups>() == 3 * 16);
const _: () = assert!(size_of::<DeviceAlike>() == 5 * 16 + 8 + 8);
