//! Jaro and Jaro-Winkler similarity.
//!
//! With m matches and t transpositions, Jaro's similarity is (m/|a| + m/|b| + (m − t)/m) / 3 (Jaro, *Advances in
//! record-linkage methodology as applied to matching the 1985 census of Tampa, Florida*, JASA 84, 1989), 0 if m = 0.
//! Symbols match if they are equal and at most max(|a|, |b|)/2 − 1 places apart; each symbol of one string, in order,
//! takes the first free match. t is half the matched symbols that stand in another order, rounded down.
//! Winkler adds p·l·(1 − Jaro) for a common prefix of l symbols (*String comparator metrics and enhanced decision
//! rules in the Fellegi-Sunter model of record linkage*, 1990): here p = 0.1, l at most 4, and the boost always applies.
//!
//! It is the same which string's symbols take and which are taken. Look at the places p of one character in one string
//! and its places q in the other. What is free below the window of some p stays below the windows that follow, so the
//! first free match is the first q in the window that no match has passed: two pointers move through both lists, the one
//! at a place that is too low for the other moves on, and both do at a match. That treats both strings alike. So the
//! shorter string's symbols take: there are fewer, and fewer of them need to stay alone before the verdict is certain.

mod by_symbol;
mod matches;
#[cfg(test)]
mod tests;

use super::{Asked, Exact, Goal, TextMeasure, most_common};
use crate::billionths::{Billionths, billionths, billionths_wide};
use crate::columns::Head;
use crate::screen::{Allowed, Limits};
use crate::text::{BLOCK, Registers, Scratch, Text};
use crate::threshold::ArchivedThreshold;
use by_symbol::matches_by_symbol;
use core::ops::{Add, Mul};
use matches::matches;

/// The longest prefix that counts.
const MOST_PREFIX: u32 = 4;

#[derive(Clone, Copy)]
pub(super) struct Jaro {
    /// Whether a common beginning counts, as Winkler has it.
    pub(super) is_boosted: bool,
}

/// It counts nothing, so a count never holds.
impl TextMeasure for Jaro {
    /// Symbols that match are common ones; nothing is known of longer q-grams.
    const GRAMS: &'static [u32] = &[1];

    #[inline]
    fn holds_on_equals<G: Goal>(self, _: &Head, asked: Asked<G>) -> bool {
        matches!(asked, Asked::Similarity(goal) if goal.reached(1, 1))
    }

    #[inline]
    fn possible<G: Goal>(self, a: &Head, b: &Head, bits: u32, asked: Asked<G>) -> bool {
        let Asked::Similarity(goal) = asked else { return false };
        let prefix = if self.is_boosted { a.common_beginning(b, bits, MOST_PREFIX) } else { 0 };
        possible(a.len, b.len, most_common(a, b), prefix, goal)
    }

    #[inline(always)]
    fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        asked: Asked<&ArchivedThreshold>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool {
        let Asked::Similarity(threshold) = asked else { return false };
        self.reaches(a, b, threshold, scratch)
    }

    #[inline(always)]
    fn billionths<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        _: Asked<Billionths>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> u32 {
        let matches = matches(a, b, scratch);
        let prefix = self.prefix(a, b);
        if a.len().max(b.len()) <= LONGEST_NARROW {
            let (numerator, denominator) = matches.similarity(a.len(), b.len(), prefix);
            billionths(numerator, denominator)
        } else {
            let (numerator, denominator) = matches.similarity(a.len(), b.len(), prefix);
            billionths_wide(numerator, denominator)
        }
    }

    fn exact<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Exact {
        let (numerator, denominator) =
            matches(a, b, scratch).similarity::<u128>(a.len(), b.len(), self.prefix(a, b));
        // In lowest terms: no length is to be seen in them anyway.
        let (mut divisor, mut rest) = (denominator, numerator);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Exact { count: None, similarity: (numerator / divisor, denominator / divisor) }
    }

    fn least_common(self, asked: Asked<&ArchivedThreshold>, _: u32, n_a: u32, n_b: u32) -> Option<u32> {
        let Asked::Similarity(threshold) = asked else { return None };
        least_common(n_a, n_b, self.longest_prefix(n_a, n_b), threshold)
    }

