//! The machine behind [`super::levenshtein`] and [`super::damerau`]: whether a few edits lead from one string to another.
//!
//! The matrix of distances has a row for each symbol of the shorter string, the *pattern*, and a column for each symbol
//! of the longer one, the *text*. A column is computed from the one before it in words of differences, a bit a row:
//! Myers, *A fast bit-vector algorithm for approximate string matching based on dynamic programming*, JACM 46(3), 1999,
//! in the form of Hyyrö, *A bit-vector algorithm for computing Levenshtein and Damerau edit distances*, Nordic J. of
//! Computing 10, 2003. The rows where the pattern has the text's symbol come from comparing packed words, not from a
//! table, so nothing is set up per pair.
//!
//! Only a band of the matrix is computed (Ukkonen, *Algorithms for approximate string matching*, Information and Control
//! 64, 1985). Let the text be longer by `surplus`. An alignment has `surplus` more insertions than deletions, so of `most`
//! edits at most `(most − surplus) / 2` are deletions: it strays no further than that from the diagonal that it starts
//! on to the one side, and from the diagonal that it ends on to the other. What lies outside of the band is never taken
//! for less than it is, because only edits that are real lead there.
//!
//! ```text
//!   text →                       A narrow band moves down a row with each column and stays in one word, whatever the
//!   \ \ \          pattern       strings' length: [`in_window`]. A wide band is cut into blocks of 64 rows, and each
//!     \ \ \           ↓          column computes those that the band touches: [`in_blocks`].
//!       \ \ \
//! ```
//!
//! Distances never fall along a diagonal and rise by at most one a step. So the diagonal that ends in the corner says,
//! column by column, which verdicts are still open: [`Budget`]. Where the number itself is wanted, [`distance`] counts it.

mod bounds;
mod distance;

pub(super) use bounds::EditDistance;
pub(super) use distance::distance;

use crate::text::{BLOCK, Registers, SCRATCH_PER_BLOCK, Scratch, Symbols, Text};

/// Whether at most `most` edits lead from `a` to `b`, where transposing neighbours is one edit if `SWAPS` is set.
#[inline]
pub(super) fn at_most<const BITS: u32, const SWAPS: bool>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    most: u32,
    scratch: &mut (impl Scratch + ?Sized),
) -> bool {
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let surplus = text.len() - pattern.len();
    if surplus > most {
        return false;
    }
    // d <= max(len) always; and an empty pattern takes exactly len(text) insertions, which the first test allowed.
    if text.len() <= most || pattern.len() == 0 {
        return true;
    }
    // A transposition keeps to its diagonal, but is seen by symbols on the diagonals beside it.
    let stray = (most - surplus) / 2 + u32::from(SWAPS);
    let band = Band { lag: surplus + stray, lead: stray };
    let budget = Budget { room: most - surplus, left: text.len() };
    match band.width().div_ceil(Text::<BITS>::PER_WORD) {
        1 => in_window::<BITS, SWAPS>(InRegisters::<BITS, 1>::new(pattern, band), text, band, budget),
        2 => in_window::<BITS, SWAPS>(InRegisters::<BITS, 2>::new(pattern, band), text, band, budget),
        _ if band.width() <= u32::BITS => {
            in_window::<BITS, SWAPS>(InMemory::new(pattern, band), text, band, budget)
        }
        _ if pattern.len() <= BLOCK => {
            in_blocks::<BITS, SWAPS>(pattern, text, band, budget, &mut OneBlock([0; _]))
        }
        _ => in_blocks::<BITS, SWAPS>(pattern, text, band, budget, scratch),
    }
}

/// The rows that are computed in column `c`, both counted from 0: from `c − lag` to `c + lead`.
#[derive(Clone, Copy)]
struct Band {
    lag: u32,
    lead: u32,
}

impl Band {
    fn width(self) -> u32 {
        self.lag + 1 + self.lead
    }

