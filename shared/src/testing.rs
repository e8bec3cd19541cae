//! What the tests of the measures share: packed strings, archived thresholds, and strings that are nearly alike.

use crate::measure::{ArchivedMeasure, Asked, Exact, Measure, OfSets, OfTexts, Square};
use crate::predicate::{ArchivedPredicate, Predicate, Test};
use crate::text::{Text, scratch_words};
use crate::threshold::{ArchivedThreshold, Threshold};
use proptest::prelude::*;
use std::{string::String, vec, vec::Vec};

/// A string packed at a given width; a character's symbol is its place in [`ALPHABET`].
pub(crate) struct Packed<const BITS: u32> {
    words: Vec<u64>,
    len: u32,
}

impl<const BITS: u32> Packed<BITS> {
    pub(crate) fn new(string: &str) -> Self {
        let symbols: Vec<u64> = string.chars().map(|c| ALPHABET.find(c).unwrap() as u64 + 1).collect();
        let words = symbols
            .chunks(Text::<BITS>::PER_WORD as usize)
            .map(|chunk| chunk.iter().rev().fold(0, |word, symbol| (word << (BITS - 1) << 1) | symbol))
            .collect();
        Self { words, len: symbols.len() as u32 }
    }

    pub(crate) fn text(&self) -> Text<'_, BITS> {
        Text::new(&self.words, self.len)
    }
}

const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ éßÅ漢";

/// A string and another a few edits away, up to some 330 symbols long, from few characters so that many agree. Lengths
/// about the edges of words and blocks come often.
pub(crate) fn near_strings() -> impl Strategy<Value = (String, String)> {
    let symbol = || prop::sample::select(Vec::from(['a', 'b', 'c', 'é', '漢']));
    let text = prop_oneof![
        4 => prop::collection::vec(symbol(), 0..14),
        2 => prop::collection::vec(symbol(), 14..70),
        1 => prop::collection::vec(symbol(), 60..330),
        2 => prop::sample::select(Vec::from([8, 16, 32, 63, 64, 65, 127, 128, 129, 200]))
            .prop_flat_map(move |len| prop::collection::vec(symbol(), len)),
    ];
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..5, symbol()), 0..9);
    (text, edits, any::<bool>()).prop_map(|(a, edits, swap)| {
        let mut b = a.clone();
        for (place, edit, symbol) in edits {
            match edit {
                0 => b.insert(place.index(b.len() + 1), symbol),
                _ if b.is_empty() => {}
                1 => drop(b.remove(place.index(b.len()))),
                2 => {
                    let ix = place.index(b.len());
                    b[ix] = symbol;
                }
                3 if b.len() > 1 => {
                    let ix = place.index(b.len() - 1);
                    b.swap(ix, ix + 1);
                }
                // What was near the beginning comes last: everything between them strays to one side.
                _ => {
                    let n_moved = place.index(b.len().min(20));
                    b.rotate_left(n_moved);
                }
            }
        }
        let (a, b): (String, String) = (a.into_iter().collect(), b.into_iter().collect());
        if swap { (b, a) } else { (a, b) }
    })
}

/// Thresholds with one to four decimals, both ends included.
pub(crate) fn decimals() -> impl Strategy<Value = Threshold> {
    (prop::sample::select(Vec::from([10u32, 100, 10_000])), any::<bool>()).prop_flat_map(|(scale, strict)| {
        (0..=scale).prop_map(move |digits| Threshold { digits, scale, strict })
    })
}

/// Archives a threshold as a plan does, and lends it.
pub(crate) fn archived<T>(threshold: Threshold, then: impl FnOnce(&ArchivedThreshold) -> T) -> T {
    then(&ArchivedThreshold {
        digits: threshold.digits.into(),
        scale: threshold.scale.into(),
        strict: threshold.strict,
    })
}

/// Archives a measure likewise.
pub(crate) fn archived_measure<T>(measure: Measure, then: impl FnOnce(&ArchivedMeasure) -> T) -> T {
    let predicate = Predicate { test: Test::Compare { left: 0, right: 0, measure }, negated: false };
    let bytes = rkyv::to_bytes::<rkyv::rancor::Error>(&predicate).expect("it can be archived");
    let archived = rkyv::access::<ArchivedPredicate, rkyv::rancor::Error>(&bytes).expect("it is sound");
    then(archived.measure().expect("it is a comparison"))
}

/// All measures of texts, of sets and of points, asked for a threshold or a number.
pub(crate) fn all_measures(threshold: Threshold, number: u32) -> impl Iterator<Item = Measure> {
    let asked = move || [Asked::Count(number), Asked::Similarity(threshold)];
    let texts = move |&by| asked().map(|asked| Measure::Texts { texts: 0, by, asked });
    let sets = move |&by| asked().map(|asked| Measure::Sets { sets: 0, by, asked });
    let near = Measure::Near { points: 0, cells: 0, most: Square::new(number.into()) };
    OfTexts::ALL.iter().flat_map(texts).chain(OfSets::ALL.iter().flat_map(sets)).chain([near])
}

/// What holds of two texts by a measure: what it comes to, as near to the bound as can be, and whatever else of `threshold`
/// and `number` does.
pub(crate) fn what_holds<const BITS: u32>(
    by: OfTexts,
    [a, b]: [Text<'_, BITS>; 2],
    threshold: Threshold,
    number: u32,
) -> Vec<Measure> {
    let mut scratch = vec![0; scratch_words(a.len().max(b.len())) as usize];
    let Exact { count, similarity: (numerator, denominator) } = by.exact_on(a, b, &mut scratch);
    let exactly = (denominator <= Threshold::MAX_SCALE.into()).then_some(Threshold {
        digits: numerator as u32,
        scale: denominator as u32,
        strict: false,
    });
    let similarities = exactly.into_iter().chain([threshold]).map(Asked::Similarity);
    let counts = count.into_iter().chain([number]).map(Asked::Count);
    let all = similarities.chain(counts).map(|asked| Measure::Texts { texts: 0, by, asked });
    let holds = move |measure: &Measure| {
        archived_measure(*measure, |measure| match measure {
            ArchivedMeasure::Texts { asked, .. } => by.holds(a, b, asked.get(), scratch.as_mut_slice()),
            _ => false,
        })
    };
    all.filter(holds).collect()
}

/// Whether a fraction reaches a threshold, by the book.
pub(crate) fn at_least(numerator: u64, denominator: u64, threshold: Threshold) -> bool {
    let (is, wanted) = (numerator * u64::from(threshold.scale), denominator * u64::from(threshold.digits));
    is > wanted || (is == wanted && !threshold.strict)
}
