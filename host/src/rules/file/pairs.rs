//! The `[[pairs]]` of a rule file: all pairs, as they are.
//!
//! ```toml
//! [[pairs]]
//! all = true
//! ```
//!
//! No rule and no neighbourhood adds to that, so it stands alone.

use super::{known_keys, string};
use crate::base::error::{Error, Result};
use crate::rules::syntax::{Parsed, complaint};
use indicatif::{HumanBytes, HumanCount};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const SHAPE: &str = "all pairs are written `[[pairs]]`, then `all = true`, and if need be `most = 5_000_000_000`, on lines of \
     their own";

/// Pairs that nobody asks for by accident: a device scores them within minutes, and a file of them has tens of gigabytes.
const MOST: u64 = 1_000_000_000;

/// Two short ids and a witness.
const BYTES_PER_PAIR: u64 = 25;

/// All pairs of the tables are candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllPairs {
    /// As the file names it, or `all pairs`.
    pub name: String,
    /// If there are more pairs than that, the job is refused.
    pub most: u64,
}

impl AllPairs {
    /// An error, if there are more pairs than are wanted at most.
    pub fn check(&self, n_pairs: u64) -> Result<()> {
        if n_pairs <= self.most {
            return Ok(());
        }
        let (n, most) = (HumanCount(n_pairs), HumanCount(self.most));
        let bytes = HumanBytes(n_pairs.saturating_mul(BYTES_PER_PAIR));
        Err(Error::Job(format!(
            "there are {n} pairs, and [[pairs]] allows {most} at most (written out, they would take some {bytes}): \
             write [[rules]] that leave fewer, or set `most = {n_pairs}`"
        )))
    }
}

/// What the section says.
pub(super) fn all(list: &Spanned<DeValue<'_>>) -> Parsed<AllPairs> {
    let not_a_list = || complaint(list.span(), "`pairs` is not a list of one table").help(SHAPE);
    let entries = list.get_ref().as_array().ok_or_else(not_a_list)?;
    let [entry] = &entries.iter().collect::<Vec<_>>()[..] else {
        return Err(match entries.get(1) {
            Some(second) => {
                complaint(second.span(), "all pairs are there already").help("leave one `[[pairs]]`")
            }
            None => not_a_list(),
        });
    };
    let table = entry.get_ref().as_table().ok_or_else(not_a_list)?;
    known_keys(table, &["name", "all", "most"], "a section `pairs`", SHAPE)?;
    match table.get("all") {
        None => return Err(complaint(entry.span(), "it has no `all`").help(SHAPE)),
        Some(all) if all.get_ref().as_bool() != Some(true) => {
            return Err(complaint(all.span(), "`all` must be true").help("or leave `[[pairs]]` out"));
        }
        Some(_) => {}
    }
    let name = match table.get("name") {
        None => "all pairs".to_owned(),
        Some(name) if string(name, "name")?.trim().is_empty() => {
            return Err(complaint(name.span(), "the name is empty").help("give a name, or leave `name` out"));
        }
        Some(name) => string(name, "name")?.to_owned(),
    };
    Ok(AllPairs { name, most: most(table)? })
}

fn most(table: &DeTable<'_>) -> Parsed<u64> {
    let Some(most) = table.get("most") else { return Ok(MOST) };
    let number = most.get_ref().as_integer();
    number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok()).ok_or_else(|| {
        complaint(most.span(), "`most` must be a whole number of pairs")
            .help("with more pairs than that, the job is refused")
    })
}
