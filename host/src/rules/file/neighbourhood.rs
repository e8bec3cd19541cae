//! The `[[neighbourhoods]]` of a rule file.
//!
//! ```toml
//! [[neighbourhoods]]
//! name = "near by title"
//! key = "soundex(title)"
//! window = 20
//! ```
//!
//! Two tables whose columns are not named alike have a key each: `key = ["soundex(title)", "soundex(name)"]`.

use super::{known_keys, string};
use crate::rules::Side;
use crate::rules::literal::Literal;
use crate::rules::syntax::{self, Parsed, Term, complaint};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

const SHAPE: &str = "a neighbourhood is written `[[neighbourhoods]]`, then `key = \"soundex(title)\"` and `window = 20` on \
     lines of their own";

/// The widest window: with it, a record's neighbours are still counted in 32 bits.
const MOST_WINDOW: u32 = 1 << 30;

/// One neighbourhood of the file.
#[derive(Debug)]
pub(in crate::rules) struct NearEntry {
    pub(in crate::rules) name: String,
    /// Of the left table and of the right one.
    pub(in crate::rules) keys: [Term; 2],
    /// Where the keys stand.
    pub(in crate::rules) span: Range<usize>,
    /// Whether each table has one of its own.
    pub(in crate::rules) are_two: bool,
    pub(in crate::rules) window: u32,
}

/// The neighbourhoods of a list. Their names differ from those that are `taken`.
pub(super) fn entries(
    source: &str,
    list: &Spanned<DeValue<'_>>,
    taken: &mut Vec<String>,
) -> Parsed<Vec<NearEntry>> {
    let not_a_list = || complaint(list.span(), "`neighbourhoods` is not a list of tables").help(SHAPE);
    let list = list.get_ref().as_array().ok_or_else(not_a_list)?;
    (1..).zip(list.iter()).map(|(number, entry)| self::entry(source, number, entry, taken)).collect()
}

fn entry(
    source: &str,
    number: usize,
    entry: &Spanned<DeValue<'_>>,
    taken: &mut Vec<String>,
) -> Parsed<NearEntry> {
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
    Ok(NearEntry { name, keys: [left, right], span: key.span(), are_two, window })
}

fn whole_number(value: &Spanned<DeValue<'_>>) -> Option<u32> {
    let integer = value.get_ref().as_integer()?;
    u32::from_str_radix(integer.as_str(), integer.radix()).ok().filter(|n| (2..=MOST_WINDOW).contains(n))
}
