//! Two long values, compared by a whole warp.

use crate::block::Block;
use hyperblock_shared::layout::WARP;

/// [`hyperblock_shared::overlap::holds`], or without `nth` [`hyperblock_shared::measure::sets::share`], by the lanes of a warp
/// together: they take 32 elements of `a` at a time and look for them in `b`, from where the last one was found on. All
/// lanes come here together, with the same values.
#[inline(always)]
pub fn holds_together(block: &impl Block, a: &[u32], b: &[u32], nth: Option<u32>, least: u32) -> bool {
    let (len_a, len_b) = (a.len() as u32, b.len() as u32);
    if least > len_a || least > len_b {
        return false;
    }
    // Of `b`: what comes before is smaller than all that is looked for.
    let mut from = 0;
    let (mut first, mut common) = (0, 0);
    while common < least {
        if first >= len_a {
            return false;
        }
        let ix = (first + block.lane()).min(len_a - 1);
        let element = a[ix as usize];
        let place = lower_bound(b, from, element);
        let is_common = first + block.lane() < len_a && place < len_b && b[place as usize] == element;
        block.warp_barrier();
        let found = block.ballot(is_common);
        if let Some(nth) = nth.filter(|_| common == 0) {
            // Nothing before the n-th is in common, and it is.
            let is_first = found != 0 && first + found.trailing_zeros() == nth;
            if !is_first && (found != 0 || first + WARP > nth) {
                return false;
            }
        }
        common += found.count_ones();
        first += WARP;
        from = block.broadcast(place, WARP - 1);
        // What was passed over and is not in common is only in one of them.
        if first.min(len_a) - common > len_a - least && common < least {
            return false;
        }
        if from.saturating_sub(common) > len_b - least {
            return false;
        }
    }
    true
}

/// The first place from `from` on whose element is not smaller.
#[inline(always)]
fn lower_bound(b: &[u32], mut from: u32, element: u32) -> u32 {
    let mut upto = b.len() as u32;
    while from < upto {
        let middle = from + (upto - from) / 2;
        if b[middle as usize] < element {
            from = middle + 1;
        } else {
            upto = middle;
        }
    }
    from
}
