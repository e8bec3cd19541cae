//! The smallest alphabet of a domain, and its values packed in it (see `hyperblock_shared::text`).

use super::TextColumn;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use hyperblock_shared::columns::Head;
use hyperblock_shared::signature::element_bit;
use hyperblock_shared::text::MAX_LEN;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// Values that a thread packs at a time.
const VALUES_PER_SHARE: usize = 1 << 12;

/// Packs values, a share of them by each thread. Lengths are found with the alphabet, so each share knows where its words
/// stand, and nothing is put together afterwards.
pub(super) fn pack(domain: usize, values: &[Cow<'_, str>], control: &Control) -> Result<TextColumn> {
    let mut heads = vec![Head::default(); values.len()];
    let alphabet = Alphabet::of(values, &mut heads, control)?;
    let bits = match alphabet.n_symbols {
        0..=0xff => 8,
        0x100..=0xffff => 16,
        _ => 32,
    };
    let longest = heads.iter().map(|head| head.len).max().unwrap_or(0);
    if longest > MAX_LEN {
        return Err(Error::Job(format!(
            "a value has {longest} characters after its transforms; at most {MAX_LEN} fit"
        )));
    }
    let mut n_words = 0u64;
    for head in &mut heads {
        head.start = n_words as u32;
        n_words += u64::from(head.len.div_ceil(64 / bits));
    }
    if u32::try_from(n_words).is_err() {
        return Err(Error::Job("a column holds more than 32 GiB of distinct text; split the table".into()));
    }
    let mut words = vec![0; n_words as usize];
    let (mut shares, mut left) = (Vec::new(), &mut words[..]);
    for (values, heads) in values.chunks(VALUES_PER_SHARE).zip(heads.chunks_mut(VALUES_PER_SHARE)) {
        let n_words = heads.iter().map(|head| head.len.div_ceil(64 / bits) as usize).sum();
        let (words, rest) = left.split_at_mut(n_words);
        left = rest;
        shares.push((values, heads, words));
    }
    shares.into_par_iter().try_for_each(|(values, heads, words)| {
        control.check()?;
        alphabet.pack(values, bits, heads, words);
        Ok::<_, Error>(())
    })?;
    Ok(TextColumn { domain, bits, heads: Arc::new(heads), words: Arc::new(words), longest })
}

/// The characters in use, numbered from 1 by falling frequency (see `hyperblock_shared::signature`).
struct Alphabet {
    /// By character: its symbol, or 0.
    symbols: Vec<u32>,
    n_symbols: usize,
}

impl Alphabet {
    /// Of all values, whose lengths are written to their heads.
    fn of(values: &[Cow<'_, str>], heads: &mut [Head], control: &Control) -> Result<Self> {
        let share = |(values, heads): (&[Cow<'_, str>], &mut [Head])| {
            control.check()?;
            Ok(counts(values, heads))
        };
        let shares = values.par_chunks(VALUES_PER_SHARE).zip(heads.par_chunks_mut(VALUES_PER_SHARE));
        let counts = shares.map(share).try_reduce(Vec::new, |a, b| {
            let (mut more, fewer) = if a.len() < b.len() { (b, a) } else { (a, b) };
            more.iter_mut().zip(fewer).for_each(|(sum, n)| *sum += n);
            Ok(more)
        })?;
        let mut in_use: Vec<usize> = (0..counts.len()).filter(|&character| counts[character] > 0).collect();
        // Characters that are equally frequent stay in order, so the same table always gives the same symbols.
        in_use.sort_by_key(|&character| std::cmp::Reverse(counts[character]));
        let mut symbols = vec![0; counts.len()];
        for (symbol, &character) in (1..).zip(&in_use) {
            symbols[character] = symbol;
        }
        Ok(Self { symbols, n_symbols: in_use.len() })
    }

    /// Packs some values into the words that they have together, which are 0, and completes their heads.
    fn pack(&self, values: &[Cow<'_, str>], bits: u32, heads: &mut [Head], mut words: &mut [u64]) {
        let per_word = 64 / bits;
        // By symbol: how often it was seen in the value at hand.
        let mut seen = vec![0u32; self.n_symbols + 1];
        for (value, head) in values.iter().zip(heads) {
            let (of_value, rest) = words.split_at_mut(head.len.div_ceil(per_word) as usize);
            words = rest;
            let symbols = || value.chars().map(|character| self.symbols[character as usize]);
            let (mut word, mut at, mut shift) = (0, 0, 0);
            for symbol in symbols() {
                word |= u64::from(symbol) << shift;
                shift += bits;
                if shift == u64::BITS {
                    of_value[at] = word;
                    (word, at, shift) = (0, at + 1, 0);
                }
                head.signature |= element_bit(symbol, seen[symbol as usize]);
                seen[symbol as usize] += 1;
            }
            if shift > 0 {
                of_value[at] = word;
            }
            symbols().for_each(|symbol| seen[symbol as usize] = 0);
            head.beginning = of_value[0];
        }
    }
}

/// How often each character stands in some values, whose lengths are written to their heads: as far as characters go, not
/// as far as they might, since small tables have small alphabets.
fn counts(values: &[Cow<'_, str>], heads: &mut [Head]) -> Vec<u64> {
    let mut counts = Vec::new();
    for (value, head) in values.iter().zip(heads) {
        for character in value.chars() {
            if character as usize >= counts.len() {
                counts.resize(character as usize + 1, 0);
            }
            counts[character as usize] += 1;
            head.len += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperblock_shared::columns::Texts;

    fn column(values: &[&str]) -> TextColumn {
        let values: Vec<Cow<'_, str>> = values.iter().map(|value| Cow::Borrowed(*value)).collect();
        pack(0, &values, &Control::default()).unwrap()
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
