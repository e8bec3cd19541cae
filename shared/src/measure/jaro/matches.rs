//! All matches of two strings, for the similarity itself.
//!
//! In lockstep, a block of the longer string is done for all symbols of the shorter one before the next block is, so that where
//! symbols stand in it stays in registers. That changes nothing: what a symbol finds free in a block depends on the
//! symbols before it that found nothing in the blocks before, in whichever order these are asked.

use super::by_symbol::matches_by_symbol;
use super::{Matches, below, disordered, match_among, reach};
use crate::measure::places::Places;
use crate::text::{BLOCK, Scratch, Text};

/// The matches of strings of any length. `scratch` is as for [`super::Jaro::reaches`].
#[inline]
pub(super) fn matches<const BITS: u32, S: Scratch + ?Sized>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    scratch: &mut S,
) -> Matches {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() > BLOCK {
        return match S::IN_LOCKSTEP {
            true => in_blocks(short, long, scratch),
            false => matches_by_symbol(short, long, short.len(), scratch).unwrap_or(Matches::NONE),
        };
    }
    let places = Places::new(long, 0);
    // As many may stay alone as there are: some pairs come back.
    match match_among(short, |symbol| places.of(symbol), reach(long), short.len()) {
        Some(pairs) => {
            Matches { matched: pairs.short.count_ones(), transposed: pairs.transposed(short, long, BLOCK) }
        }
        None => Matches::NONE,
    }
}

/// The same for strings of more than one block. The bits are in `scratch`, as [`disordered`] reads them.
fn in_blocks<const BITS: u32>(
    short: Text<'_, BITS>,
    long: Text<'_, BITS>,
    scratch: &mut (impl Scratch + ?Sized),
) -> Matches {
    let (reach, of_short) = (reach(long), long.n_blocks());
    for block in 0..short.n_blocks() {
        scratch.set(of_short + block, 0);
    }
    let mut matched = 0;
    for block in 0..long.n_blocks() {
        let places = Places::new(long, block);
        let start = block * BLOCK;
        // The symbols whose windows meet the block.
        let (first, upto) = (start.saturating_sub(reach), (start + BLOCK + reach).min(short.len()));
        let mut symbols = short.symbols_from(first);
        let (mut taken, mut at) = (0u64, first);
        while at < upto {
            let (chunk, end) = (at / BLOCK, upto.min((at / BLOCK + 1) * BLOCK));
            let mut found = scratch.get(of_short + chunk);
            for ix in at..end {
                // Past the end there is none, and nothing is asked for.
                let equal = places.of(symbols.next().unwrap_or(0));
                let from = ix.saturating_sub(reach).saturating_sub(start);
                let window = below(ix + reach + 1 - start) & !below(from);
                let bit = 1 << (ix % BLOCK);
                let free = if found & bit == 0 { equal & window & !taken } else { 0 };
                taken |= free & free.wrapping_neg();
                found |= if free == 0 { 0 } else { bit };
            }
            scratch.set(of_short + chunk, found);
            at = end;
        }
        scratch.set(block, taken);
        matched += taken.count_ones();
    }
    Matches { matched, transposed: disordered(short, long, scratch) / 2 }
}
