//! Columns that go by another name: what rules call `name` may be `title` in one table and `product_name` in the next.
//!
//! A column that goes by another name is there twice, under both, with the same values: rules may use either.

use super::{Contents, IdSource, Schema, Table};

/// Names, and for each the columns of which the first that a table has goes by it, if no column of the table has it already.
pub(super) type Called = [(String, Vec<String>)];

/// Whether a column is to be read for the sake of what it may be called.
pub(super) fn is_wanted(called: &Called, wanted: &dyn Fn(&str) -> bool, column: &str) -> bool {
    let may_be = |(name, columns): &(String, Vec<String>)| {
        wanted(name) && columns.iter().any(|other| other.eq_ignore_ascii_case(column))
    };
    called.iter().any(may_be)
}

/// Adds the columns that go by another name, behind those of the table; and says which they are.
pub(super) fn call(
    contents: &mut Contents,
    called: &Called,
    wanted: &dyn Fn(&str) -> bool,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if called.is_empty() {
        return found;
    }
    let own = Schema { table: String::new(), columns: contents.columns.clone() };
    for (name, columns) in called {
        if own.find(name).is_some() {
            continue;
        }
        let Some(place) = columns.iter().find_map(|column| own.find(column)) else { continue };
        let mut column = own.columns[place].clone();
        found.push((name.clone(), std::mem::replace(&mut column.name, name.clone())));
        contents.columns.push(column);
        contents.values.push(contents.values[place].clone().filter(|_| wanted(name)));
    }
    found
}

impl Table {
    /// The columns that the table has itself, each under its own name, but for those with the ids. Of several tables that are one,
    /// those that any of them has.
    pub(crate) fn own_columns(&self, ids: &[&IdSource]) -> Vec<usize> {
        let is_id = |place| ids.iter().any(|id| id.column(&self.schema) == Some(place));
        let is_own =
            |name: &str| self.united.as_ref().is_some_and(|united| united.own.iter().any(|own| own == name));
        let is_called = |name: &str| self.called.iter().any(|(other, _)| other == name) && !is_own(name);
        let columns = self.schema.columns.iter().enumerate();
        let own = columns.filter(|(place, column)| !is_id(*place) && !is_called(&column.name));
        own.map(|(place, _)| place).collect()
    }

    /// Of columns with these names those that were read, under whatever name, in order; the one with the ids first.
    pub(crate) fn read_columns(&self, names: &[String]) -> Vec<String> {
        let is_id = |name: &&String| self.id_columns.iter().flatten().any(|id| id == *name);
        let is_there = |name: &str| {
            let place = self.schema.columns.iter().position(|column| column.name == name);
            place.is_some_and(|place| self.has_text(&[place]))
        };
        let is_read = |name: &&String| {
            is_there(name) || self.called.iter().any(|(other, own)| own == *name && is_there(other))
        };
        let (ids, others): (Vec<&String>, Vec<&String>) = names.iter().partition(is_id);
        ids.into_iter().chain(others.into_iter().filter(is_read)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::table::{ColumnSchema, Kind};
    use arrow_array::LargeStringArray;

    #[test]
    fn the_first_that_is_there_unless_the_name_is() {
        let column = |name: &str| ColumnSchema { name: name.into(), kind: Kind::Text, why_text: None };
        let values = |text: &str| Some(LargeStringArray::from(vec![text]));
        let called: Vec<(String, Vec<String>)> =
            [("name", vec!["label", "Title", "maker"]), ("MAKER", vec!["title"]), ("price", vec!["cost"])]
                .map(|(name, columns)| (name.to_owned(), columns.into_iter().map(str::to_owned).collect()))
                .into();
        let mut contents = Contents {
            infers_kinds: true,
            columns: ["title", "maker", "x"].map(column).into(),
            values: vec![values("a"), values("b"), None],
            n_rows: 1,
        };
        let wanted = |name: &str| name.eq_ignore_ascii_case("name");
        let found = call(&mut contents, &called, &wanted);
        assert_eq!(found, [("name".to_owned(), "title".to_owned())]);
        let names: Vec<&str> = contents.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["title", "maker", "x", "name"]);
        assert_eq!(contents.values[3], values("a"));
        assert!(is_wanted(&called, &wanted, "TITLE") && !is_wanted(&called, &wanted, "cost"));
    }
}
