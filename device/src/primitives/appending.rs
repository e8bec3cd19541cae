//! Appending: what some lanes have goes to the end of an array, which all warps share.

use super::lanes::below;
use super::unrolled::unrolled;
use crate::block::Block;
use crate::memory::Words;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// Words that a lane may bring at once.
pub(crate) const AT_ONCE: usize = 4;

/// Appends the words of a warp's lanes that have any, in any order. All lanes come here together.
#[inline(always)]
pub(crate) fn append(
    block: &impl Block,
    to: &impl Words,
    n: &AtomicU32,
    word: impl Fn(usize) -> Option<u64>,
) {
    let mut words = [None; AT_ONCE];
    let mut masks = [0; AT_ONCE];
    let mut n_new = 0;
    unrolled::<AT_ONCE>(|nth| {
        words[nth] = word(nth);
        // Not all lanes have as much to look at.
        block.warp_barrier();
        masks[nth] = block.ballot(words[nth].is_some());
        n_new += masks[nth].count_ones();
    });
    if n_new == 0 {
        return;
    }
    let mut start = 0;
    if block.lane() == 0 {
        start = n.fetch_add(n_new, Relaxed);
    }
    let mut start = block.broadcast(start, 0);
    unrolled::<AT_ONCE>(|nth| {
        if let Some(word) = words[nth] {
            to.set(u64::from(start + below(block, masks[nth])), word);
        }
        start += masks[nth].count_ones();
    });
}
