//! The section `[columns]`: what rules call a column that tables name differently.
//!
//! ```toml
//! [columns]
//! name = ["title", "product_name"]
//! price = ["shop.cost", "catalogue.eur"]   # of one table alone
//! ```

use super::{RuleFile, string};
use crate::base::error::Error;
use crate::rules::syntax::{Parsed, complaint};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The key of the section.
pub(super) const KEY: &str = "columns";

const SHAPE: &str = "write `[columns]`, then `name = [\"title\", \"product_name\"]`: what rules call `name` is the first of these \
                     that a table has, if it has no `name` itself";

/// A name, and the columns that go by it.
#[derive(Clone, Debug)]
pub struct ColumnEntry {
    /// What rules say.
    pub name: String,
    /// What tables have, perhaps behind the name of a table and a dot; the first that is there counts.
    pub columns: Vec<String>,
    span: Range<usize>,
}

pub(super) fn section(document: &DeTable<'_>) -> Parsed<Vec<ColumnEntry>> {
    let Some(section) = document.get(KEY) else { return Ok(Vec::new()) };
    let no_table = || complaint(section.span(), "`columns` is not a section").help(SHAPE);
    let table = section.get_ref().as_table().ok_or_else(no_table)?;
    let mut entries = Vec::new();
    for (key, value) in table {
        let name = key.get_ref().to_string();
        let columns: Vec<String> = match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|it| column(it, &name)).collect::<Parsed<_>>()?,
            _ => vec![column(value, &name)?],
        };
        if columns.is_empty() {
            return Err(complaint(value.span(), format!("`{name}` names no column")).help(SHAPE));
        }
        entries.push(ColumnEntry { name, columns, span: key.span().start..value.span().end });
    }
    // In the order of the file, in which they are complained about.
    entries.sort_by_key(|entry| entry.span.start);
    Ok(entries)
}

fn column(value: &Spanned<DeValue<'_>>, name: &str) -> Parsed<String> {
    let column = string(value, name)?;
    match column.trim().is_empty() {
        true => Err(complaint(value.span(), "the column's name is empty").help(SHAPE)),
        false => Ok(column.to_owned()),
    }
}

impl RuleFile {
    /// The error that an entry becomes which no table can do anything with.
    pub(crate) fn unknown_columns(&self, entry: &ColumnEntry, help: String) -> Error {
        let message = lacking(&entry.name, &entry.columns);
        self.error(complaint(entry.span.clone(), message).help(help))
    }
}

/// What is said of a name that no table has a column for.
pub(crate) fn lacking(name: &str, columns: &[String]) -> String {
    let columns: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
    format!("no table has a column {}, nor one named `{name}`", columns.join(" or "))
}
