//! Owners: whose the nth of all is, where each of some has several, and they are numbered through.
//!
//! They differ in where it is known how many each has. It is always the last one that begins at or before the nth, so never
//! one that has none.

use crate::block::Block;
use hyperblock_shared::layout::WARP;
/// The place, where an array has the first of each, and at the end how many there are. A thread looks alone.
pub(crate) use hyperblock_shared::stealing::interval_of as alone;

/// The lane, where lanes have `before` before their own, ascending. All lanes come here together.
#[inline(always)]
pub(crate) fn of_warp(block: &impl Block, before: u32, nth: u32) -> u32 {
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

/// The place, where `n` words of shared memory, a power of two of them, say where each one's end, ascending.
#[inline(always)]
pub(crate) fn in_shared(block: &impl Block, ends: u32, n: u32, nth: u32) -> u32 {
    let mut ix = 0;
    let mut step = n / 2;
    while step > 0 {
        if block.shared(ends + ix + step - 1) <= nth {
            ix += step;
        }
        step /= 2;
    }
    ix
}

/// The place, where an array has the first of each, and at the end how many there are. A warp looks together: all lanes come
/// here together, with the same number.
#[inline(always)]
pub(crate) fn in_array<T: Copy + PartialOrd>(block: &impl Block, firsts: &[T], nth: T) -> u32 {
    // In 33 parts at a time.
    let (mut from, mut upto) = (0, firsts.len() as u32 - 1);
    while upto - from > 1 {
        let step = (upto - from).div_ceil(WARP + 1);
        let place = from + (block.lane() + 1) * step;
        let is_before = place < upto && firsts[place as usize] <= nth;
        from += block.ballot(is_before).count_ones() * step;
        upto = upto.min(from + step);
    }
    from
}
