//! Reach: which right items some left ones can meet.
//!
//! Computes  the right items of each interval, from all that it might meet to those that it can
//! Layout    intervals as four words each; the sketches of two lists, or their lengths
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      the left items are read once; for each length among them two searches over right ones
//! Next      the host leaves out intervals that meet nothing, and cuts the others into stretches
//! Twin      `host::plan::sweep::reach`, by the same functions of `shared::listing`

use crate::block::Block;
use crate::primitives::lanes::warp_of_launch;
use core::ops::Range;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::listing::{codes_met, items_of_codes, items_of_lens};
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::screen::{Screen, Sketch};
use hyperblock_shared::sweep::Order;

/// How items meet.
#[derive(Clone, Copy)]
pub struct Met<'a> {
    /// The screen.
    pub screen: Screen,
    /// Which pairs count.
    pub order: Order,
    /// If the screen looks at lengths: what decides which go together.
    pub measure: Option<&'a ArchivedMeasure>,
    /// By left item, and by right one.
    pub sketches: [&'a [Sketch]; 2],
    /// Likewise.
    pub lens: [&'a [u32]; 2],
}

/// Words of an interval.
const WORDS: usize = 4;

/// Narrows intervals to what they can meet. A warp takes one at a time.
#[inline(always)]
pub fn reach(block: &impl Block, met: &Met<'_>, intervals: &[AtomicU32]) {
    let (warp, n_warps) = warp_of_launch(block);
    let mut ix = warp as usize;
    while ix * WORDS < intervals.len() {
        let interval = &intervals[ix * WORDS..][..WORDS];
        let word = |nth: usize| interval[nth].load(Relaxed);
        let (lefts, rights) = (word(0)..word(1), word(2)..word(3));
        let Range { start, end } = of_interval(block, met, lefts.clone(), rights);
        // Of one list, items before the first have met it already.
        let start = if met.order == Order::Unordered { start.max(lefts.start) } else { start };
        block.warp_barrier();
        if block.lane() == 0 {
            interval[2].store(start, Relaxed);
            interval[3].store(end, Relaxed);
        }
        block.warp_barrier();
        ix += n_warps as usize;
    }
}

/// The right items that some of the left ones can meet: those between the first and the last of them.
#[inline(always)]
fn of_interval(block: &impl Block, met: &Met<'_>, lefts: Range<u32>, rights: Range<u32>) -> Range<u32> {
    let (mut from, mut upto) = (u32::MAX, 0);
    let mut add = |range: Range<u32>| {
        if range.start < range.end {
            from = from.min(range.start);
            upto = upto.max(range.end);
        }
    };
    let mut item = lefts.start + block.lane();
    match (met.screen, met.measure) {
        (Screen::None, _) => rights,
        (Screen::Codes | Screen::Reaches, _) => {
            while item < lefts.end {
                add(codes_met(met.screen, &met.sketches[0][item as usize]));
                item += WARP;
            }
            let codes = hull(block, from, upto);
            match codes.start < codes.end {
                true => items_of_codes(met.sketches[1], rights, codes),
                false => 0..0,
            }
        }
        (Screen::Signatures | Screen::WideSignatures, None) => rights,
        (Screen::Signatures | Screen::WideSignatures, Some(measure)) => {
            while item < lefts.end {
                let len = met.lens[0][item as usize];
                // One item of each length is enough.
                if item == lefts.start || met.lens[0][item as usize - 1] != len {
                    add(items_of_lens(measure, len, met.lens[1], rights.clone()));
                }
                item += WARP;
            }
            block.warp_barrier();
            hull(block, from, upto)
        }
    }
}

/// From the least of what lanes bring to the greatest.
#[inline(always)]
fn hull(block: &impl Block, mut from: u32, mut upto: u32) -> Range<u32> {
    block.warp_barrier();
    let mut distance = WARP / 2;
    while distance > 0 {
        from = from.min(block.broadcast(from, block.lane() ^ distance));
        upto = upto.max(block.broadcast(upto, block.lane() ^ distance));
        distance /= 2;
    }
    from..upto
}
