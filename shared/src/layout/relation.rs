//! What the kernels of relational operators receive. Words are tuples, as `crate::relation` has them.

use super::{Candidate, DeviceAtomics, DeviceCell, DeviceSlice, DeviceSliceMut};
use bytemuck::{Pod, Zeroable};

/// `histogram`: the words of each tile, counted by digit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceHistogram {
    /// The words.
    pub words: DeviceSlice<u64>,
    /// By digit and tile.
    pub counts: DeviceAtomics<u32>,
    /// A packed `Digit`.
    pub digit: u64,
}

/// `scatter`: words in the order of a digit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceScatter {
    /// The words.
    pub words: DeviceSlice<u64>,
    /// By digit and tile, where those words go.
    pub starts: DeviceSlice<u32>,
    /// As many words.
    pub sorted: DeviceSliceMut<u64>,
    /// A packed `Digit`.
    pub digit: u64,
}

/// `starts`: tiles that become the sums of those before them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceStarts {
    /// By tile, and one more.
    pub tiles: DeviceAtomics<u64>,
    /// The sum of all.
    pub total: DeviceCell<u64>,
}

/// `mark`: which words are kept, each once and without others.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceMark {
    /// The words, sorted.
    pub words: DeviceSlice<u64>,
    /// What is not kept, sorted.
    pub others: DeviceSlice<u64>,
    /// A bit for each word of a tile.
    pub masks: DeviceAtomics<u32>,
    /// By tile how many are kept, and one more.
    pub tiles: DeviceAtomics<u64>,
}

/// `compact`: the words that were marked.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceCompact {
    /// The words.
    pub words: DeviceSlice<u64>,
    /// As `mark` left them.
    pub masks: DeviceSlice<u32>,
    /// By tile where its words go, and one more.
    pub starts: DeviceSlice<u64>,
    /// Room for all that are kept.
    pub kept: DeviceSliceMut<u64>,
}

/// `split`: how tiles of two sorted arrays together part them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSplit {
    /// One array.
    pub left: DeviceSlice<u64>,
    /// The other.
    pub right: DeviceSlice<u64>,
    /// By tile how many of the left one are before it, and one more.
    pub splits: DeviceSliceMut<u64>,
}

/// `count`: how many words each tile of a union keeps.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceUnionCount {
    /// One array.
    pub left: DeviceSlice<u64>,
    /// The other.
    pub right: DeviceSlice<u64>,
    /// As `split` left them.
    pub splits: DeviceSlice<u64>,
    /// By tile, and one more.
    pub tiles: DeviceAtomics<u64>,
}

/// `merge`: the union.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceUnion {
    /// One array.
    pub left: DeviceSlice<u64>,
    /// The other.
    pub right: DeviceSlice<u64>,
    /// As `split` left them.
    pub splits: DeviceSlice<u64>,
    /// By tile where its words go, and one more.
    pub starts: DeviceSlice<u64>,
    /// Room for both.
    pub merged: DeviceSliceMut<u64>,
}

/// `index`: a sorted relation, indexed by its first column.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceIndexing {
    /// Its tuples.
    pub rows: DeviceSlice<u64>,
    /// A power of two of slots, all `EMPTY` at first.
    pub slots: DeviceAtomics<u64>,
    /// As many: by slot how many rows have its key.
    pub lens: DeviceAtomics<u32>,
}

/// `fill`: tuples that are put into a set.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceFill {
    /// The tuples.
    pub tuples: DeviceSlice<u64>,
    /// A power of two of slots.
    pub slots: DeviceAtomics<u64>,
}

/// `deduplicate`: tuples that are put into a set, and those that are new to it appended to its list.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceDeduplicate {
    /// A part of what a join made.
    pub joined: DeviceSlice<u64>,
    /// How many it made in all.
    pub n_joined: DeviceCell<u64>,
    /// The set.
    pub set: DeviceSet,
    /// How many it made before this part.
    pub n_before: u64,
}