    /// By how much the text is longer. The diagonal that ends in the corner has row `c − surplus` in column `c`.
    fn surplus(self) -> u32 {
        self.lag - self.lead
    }
}

/// What is left to spend on the diagonal that ends in the corner. It starts at `surplus` edits, in the row above the
/// pattern or beside it.
#[derive(Clone, Copy)]
struct Budget {
    /// Edits. Wraps around when overdrawn, and the verdict follows at once.
    room: u32,
    /// Columns.
    left: u32,
}

impl Budget {
    /// Spends a column, and an edit if there was one, until the verdict is certain: nothing that follows costs less
    /// than nothing, or more than an edit a column. One comparison sees both, and is true at the latest when no column
    /// is left.
    #[inline]
    fn spend(&mut self, is_edit: bool) -> Option<bool> {
        let room = self.room.wrapping_sub(u32::from(is_edit));
        let is_overdrawn = room > self.room;
        *self = Self { room, left: self.left - 1 };
        (room >= self.left).then_some(!is_overdrawn)
    }
}

/// The pattern's symbols in the rows of a narrow band, which move down a row with each column.
trait Window {
    /// A bit for each row that has `symbol`. Rows above the pattern and below it have none.
    fn positions(&self, symbol: u64) -> u32;
    /// Moves on to the next column.
    fn advance(&mut self);
}

/// A few words of symbols, in registers that move along.
struct InRegisters<'a, const BITS: u32, const W: usize> {
    registers: Registers<BITS, W>,
    entering: Symbols<'a, BITS>,
}

impl<'a, const BITS: u32, const W: usize> InRegisters<'a, BITS, W> {
    #[inline]
    fn new(pattern: Text<'a, BITS>, band: Band) -> Self {
        let entering = pattern.symbols_from(W as u32 * Text::<BITS>::PER_WORD - band.lag);
        Self { registers: Registers::new(pattern, band.lag), entering }
    }
}

impl<const BITS: u32, const W: usize> Window for InRegisters<'_, BITS, W> {
    #[inline]
    fn positions(&self, symbol: u64) -> u32 {
        self.registers.positions(symbol) as u32
    }

    #[inline]
    fn advance(&mut self) {
        self.registers.enter(self.entering.next().unwrap_or(0));
    }
}

/// More words of symbols, read again for each column.
struct InMemory<'a, const BITS: u32> {
    pattern: Text<'a, BITS>,
    /// The first row that is in the pattern.
    first: u32,
    /// How many of the band's rows are above it.
    above: u32,
    /// How many it has.
    width: u32,
}

impl<'a, const BITS: u32> InMemory<'a, BITS> {
    fn new(pattern: Text<'a, BITS>, band: Band) -> Self {
        Self { pattern, first: 0, above: band.lag, width: band.width() }
    }
}

impl<const BITS: u32> Window for InMemory<'_, BITS> {
    #[inline]
    fn positions(&self, symbol: u64) -> u32 {
        (self.pattern.positions_from(self.first, self.width, symbol) as u32) << self.above
    }

    #[inline]
    fn advance(&mut self) {
        let has_entered = u32::from(self.above == 0);
        self.first += has_entered;
        self.above -= 1 - has_entered;
    }
}

