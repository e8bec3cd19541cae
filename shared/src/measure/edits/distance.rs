//! How many edits lead from one string to another, as far as a bound: the machine of [`super`], for the number itself.
//!
//! The band is cut into blocks of 64 rows as in [`super::in_blocks`], but a block is done for all its columns before the
//! next one. So what a block knows of its rows, and where symbols stand in them, stays in registers; between two blocks
//! only the last row is handed on, some bits a column, kept in `scratch` a word for 64 of them. The cells that are
//! computed, and what is taken for those outside of the band, are the same.

use super::{Band, Carry, Column};
use crate::measure::places::Places;
use crate::text::{BLOCK, Scratch, Text};

/// The number of edits that lead from `a` to `b`, or `None` if it is above `most`; transposing neighbours is one edit if
/// `SWAPS` is set. `scratch` is as for [`super::at_most`].
#[inline]
pub(in crate::measure) fn distance<const BITS: u32, const SWAPS: bool>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    most: u32,
    scratch: &mut (impl Scratch + ?Sized),
) -> Option<u32> {
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let surplus = text.len() - pattern.len();
    // d <= max(len) always.
    let most = most.min(text.len());
    let stray = most.checked_sub(surplus)? / 2 + u32::from(SWAPS);
    let band = Band { lag: surplus + stray, lead: stray };
    let mut edits = surplus;
    for block in 0..pattern.n_blocks() {
        edits += in_block::<BITS, SWAPS>(pattern, text, band, block, scratch);
        if edits > most {
            return None;
        }
    }
    Some(edits)
}

/// The edits in a block of rows on the diagonal that ends in the corner.
#[inline]
fn in_block<const BITS: u32, const SWAPS: bool>(
    pattern: Text<'_, BITS>,
    text: Text<'_, BITS>,
    band: Band,
    block: u32,
    scratch: &mut (impl Scratch + ?Sized),
) -> u32 {
    let top = block * BLOCK;
    let first = top.saturating_sub(band.lead);
    let upto = (top + BLOCK + band.lag).min(text.len());
    // As far as the block above went. Above the first one there is no block.
    let above = if block == 0 { 0 } else { (top + band.lag).min(text.len()) };
    let is_last = top + BLOCK >= pattern.len();
    // The diagonal has the block's rows in 64 columns, from this one on.
    let corner = top + band.surplus();
    let places = Places::new(pattern, block);
    let mut column = Column::START;
    let mut symbols = text.symbols_from(first);
    let mut edits = 0;
    let mut at = first;
    while at < upto {
        let (chunk, start) = (at / BLOCK, at / BLOCK * BLOCK);
        let end = upto.min(start + BLOCK);
        let mut entering = Row::load::<SWAPS>(chunk, above.saturating_sub(start), scratch);
        entering.skip(at - start);
        let mut leaving = Row::TOP;
        for ix in at..end {
            // Past the end there is none, and nothing is asked for.
            let equal = places.of(symbols.next().unwrap_or(0));
            leaving.push(column.step::<SWAPS>(equal, entering.pop()));
            let row = ix.wrapping_sub(corner);
            edits += u32::from(row < BLOCK && (column.diagonal >> (row % BLOCK)) & 1 == 0);
        }
        if !is_last {
            leaving.skip(start + BLOCK - end);
            leaving.store::<SWAPS>(chunk, scratch);
        }
        at = end;
    }
    edits
}

/// What enters the rows below a row, for 64 columns: a bit each.
struct Row {
    plus: u64,
    minus: u64,
    swaps: u64,
}

/// Words of scratch that 64 columns of a row take.
const WORDS_PER_CHUNK: u32 = 3;

impl Row {
    /// [`Carry::TOP`] in every column.
    const TOP: Self = Self { plus: u64::MAX, minus: 0, swaps: 0 };

    /// The row of the block above, which is known in so many columns.
    #[inline]
    fn load<const SWAPS: bool>(chunk: u32, known: u32, scratch: &(impl Scratch + ?Sized)) -> Self {
        if known == 0 {
            return Self::TOP;
        }
        let word = |ix| scratch.get(WORDS_PER_CHUNK * chunk + ix);
        let unknown = u64::MAX.checked_shl(known).unwrap_or(0);
        let swaps = if SWAPS { word(2) & !unknown } else { 0 };
        Self { plus: word(0) | unknown, minus: word(1) & !unknown, swaps }
    }

