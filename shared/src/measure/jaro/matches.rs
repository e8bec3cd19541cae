//! All matches of two strings, for the similarity itself.

use super::by_symbol::matches_by_symbol;
use super::{Matches, match_among, reach};
use crate::measure::places::Places;
use crate::text::{BLOCK, Scratch, Text};

/// The matches of strings of any length. `scratch` is as for [`super::Jaro::reaches`].
#[inline]
pub(super) fn matches<const BITS: u32>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    scratch: &mut (impl Scratch + ?Sized),
) -> Matches {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() > BLOCK {
        return matches_by_symbol(short, long, short.len(), scratch)
            .unwrap_or(Matches { matched: 0, transposed: 0 });
    }
    let places = Places::new(long, 0);
    // As many may stay alone as there are: some pairs come back.
    match match_among(short, |symbol| places.of(symbol), reach(long), short.len()) {
        Some(pairs) => {
            Matches { matched: pairs.short.count_ones(), transposed: pairs.transposed(short, long, BLOCK) }
        }
        None => Matches { matched: 0, transposed: 0 },
    }
}
