//! The hash join: kernels that run one after the other.
//!
//! ```text
//! sample ─► select ─► count ─► starts ─► partition ─┬─► (once more, finer) ─► light
//!                                                   └─► products ─► heavy
//! ```
//!
//! After GSH ('CPU and GPU Hash Joins on Skewed Data', 2025), which finds heavy keys in partitions that have grown too
//! large, and splits those. Here they are found before: some keys of both sides are counted ([`sample()`]), those that come up
//! most are heavy ([`select()`]), and the first pass puts each heavy key into a class of its own at once. A class is a partition of light keys, by
//! the upper bits of their hash, or a heavy key. [`count()`], [`starts()`] and [`partition()`] bring the rows of a class
//! together, as tuples: the key in the lower half of a word, the row in the upper. A light partition is joined by one block in
//! shared memory ([`light()`]), its pairs counted, written, or decided by the rest of a branch ([`residual()`]); a heavy key's pairs are a product, which is written by all blocks ([`heavy()`]), or
//! where pairs are only counted, multiplied ([`products()`]).

mod classes;
mod heavy;
mod light;
mod partition;
mod residual;
mod sample;

pub use classes::Classes;
pub use heavy::{Heavy, Products, heavy, products};
pub use light::{Consumer, Count, Light, LightSides, Pairs, light};
pub use partition::{Counts, Pass, Source, count, partition, starts};
pub use residual::{Residual, residual};
pub use sample::{Sample, Select, sample, select};

/// A tuple.
#[inline]
pub(crate) fn tuple(key: u32, row: u32) -> u64 {
    u64::from(key) | u64::from(row) << 32
}

#[inline]
pub(crate) fn key_of(tuple: u64) -> u32 {
    tuple as u32
}

#[inline]
pub(crate) fn row_of(tuple: u64) -> u32 {
    (tuple >> 32) as u32
}
