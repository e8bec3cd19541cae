//! Jaro against its definition, another implementation, and its own bounds.

use super::*;
use crate::testing::{Packed, archived, at_least, decimals, near_strings};
use crate::text::scratch_words;
use crate::threshold::Threshold;
use proptest::prelude::*;
use std::vec;

const JARO: Jaro = Jaro { is_boosted: false };
const WINKLER: Jaro = Jaro { is_boosted: true };

fn reaches<const BITS: u32>(a: &str, b: &str, jaro: Jaro, threshold: Threshold) -> bool {
    let (x, y) = (Packed::<BITS>::new(a), Packed::<BITS>::new(b));
    let mut scratch = vec![0xdead; scratch_words(a.len().max(b.len()) as u32) as usize];
    let alone = archived(threshold, |t| jaro.reaches(x.text(), y.text(), t, scratch.as_mut_slice()));
    let mut scratch = Lockstep(scratch);
    let in_lockstep = archived(threshold, |t| jaro.reaches(x.text(), y.text(), t, &mut scratch));
    assert_eq!(alone, in_lockstep, "{a} {b}");
    alone
}

/// Scratch as a GPU lends it.
struct Lockstep(vec::Vec<u64>);

impl Scratch for Lockstep {
    const IN_LOCKSTEP: bool = true;

    fn get(&self, ix: u32) -> u64 {
        self.0[ix as usize]
    }

    fn set(&mut self, ix: u32, word: u64) {
        self.0[ix as usize] = word;
    }
}

/// How many characters two strings have in common, in whatever order.
fn common(a: &str, b: &str) -> u32 {
    let mut rest: vec::Vec<char> = b.chars().collect();
    a.chars()
        .filter(|char| rest.iter().position(|other| other == char).map(|ix| rest.swap_remove(ix)).is_some())
        .count() as u32
}

proptest! {
    #[test]
    fn agrees_with_strsim_away_from_the_threshold((a, b) in near_strings(), threshold in decimals(), winkler: bool) {
        prop_assume!(!a.is_empty() && !b.is_empty());
        let jaro = strsim::jaro(&a, &b);
        let prefix = a.chars().zip(b.chars()).take(4).take_while(|(x, y)| x == y).count();
        let measure = Jaro { is_boosted: winkler };
        let similarity = if winkler { jaro + prefix as f64 * 0.1 * (1.0 - jaro) } else { jaro };
        let wanted = f64::from(threshold.digits) / f64::from(threshold.scale);
        prop_assume!((similarity - wanted).abs() > 1e-9);
        let reached = reaches::<8>(&a, &b, measure, threshold);
        prop_assert_eq!(reached, similarity > wanted);
        prop_assert_eq!(reaches::<16>(&a, &b, measure, threshold), reached);
        prop_assert_eq!(reaches::<32>(&a, &b, measure, threshold), reached);
        let (len_a, len_b) = (a.chars().count() as u32, b.chars().count() as u32);
        let prefix = if winkler { prefix as u32 } else { 0 };
        let possible = archived(threshold, |t| possible(len_a, len_b, common(&a, &b), prefix, t));
        prop_assert!(possible || !reached);
        prop_assert_eq!(reaches::<8>(&b, &a, measure, threshold), reached);
    }
}

proptest! {
    #[test]
    fn the_similarity_reaches_itself((a, b) in near_strings(), winkler: bool) {
        prop_assume!(!a.is_empty() && !b.is_empty());
        let measure = Jaro { is_boosted: winkler };
        let mut scratch = vec![0xdead; scratch_words(a.len().max(b.len()) as u32) as usize];
        let (x, y) = (Packed::<8>::new(&a), Packed::<8>::new(&b));
        let (numerator, denominator) = measure.exact(x.text(), y.text(), scratch.as_mut_slice()).similarity;
        // The decimal at or below it is reached, the next one is not.
        let digits = (numerator * 10_000 / denominator) as u32;
        let at = |digits| Threshold { digits, scale: 10_000, strict: false };
        prop_assert!(reaches::<8>(&a, &b, measure, at(digits)));
        prop_assert!(digits == 10_000 || !reaches::<8>(&a, &b, measure, at(digits + 1)));
        prop_assert_eq!(denominator == numerator, a == b);
        let in_lockstep = measure.exact(x.text(), y.text(), &mut Lockstep(scratch.clone()));
        prop_assert_eq!(in_lockstep.similarity, (numerator, denominator));
        let turned = measure.exact(y.text(), x.text(), scratch.as_mut_slice());
        prop_assert_eq!(turned.similarity, (numerator, denominator));
    }
}

