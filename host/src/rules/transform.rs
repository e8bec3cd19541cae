//! Transforms: what is done to a value before it is compared. A transform is a row of a table, or a file.
//!
//! The row has its names in SQL, what kind of value it gives, whether it may leave nothing, and the function itself. One
//! that takes arguments has a file of its own beside, with its row, what it takes, how it is printed and applied.

mod arguments;
mod lookup;
mod metaphone;
mod regexp_replace;
mod right;
mod split;
mod substr;

pub use lookup::Lookup;
pub use regexp_replace::RegexpReplace;
pub use right::Right;
pub use split::Split;
pub use substr::Substr;

pub(crate) use arguments::{Apply, Argument, Parameter, ParameterKind, Takes};
pub(in crate::rules) use lookup::Entries;

use crate::base::error::{Error, Result};
use arguments::WithArguments;
use hyperblock_shared::soundex::soundex;
use metaphone::metaphone;
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
    /// Characters from the front or the middle.
    Substr(Substr),
    /// Characters from the end.
    Right(Right),
    /// What matches a regular expression, replaced.
    RegexpReplace(RegexpReplace),
    /// Without accents: decomposed (NFD), without the marks.
    StripAccents,
    /// Each character's upper case, and the lower case of that, so that cases agree: `ß` and `ss`, `ς` and `σ`.
    Casefold,
    /// A list of what stands between separators.
    Split(Split),
    /// A list of what a table has beside the value.
    Lookup(Lookup),
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

/// A function of SQL that is a transform.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// Its names in other databases.
    also: &'static [&'static str],
    /// Whether what it gives is a number.
    gives_numbers: bool,
    /// Whether it leaves something of every value.
    keeps_values: bool,
    pub(crate) does: Does,
}

/// What a function does.
pub(crate) enum Does {
    /// It takes the value alone.
    Plain(Transform, fn(&str) -> Cow<'_, str>),
    /// It takes arguments after the value.
    Takes(Takes),
}

/// All transforms, in the order in which people are told of them.
pub(crate) const TRANSFORMS: &[Row] = &[
    substr::SUBSTR,
    substr::LEFT,
    right::RIGHT,
    regexp_replace::REGEXP_REPLACE,
    substr::SUBSTRING,
    split::SPLIT,
    lookup::LOOKUP,
    Row {
        name: "lower",
        also: &["lcase"],
        gives_numbers: false,
        keeps_values: true,
        does: Does::Plain(Transform::Lower, |value| Cow::Owned(value.to_lowercase())),
    },
    Row {
        name: "upper",
        also: &["ucase"],
        gives_numbers: false,
        keeps_values: true,
        does: Does::Plain(Transform::Upper, |value| Cow::Owned(value.to_uppercase())),
    },
    Row {
        name: "casefold",
        also: &[],
        gives_numbers: false,
        keeps_values: true,
        does: Does::Plain(Transform::Casefold, |value| {
            Cow::Owned(value.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect())
        }),
    },
    Row {
        name: "trim",
        also: &[],
        gives_numbers: false,
        keeps_values: false,
        does: Does::Plain(Transform::Trim, |value| Cow::Borrowed(value.trim())),
    },
    Row {
        name: "strip_accents",
        also: &[],
        gives_numbers: false,
        keeps_values: false,
        does: Does::Plain(Transform::StripAccents, |value| {
            Cow::Owned(value.nfd().filter(|&char| !is_combining_mark(char)).collect())
        }),
    },
    Row {
        name: "soundex",
        also: &[],
        gives_numbers: false,
        keeps_values: false,
        does: Does::Plain(Transform::Soundex, |value| {
            let code = soundex(value.chars());
            Cow::Owned(code.iter().flatten().map(|&byte| char::from(byte)).collect())
        }),
    },
    Row {
        name: "metaphone",
        also: &[],
        gives_numbers: false,
        keeps_values: false,
        does: Does::Plain(Transform::Metaphone, |value| Cow::Owned(metaphone(value))),
    },
    Row {
        name: "year",
        also: &[],
        gives_numbers: true,
        keeps_values: false,
        does: Does::Plain(Transform::Year, |value| number(year(value))),
    },
    Row {
        name: "length_key",
        also: &[],
        gives_numbers: true,
        keeps_values: false,
        does: Does::Plain(Transform::LengthKey, |value| number(length_key(value))),
    },
];

impl Row {
    /// The transform of this name, which may be one that other databases have for it.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TRANSFORMS.iter().find(|row| row.name == name || row.also.contains(&name))
    }
}

