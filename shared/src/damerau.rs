//! Damerau-Levenshtein distance, in the form of optimal string alignment: the least number of insertions, deletions,
//! substitutions and transpositions of neighbouring symbols that turn one string into the other, where no part is edited
//! twice (Damerau, *A technique for computer detection and correction of spelling errors*, CACM 7(3), 1964).
//!
//! Computed bit-parallel, as [`crate::levenshtein`], with the mask of transpositions of Hyyrö, *A bit-vector algorithm
//! for computing Levenshtein and Damerau edit distances*, Nordic J. of Computing 10, 2003.

use crate::text::{BLOCK, Scratch, Text};

/// Whether the distance of `a` and `b` is at most `most`.
#[inline]
pub fn distance_at_most<const BITS: u32>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    most: u32,
    scratch: &mut (impl Scratch + ?Sized),
) -> bool {
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if text.len() - pattern.len() > most {
        return false;
    }
    // d <= max(len) always.
    if text.len() <= most {
        return true;
    }
    if pattern.len() <= BLOCK {
        one_block(pattern, text, most)
    } else {
        many_blocks(pattern, text, most, scratch)
    }
}

fn one_block<const BITS: u32>(pattern: Text<'_, BITS>, text: Text<'_, BITS>, most: u32) -> bool {
    let last = 1 << (pattern.len() - 1);
    let mut column = Column::START;
    let mut distance = pattern.len();
    let mut left = text.len();
    for symbol in text.symbols() {
        let step = column.step(pattern.positions(0, symbol), Carry::TOP);
        distance = distance + u32::from(step.plus & last != 0) - u32::from(step.minus & last != 0);
        left -= 1;
        // The bottom row changes by at most one a column.
        if distance > most + left {
            return false;
        }
    }
    distance <= most
}

/// The same with the column in blocks of 64 rows, kept in `scratch`: four words a block.
fn many_blocks<const BITS: u32>(
    pattern: Text<'_, BITS>,
    text: Text<'_, BITS>,
    most: u32,
    scratch: &mut (impl Scratch + ?Sized),
) -> bool {
    let n_blocks = pattern.n_blocks();
    for block in 0..n_blocks {
        Column::START.store(block, scratch);
    }
    let last = 1 << ((pattern.len() - 1) % BLOCK);
    let mut distance = pattern.len();
    let mut left = text.len();
    for symbol in text.symbols() {
        let mut carry = Carry::TOP;
        for block in 0..n_blocks {
            let mut column = Column::load(block, scratch);
            let step = column.step(pattern.positions(block, symbol), carry);
            column.store(block, scratch);
            if block + 1 == n_blocks {
                distance = distance + u32::from(step.plus & last != 0) - u32::from(step.minus & last != 0);
            }
            carry = Carry { plus: step.plus >> 63, minus: step.minus >> 63, swaps: step.swaps >> 63 };
        }
        left -= 1;
        if distance > most + left {
            return false;
        }
    }
    distance <= most
}

/// One column of the matrix, a bit a row.
#[derive(Clone, Copy)]
struct Column {
    /// Where it rises by one from the row above.
    rises: u64,
    /// Where it falls by one.
    falls: u64,
    /// Where it equals the row above of the column before.
    diagonal: u64,
    /// Where the pattern's symbol was the text's.
    equal: u64,
}

/// What a step to the right does, a bit a row.
struct Step {
    plus: u64,
    minus: u64,
    /// Where the next row may end a transposition, if the symbols are right there.
    swaps: u64,
}

/// What enters a block from the row above it, in the lowest bit.
#[derive(Clone, Copy)]
struct Carry {
    plus: u64,
    minus: u64,
    swaps: u64,
}

impl Carry {
    /// The row of zero symbols of the pattern rises by one with each symbol of the text.
    const TOP: Self = Self { plus: 1, minus: 0, swaps: 0 };
}

impl Column {
    /// The first column: row i is i. Nothing was equal before it, so nothing is transposed with it.
    const START: Self = Self { rises: u64::MAX, falls: 0, diagonal: 0, equal: 0 };

    fn load(block: u32, scratch: &(impl Scratch + ?Sized)) -> Self {
        Self {
            rises: scratch.get(4 * block),
            falls: scratch.get(4 * block + 1),
            diagonal: scratch.get(4 * block + 2),
            equal: scratch.get(4 * block + 3),
        }
    }

    fn store(self, block: u32, scratch: &mut (impl Scratch + ?Sized)) {
        scratch.set(4 * block, self.rises);
        scratch.set(4 * block + 1, self.falls);
        scratch.set(4 * block + 2, self.diagonal);
        scratch.set(4 * block + 3, self.equal);
    }

    #[inline]
    fn step(&mut self, equal: u64, carry: Carry) -> Step {
        let swaps = !self.diagonal & equal;
        let transposed = ((swaps << 1) | carry.swaps) & self.equal;
        let entering = equal | carry.minus;
        let diagonal = ((entering & self.rises).wrapping_add(self.rises) ^ self.rises)
            | entering
            | self.falls
            | transposed;
        let plus = self.falls | !(diagonal | self.rises);
        let minus = self.rises & diagonal;
        let (plus_in, minus_in) = ((plus << 1) | carry.plus, (minus << 1) | carry.minus);
        *self = Self { rises: minus_in | !(diagonal | plus_in), falls: plus_in & diagonal, diagonal, equal };
        Step { plus, minus, swaps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Packed, near_strings};
    use proptest::prelude::*;
    use std::vec;

    fn check<const BITS: u32>(a: &str, b: &str, most: u32) {
        let (x, y) = (Packed::<BITS>::new(a), Packed::<BITS>::new(b));
        let mut scratch = vec![0xdead; 4 * a.chars().count().max(b.chars().count()).div_ceil(64)];
        let got = distance_at_most(x.text(), y.text(), most, scratch.as_mut_slice());
        let want = strsim::osa_distance(a, b) as u32;
        assert_eq!(got, want <= most, "{a:?} {b:?}: distance {want}, most {most}, {BITS} bits");
    }

    proptest! {
        #[test]
        fn agrees_with_strsim((a, b) in near_strings(), most in 0u32..90, swaps in prop::collection::vec(any::<prop::sample::Index>(), 0..4)) {
            // Neighbours that change places, also across the edge of a block.
            let mut swapped: vec::Vec<char> = b.chars().collect();
            for place in swaps {
                if swapped.len() > 1 {
                    let ix = place.index(swapped.len() - 1);
                    swapped.swap(ix, ix + 1);
                }
            }
            let b: std::string::String = swapped.into_iter().collect();
            check::<8>(&a, &b, most);
            check::<16>(&a, &b, most);
            check::<32>(&a, &b, most);
            let exact = strsim::osa_distance(&a, &b) as u32;
            check::<8>(&a, &b, exact);
            check::<8>(&a, &b, exact.saturating_sub(1));
        }
    }

    #[test]
    fn a_transposition_is_one_edit() {
        for (a, b, distance) in
            [("ca", "ac", 1), ("ca", "abc", 3), ("smith", "smiht", 1), ("martha", "marhta", 1)]
        {
            check::<8>(a, b, distance);
            check::<8>(a, b, distance - 1);
        }
    }
}
