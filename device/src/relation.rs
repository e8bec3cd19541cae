//! Relations of two columns: the operators that a query over them is made of, a few kernels each.
//!
//! ```text
//! sort        (histogram ─► sums ─► scatter) for each digit
//! select      mark ─► starts ─► compact                       unique, and difference
//! merge       split ─► count ─► starts ─► merge               union of two sorted relations
//! table       index; fill; deduplicate                        by a join column; a set of tuples
//! join        measure ─► starts ─► join                       fused with projection
//! ```
//!
//! After 'Towards Iterative Relational Algebra on the GPU' (USENIX ATC 2023). A tuple is a word, its first column in the
//! upper half. Sums over an array are those of [`crate::overlap`] where they fit into 32 bits.

mod join;
mod merge;
mod select;
mod sort;
mod table;
mod wide;

pub use join::{Join, join, measure};
pub use merge::{Merge, count, merge, split};
pub use select::{compact, mark};
pub use sort::{histogram, scatter};
pub use table::{Deduplicate, deduplicate, fill, index};
pub use wide::starts;

use crate::block::Block;
use hyperblock_shared::layout::WARP;

/// This thread's warp among all of the launch, and how many there are.
#[inline(always)]
fn warp_of_launch(block: &impl Block) -> (u64, u64) {
    let n_warps = block.n_threads() / WARP;
    let warp = block.block_ix() * n_warps + block.warp_ix();
    (u64::from(warp), u64::from(block.n_blocks() * n_warps))
}

/// The lanes before this one.
#[inline(always)]
fn lanes_before(block: &impl Block) -> u32 {
    (1 << block.lane()) - 1
}