    #[inline]
    fn limits(self, asked: Asked<&ArchivedThreshold>, len_l: u32, len_r: u32) -> Limits {
        let Asked::Similarity(threshold) = asked else { return Limits::always(Allowed::NEVER) };
        let with = |prefix| Allowed::sharing(len_l, len_r, least_common(len_l, len_r, prefix, threshold));
        match self.is_boosted {
            false => Limits::always(with(0)),
            true => Limits { alike: with(self.longest_prefix(len_l, len_r)), unlike: with(0) },
        }
    }
}

impl Jaro {
    /// How many equal symbols at the beginning count.
    #[inline]
    fn prefix<const BITS: u32>(self, a: Text<'_, BITS>, b: Text<'_, BITS>) -> u32 {
        if self.is_boosted { common_prefix(a, b) } else { 0 }
    }

    /// The most that they can be: that helps most.
    #[inline]
    fn longest_prefix(self, len_a: u32, len_b: u32) -> u32 {
        if self.is_boosted { MOST_PREFIX.min(len_a).min(len_b) } else { 0 }
    }

    /// Whether the similarity of `a` and `b` reaches `threshold`.
    #[inline]
    fn reaches<const BITS: u32, S: Scratch + ?Sized>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        threshold: &ArchivedThreshold,
        scratch: &mut S,
    ) -> bool {
        let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        if long.len() > BLOCK {
            return least_common(short.len(), long.len(), self.prefix(short, long), threshold)
                .and_then(|least| match S::IN_LOCKSTEP {
                    true => matches_in_blocks(short, long, short.len() - least, scratch),
                    false => matches_by_symbol(short, long, short.len() - least, scratch),
                })
                .is_some_and(|found| {
                    let prefix = self.prefix(short, long);
                    reaches_wide(found.matched, found.transposed, short.len(), long.len(), prefix, threshold)
                });
        }
        let prefix = self.prefix(short, long);
        let Some(least) = least_common(short.len(), long.len(), prefix, threshold) else {
            return false;
        };
        let most_alone = short.len() - least;
        match_in_words(short, long, most_alone).is_some_and(|pairs| {
            let matched = pairs.short.count_ones();
            let most = most_transposed(matched, short.len(), long.len(), prefix, threshold);
            matched / 2 <= most || pairs.transposed(short, long, most) <= most
        })
    }
}

/// The least number of common symbols with which strings of these lengths, which begin with `prefix` equal symbols, can
/// reach `threshold`: if they are in the same order. `None` if not even all of the shorter string is enough. Strings of
/// more than 2^14 symbols are left to the comparison itself: for them it is 0. No string is empty.
#[inline]
fn least_common(len_a: u32, len_b: u32, prefix: u32, threshold: &ArchivedThreshold) -> Option<u32> {
    /// |a| |b| is at most 2^28, so that with 30 · digits, which is below 2^35, it fits in 64 bits.
    const LONGEST: u32 = 1 << 14;
    if len_a.max(len_b) > LONGEST || threshold.reached(0, 1) {
        return Some(0);
    }
    let (digits, scale) = (u64::from(threshold.digits.to_native()), u64::from(threshold.scale.to_native()));
    let (a, b, l) = (u64::from(len_a), u64::from(len_b), u64::from(prefix));
    // With t = 0 the similarity, as [`Matches::similarity`] has it, is
    //   ((10 − l)(m (a + b) + ab) + 3 l ab) / (30 ab),
    // so m (a + b)(10 − l) scale is compared with ab (30 digits − (10 + 2 l) scale). And at least one must match.
    let wanted = a * b * (30 * digits).saturating_sub((10 + 2 * l) * scale);
    let least = threshold.least(wanted, (a + b) * (10 - l) * scale).max(1);
    (least <= a.min(b)).then_some(least as u32)
}

/// The most transpositions with which strings of one block and so many matches reach `threshold`, if they do with none.
#[inline]
fn most_transposed(matched: u32, len_a: u32, len_b: u32, prefix: u32, threshold: &ArchivedThreshold) -> u32 {
    let scale = u64::from(threshold.scale.to_native());
    let (numerator, denominator) = Matches { matched, transposed: 0 }.similarity::<u64>(len_a, len_b, prefix);
    // A transposition takes (10 − l) ab from the numerator.
    let unit = u64::from(10 - prefix) * u64::from(len_a) * u64::from(len_b) * scale;
    let room = numerator * scale - denominator * u64::from(threshold.digits.to_native());
    ((room - u64::from(threshold.strict)) / unit) as u32
}

