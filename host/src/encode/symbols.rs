//! The smallest alphabet of a domain, and its values packed in it (see `hyperblock_shared::text`).

use super::TextColumn;
use super::dictionary::Dictionary;
use crate::error::{Error, Result};
use hyperblock_shared::columns::Extent;
use hyperblock_shared::text::MAX_LEN;

pub(super) fn pack(values: &Dictionary) -> Result<TextColumn> {
    let mut symbols = vec![0u32; char::MAX as usize + 1];
    for character in values.all_text().chars() {
        symbols[character as usize] = 1;
    }
    let mut n_symbols = 0;
    for symbol in symbols.iter_mut().filter(|symbol| **symbol != 0) {
        n_symbols += 1;
        *symbol = n_symbols;
    }
    let bits = match n_symbols {
        0..=0xff => 8,
        0x100..=0xffff => 16,
        _ => 32,
    };
    let per_word = 64 / bits;
    let mut packed =
        TextColumn { bits, extents: Vec::with_capacity(values.len()), words: Vec::new(), longest: 0 };
    for value in values.iter() {
        let start = u32::try_from(packed.words.len()).map_err(|_| {
            Error::Job("a column holds more than 32 GiB of distinct text; split the table".into())
        })?;
        let (mut word, mut len) = (0, 0);
        for character in value.chars() {
            word |= u64::from(symbols[character as usize]) << (len % per_word * bits);
            len += 1;
            if len % per_word == 0 {
                packed.words.push(std::mem::take(&mut word));
            }
        }
        if len % per_word != 0 {
            packed.words.push(word);
        }
        if len > MAX_LEN {
            return Err(Error::Job(format!(
                "a value has {len} characters after its transforms; at most {MAX_LEN} fit"
            )));
        }
        packed.longest = packed.longest.max(len);
        packed.extents.push(Extent { start, len });
    }
    Ok(packed)
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
        pack(&dictionary).unwrap()
    }

    #[test]
    fn symbols_number_the_characters_in_use() {
        let packed = column(&["ba", "é", "aaaaaaaab"]);
        assert_eq!((packed.bits, packed.longest), (8, 9));
        let texts = Texts { bits: 8, extents: &packed.extents, words: &packed.words };
        let symbols = |code| texts.text::<8>(code).symbols().collect::<Vec<_>>();
        assert_eq!(symbols(0), [2, 1]);
        assert_eq!(symbols(1), [3]);
        assert_eq!(symbols(2), [1, 1, 1, 1, 1, 1, 1, 1, 2]);
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
