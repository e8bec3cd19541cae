//! What the kernels that make lists receive: those that find keys, those that bring records into order, and the one that says
//! which items can meet.

use super::{DeviceAtomics, DeviceCell, DeviceColumns, DeviceSlice, DeviceSliceMut};
use crate::listing::{Listing, Signed};
use crate::screen::Sketch;
use bytemuck::{Pod, Zeroable};

/// The keys of one side, on their way to what becomes of its records.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceKeys {
    /// `number`: by record what the key is so far.
    pub firsts: DeviceSlice<u32>,
    /// And the codes that are added to it.
    pub seconds: DeviceSlice<u32>,
    /// A power of two of slots for both sides, all `EMPTY` at first.
    pub slots: DeviceAtomics<u64>,
    /// By record its key; `MISSING`, if it can equal nothing.
    pub keys: DeviceAtomics<u32>,
    /// By key how many left records have it, 0 at first; and how many right ones. Of one side with itself, the same twice.
    pub counts: [DeviceAtomics<u32>; 2],
    /// By key what becomes of its records.
    pub kinds: DeviceAtomics<u32>,
    /// All [`crate::listing::Total`]s, 0 at first.
    pub totals: DeviceAtomics<u64>,
    /// Room for records with light keys: for a join the key in the lower half, else the record.
    pub light: DeviceSliceMut<u64>,
    /// Room for records with heavy keys, in the lower half.
    pub heavy: DeviceSliceMut<u64>,
    /// How many of either were written, 0 at first.
    pub n_dealt: DeviceAtomics<u32>,
    /// Above how many pairs a key is heavy.
    pub most: u64,
    /// The number of the first record.
    pub first: u32,
    /// 1, if these are the right records.
    pub side: u32,
    /// 1, if both sides are one.
    pub is_symmetric: u32,
    /// 1, if light records are joined.
    pub is_joined: u32,
}

/// A list of one side on its way.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceLists {
    /// The tables.
    pub columns: DeviceColumns,
    /// `place`: words with the records that may be listed in their lower halves; none, if all may.
    pub from: DeviceSlice<u64>,
    /// Room for as many words: what a list is sorted by, and the record.
    pub words: DeviceAtomics<u64>,
    /// How many words `place` has written, 0 at first.
    pub n_words: DeviceCell<u32>,
    /// By record of the side, its key; and by key the number of its group.
    pub keys: DeviceSlice<u32>,
    /// See above.
    pub kinds: DeviceSlice<u32>,
    /// By word whether an item begins there; then how many begin before it.
    pub begins: DeviceAtomics<u32>,
    /// The items, as [`super::DeviceItems`] has them, to be filled.
    pub sketches: DeviceAtomics<u64>,
    /// By item, if signatures are wide.
    pub uppers: DeviceAtomics<u64>,
    /// By item, if the screen looks at lengths.
    pub lens: DeviceAtomics<u32>,
    /// By item, and one more, if items are values.
    pub starts: DeviceAtomics<u32>,
    /// By word.
    pub records: DeviceAtomics<u32>,
    /// By group, if there are any: its first item, and one past its last; 0 at first.
    pub bounds: DeviceAtomics<u32>,
    /// What is listed.
    pub listing: DeviceListing,
    /// The number of the side's first record.
    pub first: u32,
    /// How many records there are, if all may be listed.
    pub n_records: u32,
    /// How many items there are, once that is known.
    pub n_items: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// [`Listing`], a word each; `NOTHING` for what there is none of.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceListing {
    /// The operand; `NOTHING`, if all records are listed as they are.
    pub operand: u32,
    /// Texts, or sets: which column of them.
    pub texts: u32,
    /// See above.
    pub sets: u32,
    /// 1, if signatures are wide.
    pub is_wide: u32,
    /// Which reaches.
    pub reaches: u32,
    /// 1, if items are values.
    pub is_grouped: u32,
}

/// No column.
const NOTHING: u32 = u32::MAX;

impl From<Option<Listing>> for DeviceListing {
    fn from(listing: Option<Listing>) -> Self {
        let (mut texts, mut sets) = (NOTHING, NOTHING);
        match listing.and_then(|it| it.signed) {
            Some(Signed::Texts { texts: ix, .. }) => texts = ix,
            Some(Signed::Sets { sets: ix, .. }) => sets = ix,
            None => {}
        }
        Self {
            operand: listing.map_or(NOTHING, |it| it.operand),
            texts,
            sets,
            is_wide: listing.and_then(|it| it.signed).is_some_and(Signed::is_wide).into(),
            reaches: listing.and_then(|it| it.reaches).unwrap_or(NOTHING),
            is_grouped: listing.is_some_and(|it| it.is_grouped).into(),
        }
    }
}

impl From<DeviceListing> for Option<Listing> {
    #[inline]
    fn from(listing: DeviceListing) -> Self {
        let DeviceListing { operand, texts, sets, is_wide, reaches, is_grouped } = listing;
        let is_wide = is_wide == 1;
        let signed = match (texts, sets) {
            (NOTHING, NOTHING) => None,
            (NOTHING, sets) => Some(Signed::Sets { sets, is_wide }),
            (texts, _) => Some(Signed::Texts { texts, is_wide }),
        };
        let reaches = (reaches != NOTHING).then_some(reaches);
        (operand != NOTHING).then_some(Listing { operand, signed, reaches, is_grouped: is_grouped == 1 })
    }
}

/// Intervals, and the lists they are of.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceReach {
    /// The rules: the bytes of an archived `Path`.
    pub path: DeviceSlice<u8>,
    /// By left item and by right item, its sketch.
    pub sketches: [DeviceSlice<Sketch>; 2],
    /// And its length, if the screen looks at lengths.
    pub lens: [DeviceSlice<u32>; 2],
    /// The words of intervals, each with all right items that it might meet; then with those that it can.
    pub intervals: DeviceAtomics<u32>,
    /// The number of a screen.
    pub screen: u32,
    /// The number of an order.
    pub order: u32,
    /// The lead, by its place among the path's predicates.
    pub lead: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

const _: () = assert!(size_of::<DeviceKeys>() == 11 * 16 + 8 + 16);
const _: () = assert!(size_of::<DeviceLists>() == 96 + 2 * 16 + 8 + 9 * 16 + 24 + 16);
const _: () = assert!(size_of::<DeviceReach>() == 6 * 16 + 16);
