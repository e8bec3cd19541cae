//! The columns of a table: their names and kinds, as rules are checked against them.

use super::IdSource;
use crate::base::error::{Error, Result};
use std::path::Path;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Anything.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Float,
    /// Calendar dates.
    Date,
    /// Lists of values.
    List,
}

/// All columns of a table.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The table, for people: its file.
    pub table: String,
    /// In file order.
    pub columns: Vec<ColumnSchema>,
}

/// One column of a [`Schema`].
#[derive(Clone, Debug)]
pub struct ColumnSchema {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// If it is text because of one value: which, and in which row, e.g. "row 17 holds `c. 1999`".
    pub why_text: Option<String>,
}

impl Schema {
    /// The column of that name: exactly, or else the only one that differs in case alone.
    pub fn find(&self, name: &str) -> Option<usize> {
        let exact = self.columns.iter().position(|column| column.name == name);
        exact.or_else(|| {
            let mut folded =
                (0..self.columns.len()).filter(|&ix| self.columns[ix].name.eq_ignore_ascii_case(name));
            let first = folded.next()?;
            folded.next().is_none().then_some(first)
        })
    }

    /// The column that ids come from, if one does: the first named `id`, if nobody names another.
    pub(super) fn id(&self, path: &Path, source: &IdSource) -> Result<Option<usize>> {
        let id = source.column(self);
        match (source, id) {
            (IdSource::Column(name), None) => {
                let message = format!("no column `{name}` for the ids; the columns are {}", self.names());
                Err(Error::table(path, message))
            }
            _ => Ok(id),
        }
    }

    /// All names, for messages; if there are very many, the first of them.
    pub fn names(&self) -> String {
        const SHOWN: usize = 100;
        let names = self.columns.iter().take(SHOWN).map(|column| format!("`{}`", column.name));
        let names = names.collect::<Vec<_>>().join(", ");
        match self.columns.len().saturating_sub(SHOWN) {
            0 => names,
            n_more => format!("{names} and {n_more} more"),
        }
    }
}
