//! Transforms: what is done to a value before it is compared. One that takes the value alone is a row of a table.
//!
//! The row has its names in SQL, what kind of value it gives, whether it may leave nothing, and the function itself. The
//! few that take arguments ([`Transform::Substr`], [`Transform::Right`], [`Transform::RegexpReplace`]) are parsed in
//! `syntax/call.rs`, printed here and applied by `encode/transform.rs`.

use hyperblock_shared::soundex::soundex;
use rphonetic::{Encoder, Metaphone};
use std::borrow::Cow;
use std::fmt::{self, Formatter};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A function from a value to a value. An empty result is a missing value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transform {
    /// Unicode lower case.
    Lower,
    /// Unicode upper case.
    Upper,
    /// Without white space at both ends.
    Trim,
    /// `len` characters (all, if `None`) from the one at `from`, counted from 1. `left(x, n)` is one of these.
    Substr {
        /// At least 1.
        from: u32,
        /// At least 1.
        len: Option<u32>,
    },
    /// The last so many characters, at least 1.
    Right(u32),
    /// What matches a regular expression, replaced.
    RegexpReplace {
        /// In the syntax of the regex crate.
        pattern: String,
        /// With `\1` for the first group, `\0` for all that matched, `\\` for a backslash.
        replacement: String,
        /// All that matches, not only the first.
        all: bool,
        /// Upper and lower case are the same.
        ignore_case: bool,
    },
    /// Without accents: decomposed (NFD), without the marks.
    StripAccents,
    /// [`hyperblock_shared::soundex::soundex`].
    Soundex,
    /// Lawrence Philips' Metaphone (*Computer Language* 7(12), 1990) of the ASCII letters, four letters at most.
    Metaphone,
    /// The first run of exactly four digits, as a number: the year of a date however it is written.
    Year,
    /// 1000 times the number of characters, plus the code point of the first one in lower case, or 999 if that is less:
    /// the simple key of 'Duplicate Detection on GPUs' (Forchhammer and others, BTW 2013). `Abba` gives 4097.
    LengthKey,
}

/// A transform that takes the value alone.
pub(crate) struct Row {
    pub(crate) transform: Transform,
    pub(crate) name: &'static str,
    /// Its names in other databases.
    also: &'static [&'static str],
    /// Whether what it gives is a number.
    gives_numbers: bool,
    /// Whether it leaves something of every value.
    keeps_values: bool,
    pub(crate) apply: fn(&str) -> Cow<'_, str>,
}

/// The transforms that take the value alone, in the order in which people are told of them.
pub(crate) const PLAIN: &[Row] = &[
    Row {
        transform: Transform::Lower,
        name: "lower",
        also: &["lcase"],
        gives_numbers: false,
        keeps_values: true,
        apply: |value| Cow::Owned(value.to_lowercase()),
    },
    Row {
        transform: Transform::Upper,
        name: "upper",
        also: &["ucase"],
        gives_numbers: false,
        keeps_values: true,
        apply: |value| Cow::Owned(value.to_uppercase()),
    },
    Row {
        transform: Transform::Trim,
        name: "trim",
        also: &[],
        gives_numbers: false,
        keeps_values: false,
        apply: |value| Cow::Borrowed(value.trim()),
    },
    Row {
        transform: Transform::StripAccents,
        name: "strip_accents",
        also: &[],
        gives_numbers: false,
        keeps_values: false,
        apply: |value| Cow::Owned(value.nfd().filter(|&char| !is_combining_mark(char)).collect()),
    },
    Row {
        transform: Transform::Soundex,
        name: "soundex",
        also: &[],
        gives_numbers: false,
        keeps_values: false,
        apply: |value| {
            let code = soundex(value.chars());
            Cow::Owned(code.iter().flatten().map(|&byte| char::from(byte)).collect())
        },
    },
    Row {
        transform: Transform::Metaphone,
        name: "metaphone",
        also: &[],
        gives_numbers: false,
        keeps_values: false,
        // Metaphone is about English: as for Soundex, only ASCII letters count (and the crate cannot take others).
        apply: |value| {
            let letters: String = value.chars().filter(char::is_ascii_alphabetic).collect();
            Cow::Owned(Metaphone::default().encode(&letters))
        },
    },
    Row {
        transform: Transform::Year,
        name: "year",
        also: &[],
        gives_numbers: true,
        keeps_values: false,
        apply: |value| number(year(value)),
    },
    Row {
        transform: Transform::LengthKey,
        name: "length_key",
        also: &[],
        gives_numbers: true,
        keeps_values: false,
        apply: |value| number(length_key(value)),
    },
];

impl Row {
    /// The transform of this name, which may be one that other databases have for it.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        PLAIN.iter().find(|row| row.name == name || row.also.contains(&name))
    }
}

impl Transform {
    /// Its row, if it takes the value alone.
    pub(crate) fn row(&self) -> Option<&'static Row> {
        PLAIN.iter().find(|row| row.transform == *self)
    }

    /// Whether what it gives is a number.
    pub(crate) fn gives_numbers(&self) -> bool {
        self.row().is_some_and(|row| row.gives_numbers)
    }

    /// Whether it leaves something of every value.
    pub(super) fn keeps_values(&self) -> bool {
        self.row().is_some_and(|row| row.keeps_values)
    }

    /// The name of its function.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Substr { .. } => "substr",
            Self::Right(_) => "right",
            Self::RegexpReplace { .. } => "regexp_replace",
            _ => self.row().map_or("", |row| row.name),
        }
    }

    /// What its function takes after the value, as SQL.
    pub(super) fn write_arguments(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Substr { from, len: None } => write!(f, ", {from}"),
            Self::Substr { from, len: Some(len) } => write!(f, ", {from}, {len}"),
            Self::Right(len) => write!(f, ", {len}"),
            Self::RegexpReplace { pattern, replacement, all, ignore_case } => {
                write!(f, ", {}, {}", quoted(pattern), quoted(replacement))?;
                match (all, ignore_case) {
                    (false, false) => Ok(()),
                    (true, false) => f.write_str(", 'g'"),
                    (false, true) => f.write_str(", 'i'"),
                    (true, true) => f.write_str(", 'gi'"),
                }
            }
            _ => Ok(()),
        }
    }
}

/// A text as SQL writes it.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn number(number: Option<u64>) -> Cow<'static, str> {
    number.map_or(Cow::Borrowed(""), |number| Cow::Owned(number.to_string()))
}

/// The first run of exactly four digits.
fn year(value: &str) -> Option<u64> {
    let mut runs = value.split(|char: char| !char.is_ascii_digit());
    runs.find(|run| run.len() == 4)?.parse().ok()
}

/// 1000 times the number of characters, plus the first one's code point in lower case, or 999.
fn length_key(value: &str) -> Option<u64> {
    let first = value.chars().next()?.to_lowercase().next()?;
    Some(1000 * value.chars().count() as u64 + u64::from(u32::from(first).min(999)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_means_one_transform() {
        let names = || PLAIN.iter().flat_map(|row| row.also.iter().chain([&row.name]).copied());
        for name in names() {
            assert_eq!(names().filter(|other| *other == name).count(), 1, "{name}");
        }
    }
}