/// A band of at most 32 rows, in one word: bit k is row `c − lag + k`. After Hyyrö's algorithm for a small band.
///
/// Rows above the pattern are those of symbols that equal none. They start as if `|row|` edits had led to each, which
/// makes the first row of the matrix what it should be, and no value of it smaller.
#[inline]
fn in_window<const BITS: u32, const SWAPS: bool>(
    mut window: impl Window,
    text: Text<'_, BITS>,
    band: Band,
    mut budget: Budget,
) -> bool {
    let corner = 1u32 << band.lead;
    // Differences from the row above, in the column before; then what transpositions look back at.
    let mut rises = u32::MAX << band.lag;
    let mut falls = !rises;
    let (mut diagonal, mut equal_before) = (0, 0);
    for symbol in text.symbols() {
        let equal = window.positions(symbol);
        // The row above in the column before has the same bit there. The row above in this column has the bit below,
        // and this row in the column before had the bit above.
        let swapped = if SWAPS { !diagonal & (equal << 1) & (equal_before >> 1) } else { 0 };
        diagonal = ((equal & rises).wrapping_add(rises) ^ rises) | equal | falls | swapped;
        equal_before = equal;
        if let Some(verdict) = budget.spend(diagonal & corner == 0) {
            return verdict;
        }
        // Differences from the column before, then from the row above in the places of the next column's rows. Its last
        // row was not computed: replacing a symbol leads there.
        let plus = falls | !(diagonal | rises);
        let minus = rises & diagonal;
        rises = minus | !((diagonal >> 1) | plus);
        falls = (diagonal >> 1) & plus;
        window.advance();
    }
    false
}

/// A band of any width, its columns in blocks of 64 rows, kept in `scratch`.
fn in_blocks<const BITS: u32, const SWAPS: bool>(
    pattern: Text<'_, BITS>,
    text: Text<'_, BITS>,
    band: Band,
    mut budget: Budget,
    scratch: &mut (impl Scratch + ?Sized),
) -> bool {
    for block in 0..pattern.n_blocks() {
        Column::START.store::<SWAPS>(block, scratch);
    }
    for (column_ix, symbol) in (0u32..).zip(text.symbols()) {
        let first = column_ix.saturating_sub(band.lag) / BLOCK;
        let upto = (column_ix + band.lead + 1).min(pattern.len()).div_ceil(BLOCK);
        // Wraps around, and is in no block, before the diagonal enters the pattern: until then it costs nothing more.
        let corner = column_ix.wrapping_sub(band.surplus());
        let mut is_edit = false;
        let mut carry = Carry::TOP;
        for block in first..upto {
            // First, so that the column takes no registers while it is computed.
            let equal = pattern.positions(block, symbol);
            let mut column = Column::load::<SWAPS>(block, scratch);
            carry = column.step::<SWAPS>(equal, carry);
            column.store::<SWAPS>(block, scratch);
            if block == corner / BLOCK {
                is_edit = (column.diagonal >> (corner % BLOCK)) & 1 == 0;
            }
        }
        if let Some(verdict) = budget.spend(is_edit) {
            return verdict;
        }
    }
    false
}

/// Working memory for a pattern of one block, in registers.
struct OneBlock([u64; SCRATCH_PER_BLOCK as usize]);

impl Scratch for OneBlock {
    const IN_LOCKSTEP: bool = true;

    fn get(&self, ix: u32) -> u64 {
        self.0[(ix % SCRATCH_PER_BLOCK) as usize]
    }

    fn set(&mut self, ix: u32, word: u64) {
        self.0[(ix % SCRATCH_PER_BLOCK) as usize] = word;
    }
}

/// A column of a block, a bit a row.
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

/// What enters a block from the row above it, in the lowest bit.
#[derive(Clone, Copy)]
struct Carry {
    /// The row above rises by one from the column before.
    plus: u64,
    /// It falls by one.
    minus: u64,
    /// A transposition may end in the row below it, if the symbols are right there.
    swaps: u64,
}

impl Carry {
    /// The row above the pattern rises by one with each symbol of the text. Above the band, rows do no worse.
    const TOP: Self = Self { plus: 1, minus: 0, swaps: 0 };
}

impl Column {
    /// The first column: row i is i. Nothing was equal before it, so nothing is transposed with it. Blocks that the band
    /// enters later start so too: deleting symbols leads there.
    const START: Self = Self { rises: u64::MAX, falls: 0, diagonal: 0, equal: 0 };