/// Whether strings of these lengths can reach `goal` with at most so many symbols in common, in whatever order, and
/// at most such a common prefix that counts: a necessary condition that needs no look at the strings.
#[inline]
fn possible(len_a: u32, len_b: u32, common: u32, prefix: u32, goal: impl Goal) -> bool {
    best(len_a, len_b, common, prefix)
        .is_none_or(|(numerator, denominator)| goal.reached(numerator, denominator))
}

/// The most that the similarity of such strings can be, as a fraction of numbers below 2^32. Long strings are left to the
/// comparison itself.
#[inline]
fn best(len_a: u32, len_b: u32, common: u32, prefix: u32) -> Option<(u64, u64)> {
    let best = Matches { matched: common, transposed: 0 };
    (len_a.max(len_b) <= LONGEST_NARROW).then(|| best.similarity(len_a, len_b, prefix.min(common)))
}

/// 10 · 3 · 512^3 is below 2^32.
const LONGEST_NARROW: u32 = 512;

fn common_prefix<const BITS: u32>(a: Text<'_, BITS>, b: Text<'_, BITS>) -> u32 {
    a.symbols().zip(b.symbols()).take(MOST_PREFIX as usize).take_while(|(x, y)| x == y).count() as u32
}

/// How many symbols match, and how many of them are transposed.
struct Matches {
    matched: u32,
    transposed: u32,
}

impl Matches {
    const NONE: Self = Self { matched: 0, transposed: 0 };

    /// The similarity as a fraction. Both parts are at most 10 · 3 · max(len)^3: below 2^23 for one block, and below
    /// 2^77 for strings of 2^24 symbols.
    fn similarity<N>(&self, len_a: u32, len_b: u32, prefix: u32) -> (N, N)
    where
        N: From<u32> + Copy + Add<Output = N> + Mul<Output = N>,
    {
        if self.matched == 0 {
            return (N::from(0), N::from(1));
        }
        let (a, b, m) = (N::from(len_a), N::from(len_b), N::from(self.matched));
        let in_order = N::from(self.matched - self.transposed);
        let (jaro, one) = (m * m * (a + b) + in_order * a * b, N::from(3) * a * b * m);
        (N::from(10 - prefix) * jaro + N::from(prefix) * one, N::from(10) * one)
    }
}

/// The symbols that match, a bit each. Both strings have as many.
#[derive(Clone, Copy)]
struct Pairs {
    short: u64,
    long: u64,
}

impl Pairs {
    /// The transpositions, or some number above `most`.
    #[inline]
    fn transposed<const BITS: u32>(self, short: Text<'_, BITS>, long: Text<'_, BITS>, most: u32) -> u32 {
        let Self { short: mut left_short, long: mut left_long } = self;
        let mut disordered = 0;
        while left_short != 0 && disordered / 2 <= most {
            let (x, y) = (short.at(left_short.trailing_zeros()), long.at(left_long.trailing_zeros()));
            disordered += u32::from(x != y);
            left_short &= left_short - 1;
            left_long &= left_long - 1;
        }
        disordered / 2
    }
}

/// The matches of strings of one block, or `None` if more than `most_alone` symbols of the shorter one have none.
#[inline]
fn match_in_words<const BITS: u32>(
    short: Text<'_, BITS>,
    long: Text<'_, BITS>,
    most_alone: u32,
) -> Option<Pairs> {
    let reach = reach(long);
    match long.words().len() {
        ..=2 => {
            let registers = Registers::<BITS, 2>::new(long, 0);
            match_among(short, |symbol| registers.positions(symbol), reach, most_alone)
        }
        3..=4 => {
            let registers = Registers::<BITS, 4>::new(long, 0);
            match_among(short, |symbol| registers.positions(symbol), reach, most_alone)
        }
        _ => match_among(short, |symbol| long.positions(0, symbol), reach, most_alone),
    }
}

