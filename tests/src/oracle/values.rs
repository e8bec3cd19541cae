//! Operands: a column of a record after its transforms, written out naively.

use hyperblock::rules::{Operand, RegexpReplace, Right, Substr, Transform};
use regex::Regex;
use rphonetic::Encoder;
use std::cell::RefCell;
use std::collections::HashMap;

/// The operand's value in a row, if anything is there.
pub(super) fn value(operand: &Operand, row: &[Option<String>]) -> Option<String> {
    let mut value = row[operand.columns[0].place].clone().unwrap_or_default();
    for transform in &operand.transforms {
        value = apply(transform, &value);
    }
    (!value.is_empty()).then_some(value)
}

fn apply(transform: &Transform, value: &str) -> String {
    let chars: Vec<char> = value.chars().collect();
    match transform {
        Transform::Lower => value.to_lowercase(),
        Transform::Upper => value.to_uppercase(),
        Transform::Trim => {
            let from = chars.iter().position(|char| !char.is_whitespace()).unwrap_or(chars.len());
            let upto = chars.iter().rposition(|char| !char.is_whitespace()).map_or(from, |last| last + 1);
            chars[from..upto].iter().collect()
        }
        Transform::Substr(Substr { from, len }) => (1u64..)
            .zip(chars)
            .filter(|(place, _)| {
                let behind = place.checked_sub(u64::from(*from));
                behind.is_some_and(|behind| len.is_none_or(|len| behind < u64::from(len)))
            })
            .map(|(_, char)| char)
            .collect(),
        Transform::Right(Right { len }) => {
            chars[chars.len().saturating_sub(*len as usize)..].iter().collect()
        }
        Transform::RegexpReplace(RegexpReplace { pattern, replacement, all, ignore_case }) => {
            let pattern = if *ignore_case { format!("(?i){pattern}") } else { pattern.clone() };
            COMPILED.with_borrow_mut(|compiled| {
                let new = |pattern: &String| Regex::new(pattern).expect("a pattern that was parsed before");
                replaced(compiled.entry(pattern).or_insert_with_key(new), value, replacement, *all)
            })
        }
        Transform::StripAccents => unaccented(value),
        Transform::Soundex => soundex(&chars),
        Transform::Metaphone => {
            let letters: String = chars.iter().filter(|char| char.is_ascii_alphabetic()).collect();
            rphonetic::Metaphone::default().encode(&letters)
        }
        Transform::LengthKey => match chars.first() {
            None => String::new(),
            Some(first) => {
                let code = first.to_lowercase().map(|char| char as usize).next().expect("a character");
                (chars.len() * 1000 + if code > 999 { 999 } else { code }).to_string()
            }
        },
        Transform::Year => {
            let runs = value.split(|char: char| !char.is_ascii_digit()).filter(|run| run.len() == 4);
            runs.take(1).map(|run| run.parse::<u32>().expect("digits").to_string()).collect()
        }
    }
}

thread_local! {
    /// Compiled once, not for every pair.
    static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::default();
}

/// Match by match, the groups put in by hand.
fn replaced(regex: &Regex, value: &str, replacement: &str, all: bool) -> String {
    let mut result = String::new();
    let mut from = 0;
    for found in regex.captures_iter(value).take(if all { usize::MAX } else { 1 }) {
        let whole = found.get(0).expect("what matched");
        result.push_str(&value[from..whole.start()]);
        let mut escaped = false;
        for char in replacement.chars() {
            match (escaped, char.to_digit(10)) {
                (false, _) if char == '\\' => escaped = true,
                (true, Some(group)) => {
                    result.push_str(found.get(group as usize).map_or("", |group| group.as_str()));
                    escaped = false;
                }
                _ => {
                    result.push(char);
                    escaped = false;
                }
            }
        }
        from = whole.end();
    }
    result + &value[from..]
}

/// Letter by letter, for the letters that the tests use.
fn unaccented(value: &str) -> String {
    let plain = |char| match char {
        'é' | 'è' | 'ê' | 'ë' => Some('e'),
        'ï' => Some('i'),
        'ä' | 'ã' => Some('a'),
        'í' => Some('i'),
        'ñ' => Some('n'),
        '\u{307}' => None,
        'İ' => Some('I'),
        other => Some(other),
    };
    value.chars().filter_map(plain).collect()
}

/// Soundex by rewriting: H and W go (but for the first letter), letters become digits, runs of a digit become one, the
/// first gives way to the letter, zeros go. Nothing if there is no ASCII letter.
fn soundex(chars: &[char]) -> String {
    let letters: Vec<char> =
        chars.iter().filter(|char| char.is_ascii_alphabetic()).map(char::to_ascii_uppercase).collect();
    let Some(&first) = letters.first() else { return String::new() };
    let kept = letters.iter().enumerate().filter(|(ix, letter)| *ix == 0 || !"HW".contains(**letter));
    let mut digits: Vec<char> = kept.map(|(_, letter)| digit(*letter)).collect();
    digits.dedup();
    let tail = digits[1..].iter().filter(|digit| **digit != '0').chain(std::iter::repeat(&'0'));
    std::iter::once(&first).chain(tail).take(4).collect()
}

fn digit(letter: char) -> char {
    const GROUPS: [&str; 7] = ["AEIOUYHW", "BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"];
    let group = GROUPS.iter().zip('0'..).find(|(group, _)| group.contains(letter));
    group.map_or('0', |(_, digit)| digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_as_defined() {
        for (name, code) in [
            ("Robert", "R163"),
            ("Ashcraft", "A261"),
            ("Tymczak", "T522"),
            ("Pfister", "P236"),
            ("Honeyman", "H555"),
            ("é o'Hara", "O600"),
            ("42", ""),
        ] {
            assert_eq!(apply(&Transform::Soundex, name), code, "{name}");
        }
        let substr = |from, len| Transform::Substr(Substr { from, len });
        assert_eq!(apply(&substr(2, Some(1)), "éèê"), "è");
        assert_eq!(apply(&substr(2, None), "éèê"), "èê");
        assert_eq!(apply(&substr(9, Some(u32::MAX)), "éèê"), "");
        assert_eq!(apply(&Transform::Trim, " \u{3000}a b\t"), "a b");
        assert_eq!(apply(&Transform::Trim, " \t"), "");
    }
}
