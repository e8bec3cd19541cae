//! The matches of strings of many blocks, a character at a time.
//!
//! What a character's places match depends on no other character: two pointers go through its places in both strings, as
//! the story of [`super`] says. So a block is asked once for each character there is, where symbol by symbol it would be
//! asked for every symbol whose window it meets. Threads in lockstep go symbol by symbol: all of them do the same there,
//! while the pointers of each move as its strings say.

use super::{BLOCK, Matches, below, disordered, reach};
use crate::text::{Scratch, Text};

/// Behind all places and windows.
const NONE: u32 = u32::MAX;

/// The matches, or `None` if more than `most_alone` symbols of the shorter string have none. In `scratch` are a bit for
/// each match, as [`disordered`] reads them, and then one for each symbol of the shorter string that is still to be seen.
#[inline]
pub(super) fn matches_by_symbol<const BITS: u32>(
    short: Text<'_, BITS>,
    long: Text<'_, BITS>,
    most_alone: u32,
    scratch: &mut (impl Scratch + ?Sized),
) -> Option<Matches> {
    let (reach, of_short) = (reach(long), long.n_blocks());
    let unseen = of_short + short.n_blocks();
    for ix in 0..unseen {
        scratch.set(ix, 0);
    }
    for block in 0..short.n_blocks() {
        scratch.set(unseen + block, below(short.len() - block * BLOCK));
    }
    let mut left_alone = most_alone;
    for first in 0..short.n_blocks() {
        loop {
            let left = scratch.get(unseen + first);
            if left == 0 {
                break;
            }
            let symbol = short.at(first * BLOCK + left.trailing_zeros());
            // The pointers: what is left of a block's places, and the block after it.
            let (mut takers, mut after_takers) = (0u64, first);
            let (mut places, mut after_places) = (0u64, 0);
            loop {
                while takers == 0 && after_takers < short.n_blocks() {
                    takers = short.positions(after_takers, symbol);
                    let word = unseen + after_takers;
                    scratch.set(word, scratch.get(word) & !takers);
                    after_takers += 1;
                }
                if takers == 0 {
                    break;
                }
                while places == 0 && after_places < long.n_blocks() {
                    places = long.positions(after_places, symbol);
                    after_places += 1;
                }
                let taker = lowest(takers, after_takers);
                let place = if places == 0 { NONE } else { lowest(places, after_places) };
                if place <= taker + reach {
                    places &= places - 1;
                    if place + reach < taker {
                        continue;
                    }
                    set(scratch, 0, place);
                    set(scratch, of_short, taker);
                } else {
                    left_alone = left_alone.checked_sub(1)?;
                }
                takers &= takers - 1;
            }
        }
    }
    let transposed = disordered(short, long, scratch) / 2;
    Some(Matches { matched: short.len() - (most_alone - left_alone), transposed })
}

/// The lowest of the places of the block before `after`.
fn lowest(places: u64, after: u32) -> u32 {
    (after - 1) * BLOCK + places.trailing_zeros()
}

/// Sets a bit of the words from `from` on.
fn set(scratch: &mut (impl Scratch + ?Sized), from: u32, bit: u32) {
    let word = from + bit / BLOCK;
    scratch.set(word, scratch.get(word) | 1 << (bit % BLOCK));
}
