//! From columns to the values that are compared: transforms, applied to many values. An empty result is a missing value.

use crate::base::error::{Error, Result};
use crate::read::table::Table;
use crate::rules::{Operand, Transform};
use arrow_array::LargeStringArray;
use regex::Regex;
use std::borrow::Cow;

/// The values of an operand before its transforms, by row. What several columns make together is to be said here.
pub(crate) fn values<'a>(table: &'a Table, operand: &Operand) -> Result<&'a LargeStringArray> {
    match operand.columns.as_slice() {
        [column] => table.values(column.place),
        columns => Err(Error::Internal(format!("`{operand}` is of {} columns", columns.len()))),
    }
}

/// The transforms of an operand, ready to be applied to many values.
pub(crate) struct Pipeline(Vec<Stage>);

enum Stage {
    Plain(fn(&str) -> Cow<'_, str>),
    Substr { from: u32, len: Option<u32> },
    Right(u32),
    Replace { regex: Regex, replacement: String, all: bool },
}

impl Pipeline {
    pub(crate) fn new(transforms: &[Transform]) -> Result<Self> {
        transforms.iter().map(Stage::new).collect::<Result<_>>().map(Self)
    }

    /// The value after all transforms, or `None` if one of them leaves nothing.
    pub(crate) fn apply<'v>(&self, value: &'v str) -> Option<Cow<'v, str>> {
        let start = Some(Cow::Borrowed(value)).filter(|value| !value.is_empty());
        self.0.iter().fold(start, |value, stage| {
            let value = match value? {
                Cow::Borrowed(value) => stage.apply(value),
                Cow::Owned(value) => Cow::Owned(stage.apply(&value).into_owned()),
            };
            (!value.is_empty()).then_some(value)
        })
    }
}

impl Stage {
    fn new(transform: &Transform) -> Result<Self> {
        Ok(match transform {
            Transform::Substr { from, len } => Self::Substr { from: *from, len: *len },
            Transform::Right(len) => Self::Right(*len),
            Transform::RegexpReplace { pattern, replacement, all, ignore_case } => {
                let regex = regex::RegexBuilder::new(pattern).case_insensitive(*ignore_case).build();
                let regex = regex.map_err(|error| Error::Internal(format!("`{pattern}`: {error}")))?;
                Self::Replace { regex, replacement: dollars(replacement), all: *all }
            }
            plain => {
                let lost = || Error::Internal(format!("{plain:?} is not in the table of transforms"));
                Self::Plain(plain.row().ok_or_else(lost)?.apply)
            }
        })
    }

    fn apply<'v>(&self, value: &'v str) -> Cow<'v, str> {
        match self {
            Self::Plain(apply) => apply(value),
            Self::Substr { from, len } => {
                let start = byte_of(value, from - 1);
                let end = len.map_or(value.len(), |len| byte_of(value, (from - 1).saturating_add(len)));
                Cow::Borrowed(&value[start..end])
            }
            Self::Right(len) => {
                let start = value.char_indices().nth_back(*len as usize - 1).map_or(0, |(byte, _)| byte);
                Cow::Borrowed(&value[start..])
            }
            Self::Replace { regex, replacement, all: true } => regex.replace_all(value, replacement),
            Self::Replace { regex, replacement, all: false } => regex.replace(value, replacement),
        }
    }
}

/// Where the character at `ix` starts, or the end.
fn byte_of(value: &str, ix: u32) -> usize {
    value.char_indices().nth(ix as usize).map_or(value.len(), |(byte, _)| byte)
}

/// A replacement as SQL writes it, `\1` for a group, as the regex crate does, `${1}`.
fn dollars(replacement: &str) -> String {
    let mut dollars = String::new();
    let mut chars = replacement.chars();
    while let Some(char) = chars.next() {
        match char {
            '$' => dollars.push_str("$$"),
            '\\' => match chars.next() {
                Some(digit) if digit.is_ascii_digit() => dollars.push_str(&format!("${{{digit}}}")),
                Some(other) => dollars.push(other),
                None => dollars.push('\\'),
            },
            plain => dollars.push(plain),
        }
    }
    dollars
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn transforms_count_characters_and_leave_no_empty_values() {
        let substr = |from, len| Transform::Substr { from, len };
        for (transforms, value, want) in [
            (vec![], "x", Some("x")),
            (vec![Transform::Lower], "ÅSE Ö", Some("åse ö")),
            (vec![Transform::Upper], "straße", Some("STRASSE")),
            (vec![Transform::Trim], " \t", None),
            (vec![Transform::Trim, Transform::Lower], " Ab ", Some("ab")),
            (vec![substr(1, Some(2))], "éèê", Some("éè")),
            (vec![substr(2, None)], "éèê", Some("èê")),
            (vec![substr(4, Some(9))], "éèê", None),
            (vec![substr(3, Some(u32::MAX))], "éèê", Some("ê")),
            (vec![Transform::Right(2)], "éèê", Some("èê")),
            (vec![Transform::Right(9)], "éèê", Some("éèê")),
            (vec![Transform::StripAccents], "Crème Brûlée Łódź", Some("Creme Brulee Łodz")),
            (vec![Transform::StripAccents], "\u{301}", None),
            (vec![Transform::Soundex], "Robert", Some("R163")),
            (vec![Transform::Soundex], "42", None),
            (vec![Transform::Metaphone], "Smith", Some("SM0")),
            (vec![Transform::Metaphone], "42", None),
            (vec![Transform::Metaphone], "Été Małgorzata", Some("TMKR")),
            (vec![Transform::Year], "05/12/1999", Some("1999")),
            (vec![Transform::Year], "19991231, 0099", Some("99")),
            (vec![Transform::Year], "31.12.99", None),
            (vec![Transform::LengthKey], "Abba", Some("4097")),
            (vec![Transform::LengthKey], "Éa", Some("2233")),
            (vec![Transform::LengthKey], "日本", Some("2999")),
            (vec![Transform::Trim, Transform::LengthKey], " ", None),
        ] {
            let pipeline = Pipeline::new(&transforms).unwrap();
            assert_eq!(pipeline.apply(value).as_deref(), want, "{transforms:?} {value:?}");
        }
    }

    proptest! {
        /// Somebody else's code, on whatever letters there are.
        #[test]
        fn metaphone_takes_everything(value in "\\PC{0,12}", letters in "[A-Za-z]{0,14}") {
            let transforms = [Transform::Metaphone];
            let pipeline = Pipeline::new(&transforms).unwrap();
            for value in [value, letters] {
                prop_assert!(pipeline.apply(&value).is_none_or(|code| code.len() <= 4));
            }
        }
    }

    #[test]
    fn regular_expressions_replace_the_first_or_all() {
        for (pattern, replacement, all, ignore_case, value, want) in [
            ("[^a-z]", "", false, false, "a-b-c", Some("ab-c")),
            ("[^a-z]", "", true, false, "a-b-c", Some("abc")),
            (r"(\w+) (\w+)", r"\2, \1", false, false, "Ada Lovelace", Some("Lovelace, Ada")),
            ("(a)", r"$1\\\1", false, false, "a", Some(r"$1\a")),
            ("LTD", "", true, true, "Acme Ltd", Some("Acme ")),
            (".", "", true, false, "gone", None),
        ] {
            let (pattern, replacement) = (pattern.to_owned(), replacement.to_owned());
            let transforms = [Transform::RegexpReplace { pattern, replacement, all, ignore_case }];
            assert_eq!(
                Pipeline::new(&transforms).unwrap().apply(value).as_deref(),
                want,
                "{transforms:?} {value:?}"
            );
        }
    }
}
