//! The smallest alphabet of a domain, and its values packed in it (see `hyperblock_shared::text`).

use super::TextColumn;
use super::dictionary::Dictionary;
use crate::error::{Error, Result};
use hyperblock_shared::columns::Head;
use hyperblock_shared::signature::element_bit;
use hyperblock_shared::text::MAX_LEN;

pub(super) fn pack(domain: usize, values: &Dictionary) -> Result<TextColumn> {
    let mut alphabet = Alphabet::of(values);
    let bits = match alphabet.n_symbols {
        0..=0xff => 8,
        0x100..=0xffff => 16,
        _ => 32,
    };
    let per_word = 64 / bits;
    let mut packed =
        TextColumn { domain, bits, heads: Vec::with_capacity(values.len()), words: Vec::new(), longest: 0 };
    for value in values.iter() {
        let start = u32::try_from(packed.words.len()).map_err(|_| {
            Error::Job("a column holds more than 32 GiB of distinct text; split the table".into())
        })?;
        let (mut word, mut len) = (0, 0);
        for symbol in value.chars().map(|character| alphabet.symbols[character as usize]) {
            word |= u64::from(symbol) << (len % per_word * bits);
            len += 1;
            if len % per_word == 0 {
                packed.words.push(std::mem::take(&mut word));
            }
        }
        if len % per_word != 0 {
            packed.words.push(word);
        }
        if len > MAX_LEN {
            let message = format!("a value has {len} characters after its transforms; at most {MAX_LEN} fit");
            return Err(Error::Job(message));
        }
        packed.longest = packed.longest.max(len);
        let beginning = packed.words[start as usize];
        packed.heads.push(Head { start, len, beginning, signature: alphabet.signature(value) });
    }
    Ok(packed)
}

/// The characters in use, numbered from 1 by falling frequency (see `hyperblock_shared::signature`).
struct Alphabet {
    /// By character: its symbol, or 0.
    symbols: Vec<u32>,
    n_symbols: usize,
    /// By symbol: how often it was seen in the value at hand.
    seen: Vec<u32>,
}

impl Alphabet {
    fn of(values: &Dictionary) -> Self {
        // As far as characters go, not as far as they might: small tables have small alphabets.
        let greatest = values.all_text().chars().max().map_or(0, |character| character as usize);
        let mut counts = vec![0u64; greatest + 1];
        for character in values.all_text().chars() {
            counts[character as usize] += 1;
        }
        let mut in_use: Vec<usize> = (0..counts.len()).filter(|&character| counts[character] > 0).collect();
        // Characters that are equally frequent stay in order, so the same table always gives the same symbols.
        in_use.sort_by_key(|&character| std::cmp::Reverse(counts[character]));
        let mut symbols = vec![0; counts.len()];
        for (symbol, &character) in (1..).zip(&in_use) {
            symbols[character] = symbol;
        }
        Self { symbols, n_symbols: in_use.len(), seen: vec![0; in_use.len() + 1] }
    }

    fn signature(&mut self, value: &str) -> u128 {
        let mut signature = 0;
        for character in value.chars() {
            let symbol = self.symbols[character as usize];
            signature |= element_bit(symbol, self.seen[symbol as usize]);
            self.seen[symbol as usize] += 1;
        }
        for character in value.chars() {
            self.seen[self.symbols[character as usize] as usize] = 0;
        }
        signature
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperblock_shared::columns::Texts;

    fn column(values: &[&str]) -> TextColumn {
        let mut dictionary = Dictionary::default();
        for value in values {
            dictionary.add(value);
        }
        pack(0, &dictionary).unwrap()
    }

    #[test]
    fn symbols_number_the_characters_in_use() {
        let packed = column(&["ba", "é", "aaaaaaaab"]);
        assert_eq!((packed.bits, packed.longest), (8, 9));
        let texts = Texts { bits: 8, heads: &packed.heads, words: &packed.words };
        let symbols = |code: usize| texts.text::<8>(&packed.heads[code]).symbols().collect::<Vec<_>>();
        assert_eq!(symbols(0), [2, 1]);
        assert_eq!(symbols(1), [3]);
        assert_eq!(symbols(2), [1, 1, 1, 1, 1, 1, 1, 1, 2]);
        assert_eq!(packed.heads[0].signature, element_bit(2, 0) | element_bit(1, 0));
    }

    #[test]
    fn the_alphabet_grows_with_the_characters() {
        let characters = |n: u32| (0..n).filter_map(|ix| char::from_u32(0x4e00 + ix)).collect::<String>();
        assert_eq!(column(&[&characters(255)]).bits, 8);
        assert_eq!(column(&[&characters(256)]).bits, 16);
        let wide: String = (1..=char::MAX as u32).filter_map(char::from_u32).take(0x10000).collect();
        assert_eq!(column(&[&wide]).bits, 32);
    }
}
