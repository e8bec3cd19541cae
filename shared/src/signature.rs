//! Signatures: bits of a value that tell most pairs apart without looking at the values.
//!
//! Number the occurrences of each symbol in a value: its *elements* are the pairs (symbol, n-th occurrence). `a` has
//! elements that `b` lacks exactly where it has a symbol more often, and an edit takes away at most one of them (and
//! adds at most one), so the distance is at least the number of elements on either side that the other lacks. A
//! signature folds elements onto bits. A bit that is set in one signature and not in the other stands for at least
//! one element that the other lacks, and different bits for different elements. So the number of such bits is at most
//! the distance, and rejecting pairs by it never rejects one that is near enough.
//!
//! A value has a signature of 128 bits. Folding its halves together makes one of 64, which serves short values as well.

/// How far apart the bits of a symbol's occurrences are. Any number keeps the bound. This one passed the fewest pairs of
/// 4,000 names at similarity 0.8 with 64 bits: 0.07%, against 0.75% if a symbol counts once.
const STRIDE: u32 = 27;

/// The bit for the n-th occurrence, counted from 0, of a symbol. Symbols should be numbered by falling frequency: the
/// most frequent then have bits of their own.
pub fn element_bit(symbol: u32, nth: u32) -> u128 {
    1 << (symbol.wrapping_add(nth.wrapping_mul(STRIDE)) % u128::BITS)
}

/// The bit for a token of a set. Multiplying spreads neighbouring codes (Knuth, *The Art of Computer Programming*,
/// section 6.4).
pub fn token_bit(token: u32) -> u128 {
    1 << (token.wrapping_mul(0x9e37_79b1) >> 25)
}

/// The signature in 64 bits: elements of the same place in either half share a bit.
#[inline]
pub fn folded(signature: u128) -> u64 {
    signature as u64 | (signature >> 64) as u64
}

/// How many elements values with these signatures at least have that the other one lacks: the first one's, and the
/// second one's. This holds for sets too, whose elements are their tokens.
#[inline]
pub fn fewest_unshared(a: u128, b: u128) -> (u32, u32) {
    ((a & !b).count_ones(), (b & !a).count_ones())
}

/// A number of edits that values with these signatures are at least apart.
#[inline]
pub fn fewest_edits(a: u128, b: u128) -> u32 {
    let (only_a, only_b) = fewest_unshared(a, b);
    only_a.max(only_b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn signature(symbols: &[u32]) -> u128 {
        let nth = |ix: usize| symbols[..ix].iter().filter(|&&other| other == symbols[ix]).count() as u32;
        (0..symbols.len()).fold(0, |bits, ix| bits | element_bit(symbols[ix], nth(ix)))
    }

    /// Few symbols, so that they repeat, or many, so that they share bits.
    fn symbols() -> impl Strategy<Value = Vec<u32>> {
        prop_oneof![prop::collection::vec(1u32..5, 0..40), prop::collection::vec(1u32..300, 0..90)]
    }

    proptest! {
        #[test]
        fn never_more_than_the_distance(a in symbols(), b in symbols()) {
            let (x, y) = (signature(&a), signature(&b));
            let distance = strsim::generic_levenshtein(&a, &b) as u32;
            prop_assert!(fewest_edits(x, y) <= distance);
            prop_assert!(fewest_edits(folded(x).into(), folded(y).into()) <= distance);
        }

        #[test]
        fn one_edit_is_at_most_one(a in symbols(), place: prop::sample::Index, symbol in 1u32..300) {
            prop_assume!(!a.is_empty());
            let mut b = a.clone();
            b[place.index(a.len())] = symbol;
            prop_assert!(fewest_edits(signature(&a), signature(&b)) <= 1);
        }
    }
}
