//! A column of ids: those that are all integers stay integers.

use super::Lines;
use crate::read::table::Ids;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::{DataType, Field};
use std::borrow::Cow;
use std::sync::Arc;

/// The ids of a table's records.
pub(super) struct IdColumn<'a> {
    ids: &'a Ids,
}

impl<'a> IdColumn<'a> {
    pub(super) fn new(ids: &'a Ids) -> Self {
        Self { ids }
    }

    /// The number of records.
    pub(super) fn len(&self) -> u32 {
        self.ids.len()
    }

    /// The column.
    pub(super) fn field(&self, name: &str) -> Field {
        let id_type = if self.ids.are_integers() { DataType::Int64 } else { DataType::LargeUtf8 };
        Field::new(name, id_type, false)
    }

    /// The ids of records.
    pub(super) fn array(&self, records: impl Iterator<Item = u32>) -> ArrayRef {
        if let Some(integers) = self.ids.integers() {
            return Arc::new(Int64Array::from_iter_values(records.map(|record| integers[record as usize])));
        }
        if self.ids.are_integers() {
            return Arc::new(records.map(|record| self.ids.integer(record)).collect::<Int64Array>());
        }
        let mut texts = LargeStringBuilder::new();
        records.for_each(|record| texts.append_value(self.ids.borrowed(record)));
        Arc::new(texts.finish())
    }

    /// A record's id as a field of CSV.
    pub(super) fn write_csv(&self, record: u32, lines: &mut Lines) {
        match self.ids.integer(record) {
            Some(integer) => lines.integer(integer),
            None => lines.text(&self.ids.borrowed(record)),
        }
    }

    /// A record's id as text.
    pub(super) fn text(&self, record: u32) -> Cow<'a, str> {
        self.ids.borrowed(record)
    }
}
