//! A column of ids: those that are all integers stay integers. And beside it, of several tables, a column that names the table.

use super::Lines;
use crate::read::table::Ids;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, StringArray};
use arrow_schema::{ArrowError, DataType, Field};
use std::borrow::Cow;
use std::sync::Arc;

/// The ids of a table's records.
#[derive(Clone, Copy)]
pub(crate) struct IdColumn<'a> {
    ids: &'a Ids,
    /// By record, if they are integers from a column.
    integers: Option<&'a [i64]>,
}

impl<'a> IdColumn<'a> {
    pub(crate) fn new(ids: &'a Ids) -> Self {
        Self { ids, integers: ids.integers() }
    }

    /// By record, if they are integers from a column.
    pub(super) fn integers(&self) -> Option<&'a [i64]> {
        self.integers
    }

    /// What they are.
    pub(super) fn ids(&self) -> &'a Ids {
        self.ids
    }

    /// The number of records.
    pub(crate) fn len(&self) -> u32 {
        self.ids.len()
    }

    /// The column.
    pub(crate) fn field(&self, name: &str) -> Field {
        let id_type = if self.ids.are_integers() { DataType::Int64 } else { DataType::LargeUtf8 };
        Field::new(name, id_type, false)
    }

    /// The ids of records.
    pub(crate) fn array(&self, records: impl Iterator<Item = u32>) -> ArrayRef {
        if let Some(integers) = self.integers {
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
    pub(crate) fn write_csv(&self, record: u32, lines: &mut Lines) {
        if let Some(integers) = self.integers {
            return lines.integer(integers[record as usize]);
        }
        match self.ids.integer(record) {
            Some(integer) => lines.integer(integer),
            None => lines.text(&self.ids.borrowed(record)),
        }
    }

    /// A record's id as text.
    pub(crate) fn text(&self, record: u32) -> Cow<'a, str> {
        self.ids.borrowed(record)
    }
}

/// What the table of a record is called, where there are several.
#[derive(Clone)]
pub(crate) struct SourceColumn<'a> {
    ids: &'a Ids,
    /// The names, each once: an Arrow file has one dictionary for all batches.
    names: ArrayRef,
}

impl<'a> SourceColumn<'a> {
    /// None, if there is one table.
    pub(crate) fn new(ids: &'a Ids) -> Option<Self> {
        let tables = ids.tables();
        if tables.len() == 0 {
            return None;
        }
        let names = Arc::new(StringArray::from_iter_values(tables.map(|(name, _)| name)));
        Some(Self { ids, names })
    }

    /// The column.
    pub(crate) fn field(name: &str) -> Field {
        Field::new(name, DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)), false)
    }

    /// The tables of records.
    pub(crate) fn array(&self, records: impl Iterator<Item = u32>) -> Result<ArrayRef, ArrowError> {
        let table = |record| self.ids.table_of(record).unwrap_or(0) as i32;
        let keys = Int32Array::from_iter_values(records.map(table));
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, self.names.clone())?))
    }

    /// The table of a record as a field of CSV.
    pub(crate) fn write_csv(&self, record: u32, lines: &mut Lines) {
        lines.text(self.ids.source(record).unwrap_or_default());
    }
}
