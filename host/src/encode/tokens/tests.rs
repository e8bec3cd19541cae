//! Token sets against a naive tokenizer.

use super::*;
use crate::base::control::Control;
use crate::base::error::Error;
use crate::encode::dictionary::Dictionary;
use hyperblock_shared::columns::Sets;
use hyperblock_shared::signature::token_bit;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeMap, BTreeSet};

fn dictionary<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<Cow<'a, str>> {
    let values: Vec<&str> = values.into_iter().collect();
    Dictionary::new(values.len(), |ix| Some(Cow::Borrowed(values[ix])), &Control::default()).values
}

fn sets(column: &SetColumn) -> Vec<&[u32]> {
    let sets = Sets { heads: &column.heads, tokens: &column.tokens };
    column.heads.iter().map(|head| sets.set(head)).collect()
}

/// By definition: the tokens of a value as texts.
fn naive(value: &str, tokenizer: Tokenizer) -> BTreeSet<String> {
    match tokenizer {
        Tokenizer::Words => value.split_whitespace().map(String::from).collect(),
        Tokenizer::Elements => value.split('\u{1f}').filter(|it| !it.is_empty()).map(String::from).collect(),
        Tokenizer::Shingles(n) => {
            let words: Vec<&str> = value.split_whitespace().collect();
            words.windows(n as usize).map(|words| words.join(" ")).collect()
        }
        Tokenizer::Alphanumeric => {
            let runs = value.split(|char: char| !char.is_alphanumeric());
            runs.filter(|run| !run.is_empty()).map(String::from).collect()
        }
        Tokenizer::Qgrams(q) => {
            let characters: Vec<char> = value.chars().collect();
            characters.windows(q as usize).map(String::from_iter).collect()
        }
    }
}

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

    let values = dictionary(["to be or to be", "be", "ab"]);
    let column = tokenize(0, &values, Tokenizer::Words, &Control::default()).unwrap();
    // Two values have "be", one each "ab", "or" and "to".
    assert_eq!(sets(&column), [&[1, 2, 3][..], &[3], &[0]]);
}

#[test]
fn the_rarest_token_comes_first() {
    // In falling frequency: o in all, then b, then e, then T and r, which are ordered as texts are.
    let values = dictionary(["To", "bo", "beo", "beor"]);
    let column = tokenize(0, &values, Tokenizer::Qgrams(1), &Control::default()).unwrap();
    assert_eq!(sets(&column), [&[0, 4][..], &[3, 4], &[2, 3, 4], &[1, 2, 3, 4]]);
}

#[test]
fn packed_grams_are_ordered_as_texts_are() {
    let last = char::MAX;
    let value = format!("aé{last}a\0\u{1f600}b{last}{last}{last}");
    for q in 1..=MOST_PACKED {
        let (mut packed, mut slices) = (Vec::new(), Vec::new());
        Packed(q).each(&value, |gram| packed.push(gram));
        Slices(Tokenizer::Qgrams(q)).each(&value, |gram| slices.push(gram));
        let mut pairs: Vec<(u64, &str)> = packed.into_iter().zip(slices.iter().copied()).collect();
        assert_eq!(pairs.len(), slices.len());
        pairs.sort_unstable();
        pairs.dedup();
        assert!(pairs.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{pairs:?}");
    }
}

#[test]
fn more_tokens_than_have_a_place_are_an_error() {
    let values = dictionary(["a b", "b c", "c d e"]);
    for n_chunks in 1..=4 {
        assert!(tokenize_in(n_chunks, 7, 0, &values, Tokenizer::Words, &Control::default()).is_ok());
        for most in 0..7 {
            let result = tokenize_in(n_chunks, most, 0, &values, Tokenizer::Words, &Control::default());
            assert!(matches!(result, Err(Error::Job(_))), "{most} of 7 tokens in {n_chunks} chunks");
        }
    }
}

#[test]
fn no_value_has_no_set() {
    for n_chunks in [0, 1, 9] {
        let column =
            tokenize_in(n_chunks, u32::MAX, 3, &dictionary([]), Tokenizer::Words, &Control::default())
                .unwrap();
        assert_eq!((column.domain, column.heads.len(), column.tokens.len()), (3, 0, 0));
    }
}

fn tokenizers() -> impl Strategy<Value = Tokenizer> {
    prop_oneof![
        Just(Tokenizer::Words),
        Just(Tokenizer::Alphanumeric),
        Just(Tokenizer::Elements),
        (1..4u32).prop_map(Tokenizer::Shingles),
        (1..6u32).prop_map(Tokenizer::Qgrams),
    ]
}

/// Few characters, so that tokens come up again, of all widths that UTF-8 has.
fn texts() -> impl Strategy<Value = String> {
    vec(select(vec!['a', 'b', 'B', ' ', 'é', '語', '\t', '\u{1f}', '\u{10ffff}']), 0..24)
        .prop_map(String::from_iter)
}

proptest! {
    #[test]
    fn agrees_with_the_definition(
        values in vec(texts(), 0..40), tokenizer in tokenizers(), n_chunks in 1..9usize
    ) {
        let values = dictionary(values.iter().map(String::as_str));
        let column = tokenize(0, &values, tokenizer, &Control::default()).unwrap();

        // Codes are texts by another name.
        let expected: Vec<BTreeSet<String>> = values.iter().map(|value| naive(value, tokenizer)).collect();
        let mut frequencies = BTreeMap::new();
        for token in expected.iter().flatten() {
            *frequencies.entry(token.as_str()).or_insert(0) += 1;
        }
        let mut names: Vec<(u32, &str)> = frequencies.into_iter().map(|(token, n)| (n, token)).collect();
        names.sort_unstable();
        let renamed: Vec<BTreeSet<String>> = sets(&column)
            .into_iter()
            .map(|set| set.iter().map(|&code| names[code as usize].1.to_owned()).collect())
            .collect();
        prop_assert_eq!(renamed, expected);

        let mut start = 0;
        for (head, set) in column.heads.iter().zip(sets(&column)) {
            prop_assert!(set.is_sorted_by(|a, b| a < b));
            let signature = set.iter().fold(0, |bits, &token| bits | token_bit(token));
            prop_assert_eq!((head.start, head.beginning, head.signature), (start, 0, signature));
            start += head.len;
        }
        prop_assert_eq!(start as usize, column.tokens.len());

        let chunked = tokenize_in(n_chunks, u32::MAX, 0, &values, tokenizer, &Control::default()).unwrap();
        prop_assert_eq!((chunked.heads, chunked.tokens), (column.heads, column.tokens));
    }
}
