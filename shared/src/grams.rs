//! The q-grams of texts, with their repetitions, as words.
//!
//! Where a q-gram stands several times in a value, its occurrences are numbered: an element is (q-gram, n-th occurrence), so
//! what two values have in common as sets is what they have in common with repetitions. In a word the q-gram stands above the
//! number, which takes as many bits as the longest value needs.

use crate::columns::{Head, Texts};
use crate::text::Text;

/// How elements are words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GramWords {
    /// Symbols of a q-gram.
    pub q: u32,
    /// Bits of the number of an occurrence.
    pub nth_bits: u32,
}

/// How many q-grams a value of so many symbols has.
#[inline]
pub fn n_grams(len: u32, q: u32) -> u32 {
    (len + 1).saturating_sub(q)
}

impl GramWords {
    /// For values of at most `longest` symbols of so many bits. `None`, if words have no room for that: one bit stays clear,
    /// as no word may look like an empty slot.
    pub fn new(bits: u32, q: u32, longest: u32) -> Option<Self> {
        let nth_bits = u32::BITS - longest.leading_zeros();
        (q * bits + nth_bits < u64::BITS).then_some(Self { q, nth_bits })
    }

    /// The q-gram of a value that begins at a symbol. There must be one.
    #[inline]
    pub fn word(self, texts: &Texts<'_>, head: &Head, at: u32) -> u64 {
        match texts.bits {
            8 => self.word_of(texts.text::<8>(head), at),
            16 => self.word_of(texts.text::<16>(head), at),
            _ => self.word_of(texts.text::<32>(head), at),
        }
    }

    #[inline]
    fn word_of<const BITS: u32>(self, text: Text<'_, BITS>, at: u32) -> u64 {
        let add = |gram: u64, symbol: u64| gram << BITS | symbol;
        let own = text.symbols_from(at).take(self.q as usize).fold(0, add);
        let mask = (1 << (self.q * BITS)) - 1;
        let (mut gram, mut nth) = (0, 0);
        // Those that begin before it.
        for (ix, symbol) in (1..at + self.q).zip(text.symbols()) {
            gram = add(gram, symbol) & mask;
            nth += u64::from(ix >= self.q && gram == own);
        }
        own << self.nth_bits | nth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    /// Symbols packed as columns have them.
    fn packed(symbols: &[u64], bits: u32) -> Vec<u64> {
        let per_word = (u64::BITS / bits) as usize;
        let word =
            |symbols: &[u64]| symbols.iter().rev().fold(0, |word, symbol| word << (bits - 1) << 1 | symbol);
        symbols.chunks(per_word).map(word).collect()
    }

    #[test]
    fn occurrences_of_a_gram_are_numbered() {
        // abababab and so on, with a c at some place.
        let symbols: Vec<u64> = (0..23).map(|ix| if ix == 17 { 3 } else { 1 + ix % 2 }).collect();
        for (bits, q) in [(8, 1), (8, 2), (8, 7), (16, 3), (32, 1)] {
            let words = packed(&symbols, bits);
            let head = Head { start: 0, len: symbols.len() as u32, ..Head::default() };
            let texts = Texts { bits, heads: &[head], words: &words };
            let as_words = GramWords::new(bits, q, head.len).expect("there is room");
            let n = n_grams(head.len, q);
            let found: Vec<u64> = (0..n).map(|at| as_words.word(&texts, &head, at)).collect();
            for (at, &word) in found.iter().enumerate() {
                let gram = |at: usize| &symbols[at..at + q as usize];
                let nth = (0..at).filter(|&before| gram(before) == gram(at)).count() as u64;
                let number = gram(at).iter().fold(0, |number, symbol| number << bits | symbol);
                assert_eq!(word, number << as_words.nth_bits | nth, "{bits} bits, q = {q}, at {at}");
            }
            assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), n as usize);
        }
    }

    #[test]
    fn words_have_room_or_there_are_none() {
        assert_eq!(GramWords::new(8, 3, 255), Some(GramWords { q: 3, nth_bits: 8 }));
        assert!(GramWords::new(8, 7, 127).is_some());
        assert!(GramWords::new(8, 7, 128).is_none());
        assert!(GramWords::new(32, 2, 1).is_none());
        assert_eq!((n_grams(0, 2), n_grams(1, 2), n_grams(5, 2)), (0, 0, 4));
    }
}
