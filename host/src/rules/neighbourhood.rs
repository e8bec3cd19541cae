//! Neighbourhoods: keys that records are sorted by, so that those near each other are paired.
//!
//! ```toml
//! [[neighbourhoods]]
//! name = "near by title"
//! key = "soundex(title)"
//! window = 20
//! ```
//!
//! Two tables whose columns are not named alike have a key each: `key = ["soundex(title)", "soundex(name)"]`.

use super::bind::{Tables, equality};
use super::file::{RuleFile, known_keys, string};
use super::literal::Literal;
use super::syntax::{self, Parsed, Term, complaint};
use super::{Domain, Operand, Side};
use crate::base::error::Result;
use crate::read::table::Schema;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

const SHAPE: &str = "a neighbourhood is written `[[neighbourhoods]]`, then `key = \"soundex(title)\"` and `window = 20` on \
     lines of their own";

/// The widest window: with it, a record's neighbours are still counted in 32 bits.
const MOST_WINDOW: u32 = 1 << 30;

/// Records sorted by a key, each paired with those whose places differ from its own by less than the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbourhood {
    /// As the file names it, or `neighbourhood N`.
    pub name: String,
    /// Of the left table and of the right one; of one table, twice the same.
    pub keys: [Operand; 2],
    /// What kind of value the keys are: it decides which is less.
    pub domain: Domain,
    /// At least 2.
    pub window: u32,
}

/// For people: the key, and the window.
impl fmt::Display for Neighbourhood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [left, right] = &self.keys;
        match left == right {
            true => write!(f, "key {left}")?,
            false => write!(f, "keys {left} and {right}")?,
        }
        write!(f, ", window {}", self.window)
    }
}

/// One neighbourhood of the file.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Of the left table and of the right one.
    pub(super) keys: [Term; 2],
    /// Where the keys stand.
    span: Range<usize>,
    /// Whether each table has one of its own.
    are_two: bool,
    window: u32,
}

/// The neighbourhoods of a list. Their names differ from those that are `taken`.
pub(super) fn entries(
    source: &str,
    list: &Spanned<DeValue<'_>>,
    taken: &mut Vec<String>,
) -> Parsed<Vec<Entry>> {
    let not_a_list = || complaint(list.span(), "`neighbourhoods` is not a list of tables").help(SHAPE);
    let list = list.get_ref().as_array().ok_or_else(not_a_list)?;
    (1..).zip(list.iter()).map(|(number, entry)| self::entry(source, number, entry, taken)).collect()
}

fn entry(
    source: &str,
    number: usize,
    entry: &Spanned<DeValue<'_>>,
    taken: &mut Vec<String>,
) -> Parsed<Entry> {
    let not_a_table = || complaint(entry.span(), "a neighbourhood is a table").help(SHAPE);
    let table = entry.get_ref().as_table().ok_or_else(not_a_table)?;
    known_keys(table, &["name", "key", "window"], "a neighbourhood", SHAPE)?;
    let (name, name_span) = match table.get("name") {
        Some(name) => (string(name, "name")?.to_owned(), name.span()),
        None => (format!("neighbourhood {number}"), entry.span()),
    };
    if name.trim().is_empty() {
        let complaint = complaint(name_span, "the neighbourhood's name is empty");
        return Err(complaint.help("give it a name, or leave `name` out"));
    }
    if taken.contains(&name) {
        let message = format!("there is a rule or neighbourhood `{name}` already");
        return Err(complaint(name_span, message).help("give each a name of its own"));
    }
    taken.push(name.clone());
    let missing = |what: &str| complaint(entry.span(), format!("`{name}` has no `{what}`")).help(SHAPE);
    let key = table.get("key").ok_or_else(|| missing("key"))?;
    let literal = |text: &Spanned<DeValue<'_>>| Ok(Literal::new(source, text.span(), string(text, "key")?));
    let keys = match key.get_ref() {
        DeValue::Array(two) => match two.iter().collect::<Vec<_>>()[..] {
            [left, right] => [literal(left)?, literal(right)?],
            _ => {
                let message = format!("`key` is a list of {}, and there are at most two tables", two.len());
                return Err(complaint(key.span(), message).help("write one key, or one for each table"));
            }
        },
        _ => [literal(key)?, literal(key)?],
    };
    let are_two = matches!(key.get_ref(), DeValue::Array(_));
    let left = syntax::parse_key(&keys[0], Side::Left)?;
    let right = match are_two {
        true => syntax::parse_key(&keys[1], Side::Right)?,
        false => Term { side: Side::Right, ..left.clone() },
    };
    let window = table.get("window").ok_or_else(|| missing("window"))?;
    let window = whole_number(window).ok_or_else(|| {
        complaint(window.span(), format!("`window` must be a whole number from 2 to {MOST_WINDOW}"))
            .help("records whose places differ by less than it are paired: 2 pairs each with the next")
    })?;
    Ok(Entry { name, keys: [left, right], span: key.span(), are_two, window })
}

fn whole_number(value: &Spanned<DeValue<'_>>) -> Option<u32> {
    let integer = value.get_ref().as_integer()?;
    u32::from_str_radix(integer.as_str(), integer.radix()).ok().filter(|n| (2..=MOST_WINDOW).contains(n))
}

/// Gives the neighbourhoods of a file their meaning over two tables; with `dedupe` over one.
pub fn bind_neighbourhoods(
    file: &RuleFile,
    left: &Schema,
    right: &Schema,
    dedupe: bool,
) -> Result<Vec<Neighbourhood>> {
    let tables = Tables { left, right };
    let bound = file.neighbourhoods().iter().map(|entry| {
        if dedupe && entry.are_two {
            let complaint = complaint(entry.span.clone(), "there is one table, and here are two keys");
            return Err(complaint.help("write one key: key = \"soundex(title)\""));
        }
        let (left, right) = (tables.operand(&entry.keys[0])?, tables.operand(&entry.keys[1])?);
        let domain = equality(&left, &right).ok_or_else(|| {
            let message = format!("{}, and {}: they have no order", left.holds(), right.holds());
            complaint(entry.span.clone(), message).help("sort numbers with numbers and dates with dates")
        })?;
        let keys = [left.operand, right.operand];
        Ok(Neighbourhood { name: entry.name.clone(), keys, domain, window: entry.window })
    });
    bound.collect::<Parsed<_>>().map_err(|complaint| file.error(complaint))
}
