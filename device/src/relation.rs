//! Relations of two columns: the operators that a query over them is made of, a few kernels each.
//!
//! ```text
//! sort        (histogram ─► sums ─► scatter) for each digit
//! select      mark ─► starts ─► compact                       unique, and difference
//! merge       split ─► count ─► starts ─► merge               union of two sorted relations
//! table       index; fill; deduplicate                        by a join column; a set of tuples
//! join        measure ─► starts ─► join                       fused with projection
//! pack        before a sort                                   a scan's candidates as words
//! unpack      rules; pairs ─► (scores) ─► kept                after it: what is scored of them, and kept
//! ```
//!
//! After 'Towards Iterative Relational Algebra on the GPU' (USENIX ATC 2023). A tuple is a word, its first column in the
//! upper half. The sort and the sums are [`crate::primitives`].

mod join;
mod merge;
mod pack;
mod select;
mod table;
mod unpack;

pub(crate) use join::matches;
pub use join::{Join, join, measure};
pub use merge::{Merge, count, merge, split};
pub use pack::pack;
pub use select::{compact, mark};
pub(crate) use table::slot_of;
pub use table::{Deduplicate, deduplicate, fill, index};
pub use unpack::{kept, pairs, rules};
