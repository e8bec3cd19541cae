//! A job's columns in device memory, and the scratch of its threads.

use super::{DeviceSlice, DeviceSliceMut};
use crate::columns::{Head, Point, Reach};
use bytemuck::{Pod, Zeroable};

/// [`crate::columns::Texts`] in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceTexts {
    /// Bits a symbol.
    pub bits: u64,
    /// By code.
    pub heads: DeviceSlice<Head>,
    /// The symbols of all values.
    pub words: DeviceSlice<u64>,
}

/// [`crate::columns::Sets`] in device memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceSets {
    /// By code.
    pub heads: DeviceSlice<Head>,
    /// The tokens of all values.
    pub tokens: DeviceSlice<u32>,
}

/// [`crate::columns::Columns`] in device memory: arrays of arrays.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceColumns {
    /// By operand, the codes of its records.
    pub codes: DeviceSlice<DeviceSlice<u32>>,
    /// By column of texts.
    pub texts: DeviceSlice<DeviceTexts>,
    /// By column of sets.
    pub sets: DeviceSlice<DeviceSets>,
    /// By column of points.
    pub points: DeviceSlice<DeviceSlice<Point>>,
    /// By column of numbers, what each code reaches.
    pub reaches: DeviceSlice<DeviceSlice<Reach>>,
    /// By column of marks, a bit for each code.
    pub marks: DeviceSlice<DeviceSlice<u32>>,
}

const _: () = assert!(size_of::<DeviceColumns>() == 96);

/// Words for each thread of a launch, where values are too long for registers.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DeviceScratch {
    /// A word of all threads after the other.
    pub array: DeviceSliceMut<u64>,
    /// Words that a thread has.
    pub n_words: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

const _: () = assert!(size_of::<DeviceScratch>() == 16 + 8);
