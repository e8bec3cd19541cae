//! The index: counts postings by slot, and brings them there.
//!
//! Computes  slots[slot] = how many postings it has; then postings by slot, and where those of each slot end
//! Layout    the indexed side's values and elements, a slot for each element and part of values
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      an atomic for each element of a prefix, twice
//! Next      the sums of `scan.rs` after `count`; `measure` and `probe` after `fill`
//! Twin      `host::cpu::overlap`
//!
//! A warp takes 32 values, whose prefixes may be of one element or of thousands: their elements are numbered through, and
//! each lane takes every 32nd. The order of postings within a slot is as it comes.

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::warp_of_launch;
use crate::primitives::owners;
use crate::primitives::sums::warp_sums;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::overlap::Overlap;

/// Adds the postings of each slot.
#[inline(always)]
pub fn count(block: &impl Block, overlap: &Overlap<'_>, slots: &[AtomicU32]) {
    for_each(block, overlap, |slot, _, _| {
        slots[slot as usize].fetch_add(1, Relaxed);
    });
}

/// Writes the postings. Slots have where theirs begin, and after it where they end.
#[inline(always)]
pub fn fill(block: &impl Block, overlap: &Overlap<'_>, slots: &[AtomicU32], postings: &impl Words) {
    for_each(block, overlap, |slot, item, nth| {
        let place = slots[slot as usize].fetch_add(1, Relaxed);
        postings.set(u64::from(place), overlap.posting(item, nth).word());
    });
}

/// Each element of a prefix: its slot, the value, and which one of its elements it is.
#[inline(always)]
fn for_each(block: &impl Block, overlap: &Overlap<'_>, step: impl Fn(u32, u32, u32)) {
    let n_values = overlap.indexed.values.len() as u32;
    let (warp, n_warps) = warp_of_launch(block);
    let mut first = warp * WARP;
    while first < n_values {
        let own = first + block.lane();
        let prefix = if own < n_values { overlap.indexed.class(own).prefix } else { 0 };
        let upto_here = warp_sums(block, prefix);
        let before = upto_here - prefix;
        let n_all = block.broadcast(upto_here, WARP - 1);
        let mut ix = block.lane();
        while ix - block.lane() < n_all {
            let lane = owners::of_warp(block, before, ix);
            let nth = ix.wrapping_sub(block.broadcast(before, lane));
            if ix < n_all {
                let item = first + lane;
                let start = overlap.indexed.values[item as usize].start;
                let element = overlap.indexed.elements[(start + nth) as usize];
                step(overlap.slot(element, item), item, nth);
            }
            block.warp_barrier();
            ix += WARP;
        }
        first += n_warps * WARP;
    }
}
