//! Longest common subsequence: the most symbols that two strings have in the same order, with others between them or not.
//! With L of them the similarity is 2 L / (|a| + |b|).
//!
//! The matrix of lengths has a row for each symbol of the shorter string, the *pattern*, and a column for each symbol of
//! the longer one, the *text*. In a column a length is that of the row above or one more; a bit is 0 in the rows where it
//! is one more. The next column follows with an addition, whose carries walk from where the symbols agree to the next such
//! row (Crochemore et al., *A fast and practical bit-vector algorithm for the longest common subsequence problem*,
//! Information Processing Letters 80, 2001; Hyyrö, *Bit-parallel LCS-length computation revisited*, AWOCA 2004):
//!
//! ```text
//!   V' = (V + (V & M)) | (V & !M)         M: the rows that have the column's symbol
//! ```
//!
//! The last column has as many zeros as the subsequence has symbols. A pattern of one block of 64 rows stays in a register.
//! Of a longer one a column is computed block by block, each handing a carry to the next, and kept in `scratch`.

use super::{Asked, Exact, Goal, TextMeasure, most_common};
use crate::billionths::{Billionths, ONE, billionths};
use crate::columns::Head;
use crate::screen::{Allowed, Limits};
use crate::text::{BLOCK, Scratch, Text};
use crate::threshold::ArchivedThreshold;

#[derive(Clone, Copy)]
pub(super) struct Lcs;

impl TextMeasure for Lcs {
    const GRAMS: &'static [u32] = &[1, 2, 3];

    #[inline]
    fn holds_on_equals<G: Goal>(self, value: &Head, asked: Asked<G>) -> bool {
        match asked {
            Asked::Count(least) => value.len >= least,
            Asked::Similarity(goal) => goal.reached(1, 1),
        }
    }

    /// A common subsequence is made of common symbols.
    #[inline]
    fn possible<G: Goal>(self, a: &Head, b: &Head, _: u32, asked: Asked<G>) -> bool {
        let most = most_common(a, b);
        match asked {
            Asked::Count(least) => most >= least,
            Asked::Similarity(goal) => goal.reached(2 * u64::from(most), u64::from(a.len) + u64::from(b.len)),
        }
    }

    #[inline(always)]
    fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        asked: Asked<&ArchivedThreshold>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        let least = least(asked, a.len(), b.len());
        least.is_some_and(|least| length(a, b, scratch) >= least)
    }

    #[inline(always)]
    fn billionths<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        asked: Asked<Billionths>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> u32 {
        let common = length(a, b, scratch);
        match asked {
            Asked::Count(least) if common >= least => ONE,
            Asked::Count(_) => 0,
            Asked::Similarity(_) => {
                billionths(2 * u64::from(common), u64::from(a.len()) + u64::from(b.len()))
            }
        }
    }

    fn exact<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Exact {
        let common = length(a, b, scratch);
        let similarity = (2 * u128::from(common), u128::from(a.len()) + u128::from(b.len()));
        Exact { count: Some(common), similarity }
    }

    /// To turn `a` into `b`, |a| − L symbols are deleted, which touches at most q q-grams each, and |b| − L are inserted,
    /// which parts at most q − 1 each. So of the |a| − q + 1 q-grams at least (2 q − 1) L − (q − 1)(|a| + |b| + 1) are
    /// left, whichever way round.
    fn least_common(self, asked: Asked<&ArchivedThreshold>, q: u32, n_a: u32, n_b: u32) -> Option<u32> {
        let (len_a, len_b) = (n_a + q - 1, n_b + q - 1);
        let common = least(asked, len_a, len_b)?;
        let (q, longest) = (u64::from(q), u64::from(len_a.max(len_b)));
        if let Asked::Similarity(threshold) = asked
            && q > 1
        {
            // A shorter partner may need less, as L is a share of both lengths. The shortest that can reach t with `longest`
            // has all of its symbols in common, so |a| + |b| = 2 longest / (2 − t). If even that pair needs something,
            // all do; if not, none is said to: who needs nothing is then a matter of the longer value alone.
            let (digits, scale) = (threshold.digits(), threshold.scale());
            if (2 * q - 1) * digits * longest <= (q - 1) * (2 * scale * (longest + 1) - digits) {
                return Some(0);
            }
        }
        let lens = u64::from(len_a) + u64::from(len_b);
        Some(((2 * q - 1) * u64::from(common)).saturating_sub((q - 1) * (lens + 1)) as u32)
    }

    #[inline]
    fn limits(self, asked: Asked<&ArchivedThreshold>, len_l: u32, len_r: u32) -> Limits {
        Limits::always(Allowed::sharing(len_l, len_r, least(asked, len_l, len_r)))
    }
}