/// A set of tuples.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSet {
    /// A power of two of slots.
    pub slots: DeviceAtomics<u64>,
    /// What is in the set, with room for all that may be.
    pub tuples: DeviceSliceMut<u64>,
    /// How many those are.
    pub n_tuples: DeviceCell<u64>,
}

/// Two relations to be joined: an outer one, and an inner one that is sorted and indexed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceRelations {
    /// The outer one.
    pub outer: DeviceSlice<u64>,
    /// The inner one.
    pub inner: DeviceIndex,
}

/// A sorted relation and its index, as `index` left it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceIndex {
    /// Its tuples.
    pub rows: DeviceSlice<u64>,
    /// By slot a key and its first row.
    pub slots: DeviceSlice<u64>,
    /// By slot how many rows.
    pub lens: DeviceSlice<u32>,
}

/// `measure`: how many tuples each tile of outer ones makes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceMeasure {
    /// What is joined.
    pub relations: DeviceRelations,
    /// By tile, and one more.
    pub tiles: DeviceAtomics<u64>,
}

/// `join`: a range of the tuples that are made.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceProjection {
    /// What is joined.
    pub relations: DeviceRelations,
    /// By tile the number of the first that it makes, and one more.
    pub starts: DeviceSlice<u64>,
    /// Room for some of them.
    pub joined: DeviceSliceMut<u64>,
    /// The number of the first that is written.
    pub from: u64,
}

/// `pack`: candidates that become words.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DevicePack {
    /// The candidates.
    pub candidates: DeviceSlice<Candidate>,
    /// As many words.
    pub words: DeviceSliceMut<u64>,
    /// Of a `Packing`.
    pub right_bits: u32,
    /// Of a `Packing`.
    pub rule_bits: u32,
}

/// `rules`, `pairs` and `kept`: candidates that are words, in order, and stay where they are.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceUnpack {
    /// Some of them, or all.
    pub words: DeviceSlice<u64>,
    /// By rule: how many there are, which was 0.
    pub counts: DeviceAtomics<u32>,
    /// By left record: its number in the whole table; none, if it is the same.
    pub lefts: DeviceSlice<u32>,
    /// The same of right records.
    pub rights: DeviceSlice<u32>,
    /// As many pairs of records, the left one in the lower half.
    pub pairs: DeviceSliceMut<u64>,
    /// For each 32 pairs which scores were kept, and where those begin.
    pub warps: DeviceSlice<u32>,
    /// Room for the words of these, in the order of the scores.
    pub kept: DeviceSliceMut<u64>,
    /// Of a `Packing`.
    pub right_bits: u32,
    /// Of a `Packing`.
    pub rule_bits: u32,
}

const _: () = assert!(size_of::<DevicePack>() == 2 * 16 + 8 && size_of::<DeviceUnpack>() == 7 * 16 + 8);
const _: () = assert!(size_of::<DeviceHistogram>() == 2 * 16 + 8 && size_of::<DeviceScatter>() == 3 * 16 + 8);
const _: () = assert!(size_of::<DeviceStarts>() == 16 + 8 && size_of::<DeviceMark>() == 4 * 16);
const _: () = assert!(size_of::<DeviceCompact>() == 4 * 16 && size_of::<DeviceSplit>() == 3 * 16);
const _: () = assert!(size_of::<DeviceUnionCount>() == 4 * 16 && size_of::<DeviceUnion>() == 5 * 16);
const _: () = assert!(size_of::<DeviceIndexing>() == 3 * 16 && size_of::<DeviceFill>() == 2 * 16);
const _: () = assert!(size_of::<DeviceDeduplicate>() == 16 + 8 + size_of::<DeviceSet>() + 8);
const _: () = assert!(size_of::<DeviceSet>() == 2 * 16 + 8 && size_of::<DeviceRelations>() == 4 * 16);
const _: () = assert!(size_of::<DeviceMeasure>() == 5 * 16 && size_of::<DeviceProjection>() == 6 * 16 + 8);
