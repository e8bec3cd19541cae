//! Jaro and Jaro-Winkler similarity.
//!
//! With m matches and t transpositions, Jaro's similarity is (m/|a| + m/|b| + (m − t)/m) / 3 (Jaro, *Advances in
//! record-linkage methodology as applied to matching the 1985 census of Tampa, Florida*, JASA 84, 1989), 0 if m = 0.
//! Symbols match if they are equal and at most max(|a|, |b|)/2 − 1 places apart; each symbol of `a`, in order, takes
//! the first free match. t is half the matched symbols that stand in another order, rounded down.
//! Winkler adds p·l·(1 − Jaro) for a common prefix of l symbols (*String comparator metrics and enhanced decision
//! rules in the Fellegi-Sunter model of record linkage*, 1990): here p = 0.1, l at most 4, and the boost always applies.

use crate::predicate::{ArchivedBoost, Boost};
use crate::text::{BLOCK, Scratch, Text};
use crate::threshold::ArchivedThreshold;
use core::ops::{Add, Mul};

/// The longest prefix that counts.
const MOST_PREFIX: u32 = 4;

/// Whether the similarity of `a` and `b` reaches `threshold`.
#[inline]
pub fn similarity_reaches<const BITS: u32>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    boost: &ArchivedBoost,
    threshold: &ArchivedThreshold,
    scratch: &mut (impl Scratch + ?Sized),
) -> bool {
    let prefix = || match boost {
        ArchivedBoost::None => 0,
        ArchivedBoost::Winkler => common_prefix(a, b),
    };
    if a.len().max(b.len()) <= BLOCK {
        return one_block(a, b, prefix(), threshold);
    }
    let found = matches_in_blocks(a, b, scratch);
    reaches_wide(found.matched, found.transposed, a.len(), b.len(), prefix(), threshold)
}

/// The similarity itself, as a fraction: for people. `scratch` is as for [`similarity_reaches`].
pub fn similarity<const BITS: u32>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    boost: Boost,
    scratch: &mut (impl Scratch + ?Sized),
) -> (u128, u128) {
    let prefix = match boost {
        Boost::None => 0,
        Boost::Winkler => common_prefix(a, b),
    };
    let found =
        if a.len().max(b.len()) <= BLOCK { matches_in_words(a, b) } else { matches_in_blocks(a, b, scratch) };
    found.similarity(a.len(), b.len(), prefix)
}

/// Whether strings of these lengths can reach `threshold` with at most so many symbols in common, in whatever order: a
/// necessary condition that needs no look at the strings.
#[inline]
pub fn possible(
    len_a: u32,
    len_b: u32,
    common: u32,
    boost: &ArchivedBoost,
    threshold: &ArchivedThreshold,
) -> bool {
    /// 10 · 3 · 512^3 is below 2^32: longer strings are left to the comparison itself.
    const LONGEST: u32 = 512;
    if len_a.max(len_b) > LONGEST {
        return true;
    }
    let prefix = match boost {
        ArchivedBoost::None => 0,
        ArchivedBoost::Winkler => MOST_PREFIX.min(common),
    };
    let best = Matches { matched: common, transposed: 0 };
    let (numerator, denominator) = best.similarity::<u64>(len_a, len_b, prefix);
    threshold.reached(numerator, denominator)
}

fn common_prefix<const BITS: u32>(a: Text<'_, BITS>, b: Text<'_, BITS>) -> u32 {
    let longest = a.len().min(b.len()).min(MOST_PREFIX);
    (0..longest).find(|&ix| a.at(ix) != b.at(ix)).unwrap_or(longest)
}

struct Matches {
    matched: u32,
    transposed: u32,
}

