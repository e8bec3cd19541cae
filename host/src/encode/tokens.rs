//! Token sets: the words or q-grams of each value, as ascending codes.
//!
//! Codes ascend with frequency, which is how many values have a token: a set begins with its rarest tokens.
//! Comparing two sets then ends early, and what is joined by the first tokens of sets meets the fewest others
//! (Chaudhuri, Ganti and Kaushik, *A primitive operator for similarity joins in data cleaning*, ICDE 2006).

#[cfg(test)]
mod tests;

use super::SetColumn;
use super::numbering::{Split, n_chunks, number};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::rules::Tokenizer;
use std::borrow::Cow;

pub(super) fn tokenize(
    domain: usize,
    values: &[Cow<'_, str>],
    tokenizer: Tokenizer,
    control: &Control,
) -> Result<SetColumn> {
    tokenize_in(
        n_chunks(values.iter().map(|value| value.len()).sum()),
        u32::MAX,
        domain,
        values,
        tokenizer,
        control,
    )
}

/// The same, in so many chunks and with so many tokens at most.
fn tokenize_in(
    n_chunks: usize,
    most: u32,
    domain: usize,
    values: &[Cow<'_, str>],
    tokenizer: Tokenizer,
    control: &Control,
) -> Result<SetColumn> {
    let values: Vec<&str> = values.iter().map(|value| &**value).collect();
    let (heads, tokens) = match tokenizer {
        Tokenizer::Qgrams(q @ 1..=MOST_PACKED) => number(&values, &Packed(q), n_chunks, most, control)?,
        _ => number(&values, &Slices(tokenizer), n_chunks, most, control)?,
    };
    Ok(SetColumn::new(domain, heads, tokens))
}

/// Calls `take` with every token of a value, in order; one that stands twice comes twice.
pub(crate) fn for_each_token<'a>(value: &'a str, tokenizer: Tokenizer, mut take: impl FnMut(&'a str)) {
    match tokenizer {
        Tokenizer::Words => value.split_whitespace().for_each(take),
        Tokenizer::Qgrams(q) => {
            let starts = value.char_indices().map(|(byte, _)| byte);
            let ends = value.char_indices().map(|(byte, _)| byte).chain([value.len()]).skip(q as usize);
            for (start, end) in starts.zip(ends) {
                take(&value[start..end]);
            }
        }
    }
}

/// Tokens are slices of the value.
struct Slices(Tokenizer);

impl<'a> Split<&'a str> for Slices {
    type Key = &'a str;

    fn each(&self, value: &'a str, take: impl FnMut(&'a str)) {
        for_each_token(value, self.0, take);
    }
}

/// The bits of a character.
const BITS: u32 = 21;
/// The characters that fit into a word.
const MOST_PACKED: u32 = u64::BITS / BITS;

/// Tokens are q characters packed into a word, the first one highest: words are ordered as texts are, and
/// hashed and compared sooner.
struct Packed(u32);

impl Split<&str> for Packed {
    type Key = u64;

    fn each(&self, value: &str, mut take: impl FnMut(u64)) {
        let Self(q) = *self;
        let mut characters = value.chars().map(u64::from);
        let mut gram = 0;
        for _ in 1..q {
            let Some(character) = characters.next() else { return };
            gram = gram << BITS | character;
        }
        let mask = (1 << (BITS * q)) - 1;
        for character in characters {
            gram = (gram << BITS | character) & mask;
            take(gram);
        }
    }
}
