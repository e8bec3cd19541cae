//! The overlap join: kernels that run one after the other.
//!
//! ```text
//! count ─► sums ─► fill ─► measure ─► sums ─► probe ─┬─► pairs of items ─► listed
//!                                             dense ─┘
//! ```
//!
//! After fgssjoin (2017), whose filter and verification are one kernel here ([`probe()`]): what passes waits
//! in shared memory, not in device memory. The postings of each slot of the index are counted ([`count()`]),
//! sums say where they go ([`totals()`], [`starts()`], [`spread()`]), and [`fill()`] brings them there. Then
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
mod scan;
mod segments;
mod together;

pub use compare::Pairs;
pub use dense::{Dense, dense};
pub use index::{count, fill};
pub use listed::{Listed, listed};
pub use probe::{Probe, Probing, measure, probe};
pub use scan::{spread, starts, totals};
pub use together::holds_together;

use crate::block::Block;
use hyperblock_shared::layout::WARP;

/// This thread's warp among all of the launch, and how many there are.
#[inline(always)]
fn warp_of_launch(block: &impl Block) -> (u32, u32) {
    let n_warps = block.n_threads() / WARP;
    (block.block_ix() * n_warps + block.warp_ix(), block.n_blocks() * n_warps)
}

/// Whose the `nth` of all is, where lanes have `before` before their own, ascending: the last lane that has no more than
/// `nth` before it, which is not one without any. All lanes come here together.
#[inline(always)]
fn owner(block: &impl Block, before: u32, nth: u32) -> u32 {
    let mut lane = 0;
    let mut step = WARP / 2;
    while step > 0 {
        if block.broadcast(before, lane + step) <= nth {
            lane += step;
        }
        step /= 2;
    }
    lane
}