    fn load<const SWAPS: bool>(block: u32, scratch: &(impl Scratch + ?Sized)) -> Self {
        let word = |ix| scratch.get(SCRATCH_PER_BLOCK * block + ix);
        let column = Self { rises: word(0), falls: word(1), ..Self::START };
        if SWAPS { Self { diagonal: word(2), equal: word(3), ..column } } else { column }
    }

    fn store<const SWAPS: bool>(self, block: u32, scratch: &mut (impl Scratch + ?Sized)) {
        let mut set = |ix, word| scratch.set(SCRATCH_PER_BLOCK * block + ix, word);
        set(0, self.rises);
        set(1, self.falls);
        if SWAPS {
            set(2, self.diagonal);
            set(3, self.equal);
        }
    }

    /// The next column, and what enters the block below.
    #[inline]
    fn step<const SWAPS: bool>(&mut self, equal: u64, carry: Carry) -> Carry {
        let swaps = if SWAPS { !self.diagonal & equal } else { 0 };
        let swapped = ((swaps << 1) | carry.swaps) & self.equal;
        let entering = equal | carry.minus;
        let diagonal =
            ((entering & self.rises).wrapping_add(self.rises) ^ self.rises) | entering | self.falls | swapped;
        let plus = self.falls | !(diagonal | self.rises);
        let minus = self.rises & diagonal;
        let (plus_in, minus_in) = ((plus << 1) | carry.plus, (minus << 1) | carry.minus);
        *self = Self { rises: minus_in | !(diagonal | plus_in), falls: plus_in & diagonal, diagonal, equal };
        Carry { plus: plus >> 63, minus: minus >> 63, swaps: swaps >> 63 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Packed, near_strings};
    use crate::text::scratch_words;
    use proptest::prelude::*;
    use std::{vec, vec::Vec};

    /// The whole matrix, by the recurrence that defines it.
    fn distance(a: &[char], b: &[char], swaps: bool) -> u32 {
        let mut rows: Vec<Vec<u32>> = vec![(0..=b.len() as u32).collect()];
        for (i, x) in a.iter().enumerate() {
            let mut row = vec![i as u32 + 1];
            for (j, y) in b.iter().enumerate() {
                let replaced = rows[i][j] + u32::from(x != y);
                let mut least = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
                if swaps && i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                    least = least.min(rows[i - 1][j - 1] + 1);
                }
                row.push(least);
            }
            rows.push(row);
        }
        rows[a.len()][b.len()]
    }

    fn check<const BITS: u32, const SWAPS: bool>(a: &str, b: &str, mosts: &[u32]) {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let want = distance(&chars(a), &chars(b), SWAPS);
        let (x, y) = (Packed::<BITS>::new(a), Packed::<BITS>::new(b));
        let longest = x.text().len().max(y.text().len());
        let mut scratch = vec![0xdead; scratch_words(longest) as usize];
        for most in mosts.iter().copied().chain([want, want + 1, want.saturating_sub(1)]) {
            let got = at_most::<BITS, SWAPS>(x.text(), y.text(), most, scratch.as_mut_slice());
            assert_eq!(got, want <= most, "{a:?} {b:?}: {want}, most {most}, {BITS} bits, swaps {SWAPS}");
        }
    }

    proptest! {
        /// Every number of edits from none to all, so bands of every width: in windows, in one block, in many.
        #[test]
        fn agrees_with_the_recurrence((a, b) in near_strings(), more in prop::collection::vec(0u32..340, 4)) {
            let mosts: Vec<u32> = (0..12).chain([15, 16, 29, 30, 31, 32, 63, 64, 65]).chain(more).collect();
            check::<8, false>(&a, &b, &mosts);
            check::<16, false>(&a, &b, &mosts);
            check::<32, false>(&a, &b, &mosts);
            check::<8, true>(&a, &b, &mosts);
            check::<16, true>(&a, &b, &mosts);
            check::<32, true>(&a, &b, &mosts);
        }
    }
}
