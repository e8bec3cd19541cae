//! Records by what a truth calls them. Ids are unique within a table alone, so where there are several tables as one the truth may
//! say which of them each id is of: in a column of its own beside each column of ids.

use crate::base::error::{Error, Result};
use crate::read::table::{Ids, Table};
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashMap;

/// A column of ids in a file, and perhaps the one that says which tables they are of.
pub(super) struct Named<'a> {
    file: &'a Table,
    ids: &'a LargeStringArray,
    sources: Option<&'a LargeStringArray>,
    /// What the column of tables is called.
    source: &'static str,
}

impl<'a> Named<'a> {
    pub(super) fn new(file: &'a Table, id: usize, source: &'static str) -> Result<Self> {
        let sources = file.schema.find(source).map(|column| file.singles(column)).transpose()?;
        Ok(Self { file, ids: file.singles(id)?, sources, source })
    }

    /// What a row says of the table.
    pub(super) fn source(&self, row: usize) -> Option<&'a str> {
        self.sources.filter(|sources| !sources.is_null(row)).map(|sources| sources.value(row))
    }

    /// What it says of the record, if anything.
    pub(super) fn id(&self, row: usize) -> Option<&'a str> {
        (!self.ids.is_null(row)).then(|| self.ids.value(row))
    }
}

/// The records of a table, or of several that are one, to be found by their ids.
pub(super) struct Finder<'a> {
    ids: &'a Ids,
    /// Of one table. Several know their records by table.
    index: HashMap<String, u32>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(ids: &'a Ids) -> Self {
        let index = if is_several(ids) { HashMap::new() } else { ids.index() };
        Self { ids, index }
    }

    /// The record that a row names by an id, if there is one.
    pub(super) fn find(&self, named: &Named<'_>, row: usize, id: &str) -> Result<Option<u32>> {
        if !is_several(self.ids) {
            return Ok(self.index.get(id).copied());
        }
        if let Some(source) = named.source(row) {
            return Ok(self.ids.record_in(source, id));
        }
        match self.ids.records(id)[..] {
            [] => Ok(None),
            [record] => Ok(Some(record)),
            ref several => {
                let tables: Vec<String> =
                    several.iter().filter_map(|&record| self.ids.source(record)).map(quoted).collect();
                let message = format!(
                    "row {}: the id `{id}` stands in several tables, {}; say in a column `{}` which one is meant",
                    row + 1,
                    tables.join(" and "),
                    named.source
                );
                Err(Error::table(&named.file.path, message))
            }
        }
    }
}

/// Whether ids are those of several tables as one.
pub(super) fn is_several(ids: &Ids) -> bool {
    ids.tables().len() > 0
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}
