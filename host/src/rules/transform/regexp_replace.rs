//! `regexp_replace`: what matches a regular expression, replaced.

use super::arguments::{Apply, Argument, Parameter, ParameterKind, Takes, Unfit, WithArguments};
use super::{Does, Row, Transform};
use crate::base::error::{Error, Result};
use regex::{Regex, RegexBuilder};

/// What matches a regular expression, replaced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegexpReplace {
    /// In the syntax of the regex crate.
    pub pattern: String,
    /// With `\1` for the first group, `\0` for all that matched, `\\` for a backslash.
    pub replacement: String,
    /// All that matches, not only the first.
    pub all: bool,
    /// Upper and lower case are the same.
    pub ignore_case: bool,
}

const PATTERN: usize = 0;
const REPLACEMENT: usize = 1;
const FLAGS: usize = 2;

pub(super) const REGEXP_REPLACE: Row = Row {
    name: "regexp_replace",
    also: &[],
    gives_numbers: false,
    keeps_values: false,
    does: Does::Takes(Takes {
        form: "a column, a pattern, a replacement and perhaps flags",
        parameters: &[
            Parameter { what: "the pattern of regexp_replace", kind: ParameterKind::Text },
            Parameter { what: "the replacement of regexp_replace", kind: ParameterKind::Text },
            Parameter { what: "the flags of regexp_replace", kind: ParameterKind::Text },
        ],
        needed: 2,
        make,
    }),
};

fn make(given: &[Option<Argument>]) -> std::result::Result<Transform, Unfit> {
    let text = |place| Argument::text(given, place).unwrap_or_default();
    let (mut all, mut ignore_case) = (false, false);
    for flag in text(FLAGS).chars() {
        match flag {
            'g' => all = true,
            'i' => ignore_case = true,
            _ => {
                return Err(Unfit {
                    place: FLAGS,
                    message: format!("regexp_replace has no flag `{flag}`"),
                    help: "write 'g' to replace all matches, 'i' to ignore case, or 'gi'",
                });
            }
        }
    }
    let (pattern, replacement) = (text(PATTERN).to_owned(), text(REPLACEMENT).to_owned());
    let made = RegexpReplace { pattern, replacement, all, ignore_case };
    made.regex().map_err(|error| Unfit {
        place: PATTERN,
        message: format!("this is not a regular expression: {}", short(&error)),
        help: "patterns are those of Rust's regex crate; see docs.rs/regex",
    })?;
    Ok(Transform::RegexpReplace(made))
}

impl RegexpReplace {
    fn regex(&self) -> std::result::Result<Regex, regex::Error> {
        RegexBuilder::new(&self.pattern).case_insensitive(self.ignore_case).build()
    }
}

impl WithArguments for RegexpReplace {
    fn name(&self) -> &'static str {
        REGEXP_REPLACE.name
    }

    fn arguments(&self) -> Vec<Argument> {
        let flags = match (self.all, self.ignore_case) {
            (false, false) => None,
            (true, false) => Some("g"),
            (false, true) => Some("i"),
            (true, true) => Some("gi"),
        };
        let texts = [Some(self.pattern.as_str()), Some(self.replacement.as_str()), flags];
        texts.into_iter().flatten().map(|text| Argument::Text(text.to_owned())).collect()
    }

    fn ready(&self) -> Result<Apply> {
        let regex = self.regex().map_err(|error| Error::Internal(format!("`{}`: {error}", self.pattern)))?;
        let replacement = dollars(&self.replacement);
        Ok(match self.all {
            true => Box::new(move |value| regex.replace_all(value, &replacement)),
            false => Box::new(move |value| regex.replace(value, &replacement)),
        })
    }
}

/// The reason alone, without the picture that stands before it.
fn short(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
        other => {
            let message = other.to_string();
            let reason = message.lines().last().unwrap_or_default();
            reason.strip_prefix("error: ").unwrap_or(reason).to_owned()
        }
    }
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