impl Transform {
    /// Itself, if it takes arguments.
    fn with_arguments(&self) -> Option<&dyn WithArguments> {
        match self {
            Self::Substr(substr) => Some(substr),
            Self::Right(right) => Some(right),
            Self::RegexpReplace(replace) => Some(replace),
            Self::Split(split) => Some(split),
            Self::Lookup(lookup) => Some(lookup),
            _ => None,
        }
    }

    /// Its row.
    fn row(&self) -> Option<&'static Row> {
        match self.with_arguments() {
            Some(with) => Row::named(with.name()),
            None => TRANSFORMS.iter().find(|row| matches!(&row.does, Does::Plain(plain, _) if plain == self)),
        }
    }

    /// Whether what it gives is a number.
    pub(crate) fn gives_numbers(&self) -> bool {
        self.row().is_some_and(|row| row.gives_numbers)
    }

    /// Whether what it gives is a list.
    pub(crate) fn gives_lists(&self) -> bool {
        matches!(self, Self::Split(_) | Self::Lookup(_))
    }

    /// Whether it leaves something of every value.
    pub(super) fn keeps_values(&self) -> bool {
        self.row().is_some_and(|row| row.keeps_values)
    }

    /// The name of its function.
    pub(super) fn name(&self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// What its function takes after the value, as SQL.
    pub(super) fn write_arguments(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let arguments = self.with_arguments().map(WithArguments::arguments).unwrap_or_default();
        arguments.iter().try_for_each(|argument| write!(f, ", {argument}"))
    }

    /// Itself, ready to be applied to many values.
    pub(crate) fn ready(&self) -> Result<Apply> {
        match (self.with_arguments(), self.row().map(|row| &row.does)) {
            (Some(with), _) => with.ready(),
            (None, Some(Does::Plain(_, apply))) => Ok(Box::new(apply)),
            (None, _) => Err(Error::Internal(format!("{self:?} is not in the table of transforms"))),
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
        let names = || TRANSFORMS.iter().flat_map(|row| row.also.iter().chain([&row.name]).copied());
        for name in names() {
            assert_eq!(names().filter(|other| *other == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn what_is_printed_makes_the_same_transform() {
        let replace = |all, ignore_case| {
            let (pattern, replacement) = ("it's (.)".to_owned(), r"\1".to_owned());
            Transform::RegexpReplace(RegexpReplace { pattern, replacement, all, ignore_case })
        };
        for transform in [
            Transform::Substr(Substr { from: 2, len: None }),
            Transform::Substr(Substr { from: 1, len: Some(3) }),
            Transform::Right(Right { len: 4 }),
            Transform::Split(Split { separator: "it's; ".to_owned() }),
            replace(false, false),
            replace(true, false),
            replace(false, true),
            replace(true, true),
        ] {
            let with = transform.with_arguments().unwrap();
            let Some(Row { does: Does::Takes(takes), .. }) = Row::named(with.name()) else {
                panic!("{transform:?}");
            };
            let given: Vec<_> = with.arguments().into_iter().map(Some).collect();
            assert!((takes.needed..=takes.parameters.len()).contains(&given.len()));
            assert_eq!((takes.make)(&given).unwrap(), transform);
        }
    }
}