    #[inline]
    fn store<const SWAPS: bool>(&self, chunk: u32, scratch: &mut (impl Scratch + ?Sized)) {
        let mut set = |ix, word| scratch.set(WORDS_PER_CHUNK * chunk + ix, word);
        set(0, self.plus);
        set(1, self.minus);
        if SWAPS {
            set(2, self.swaps);
        }
    }

    /// Leaves out the first columns: fewer than 64.
    #[inline]
    fn skip(&mut self, n: u32) {
        *self = Self { plus: self.plus >> n, minus: self.minus >> n, swaps: self.swaps >> n };
    }

    /// Takes the first column.
    #[inline]
    fn pop(&mut self) -> Carry {
        let carry = Carry { plus: self.plus & 1, minus: self.minus & 1, swaps: self.swaps & 1 };
        self.skip(1);
        carry
    }

    /// Puts a column behind the last, and drops the first.
    #[inline]
    fn push(&mut self, carry: Carry) {
        let push = |row: u64, bit: u64| row >> 1 | bit << 63;
        *self = Self {
            plus: push(self.plus, carry.plus),
            minus: push(self.minus, carry.minus),
            swaps: push(self.swaps, carry.swaps),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::at_most;
    use super::*;
    use crate::testing::{Packed, near_strings};
    use crate::text::scratch_words;
    use proptest::prelude::*;
    use std::{string::String, vec};

    fn check<const BITS: u32, const SWAPS: bool>(a: &str, b: &str, want: usize, mosts: &[u32]) {
        let (x, y) = (Packed::<BITS>::new(a), Packed::<BITS>::new(b));
        let longest = x.text().len().max(y.text().len());
        let mut scratch = vec![0xdead; scratch_words(longest) as usize];
        let want = want as u32;
        for most in mosts.iter().copied().chain([want, want + 1, want.saturating_sub(1), u32::MAX]) {
            let got = distance::<BITS, SWAPS>(x.text(), y.text(), most, scratch.as_mut_slice());
            let enough = at_most::<BITS, SWAPS>(x.text(), y.text(), most, scratch.as_mut_slice());
            assert_eq!(
                got,
                (want <= most).then_some(want),
                "{a:?} {b:?}, most {most}, {BITS} bits, swaps {SWAPS}"
            );
            assert_eq!(got.is_some(), enough);
        }
    }

    fn check_all(a: &str, b: &str, mosts: &[u32]) {
        let (plain, swaps) = (strsim::levenshtein(a, b), strsim::osa_distance(a, b));
        check::<8, false>(a, b, plain, mosts);
        check::<16, false>(a, b, plain, mosts);
        check::<32, false>(a, b, plain, mosts);
        check::<8, true>(a, b, swaps, mosts);
        check::<16, true>(a, b, swaps, mosts);
        check::<32, true>(a, b, swaps, mosts);
    }

    proptest! {
        #[test]
        fn agrees_with_strsim((a, b) in near_strings(), mosts in prop::collection::vec(0u32..340, 3)) {
            check_all(&a, &b, &[&mosts[..], &[0, 1, 2, 5, 9, 31, 64]].concat());
        }

        /// Strings that have little to do with each other: the diagonal wanders through all blocks.
        #[test]
        fn of_strangers_too((a, _) in near_strings(), (b, _) in near_strings()) {
            check_all(&a, &b, &[3, 70, 130]);
        }
    }

    #[test]
    fn of_very_long_strings() {
        let text = |step: usize| "abcdeé漢".chars().cycle().step_by(step).take(5000).collect::<String>();
        let (a, mut b) = (text(1), text(1));
        b.replace_range(2100..2104, "ABBA");
        check::<8, false>(&a, &b, 4, &[3, 100]);
        check::<8, true>(&a, &b, 4, &[3, 100]);
        let c = text(3);
        check::<8, false>(&a, &c, strsim::levenshtein(&a, &c), &[2500]);
    }
}
