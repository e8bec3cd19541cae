//! The columns of a table: their names and kinds, as rules are checked against them.

use super::IdSource;
use crate::base::error::{Error, Result};
use std::path::Path;

/// What may separate fields where nobody said so: the character, many of them, and how the option names it.
const SEPARATORS: [(char, &str, &str); 4] =
    [(';', "semicolons", "';'"), ('\t', "tabs", "tab"), ('|', "bars", "'|'"), (',', "commas", "','")];

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
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

    /// What to do about a header that looks as if other characters separate its fields.
    pub fn hint(&self) -> Option<String> {
        let n_columns = self.columns.len();
        let n_in_names =
            |mark: char| self.columns.iter().map(|column| column.name.matches(mark).count()).sum::<usize>();
        // As many of them as there are columns: there would be more columns than there are now.
        let marks =
            SEPARATORS.iter().map(|of| (n_in_names(of.0), of)).filter(|(n, _)| *n >= n_columns.max(1));
        let (_, (_, name, option)) = marks.rev().max_by_key(|(n, _)| *n)?;
        let columns = if n_columns == 1 { "one column".into() } else { format!("{n_columns} columns") };
        Some(format!(
            "if it is {name} that separate fields, say --delimiter {option}: the header is {columns}"
        ))
    }

    /// All names, for messages; if there are very many, the first of them.
    pub fn names(&self) -> String {
        const SHOWN: usize = 100;
        let names = self.columns.iter().take(SHOWN).map(|column| format!("`{}`", column.name));
        let names = names.collect::<Vec<_>>().join(", ");
        let names = match self.columns.len().saturating_sub(SHOWN) {
            0 => names,
            n_more => format!("{names} and {n_more} more"),
        };
        match self.hint() {
            None => names,
            Some(hint) => format!("{names}; {hint}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_separators_are_seen_in_headers() {
        let hint = |names: &[&str]| {
            let column =
                |name: &&str| ColumnSchema { name: (*name).into(), kind: Kind::Text, why_text: None };
            Schema { table: "t".into(), columns: names.iter().map(column).collect() }.hint()
        };
        let said = |name: &str, option: &str, columns: &str| {
            Some(format!(
                "if it is {name} that separate fields, say --delimiter {option}: the header is {columns}"
            ))
        };
        assert_eq!(hint(&["id;name;city"]), said("semicolons", "';'", "one column"));
        assert_eq!(hint(&["id\tname"]), said("tabs", "tab", "one column"));
        assert_eq!(hint(&["id|name"]), said("bars", "'|'", "one column"));
        assert_eq!(hint(&["id,name"]), said("commas", "','", "one column"));
        // A comma in a name between semicolons.
        assert_eq!(hint(&["id;name", " first;city"]), said("semicolons", "';'", "2 columns"));
        for names in [&["id"][..], &["id", "name"], &["id", "a;b"], &[]] {
            assert_eq!(hint(names), None, "{names:?}");
        }
    }
}
