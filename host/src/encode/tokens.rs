//! Token sets: the words, q-grams or elements of each value, as ascending codes.
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
use crate::base::gather::Gather;
use crate::base::list::{raw_elements, unescaped};
use crate::rules::Tokenizer;
use rayon::prelude::*;
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
    let values: Vec<Cow<'_, str>> = values.par_iter().map(|value| normal(value, tokenizer)).gather();
    let values: Vec<&str> = values.iter().map(|value| &**value).collect();
    let (heads, tokens) = match tokenizer {
        Tokenizer::Qgrams(q @ 1..=MOST_PACKED) => number(&values, &Packed(q), n_chunks, most, control)?,
        _ => number(&values, &Slices(tokenizer), n_chunks, most, control)?,
    };
    Ok(SetColumn::new(domain, heads, tokens))
}

/// Calls `take` with every token of a value, in order; one that stands twice comes twice.
pub(crate) fn for_each_token(value: &str, tokenizer: Tokenizer, mut take: impl FnMut(&str)) {
    slices(&normal(value, tokenizer), tokenizer, |token| match tokenizer {
        Tokenizer::Elements => take(&unescaped(token)),
        _ => take(token),
    });
}

/// A value of which all tokens are slices: where words are joined, there is one blank between any two.
fn normal(value: &str, tokenizer: Tokenizer) -> Cow<'_, str> {
    let is_normal = || {
        let is_end = |char: char| char.is_whitespace();
        !value.starts_with(is_end)
            && !value.ends_with(is_end)
            && !value.contains("  ")
            && value.chars().all(|char| char == ' ' || !char.is_whitespace())
    };
    match tokenizer {
        Tokenizer::Shingles(_) if !is_normal() => {
            Cow::Owned(value.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        _ => Cow::Borrowed(value),
    }
}

/// Calls `take` with every token of a value that is [`normal`]. An element of a list comes as it stands there.
fn slices<'a>(value: &'a str, tokenizer: Tokenizer, mut take: impl FnMut(&'a str)) {
    match tokenizer {
        Tokenizer::Words => value.split_whitespace().for_each(take),
        Tokenizer::Elements => raw_elements(value).for_each(take),
        Tokenizer::Alphanumeric => {
            let runs = value.split(|char: char| !char.is_alphanumeric());
            runs.filter(|run| !run.is_empty()).for_each(take);
        }
        Tokenizer::Shingles(n) => {
            let starts = value.match_indices(' ').map(|(blank, _)| blank + 1);
            let starts = std::iter::once(0).chain(starts).filter(|_| !value.is_empty());
            let ends = value.match_indices(' ').map(|(blank, _)| blank).chain([value.len()]);
            for (start, end) in starts.zip(ends.skip(n.saturating_sub(1) as usize)) {
                take(&value[start..end]);
            }
        }
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
        slices(value, self.0, take);
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
