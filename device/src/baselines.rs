//! Joins of others, as their papers have them: to be compared with.
//!
//! ```text
//! Gbase     begin ─► partition ─► (once more, finer) ─► gbase
//! GSH       (count ─► starts ─► partition, twice) ─► list ─► detect ─► measure ─► starts ─► divide ─► normal ─► skewed
//! gSSJoin   count_postings ─► (sums) ─► fill_postings ─► scored
//! unfused   (measure ─► starts) ─► wide_join ─► project
//! ```
//!
//! The first two are of 'CPU and GPU Hash Joins on Skewed Data' (2025). Tuples are those of `crate::join`, and so is their hash;
//! what is in brackets are its kernels, with no heavy keys. The third is of sets, and what fgssjoin is compared with. The last one is what 'Towards Iterative Relational Algebra on the
//! GPU' (2023) does not do, and what `crate::relation` does at once; in brackets are its kernels.

mod chained;
mod gbase;
mod gsh;
mod gssjoin;
mod unfused;

pub use chained::{Counted, Sink, Table, Written};
pub use gbase::{BucketPass, Gbase, Growing, Lists, begin, gbase, partition};
pub use gsh::{
    Detect, Division, Large, Normal, Skewed, detect, divide, list, measure, normal, products, skewed,
};
pub use gssjoin::{Scored, SetList, count_postings, fill_postings, scored};
pub use unfused::{project, wide_join};

/// No bucket, and no large partition.
pub const NONE: u32 = u32::MAX;
