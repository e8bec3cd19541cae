//! What a column is to a rule: a name, a longer text, a code, a number, a day; or nothing that says who a record is.
//!
//! A value that is written in digits and has to be copied right, such as a telephone number, a postal code or a date that is
//! not one of the calendar, is a code: one wrong sign in it is an error, and not another quantity.

use crate::inspect::profile::ColumnProfile;
use crate::read::table::Kind;
use arrow_array::{Array, LargeStringArray};

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A few words.
    Name,
    /// Many words.
    Text,
    /// Letters and digits that are copied, not measured.
    Code,
    /// A quantity.
    Number,
    /// A day.
    Date,
}

/// What the values of a column look like, from some of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    /// Of all characters that are letters or digits, the share of digits.
    pub(super) digits: f64,
    /// The share of values with signs that are neither letters nor digits nor blanks.
    pub(super) signs: f64,
    /// The share of values with capital letters.
    pub(super) capitals: f64,
    /// Words, on average.
    pub(super) words: f64,
}

/// A column named like one of ids is one, if at most one of so many values stands twice.
const FEW_OTHERS: u64 = 50;
/// Values that are looked at.
const LOOKED_AT: usize = 4096;
/// A text of more characters, or words, on average is a long one.
const LONG: f64 = 60.0;
const MANY_WORDS: f64 = 7.0;
/// What is longer on average is a document, and is not compared.
const DOCUMENT: f64 = 5_000.0;
/// Names of columns that say where a record is from.
const SOURCES: [&str; 12] = [
    "source", "src", "dataset", "database", "db", "provider", "origin", "system", "tenant", "file",
    "filename", "batch",
];
/// What is said of them.
pub(super) const FROM: &str = "where a record is from";
/// Last words of the names of columns that number records.
const IDS: [&str; 10] = ["id", "ids", "uid", "uuid", "guid", "key", "pk", "rowid", "index", "oid"];

impl Look {
    pub(super) fn of(values: &LargeStringArray) -> Self {
        let step = values.len().div_ceil(LOOKED_AT).max(1);
        let (mut n, mut look, mut letters, mut digits) = (0.0, Self::default(), 0.0, 0.0);
        for value in
            (0..values.len()).step_by(step).filter(|&row| values.is_valid(row)).map(|row| values.value(row))
        {
            n += 1.0;
            let value = &value[..value.floor_char_boundary(512)];
            let is_sign = |char: char| !(char.is_alphanumeric() || char.is_whitespace());
            digits += value.bytes().filter(u8::is_ascii_digit).count() as f64;
            letters += value.chars().filter(|char| char.is_alphanumeric()).count() as f64;
            look.signs += f64::from(u8::from(value.contains(is_sign)));
            look.capitals += f64::from(u8::from(value.contains(char::is_uppercase)));
            look.words += value.split_whitespace().count() as f64;
        }
        let share = |sum: f64, of: f64| if of == 0.0 { 0.0 } else { sum / of };
        Self {
            digits: share(digits, letters),
            signs: share(look.signs, n),
            capitals: share(look.capitals, n),
            words: share(look.words, n),
        }
    }
}

impl Role {
    /// What a column is that is compared; or why it is not. `is_shared` says that the other table has a column of this name with
    /// many of its values.
    pub(super) fn of(column: &ColumnProfile, look: &Look, is_shared: bool) -> Result<Self, &'static str> {
        let Some(lengths) = column.lengths else { return Err("without values") };
        let words = words_of(&column.name);
        let is_named = |names: &[&str]| words.last().is_some_and(|last| names.contains(&last.as_str()));
        if column.n_distinct == 1 {
            return Err("the same in all records");
        }
        if is_named(&SOURCES) && column.n_distinct <= 1000.min(column.n_records / 2) {
            return Err(FROM);
        }
        // What both tables number alike is no number of the one's own.
        let n_others = column.n_present() - column.n_distinct;
        if is_named(&IDS) && !is_shared && n_others * FEW_OTHERS <= column.n_present() {
            return Err("a number that each record has for itself");
        }
        if lengths.mean > DOCUMENT {
            return Err("whole documents");
        }
        let is_even = lengths.least == lengths.most && lengths.most >= 5;
        match column.kind {
            Kind::List => Err("lists"),
            Kind::Date => Ok(Self::Date),
            // Postal codes, telephone numbers, days written as 20201231: all as long, and there are many.
            Kind::Integer if is_even || lengths.median >= 7 => Ok(Self::Code),
            Kind::Integer | Kind::Float => Ok(Self::Number),
            Kind::Text if look.digits >= 0.4 && look.words < 3.0 => Ok(Self::Code),
            Kind::Text if lengths.mean > LONG || look.words > MANY_WORDS => Ok(Self::Text),
            Kind::Text => Ok(Self::Name),
        }
    }

    /// For people.
    pub(super) fn said(self) -> &'static str {
        match self {
            Self::Name => "a name",
            Self::Text => "a longer text",
            Self::Code => "a code",
            Self::Number => "a number",
            Self::Date => "a date",
        }
    }
}

/// The words of a column's name, in lower case: of `releaseYear`, `release_year` and `Release Year` the same two.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let (mut words, mut before) = (vec![String::new()], ' ');
    for char in name.chars() {
        let begins = (char.is_uppercase() && before.is_lowercase()) || !char.is_alphanumeric();
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if char.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(char.to_lowercase());
        }
        before = char;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        for name in ["releaseYear", "release_year", "Release Year", "RELEASE-YEAR", " release.year "] {
            assert_eq!(words_of(name), ["release", "year"], "{name}");
        }
        assert_eq!(words_of("_"), [""; 0]);
    }
}
