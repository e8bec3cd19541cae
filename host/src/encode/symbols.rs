//! The smallest alphabet of a domain, and its values packed in it (see `hyperblock_shared::text`).

use super::TextColumn;
use super::dictionary::Dictionary;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use hyperblock_shared::columns::Head;
use hyperblock_shared::signature::element_bit;
use hyperblock_shared::text::MAX_LEN;
use rayon::prelude::*;

/// Values that a thread packs at a time.
const VALUES_PER_SHARE: usize = 1 << 12;
/// Bytes of text that a thread counts characters of at a time.
const BYTES_PER_SHARE: usize = 1 << 20;

/// Packs values, a share of them by each thread; the shares are put together in order.
pub(super) fn pack(domain: usize, values: &Dictionary, control: &Control) -> Result<TextColumn> {
    let alphabet = Alphabet::of(values.all_text());
    let bits = match alphabet.n_symbols {
        0..=0xff => 8,
        0x100..=0xffff => 16,
        _ => 32,
    };
    let n_shares = values.len().div_ceil(VALUES_PER_SHARE);
    let share = |share: usize| {
        control.check()?;
        let first = share * VALUES_PER_SHARE;
        let codes = first..values.len().min(first + VALUES_PER_SHARE);
        alphabet.share(codes.map(|code| values.get(code)), bits)
    };
    let shares: Vec<Share> = (0..n_shares).into_par_iter().map(share).collect::<Result<_>>()?;
    let n_words = shares.iter().map(|share| share.words.len()).sum();
    if u32::try_from(n_words).is_err() {
        return Err(Error::Job("a column holds more than 32 GiB of distinct text; split the table".into()));
    }
    let mut packed = TextColumn {
        domain,
        bits,
        heads: Vec::with_capacity(values.len()),
        words: Vec::with_capacity(n_words),
        longest: 0,
    };
    for share in shares {
        let before = packed.words.len() as u32;
        packed.heads.extend(share.heads.iter().map(|head| Head { start: before + head.start, ..*head }));
        packed.words.extend(share.words);
        packed.longest = packed.longest.max(share.longest);
    }
    Ok(packed)
}

/// Some values, packed: a part of a column, whose words begin at 0.
#[derive(Default)]
struct Share {
    heads: Vec<Head>,
    words: Vec<u64>,
    longest: u32,
}

/// The characters in use, numbered from 1 by falling frequency (see `hyperblock_shared::signature`).
struct Alphabet {
    /// By character: its symbol, or 0.
    symbols: Vec<u32>,
    n_symbols: usize,
}

impl Alphabet {
    fn of(text: &str) -> Self {
        let counts = shares_of(text).par_iter().map(|share| counts(share)).reduce(Vec::new, |a, b| {
            let (mut more, fewer) = if a.len() < b.len() { (b, a) } else { (a, b) };
            more.iter_mut().zip(fewer).for_each(|(sum, n)| *sum += n);
            more
        });
        let mut in_use: Vec<usize> = (0..counts.len()).filter(|&character| counts[character] > 0).collect();
        // Characters that are equally frequent stay in order, so the same table always gives the same symbols.
        in_use.sort_by_key(|&character| std::cmp::Reverse(counts[character]));
        let mut symbols = vec![0; counts.len()];
        for (symbol, &character) in (1..).zip(&in_use) {
            symbols[character] = symbol;
        }
        Self { symbols, n_symbols: in_use.len() }
    }

    /// Packs some values.
    fn share<'a>(&self, values: impl Iterator<Item = &'a str>, bits: u32) -> Result<Share> {
        let per_word = 64 / bits;
        // By symbol: how often it was seen in the value at hand.
        let mut seen = vec![0u32; self.n_symbols + 1];
        let mut share = Share::default();
        for value in values {
            let start = share.words.len();
            let (mut word, mut len, mut signature) = (0, 0, 0);
            for symbol in value.chars().map(|character| self.symbols[character as usize]) {
                word |= u64::from(symbol) << (len % per_word * bits);
                len += 1;
                if len % per_word == 0 {
                    share.words.push(std::mem::take(&mut word));
                }
                signature |= element_bit(symbol, seen[symbol as usize]);
                seen[symbol as usize] += 1;
            }
            if len % per_word != 0 {
                share.words.push(word);
            }
            if len > MAX_LEN {
                return Err(Error::Job(format!(
                    "a value has {len} characters after its transforms; at most {MAX_LEN} fit"
                )));
            }
            for character in value.chars() {
                seen[self.symbols[character as usize] as usize] = 0;
            }
            share.longest = share.longest.max(len);
            let beginning = share.words[start];
            share.heads.push(Head { start: start as u32, len, beginning, signature });
        }
        Ok(share)
    }
}

/// How often each character stands in a text: as far as characters go, not as far as they might, since small tables have
/// small alphabets.
fn counts(text: &str) -> Vec<u64> {
    let mut counts = Vec::new();
    for character in text.chars() {
        if character as usize >= counts.len() {
            counts.resize(character as usize + 1, 0);
        }
        counts[character as usize] += 1;
    }
    counts
}

/// A text in pieces that end between characters.
fn shares_of(mut text: &str) -> Vec<&str> {
    let mut shares = Vec::new();
    while !text.is_empty() {
        let (share, rest) = text.split_at(text.ceil_char_boundary(BYTES_PER_SHARE));
        shares.push(share);
        text = rest;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperblock_shared::columns::Texts;

    fn column(values: &[&str]) -> TextColumn {
        let mut dictionary = Dictionary::default();
        for value in values {
            dictionary.add(value, dictionary.hash(value));
        }
        pack(0, &dictionary, &Control::default()).unwrap()
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
