//! Radix sort: threads part words by their highest digit, and sort what is left of each part within the cache.

use super::part_len;
use crate::base::gather::Gather;
use crate::operators::relations::digits;
use hyperblock_shared::relation::{DIGITS, Digit};
use rayon::prelude::*;
use std::ops::Range;

/// Words that are sorted sooner by comparing them than by counting digits.
const FEW: usize = 96;
/// Words that one thread sorts sooner than several.
const ALONE: usize = 1 << 14;

/// Words in the order of some of their bits; those that agree in them stay as they stand.
pub(in crate::device::cpu) fn sort(words: &[u64], bits: &[Range<u32>]) -> Vec<u64> {
    let digits = digits(bits);
    let Some((&highest, lower)) = digits.split_last() else { return words.to_vec() };
    let mut sorted = vec![0; words.len()];
    if words.len() < ALONE {
        sorted.copy_from_slice(words);
        radix(&mut sorted, &mut Vec::new(), &digits);
        return sorted;
    }
    let class = |word: u64| highest.of(word) as usize;
    let parts: Vec<Parted> = words
        .par_chunks(part_len(words.len()))
        .map(|part| Parted::new(part, DIGITS as usize, class))
        .gather();
    let mut rest = &mut sorted[..];
    let mut places = Vec::with_capacity(DIGITS as usize);
    for value in 0..DIGITS as usize {
        let (place, others) = rest.split_at_mut(segments(&parts, value).map(<[u64]>::len).sum());
        places.push(place);
        rest = others;
    }
    places.into_par_iter().enumerate().for_each_init(Vec::new, |spare, (value, place)| {
        let mut rest = &mut *place;
        for segment in segments(&parts, value) {
            let (to, others) = rest.split_at_mut(segment.len());
            to.copy_from_slice(segment);
            rest = others;
        }
        radix(place, spare, lower);
    });
    sorted
}

/// Sorts words by digits, from the lowest to the highest, by one thread.
pub(in crate::device::cpu) fn radix(words: &mut [u64], spare: &mut Vec<u64>, digits: &[Digit]) {
    if words.len() < FEW {
        // The digits, as one number; a digit has at most 8 bits.
        let key =
            |word: &u64| digits.iter().rev().fold(0, |key, digit| key << 8 | u64::from(digit.of(*word)));
        words.sort_by_key(key);
        return;
    }
    spare.clear();
    spare.resize(words.len(), 0);
    let (mut from, mut to) = (&mut *words, &mut spare[..]);
    let mut is_swapped = false;
    for digit in digits {
        let mut places = [0; DIGITS as usize];
        for &word in &*from {
            places[digit.of(word) as usize] += 1;
        }
        if places.contains(&from.len()) {
            continue;
        }
        let mut start = 0;
        for place in &mut places {
            start += std::mem::replace(place, start);
        }
        for &word in &*from {
            let place = &mut places[digit.of(word) as usize];
            to[*place] = word;
            *place += 1;
        }
        (from, to) = (to, from);
        is_swapped = !is_swapped;
    }
    if is_swapped {
        to.copy_from_slice(from);
    }
}

/// A part of some words, by class.
pub(super) struct Parted {
    words: Vec<u64>,
    /// By class: where it starts; and at the end, how many there are.
    starts: Vec<usize>,
}

impl Parted {
    /// Words of so many classes, each class as it stands.
    pub(super) fn new(words: &[u64], n_classes: usize, class: impl Fn(u64) -> usize) -> Self {
        let mut places = vec![0; n_classes];
        for &word in words {
            places[class(word)] += 1;
        }
        let mut starts = Vec::with_capacity(n_classes + 1);
        let mut start = 0;
        for place in &mut places {
            starts.push(start);
            start += std::mem::replace(place, start);
        }
        starts.push(start);
        let mut parted = vec![0; words.len()];
        for &word in words {
            let place = &mut places[class(word)];
            parted[*place] = word;
            *place += 1;
        }
        Self { words: parted, starts }
    }
}

/// The words of a class, part by part.
pub(super) fn segments(parts: &[Parted], class: usize) -> impl Iterator<Item = &[u64]> {
    parts.iter().map(move |part| &part.words[part.starts[class]..part.starts[class + 1]])
}

#[cfg(test)]
mod tests {
    use super::{ALONE, radix, sort};
    use crate::operators::relations::{ALL_BITS, bits_below, digits};
    use hyperblock_shared::relation::mix;

    #[test]
    fn words_are_sorted_by_one_thread_and_by_several() {
        for n in [0, 1, 95, 96, 1000, ALONE - 1, ALONE, 3 * ALONE] {
            for below in [2, 1000, u64::MAX] {
                let words: Vec<u64> = (0..n as u64).map(|ix| mix(ix) % below).collect();
                let mut expected = words.clone();
                expected.sort_unstable();
                assert_eq!(sort(&words, &ALL_BITS), expected, "{n} below {below}");
                let mut alone = words;
                radix(&mut alone, &mut Vec::new(), &digits(&ALL_BITS));
                assert_eq!(alone, expected, "{n} below {below}, alone");
            }
        }
    }

    #[test]
    fn words_that_agree_stay_as_they_stand() {
        let words: Vec<u64> = (0..2 * ALONE as u64).map(mix).collect();
        let bits = bits_below(8);
        let mut expected = words.clone();
        expected.sort_by_key(|word| (word >> 32 & 7, word & 7));
        assert_eq!(sort(&words, &bits), expected);
    }
}
