//! Token sets: the words or q-grams of each value, as ascending codes.

use super::SetColumn;
use super::dictionary::Dictionary;
use crate::error::{Error, Result};
use crate::rules::Tokenizer;
use hyperblock_shared::columns::Head;
use hyperblock_shared::signature::token_bit;

pub(super) fn tokenize(domain: usize, values: &Dictionary, tokenizer: Tokenizer) -> Result<SetColumn> {
    let mut codes = Dictionary::default();
    let mut column = SetColumn { domain, heads: Vec::with_capacity(values.len()), tokens: Vec::new() };
    let mut set = Vec::new();
    for value in values.iter() {
        set.clear();
        for_each_token(value, tokenizer, |token| set.push(codes.add(token)));
        set.sort_unstable();
        set.dedup();
        let start = column.tokens.len();
        column.tokens.extend_from_slice(&set);
        // Also keeps token codes in 32 bits: there are no more of them than tokens.
        if u32::try_from(column.tokens.len()).is_err() {
            return Err(Error::Job("a column has more than 4,294,967,295 tokens; split the table".into()));
        }
        let signature = set.iter().fold(0, |bits, &token| bits | token_bit(token));
        column.heads.push(Head { start: start as u32, len: set.len() as u32, beginning: 0, signature });
    }
    Ok(column)
}

/// Calls `take` with every token of a value, in order; one that stands twice comes twice.
pub(crate) fn for_each_token(value: &str, tokenizer: Tokenizer, mut take: impl FnMut(&str)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_sets_and_qgrams_count_characters() {
        let tokens = |value: &str, tokenizer| {
            let mut all = Vec::new();
            for_each_token(value, tokenizer, |token| all.push(token.to_owned()));
            all
        };
        assert_eq!(tokens(" to be  or\tto be ", Tokenizer::Words), ["to", "be", "or", "to", "be"]);
        assert_eq!(tokens("naïve", Tokenizer::Qgrams(3)), ["naï", "aïv", "ïve"]);
        assert!(tokens("ab", Tokenizer::Qgrams(3)).is_empty());

        let mut values = Dictionary::default();
        for value in ["to be or to be", "be", "ab"] {
            values.add(value);
        }
        let column = tokenize(0, &values, Tokenizer::Words).unwrap();
        assert_eq!(column.heads.iter().map(|head| head.len).collect::<Vec<_>>(), [3, 1, 1]);
        assert_eq!(column.tokens, [0, 1, 2, 1, 3]);
    }
}