/// The fewest symbols in common with which it holds on strings of these lengths; `None` if the shorter one has fewer.
#[inline]
fn least(asked: Asked<&ArchivedThreshold>, len_a: u32, len_b: u32) -> Option<u32> {
    let least = match asked {
        Asked::Count(least) => least.into(),
        // 2 L / (|a| + |b|) >= digits / scale; below 2^55.
        Asked::Similarity(threshold) => {
            threshold.least(threshold.digits() * (u64::from(len_a) + u64::from(len_b)), 2 * threshold.scale())
        }
    };
    (least <= u64::from(len_a.min(len_b))).then_some(least as u32)
}

/// How many symbols the longest common subsequence has.
#[inline]
fn length<const BITS: u32>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    scratch: &mut (impl Scratch + ?Sized),
) -> u32 {
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if pattern.len() > BLOCK {
        return in_blocks(pattern, text, scratch);
    }
    let mut column = u64::MAX;
    for symbol in text.symbols() {
        column = step(column, pattern.positions(0, symbol), 0).0;
    }
    (!column).count_ones()
}

/// The same for a pattern of any length.
#[inline]
fn in_blocks<const BITS: u32>(
    pattern: Text<'_, BITS>,
    text: Text<'_, BITS>,
    scratch: &mut (impl Scratch + ?Sized),
) -> u32 {
    let n_blocks = pattern.n_blocks();
    for block in 0..n_blocks {
        scratch.set(block, u64::MAX);
    }
    for symbol in text.symbols() {
        let mut carry = 0;
        for block in 0..n_blocks {
            // First, so that the column takes no registers while it is computed.
            let equal = pattern.positions(block, symbol);
            let (column, leaving) = step(scratch.get(block), equal, carry);
            scratch.set(block, column);
            carry = leaving;
        }
    }
    (0..n_blocks).map(|block| (!scratch.get(block)).count_ones()).sum()
}

/// The next column of a block, and the carry into the block below. Rows past the pattern's end have no symbol, so they
/// stay as they are.
#[inline]
fn step(column: u64, equal: u64, carry: u64) -> (u64, u64) {
    let (sum, has_left) = column.overflowing_add(column & equal);
    let (sum, has_left_too) = sum.overflowing_add(carry);
    (sum | (column & !equal), u64::from(has_left | has_left_too))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Packed, archived, at_least, decimals, near_strings};
    use crate::text::scratch_words;
    use proptest::prelude::*;
    use std::{vec, vec::Vec};

    /// The whole matrix, by the recurrence that defines it.
    fn by_the_book(a: &str, b: &str) -> u32 {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                rows[i + 1][j + 1] = if x == y { rows[i][j] + 1 } else { rows[i][j + 1].max(rows[i + 1][j]) };
            }
        }
        rows[a.len()][b.len()]
    }

    fn check<const BITS: u32>(a: &str, b: &str) {
        let want = by_the_book(a, b);
        let (x, y) = (Packed::<BITS>::new(a), Packed::<BITS>::new(b));
        let mut scratch = vec![0xdead; scratch_words(x.text().len().max(y.text().len())) as usize];
        assert_eq!(length(x.text(), y.text(), scratch.as_mut_slice()), want, "{a:?} {b:?}");
    }

    proptest! {
        #[test]
        fn agrees_with_the_recurrence((a, b) in near_strings(), (c, _) in near_strings()) {
            for (a, b) in [(&a, &b), (&a, &c)] {
                check::<8>(a, b);
                check::<16>(a, b);
                check::<32>(a, b);
            }
        }

        #[test]
        fn thresholds_are_exact((a, b) in near_strings(), threshold in decimals(), count in 0u32..90) {
            prop_assume!(!a.is_empty() && !b.is_empty());
            let want = by_the_book(&a, &b);
            let (x, y) = (Packed::<8>::new(&a), Packed::<8>::new(&b));
            let lens = u64::from(x.text().len() + y.text().len());
            let mut scratch = vec![0xdead; scratch_words(lens as u32) as usize];
            let mut holds = |asked: Asked<&ArchivedThreshold>| Lcs.holds(x.text(), y.text(), asked, scratch.as_mut_slice());
            prop_assert_eq!(holds(Asked::Count(count)), want >= count);
            let reached = archived(threshold, |t| holds(Asked::Similarity(t)));
            prop_assert_eq!(reached, at_least(2 * u64::from(want), lens, threshold));
        }
    }

    #[test]
    fn textbook_examples() {
        // Hirschberg's, CACM 18, 1975, and Wikipedia's.
        for (a, b, want) in
            [("abcbdab", "bdcaba", 4), ("XMJYAUZ", "MZJAWXU", 4), ("a", "b", 0), ("same", "same", 4)]
        {
            assert_eq!(by_the_book(a, b), want);
            check::<8>(a, b);
        }
    }
}
