//! Segments: pieces of work of about one size, which warps take from one counter, some at a time.
//!
//! They are numbered through, group by group. Who takes one looks up which group it belongs to.

use crate::block::Block;
use crate::primitives::lanes::warp_of_launch;
use crate::primitives::owners;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

/// Which of the words of `OverlapCounters` is how many were taken.
const N_TAKEN: usize = 1;

/// Segments that a warp takes at once, at most.
const MOST_TAKEN: u32 = 16;
/// So that each warp takes some so many times, and all end together.
const TIMES: u32 = 8;

/// Segments that were taken, the same for all lanes. Registers are too dear for it: it is kept in four words
/// of shared memory.
#[derive(Clone, Copy, Default)]
pub(super) struct Taken {
    next: u32,
    upto: u32,
    /// The group of the segment before.
    group: u32,
}

impl Taken {
    /// Keeps it in shared memory. All lanes come here together.
    #[inline(always)]
    pub(super) fn keep(self, block: &impl Block, own: u32) {
        block.warp_barrier();
        if block.lane() == 0 {
            block.set_shared_quad(own, [self.next, self.upto, self.group, 0]);
        }
        block.warp_barrier();
    }

    /// What is kept there, or if that is nothing the next segments; nothing, if there are none or there is no
    /// use in more. `firsts` are the first segment of each group, and at the end how many there are. All
    /// lanes come here together.
    #[inline(always)]
    pub(super) fn kept_or_next(
        block: &impl Block,
        own: u32,
        firsts: &[u32],
        counters: &[AtomicU64],
        is_of_use: impl Fn() -> bool,
    ) -> Option<Self> {
        let [next, upto, group, _] = block.shared_quad(own);
        if next != upto {
            return Some(Self { next, upto, group });
        }
        let n_segments = firsts[firsts.len() - 1];
        let (_, n_warps) = warp_of_launch(block);
        let wanted = (n_segments / (n_warps * TIMES)).clamp(1, MOST_TAKEN);
        let mut next = n_segments;
        if block.lane() == 0 && is_of_use() {
            let taken = counters[N_TAKEN].fetch_add(u64::from(wanted), Relaxed);
            next = taken.min(u64::from(n_segments)) as u32;
        }
        let next = block.broadcast(next, 0);
        if next == n_segments {
            return None;
        }
        let upto = n_segments.min(next + wanted);
        Some(Self { next, upto, group: owners::in_array(block, firsts, next) })
    }

    /// The first of them: its group, and which segment of the group it is. All lanes come here together.
    #[inline(always)]
    pub(super) fn begin(&mut self, block: &impl Block, firsts: &[u32]) -> (u32, u32) {
        // Its group is the last one that begins at or before it; 32 of them are looked at together.
        loop {
            let next = self.group as usize + 1 + block.lane() as usize;
            let is_later = firsts.get(next).is_none_or(|&first| first > self.next);
            let later = block.ballot(is_later);
            self.group += later.trailing_zeros();
            if later != 0 {
                break;
            }
        }
        let nth = self.next - firsts[self.group as usize];
        self.next += 1;
        (self.group, nth)
    }
}
