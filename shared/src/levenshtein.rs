//! Levenshtein distance and similarity.
//!
//! The distance is the least number of insertions, deletions and substitutions of one symbol that turn one string
//! into the other (Levenshtein, *Binary codes capable of correcting deletions, insertions, and reversals*, 1966).
//! The similarity is 1 − d / max(len).
//!
//! Computed bit-parallel, a column of the matrix in words of vertical differences: Myers, *A fast bit-vector
//! algorithm for approximate string matching based on dynamic programming*, JACM 46(3), 1999, in the form of Hyyrö,
//! *A bit-vector algorithm for computing Levenshtein and Damerau edit distances*, Nordic J. of Computing 10, 2003.
//! The masks of equal symbols come from comparing packed words, not from a table, so nothing is set up per pair.

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
    // d <= max(len) always; and an empty pattern takes exactly len(text) insertions, which the first test allowed.
    if text.len() <= most || pattern.len() == 0 {
        return true;
    }
    match pattern.words().len() {
        1..=2 => one_block(Registers::<BITS, 2>::new(pattern), text, most),
        3..=4 => one_block(Registers::<BITS, 4>::new(pattern), text, most),
        _ if pattern.len() <= BLOCK => one_block(pattern, text, most),
        _ => many_blocks(pattern, text, most, scratch),
    }
}

/// The string whose symbols are the rows of the matrix, at most one block of it.
trait Pattern: Copy {
    fn len(self) -> u32;
    fn positions(self, symbol: u64) -> u64;
}

impl<const BITS: u32> Pattern for Text<'_, BITS> {
    fn len(self) -> u32 {
        Text::len(self)
    }

    fn positions(self, symbol: u64) -> u64 {
        Text::positions(self, 0, symbol)
    }
}

/// A short pattern kept in registers, where the GPU wants it: `W` words, the unused ones all padding.
#[derive(Clone, Copy)]
struct Registers<const BITS: u32, const W: usize> {
    words: [u64; W],
    len: u32,
}

impl<const BITS: u32, const W: usize> Registers<BITS, W> {
    fn new(text: Text<'_, BITS>) -> Self {
        // Not a loop of stores: that would put the array in memory.
        let words = core::array::from_fn(|ix| text.words().get(ix).copied().unwrap_or(0));
        Self { words, len: text.len() }
    }
}

impl<const BITS: u32, const W: usize> Pattern for Registers<BITS, W> {
    fn len(self) -> u32 {
        self.len
    }

    #[inline]
    fn positions(self, symbol: u64) -> u64 {
        let mut mask = 0;
        for (ix, word) in self.words.into_iter().enumerate() {
            mask |= Text::<BITS>::positions_in_word(word, symbol) << (ix as u32 * Text::<BITS>::PER_WORD);
        }
        mask
    }
}

fn one_block<const BITS: u32>(pattern: impl Pattern, text: Text<'_, BITS>, most: u32) -> bool {
    let last = 1 << (pattern.len() - 1);
    let mut column = Column::START;
    let mut distance = pattern.len();
    let mut left = text.len();
    for symbol in text.symbols() {
        let step = column.step(pattern.positions(symbol), Carry::TOP);
        distance = distance + u32::from(step.plus & last != 0) - u32::from(step.minus & last != 0);
        left -= 1;
        // The bottom row changes by at most one a column.
        if distance > most + left {
            return false;
        }
    }
    distance <= most
}

/// The same with the column in blocks of 64 rows, kept in `scratch`: word 2·block holds the rises, the next the falls.
fn many_blocks<const BITS: u32>(
    pattern: Text<'_, BITS>,
    text: Text<'_, BITS>,
    most: u32,
    scratch: &mut (impl Scratch + ?Sized),
) -> bool {
    let n_blocks = pattern.n_blocks();
    for block in 0..n_blocks {
        scratch.set(2 * block, Column::START.rises);
        scratch.set(2 * block + 1, Column::START.falls);
    }
    let last = 1 << ((pattern.len() - 1) % BLOCK);
    let mut distance = pattern.len();
    let mut left = text.len();
    for symbol in text.symbols() {
        let mut carry = Carry::TOP;
        for block in 0..n_blocks {
            let mut column = Column { rises: scratch.get(2 * block), falls: scratch.get(2 * block + 1) };
            let step = column.step(pattern.positions(block, symbol), carry);
            scratch.set(2 * block, column.rises);
            scratch.set(2 * block + 1, column.falls);
            if block + 1 == n_blocks {
                distance = distance + u32::from(step.plus & last != 0) - u32::from(step.minus & last != 0);
            }
            carry = Carry { plus: step.plus >> 63, minus: step.minus >> 63 };
        }
        left -= 1;
        if distance > most + left {
            return false;
        }
    }
    distance <= most
}

/// Vertical differences of one column of the matrix: where it rises by one from the row above, and where it falls.
#[derive(Clone, Copy)]
struct Column {
    rises: u64,
    falls: u64,
}

/// Horizontal differences of one step to the right, a bit a row.
struct Step {
    plus: u64,
    minus: u64,
}

/// The horizontal difference that enters a block from the row above it, in the lowest bit.
#[derive(Clone, Copy)]
struct Carry {
    plus: u64,
    minus: u64,
}

impl Carry {
    /// The row of zero symbols of the pattern rises by one with each symbol of the text.
    const TOP: Self = Self { plus: 1, minus: 0 };
}

impl Column {
    /// The first column: row i is i.
    const START: Self = Self { rises: u64::MAX, falls: 0 };

    #[inline]
    fn step(&mut self, equal: u64, carry: Carry) -> Step {
        let vertical = equal | self.falls;
        let equal = equal | carry.minus;
        let diagonal = ((equal & self.rises).wrapping_add(self.rises) ^ self.rises) | equal;
        let plus = self.falls | !(diagonal | self.rises);
        let minus = self.rises & diagonal;
        let (plus_in, minus_in) = ((plus << 1) | carry.plus, (minus << 1) | carry.minus);
        self.rises = minus_in | !(vertical | plus_in);
        self.falls = plus_in & vertical;
        Step { plus, minus }
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
        let mut scratch = vec![0xdead; 2 * a.chars().count().max(b.chars().count()).div_ceil(64)];
        let got = distance_at_most(x.text(), y.text(), most, scratch.as_mut_slice());
        let want = strsim::levenshtein(a, b) as u32;
        assert_eq!(got, want <= most, "{a:?} {b:?}: distance {want}, most {most}, {BITS} bits");
    }

    proptest! {
        #[test]
        fn agrees_with_strsim((a, b) in near_strings(), most in 0u32..90) {
            check::<8>(&a, &b, most);
            check::<16>(&a, &b, most);
            check::<32>(&a, &b, most);
            let exact = strsim::levenshtein(&a, &b) as u32;
            check::<8>(&a, &b, exact);
            check::<8>(&a, &b, exact.saturating_sub(1));
        }
    }
}
