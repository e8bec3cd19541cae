//! Operands: what is made of the columns of a record, and transformed, written out naively.

use super::{equal, numbers, places};
use hyperblock::rules::{
    Domain, Lookup, Operand, Part, RegexpReplace, Right, Source, Split, Substr, Transform,
};
use regex::Regex;
use rphonetic::Encoder;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// The operand's value in a row, if anything is there.
pub(super) fn value(operand: &Operand, row: &[Option<String>]) -> Option<String> {
    let fields: Vec<Option<String>> =
        operand.columns.iter().map(|column| row[column.place].clone()).collect();
    MADE.with_borrow_mut(|all| {
        let place = all.iter().position(|(of, _)| of == operand).unwrap_or_else(|| {
            if all.len() == MOST_OPERANDS {
                all.clear();
            }
            all.push((operand.clone(), HashMap::new()));
            all.len() - 1
        });
        let made = |fields: &Vec<Option<String>>| made(&operand.source, &operand.transforms, fields);
        all[place].1.entry(fields).or_insert_with_key(made).clone()
    })
}

/// Operands whose values are remembered: as many as most cases have.
const MOST_OPERANDS: usize = 32;

/// What was made of which fields.
type Made = HashMap<Vec<Option<String>>, Option<String>>;

thread_local! {
    /// By operand: made once, not for every pair.
    static MADE: RefCell<Vec<(Operand, Made)>> = RefCell::default();
}

/// A value that is made of others, and transformed then.
fn made(source: &Source, transforms: &[Transform], fields: &[Option<String>]) -> Option<String> {
    let part = |part: &Part| made(&part.source, &part.transforms, fields);
    let mut value = match source {
        Source::Column(place) | Source::List(place) => fields[*place].clone()?,
        Source::Constant(text, _) => text.clone(),
        Source::Joined { parts, skips_missing } => {
            let mut texts = Vec::new();
            for of in parts {
                match part(of) {
                    Some(text) => texts.push(text),
                    // An empty constant is not a missing value.
                    None if *skips_missing || matches!(of.source, Source::Constant(..)) => {}
                    None => return None,
                }
            }
            texts.concat()
        }
        Source::Coalesce(parts) => parts.iter().filter_map(part).next()?,
        Source::NullIf { parts, domain } => {
            let value = part(&parts[0])?;
            let is_one = |text: &str| match domain {
                Domain::Text => true,
                Domain::Number => numbers::is_number(text),
                Domain::Date => numbers::is_date(text),
                Domain::Point => places::is_place(text),
            };
            match part(&parts[1]) {
                Some(other) if is_one(&value) && is_one(&other) && equal(&value, &other, *domain) => {
                    return None;
                }
                _ => value,
            }
        }
        Source::Point(parts) => format!("{}{}{}", part(&parts[0])?, places::BETWEEN, part(&parts[1])?),
    };
    let mut is_list = is_list(source, &[]);
    for transform in transforms {
        value = match transform {
            Transform::Split(_) | Transform::Lookup(_) if !is_list => as_list(several(transform, &value)),
            _ if is_list => {
                let all = elements(&value).into_iter().flat_map(|element| several(transform, &element));
                as_list(all.collect())
            }
            _ => apply(transform, &value),
        };
        is_list |= matches!(transform, Transform::Split(_) | Transform::Lookup(_));
    }
    (!value.is_empty()).then_some(value)
}

/// What a transform makes of one value, which may be several.
fn several(transform: &Transform, value: &str) -> Vec<String> {
    match transform {
        Transform::Split(Split { separator }) => {
            value.split(separator.as_str()).map(|part| apply(&Transform::Trim, part)).collect()
        }
        Transform::Lookup(Lookup { file, .. }) => {
            assert_eq!(file, NICKNAMES_FILE);
            let found = NICKNAMES.iter().filter(|(name, _)| *name == value);
            let found: Vec<String> = found.map(|(_, other)| (*other).to_owned()).collect();
            if found.is_empty() && !value.is_empty() { vec![value.to_owned()] } else { found }
        }
        other => vec![apply(other, value)],
    }
}

/// What the table for `lookup` is called.
pub const NICKNAMES_FILE: &str = "nicknames.csv";

/// What is in it: some names stand for several, some values are no names at all.
pub const NICKNAMES: &[(&str, &str)] = &[
    ("bob", "robert"),
    ("rob", "robert"),
    ("bob", "bobby"),
    ("ab", "a"),
    ("ab", "robert"),
    ("a", "b;c"),
    ("a\u{1f}b", "\u{1e}u"),
    ("bob", "robert"),
];

/// What stands between the elements of a list here: no test has it in a value.
const BETWEEN: char = '\0';

fn as_list(elements: Vec<String>) -> String {
    let all: BTreeSet<String> = elements.into_iter().filter(|element| !element.is_empty()).collect();
    all.into_iter().collect::<Vec<_>>().join(&BETWEEN.to_string())
}

/// The elements of a list.
pub(super) fn elements(list: &str) -> Vec<String> {
    list.split(BETWEEN).filter(|element| !element.is_empty()).map(str::to_owned).collect()
}

fn is_list(source: &Source, transforms: &[Transform]) -> bool {
    let part = |part: &Part| is_list(&part.source, &part.transforms);
    let comes_as_one = match source {
        Source::List(_) => panic!("tables of text have no columns of lists"),
        Source::Coalesce(parts) => part(&parts[0]),
        Source::NullIf { parts, .. } => part(&parts[0]),
        Source::Column(_) | Source::Constant(..) | Source::Joined { .. } | Source::Point(_) => false,
    };
    comes_as_one || transforms.iter().any(|it| matches!(it, Transform::Split(_) | Transform::Lookup(_)))
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
        Transform::Casefold => {
            let upper: String = value.chars().map(|char| char.to_uppercase().to_string()).collect();
            upper.chars().map(|char| char.to_lowercase().to_string()).collect()
        }
        Transform::Split(_) | Transform::Lookup(_) => panic!("these make several of a value"),
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
