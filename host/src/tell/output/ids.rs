//! A column of ids: those that are all integers stay integers.
//!
//! A table holds ids as text, by row. Once more of them are written than there are, all are parsed, once and by all threads,
//! where a candidate's would be looked up and parsed once a row.

use super::Lines;
use crate::read::table::Ids;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::{DataType, Field};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// The ids of a table's records.
pub(super) struct IdColumn<'a> {
    ids: &'a Ids,
    n_asked: usize,
    /// By record, once that is worth it.
    integers: Option<Vec<i64>>,
}

impl<'a> IdColumn<'a> {
    pub(super) fn new(ids: &'a Ids) -> Self {
        Self { ids, n_asked: 0, integers: None }
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

    /// Makes ready for so many more ids.
    pub(super) fn expect(&mut self, n: usize) {
        self.n_asked = self.n_asked.saturating_add(n);
        if self.integers.is_none() && self.ids.are_integers() && self.n_asked >= self.len() as usize {
            self.integers = (0..self.len()).into_par_iter().map(|record| self.ids.integer(record)).collect();
        }
    }

    /// The ids of records.
    pub(super) fn array(&self, records: impl Iterator<Item = u32>) -> ArrayRef {
        if let Some(integers) = &self.integers {
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
        match &self.integers {
            Some(integers) => lines.integer(integers[record as usize]),
            None => lines.text(&self.ids.borrowed(record)),
        }
    }

    /// A record's id as text.
    pub(super) fn text(&self, record: u32) -> Cow<'a, str> {
        self.ids.borrowed(record)
    }
}
