//! The overlap join: kernels that run one after the other.
//!
//! ```text
//! count ─► sums ─► fill ─► measure ─► sums ─► probe ─┬─► pairs of items ─► listed
//!                                             dense ─┘
//! ```
//!
//! After fgssjoin (2017), whose filter and verification are one kernel here ([`probe()`]): what passes waits
//! in shared memory, not in device memory. The postings of each slot of the index are counted ([`count()`]),
//! sums say where they go ([`crate::primitives::sums`]), and [`fill()`] brings them there. Then
//! each slot has where its postings end, and the one before it where they begin. What a probing value finds
//! is unknown before, and may be nothing or half of the index. So elements are looked up twice: [`measure()`]
//! cuts what 32 of them find into segments of equally many hits, and warps take segments. Where nearly
//! everything would be found, there is no index, and all that sizes let meet is compared by signatures
//! ([`dense()`]). Pairs that hold go to device memory, and from there through the rest of the branch
//! ([`listed()`]).

mod compare;
mod dense;
mod index;
mod listed;
mod probe;
mod segments;
mod together;

pub use compare::Pairs;
pub use dense::{Dense, dense};
pub use index::{count, fill};
pub use listed::{Listed, listed};
pub use probe::{Probe, Probing, measure, probe};
pub use together::holds_together;
