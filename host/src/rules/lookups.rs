//! The tables that rules look values up in: files of two columns, each read once.

use super::syntax::{Complaint, Parsed, complaint};
use super::transform::{Entries, Lookup, Transform};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::table::{IdSource, ReadOptions, Table};
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What is in the tables, by the names that rules give them.
#[derive(Debug, Default)]
pub(super) struct Lookups(HashMap<String, Entries>);

/// The same, to go along where a part of a job is done elsewhere: by table, what is looked up, and the list that it stands for.
pub(crate) type Listed = Vec<(String, Vec<(String, String)>)>;

impl Lookups {
    /// What is in them, in order.
    pub(super) fn listed(&self) -> Listed {
        let own = |(key, list): (&String, &String)| (key.clone(), list.clone());
        let table = |(name, entries): (&String, &Entries)| {
            let mut lists: Vec<_> = entries.lists().iter().map(own).collect();
            lists.sort_unstable();
            (name.clone(), lists)
        };
        let mut listed: Listed = self.0.iter().map(table).collect();
        listed.sort_unstable();
        listed
    }

    /// Of what was [`listed`](Self::listed).
    pub(super) fn of_listed(listed: Listed) -> Self {
        let tables = listed.into_iter();
        Self(tables.map(|(name, lists)| (name, Entries::of_lists(lists.into_iter().collect()))).collect())
    }

    /// Reads the tables that a rule file names, each at a place in it, which `error` points at.
    pub(super) fn read(
        rules: &Path,
        named: &[(&str, Range<usize>)],
        control: &Control,
        error: impl Fn(Complaint) -> Error,
    ) -> Result<Self> {
        let mut tables = HashMap::new();
        for (name, span) in named {
            if tables.contains_key(*name) {
                continue;
            }
            let path = beside(rules, name);
            let entries =
                match entries(&path, control) {
                    // What cannot be opened is named wrongly, mostly: then the place is of use.
                    Err(Error::Io { source, .. }) => {
                        let message = format!("cannot read {}: {source}", path.display());
                        return Err(error(complaint(span.clone(), message).help(
                            "name a table of two columns, by its path from the folder of the rule file",
                        )));
                    }
                    entries => entries?,
                };
            tables.insert((*name).to_owned(), entries);
        }
        Ok(Self(tables))
    }

    /// Transforms with what they look up.
    pub(super) fn with(&self, transforms: &[Transform], span: &Range<usize>) -> Parsed<Vec<Transform>> {
        let with = |transform: &Transform| match transform {
            Transform::Lookup(lookup) => self.lookup(lookup, span).map(Transform::Lookup),
            other => Ok(other.clone()),
        };
        transforms.iter().map(with).collect()
    }

    fn lookup(&self, lookup: &Lookup, span: &Range<usize>) -> Parsed<Lookup> {
        let unread = || complaint(span.clone(), format!("`{}` was not read", lookup.file));
        self.0.get(&lookup.file).map(|entries| lookup.with(entries)).ok_or_else(unread)
    }
}

/// Where a file is that a rule file names.
pub(super) fn beside(rules: &Path, name: &str) -> PathBuf {
    rules.parent().unwrap_or(Path::new("")).join(name)
}

fn entries(path: &Path, control: &Control) -> Result<Entries> {
    let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
    let table = Table::read(path, &options, &|_| true, control)?;
    let n_columns = table.schema.columns.len();
    if n_columns != 2 {
        let columns = if n_columns == 1 { "column" } else { "columns" };
        let message = format!(
            "a table for lookup has two columns, what is looked up and what it stands for, and this one has \
             {n_columns} {columns}; write it with two"
        );
        return Err(Error::table(path, message));
    }
    let (keys, values) = (table.singles(0)?, table.singles(1)?);
    let missing = |column: usize, of: &LargeStringArray| {
        let row = (0..of.len()).find(|&row| of.is_null(row))?;
        Some((row, column))
    };
    if let Some((row, column)) = [missing(0, keys), missing(1, values)].into_iter().flatten().min() {
        let name = &table.schema.columns[column].name;
        let message = format!(
            "row {}, column `{name}`: the cell is empty; a table for lookup has two values in every row",
            row + 1
        );
        return Err(Error::table(path, message));
    }
    Ok(Entries::of((0..keys.len()).map(|row| (keys.value(row), values.value(row)))))
}
