//! Columns that look like ids, for a table whose ids would be its row numbers: nobody gets those without a word.

use super::sources::name_of;
use super::{ColumnSchema, IdSource, Ids, Schema};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use arrow_array::LargeStringArray;
use std::path::Path;

/// What a column of ids may be called, beside `id`: `unique_id`, and of a table `persons` also `persons_id` and `person_id`.
pub(super) struct Proposed(Vec<String>);

impl Proposed {
    /// Those of the table at `path`, unless somebody said that row numbers are meant.
    pub(super) fn of(path: &Path, id: &IdSource) -> Self {
        match id {
            IdSource::Usual | IdSource::Preferred(_) => {
                let table = name_of(path);
                let singular = match (table.strip_suffix("ies"), table.strip_suffix('s')) {
                    (Some(stem), _) => Some(format!("{stem}y_id")),
                    (None, Some(stem)) => Some(format!("{stem}_id")),
                    (None, None) => None,
                };
                let names = ["unique_id".to_owned(), format!("{table}_id")];
                Self(names.into_iter().chain(singular).collect())
            }
            IdSource::Column(_) | IdSource::RowNumbers => Self(Vec::new()),
        }
    }

    /// Whether a column is called so.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|proposed| proposed.eq_ignore_ascii_case(name))
    }

    /// Warns, if a column is called so and could be the ids: its values are all there, and differ.
    pub(super) fn warn(
        &self,
        path: &Path,
        schema: &Schema,
        values: &[Option<LargeStringArray>],
        control: &Control,
    ) -> Result<()> {
        let named = |name: &String| {
            let is_named = |column: &ColumnSchema| column.name.eq_ignore_ascii_case(name);
            schema.columns.iter().position(is_named)
        };
        for place in self.0.iter().filter_map(named) {
            let (column, Some(values)) = (&schema.columns[place], &values[place]) else { continue };
            match Ids::new(path, column, values.clone(), control) {
                Ok(_) => {
                    let (path, name) = (path.display(), &column.name);
                    tracing::warn!(
                        "{path}: ids are row numbers; the column `{name}` looks like ids: --id {name}"
                    );
                    return Ok(());
                }
                // They are no ids.
                Err(Error::Table { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ids_may_be_called() {
        for (path, names) in [
            ("data/persons.csv.gz", ["unique_id", "persons_id", "person_id"].as_slice()),
            ("companies.parquet", &["unique_id", "companies_id", "company_id"]),
            ("people.csv", &["unique_id", "people_id"]),
        ] {
            assert_eq!(Proposed::of(Path::new(path), &IdSource::Usual).0, names);
            assert!(Proposed::of(Path::new(path), &IdSource::RowNumbers).0.is_empty());
        }
        assert!(Proposed::of(Path::new("t.csv"), &IdSource::Usual).has("UNIQUE_ID"));
    }
}
