//! Which pair is meant: ids as people type them become records.

use super::Inquiry;
use crate::base::error::{Error, Result};
use crate::read::table::{Ids, Table};
use crate::rules::nearest;

/// So many ids are compared to suggest one: on a larger table those that stand next to where the unknown one would.
const LOOKED_AT: u32 = 100_000;

impl Inquiry {
    /// The records of two ids, in the order that the pair has.
    pub(super) fn locate(&self, left: &str, right: &str) -> Result<(u32, u32)> {
        match &self.right {
            Some(table) => Ok((find(&self.left, left, Some(table))?, find(table, right, Some(&self.left))?)),
            None => {
                let (one, other) = (find(&self.left, left, None)?, find(&self.left, right, None)?);
                if one == other {
                    let message = format!("both ids are `{left}`: a record is not compared with itself");
                    return Err(Error::Job(message));
                }
                let ids = &self.left.ids;
                if self.left.across().is_some() && ids.table_of(one) == ids.table_of(other) {
                    return Err(Error::Job(format!(
                        "`{}` and `{}` are of the same table, and pairs are of different ones; --within looks for those too",
                        ids.name(one),
                        ids.name(other)
                    )));
                }
                Ok((one.min(other), one.max(other)))
            }
        }
    }
}

fn find(table: &Table, id: &str, other: Option<&Table>) -> Result<u32> {
    if let several @ [_, _, ..] = &table.ids.records(id)[..] {
        let names: Vec<String> =
            several.iter().map(|&record| format!("`{}`", table.ids.name(record))).collect();
        return Err(Error::Job(format!(
            "the id `{id}` stands in several tables; name one of {}",
            names.join(" and ")
        )));
    }
    table.ids.record(id).ok_or_else(|| {
        let hint = match (suggestion(&table.ids, id), other) {
            // The left id goes with the left table.
            (_, Some(other)) if other.ids.record(id).is_some() => {
                format!("; {} has one: are the ids in the order of the tables?", other.path.display())
            }
            _ if table.ids.are_rows() => {
                let n = table.ids.len();
                format!("; the ids are the row numbers, 1 to {n}, unless --id names a column")
            }
            (Some(near), _) => format!("; did you mean `{near}`?"),
            (None, _) => String::new(),
        };
        Error::table(&table.path, format!("no record has the id `{id}`{hint}"))
    })
}

/// The id that is most like `id`, if one is like it at all.
fn suggestion(ids: &Ids, id: &str) -> Option<String> {
    if ids.tables().len() > 0 {
        let known: Vec<String> = (0..ids.len().min(LOOKED_AT)).map(|record| ids.name(record)).collect();
        let plain: Vec<String> = (0..ids.len().min(LOOKED_AT)).map(|record| ids.text(record)).collect();
        return nearest(id, known.iter().chain(&plain).map(String::as_str)).map(str::to_owned);
    }
    let place = ids.place(id);
    // The same number, written in another way.
    let number = id.trim().parse::<i64>().ok().filter(|_| ids.are_integers());
    if let Some(number) = number
        && let Some(same) = ids.record(&number.to_string())
    {
        return Some(ids.text(same));
    }
    let from = place.saturating_sub(LOOKED_AT / 2).min(ids.len().saturating_sub(LOOKED_AT));
    let upto = from.saturating_add(LOOKED_AT).min(ids.len());
    let known: Vec<String> = (from..upto).map(|record| ids.text(record)).collect();
    nearest(id, known.iter().map(String::as_str)).map(str::to_owned)
}