impl Matches {
    /// All of the shorter string, in order. Every term grows with m and shrinks with t: nothing is better.
    fn best(len_a: u32, len_b: u32) -> Self {
        Self { matched: len_a.min(len_b), transposed: 0 }
    }

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

#[inline]
fn one_block<const BITS: u32>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    prefix: u32,
    threshold: &ArchivedThreshold,
) -> bool {
    let reaches = |found: Matches| {
        let (numerator, denominator) = found.similarity::<u64>(a.len(), b.len(), prefix);
        threshold.reached(numerator, denominator)
    };
    reaches(Matches::best(a.len(), b.len())) && reaches(matches_in_words(a, b))
}

/// Both strings in one word of flags each.
#[inline]
fn matches_in_words<const BITS: u32>(a: Text<'_, BITS>, b: Text<'_, BITS>) -> Matches {
    let reach = reach(a, b);
    let (mut matched_a, mut matched_b) = (0u64, 0u64);
    for (ix, symbol) in (0u32..).zip(a.symbols()) {
        let free = b.positions(0, symbol) & between(ix.saturating_sub(reach), ix + reach + 1) & !matched_b;
        matched_b |= free & free.wrapping_neg();
        matched_a |= u64::from(free != 0) << ix;
    }
    let matched = matched_a.count_ones();
    let mut disordered = 0;
    while matched_a != 0 {
        disordered += u32::from(a.at(matched_a.trailing_zeros()) != b.at(matched_b.trailing_zeros()));
        matched_a &= matched_a - 1;
        matched_b &= matched_b - 1;
    }
    Matches { matched, transposed: disordered / 2 }
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

/// The same with the flags in `scratch`: first those of `b`, then those of `a`.
fn matches_in_blocks<const BITS: u32>(
    a: Text<'_, BITS>,
    b: Text<'_, BITS>,
    scratch: &mut (impl Scratch + ?Sized),
) -> Matches {
    let reach = reach(a, b);
    let flags_a = b.n_blocks();
    for ix in 0..flags_a + a.n_blocks() {
        scratch.set(ix, 0);
    }
    let mut matched = 0;
    for (ix, symbol) in (0u32..).zip(a.symbols()) {
        let (from, upto) = (ix.saturating_sub(reach), (ix + reach + 1).min(b.len()));
        for block in from / BLOCK..upto.div_ceil(BLOCK) {
            let start = block * BLOCK;
            let window = between(from.saturating_sub(start), upto - start);
            let free = b.positions(block, symbol) & window & !scratch.get(block);
            if free != 0 {
                scratch.set(block, scratch.get(block) | (free & free.wrapping_neg()));
                let flags = flags_a + ix / BLOCK;
                scratch.set(flags, scratch.get(flags) | 1 << (ix % BLOCK));
                matched += 1;
                break;
            }
        }
    }
    // Flags are taken away one by one on both sides, which have as many.
    let (mut disordered, mut block_b, mut left_b) = (0, 0, scratch.get(0));
    for block_a in 0..a.n_blocks() {
        let mut left_a = scratch.get(flags_a + block_a);
        while left_a != 0 {
            while left_b == 0 {
                block_b += 1;
                left_b = scratch.get(block_b);
            }
            let (in_a, in_b) = (left_a.trailing_zeros(), left_b.trailing_zeros());
            disordered += u32::from(a.at(block_a * BLOCK + in_a) != b.at(block_b * BLOCK + in_b));
            left_a &= left_a - 1;
            left_b &= left_b - 1;
        }
    }
    Matches { matched, transposed: disordered / 2 }
}

/// How far apart equal symbols may stand.
fn reach<const BITS: u32>(a: Text<'_, BITS>, b: Text<'_, BITS>) -> u32 {
    (a.len().max(b.len()) / 2).saturating_sub(1)
}

/// The bits `from..upto`, those from 64 on left out.
fn between(from: u32, upto: u32) -> u64 {
    let below = |end: u32| 1u64.checked_shl(end).map_or(u64::MAX, |bit| bit - 1);
    below(upto) & !below(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Packed, archived, decimals, near_strings};
    use crate::threshold::Threshold;
    use proptest::prelude::*;
    use std::vec;

    fn reaches<const BITS: u32>(a: &str, b: &str, boost: &ArchivedBoost, threshold: Threshold) -> bool {
        let (x, y) = (Packed::<BITS>::new(a), Packed::<BITS>::new(b));
        let mut scratch = vec![0xdead; a.len().div_ceil(64) + b.len().div_ceil(64)];
        archived(threshold, |t| similarity_reaches(x.text(), y.text(), boost, t, scratch.as_mut_slice()))
    }

    /// How many characters two strings have in common, in whatever order.
    fn common(a: &str, b: &str) -> u32 {
        let mut rest: vec::Vec<char> = b.chars().collect();
        a.chars()
            .filter(|char| {
                rest.iter().position(|other| other == char).map(|ix| rest.swap_remove(ix)).is_some()
            })
            .count() as u32
    }

    proptest! {
        #[test]
        fn agrees_with_strsim_away_from_the_threshold((a, b) in near_strings(), threshold in decimals(), winkler: bool) {
            prop_assume!(!a.is_empty() && !b.is_empty());
            let jaro = strsim::jaro(&a, &b);
            let prefix = a.chars().zip(b.chars()).take(4).take_while(|(x, y)| x == y).count();
            let boost = if winkler { ArchivedBoost::Winkler } else { ArchivedBoost::None };
            let similarity = if winkler { jaro + prefix as f64 * 0.1 * (1.0 - jaro) } else { jaro };
            let wanted = f64::from(threshold.digits) / f64::from(threshold.scale);
            prop_assume!((similarity - wanted).abs() > 1e-9);
            let reached = reaches::<8>(&a, &b, &boost, threshold);
            prop_assert_eq!(reached, similarity > wanted);
            prop_assert_eq!(reaches::<16>(&a, &b, &boost, threshold), reached);
            prop_assert_eq!(reaches::<32>(&a, &b, &boost, threshold), reached);
            let (len_a, len_b) = (a.chars().count() as u32, b.chars().count() as u32);
            let possible = archived(threshold, |t| possible(len_a, len_b, common(&a, &b), &boost, t));
            prop_assert!(possible || !reached);
        }
    }

    proptest! {
        #[test]
        fn the_similarity_reaches_itself((a, b) in near_strings(), winkler: bool) {
            prop_assume!(!a.is_empty() && !b.is_empty());
            let boost = if winkler { Boost::Winkler } else { Boost::None };
            let mut scratch = vec![0xdead; a.len().div_ceil(64) + b.len().div_ceil(64)];
            let (x, y) = (Packed::<8>::new(&a), Packed::<8>::new(&b));
            let (numerator, denominator) = similarity(x.text(), y.text(), boost, scratch.as_mut_slice());
            let archived = if winkler { ArchivedBoost::Winkler } else { ArchivedBoost::None };
            // The decimal at or below it is reached, the next one is not.
            let digits = (numerator * 10_000 / denominator) as u32;
            let at = |digits| Threshold { digits, scale: 10_000, strict: false };
            prop_assert!(reaches::<8>(&a, &b, &archived, at(digits)));
            prop_assert!(digits == 10_000 || !reaches::<8>(&a, &b, &archived, at(digits + 1)));
            prop_assert_eq!(denominator == numerator, a == b);
        }
    }

    #[test]
    fn winklers_examples() {
        // MARTHA/MARHTA: m = 6, t = 1, l = 3: 0.96111…; DIXON/DICKSONX: m = 4, t = 0, l = 2: 0.81333…
        for (a, b, digits, want) in [
            ("MARTHA", "MARHTA", 9611, true),
            ("MARTHA", "MARHTA", 9612, false),
            ("DIXON", "DICKSONX", 8133, true),
            ("DIXON", "DICKSONX", 8134, false),
            ("same", "same", 10_000, true),
            ("a", "b", 0, true),
            ("a", "b", 1, false),
        ] {
            let threshold = Threshold { digits, scale: 10_000, strict: false };
            assert_eq!(reaches::<8>(a, b, &ArchivedBoost::Winkler, threshold), want, "{a} {b} {digits}");
        }
    }
}
