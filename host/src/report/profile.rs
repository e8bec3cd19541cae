//! What is in the columns: of all records of a table that is not large, of many of one that is.

use super::asked::{Asked, ShownValues, from_here};
use super::cut::shortened;
use super::records::Records;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::inspect::profile::Profile;
use crate::job::Prepared;
use crate::read::table::Table;
use indicatif::HumanCount;
use serde_json::{Value, json};

/// Columns that are told of, and characters of a value.
const MOST_COLUMNS: usize = 100;
const MOST_TEXT: usize = 80;

pub(super) fn section(records: &Records, job: &Prepared, asked: &Asked, control: &Control) -> Result<Value> {
    let sides = [(0, &job.left), (1, job.right())];
    let sides = sides.iter().take(if job.second().is_none() { 1 } else { 2 });
    let of = |&(side, whole): &(usize, &Table)| {
        let table = records.table(side);
        let mut profile = Profile::of(table, control)?;
        let shown: Vec<&str> =
            records.columns[side].iter().map(|&column| table.schema.columns[column].name.as_str()).collect();
        profile.columns.retain(|column| shown.contains(&column.name.as_str()));
        let n_left_out = profile.columns.len().saturating_sub(MOST_COLUMNS);
        profile.columns.truncate(MOST_COLUMNS);
        let mut json = profile.json();
        let names: Vec<String> = whole.files().into_iter().map(from_here).collect();
        json["table"] = names.join(", ").into();
        json["columns"]
            .as_array_mut()
            .into_iter()
            .flatten()
            .for_each(|column| cut_or_withheld(column, asked));
        let (n, all) = (table.n_records(), whole.n_records());
        let mut notes = Vec::new();
        if n < all {
            let [n, all] = [n, all].map(|n| HumanCount(n.into()));
            notes.push(format!("Of {n} of {all} records, at equal distances, and those of the pairs shown."));
        }
        if n_left_out > 0 {
            notes.push(format!("{n_left_out} more columns are not told of."));
        }
        if asked.values == ShownValues::None {
            notes.push("Values are withheld.".to_owned());
        }
        json["note"] = if notes.is_empty() { Value::Null } else { notes.join(" ").into() };
        Ok(json)
    };
    sides.map(of).collect::<Result<Value>>()
}

fn cut_or_withheld(column: &mut Value, asked: &Asked) {
    let name = column["name"].as_str().map(|name| shortened(name, MOST_TEXT));
    column["name"] = name.into();
    for kind in ["heavy", "placeholders"] {
        if asked.values == ShownValues::None {
            column[kind] = json!([]);
        }
        for it in column[kind].as_array_mut().into_iter().flatten() {
            let value = it["value"].as_str().map(|value| shortened(value, MOST_TEXT));
            it["value"] = value.into();
        }
    }
}