proptest! {
    #[test]
    fn the_least_common_is_the_least_possible(
        len_a in 1u32..130, len_b in 1u32..130, prefix in 0u32..5, threshold in decimals()
    ) {
        let want = (0..=len_a.min(len_b)).find(|&matched| {
            let (numerator, denominator) =
                Matches { matched, transposed: 0 }.similarity::<u64>(len_a, len_b, prefix);
            at_least(numerator, denominator, threshold)
        });
        prop_assert_eq!(archived(threshold, |t| least_common(len_a, len_b, prefix, t)), want);
        // No more symbols of a prefix count than are common.
        let possible = archived(threshold, |t| {
            (0..=len_a.min(len_b)).find(|&common| possible(len_a, len_b, common, prefix, t))
        });
        if prefix == 0 || want.is_some_and(|want| want >= prefix) {
            prop_assert_eq!(possible, want);
        }
    }

    #[test]
    fn transpositions_are_allowed_while_the_similarity_is_reached(
        len_a in 1u32..=64, len_b in 1u32..=64, matched in 1u32..=64, prefix in 0u32..5, threshold in decimals()
    ) {
        let matched = matched.min(len_a).min(len_b);
        let reached = |transposed| {
            let (numerator, denominator) =
                Matches { matched, transposed }.similarity::<u64>(len_a, len_b, prefix);
            at_least(numerator, denominator, threshold)
        };
        prop_assume!(reached(0));
        let most = archived(threshold, |t| most_transposed(matched, len_a, len_b, prefix, t));
        for transposed in 0..=matched / 2 {
            prop_assert_eq!(transposed <= most, reached(transposed));
        }
    }
}

/// The definition, taken at its word: the first string's symbols take.
fn by_the_book(a: &str, b: &str) -> (u64, u64) {
    let (a, b): (vec::Vec<char>, vec::Vec<char>) = (a.chars().collect(), b.chars().collect());
    let reach = (a.len().max(b.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; b.len()];
    let mut matched = vec![];
    for (ix, char) in a.iter().enumerate() {
        let free = (0..b.len()).find(|&at| b[at] == *char && !taken[at] && at.abs_diff(ix) <= reach);
        if let Some(at) = free {
            taken[at] = true;
            matched.push(*char);
        }
    }
    let in_b = b.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(char, _)| char);
    let transposed = in_b.zip(&matched).filter(|(x, y)| x != y).count() / 2;
    let (a, b, m, t) = (a.len() as u64, b.len() as u64, matched.len() as u64, transposed as u64);
    if m == 0 { (0, 1) } else { (m * m * (a + b) + (m - t) * a * b, 3 * a * b * m) }
}

proptest! {
    #[test]
    fn is_what_the_definition_says((a, b) in near_strings(), threshold in decimals()) {
        prop_assume!(!a.is_empty() && !b.is_empty());
        let (numerator, denominator) = by_the_book(&a, &b);
        let want = at_least(numerator, denominator, threshold);
        prop_assert_eq!(reaches::<8>(&a, &b, JARO, threshold), want);
        prop_assert_eq!(reaches::<16>(&a, &b, JARO, threshold), want);
        prop_assert_eq!(reaches::<32>(&a, &b, JARO, threshold), want);
        // And at the very similarity, if its decimals fit.
        let (digits, scale) = (numerator * 1_000_000 / denominator, 1_000_000);
        for digits in digits..=(digits + 1).min(scale) {
            let at = Threshold { digits: digits as u32, scale: scale as u32, strict: false };
            let want = at_least(numerator, denominator, at);
            prop_assert_eq!(reaches::<8>(&a, &b, JARO, at), want);
        }
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
        assert_eq!(reaches::<8>(a, b, WINKLER, threshold), want, "{a} {b} {digits}");
    }
}

#[test]
fn fractions_for_people_are_in_lowest_terms() {
    let (a, b) = (Packed::<8>::new("MARTHA"), Packed::<8>::new("MARHTA"));
    assert_eq!(WINKLER.exact(a.text(), b.text(), &mut [][..]).similarity, (173, 180));
    let (a, b) = (Packed::<8>::new("a"), Packed::<8>::new("b"));
    assert_eq!(JARO.exact(a.text(), b.text(), &mut [][..]).similarity, (0, 1));
}
