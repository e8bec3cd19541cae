//! Joins of others, as their papers have them: to be compared with.
//!
//! ```text
//! Gbase   begin ─► partition ─► (once more, finer) ─► gbase
//! GSH     (count ─► starts ─► partition, twice) ─► list ─► detect ─► measure ─► starts ─► divide ─► normal ─► skewed
//! ```
//!
//! Both are of 'CPU and GPU Hash Joins on Skewed Data' (2025). Tuples are those of `crate::join`, and so is their hash. What is
//! in brackets are its kernels, with no heavy keys.

mod chained;
mod gbase;
mod gsh;

pub use chained::{Counted, Sink, Table, Written};
pub use gbase::{BucketPass, Gbase, Growing, Lists, begin, gbase, partition};
pub use gsh::{
    Detect, Division, Large, Normal, Skewed, detect, divide, list, measure, normal, products, skewed,
};

/// No bucket, and no large partition.
pub const NONE: u32 = u32::MAX;
