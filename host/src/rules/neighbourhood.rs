//! Neighbourhoods: keys that records are sorted by, so that those near each other are paired. `file::neighbourhood` says how
//! they are written.

use super::bind::{Tables, equality};
use super::file::RuleFile;
use super::syntax::{Parsed, complaint};
use super::{Domain, Operand};
use crate::base::error::Result;
use crate::read::table::Schema;
use std::fmt;

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

/// Gives the neighbourhoods of a file their meaning over two tables; with `dedupe` over one.
pub fn bind_neighbourhoods(
    file: &RuleFile,
    left: &Schema,
    right: &Schema,
    dedupe: bool,
) -> Result<Vec<Neighbourhood>> {
    let tables = Tables { left, right, lookups: file.lookups()? };
    let bound = file.neighbourhoods().iter().map(|entry| {
        if dedupe && entry.are_two {
            let complaint = complaint(entry.span.clone(), "there is one table, and here are two keys");
            return Err(complaint.help("write one key: key = \"soundex(title)\""));
        }
        let (left, right) = (tables.operand(&entry.keys[0])?, tables.operand(&entry.keys[1])?);
        if let Some(list) = [&left, &right].into_iter().find(|key| key.operand.is_list()) {
            let complaint = complaint(entry.span.clone(), format!("{}: they have no order", list.holds()));
            return Err(complaint.help("sort records by a single value of each"));
        }
        let domain = equality(&left, &right).ok_or_else(|| {
            let message = format!("{}, and {}: they have no order", left.holds(), right.holds());
            complaint(entry.span.clone(), message).help("sort numbers with numbers and dates with dates")
        })?;
        let keys = [left.operand, right.operand];
        Ok(Neighbourhood { name: entry.name.clone(), keys, domain, window: entry.window })
    });
    bound.collect::<Parsed<_>>().map_err(|complaint| file.error(complaint))
}