/// The same, where `positions` says which of the longer string's symbols equal one.
#[inline]
fn match_among<const BITS: u32>(
    short: Text<'_, BITS>,
    positions: impl Fn(u64) -> u64,
    reach: u32,
    most_alone: u32,
) -> Option<Pairs> {
    let mut pairs = Pairs { short: 0, long: 0 };
    let (mut window, mut left_alone) = (below(reach + 1), most_alone);
    for (ix, symbol) in (0u32..).zip(short.symbols()) {
        let free = positions(symbol) & window & !pairs.long;
        if free == 0 {
            left_alone = left_alone.checked_sub(1)?;
        } else {
            pairs.long |= free & free.wrapping_neg();
            pairs.short |= 1 << ix;
        }
        // Its lower end stays at the first place until that is out of reach.
        window = (window << 1) | u64::from(ix < reach);
    }
    Some(pairs)
}

/// Not inlined: multiplying in 128 bits takes more registers than all else, and long strings are rare.
#[inline(never)]
fn reaches_wide(
    matched: u32,
    transposed: u32,
    len_a: u32,
    len_b: u32,
    prefix: u32,
    threshold: &ArchivedThreshold,
) -> bool {
    let (numerator, denominator) = Matches { matched, transposed }.similarity::<u128>(len_a, len_b, prefix);
    threshold.reached_wide(numerator, denominator)
}

/// The matches of strings of any length, or `None` if more than `most_alone` symbols of the shorter one have none. The
/// bits are in `scratch`: first those of the longer string, then those of the shorter.
fn matches_in_blocks<const BITS: u32>(
    short: Text<'_, BITS>,
    long: Text<'_, BITS>,
    most_alone: u32,
    scratch: &mut (impl Scratch + ?Sized),
) -> Option<Matches> {
    let reach = reach(long);
    let of_short = long.n_blocks();
    for ix in 0..of_short + short.n_blocks() {
        scratch.set(ix, 0);
    }
    let mut left_alone = most_alone;
    for (ix, symbol) in (0u32..).zip(short.symbols()) {
        let (from, upto) = (ix.saturating_sub(reach), (ix + reach + 1).min(long.len()));
        let mut is_alone = true;
        for block in from / BLOCK..upto.div_ceil(BLOCK) {
            // First, so that what follows takes no registers while it is computed.
            let equal = long.positions(block, symbol);
            let start = block * BLOCK;
            let window = below(upto - start) & !below(from.saturating_sub(start));
            let taken = scratch.get(block);
            let free = equal & window & !taken;
            if free != 0 {
                scratch.set(block, taken | (free & free.wrapping_neg()));
                let place = of_short + ix / BLOCK;
                scratch.set(place, scratch.get(place) | 1 << (ix % BLOCK));
                is_alone = false;
                break;
            }
        }
        if is_alone {
            left_alone = left_alone.checked_sub(1)?;
        }
    }
    let transposed = disordered(short, long, scratch) / 2;
    Some(Matches { matched: short.len() - (most_alone - left_alone), transposed })
}

/// The matched symbols that stand in another order; their bits are in `scratch`, first those of the longer string.
fn disordered<const BITS: u32>(
    short: Text<'_, BITS>,
    long: Text<'_, BITS>,
    scratch: &(impl Scratch + ?Sized),
) -> u32 {
    let of_short = long.n_blocks();
    // Bits are taken away one by one on both sides, which have as many.
    let (mut disordered, mut block_long, mut left_long) = (0, 0, scratch.get(0));
    for block in 0..short.n_blocks() {
        let mut left_short = scratch.get(of_short + block);
        while left_short != 0 {
            while left_long == 0 {
                block_long += 1;
                left_long = scratch.get(block_long);
            }
            let x = short.at(block * BLOCK + left_short.trailing_zeros());
            let y = long.at(block_long * BLOCK + left_long.trailing_zeros());
            disordered += u32::from(x != y);
            left_short &= left_short - 1;
            left_long &= left_long - 1;
        }
    }
    disordered
}

/// How far apart equal symbols may stand.
fn reach<const BITS: u32>(long: Text<'_, BITS>) -> u32 {
    (long.len() / 2).saturating_sub(1)
}

/// The bits below `end`.
fn below(end: u32) -> u64 {
    1u64.checked_shl(end).map_or(u64::MAX, |bit| bit - 1)
}
