//! Values beside ids: columns of both records of a pair, as `left_name` and `right_name`.
//!
//! A value is the text that the table has; a missing one is null, and empty in CSV.

use super::Lines;
use crate::base::error::Result;
use crate::base::list;
use crate::read::table::{Ids, Kind, Table};
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{Array, ArrayRef, LargeStringArray};
use arrow_schema::{DataType, Field};
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of values that a thread has made at once, about; and the fewest rows.
const AT_ONCE: usize = 64 << 20;
const FEWEST: usize = 1 << 10;

/// A column of a side, by its place among all columns of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SideColumn {
    pub(crate) is_left: bool,
    pub(crate) column: usize,
}

/// Columns of two tables, or twice of one, those of the same name side by side.
pub(crate) fn side_by_side(
    [left, right]: [&Table; 2],
    [lefts, mut rights]: [Vec<usize>; 2],
) -> Vec<SideColumn> {
    let name = |table: &Table, column: usize| table.schema.columns[column].name.clone();
    let mut all = Vec::new();
    for column in lefts {
        all.push(SideColumn { is_left: true, column });
        let own = name(left, column);
        if let Some(place) = rights.iter().position(|&other| name(right, other).eq_ignore_ascii_case(&own)) {
            all.push(SideColumn { is_left: false, column: rights.remove(place) });
        }
    }
    all.extend(rights.into_iter().map(|column| SideColumn { is_left: false, column }));
    all
}

/// Columns of both sides, with their values. Texts are shared with the tables that they are of, and stay when those let go of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values(Vec<Column>);

#[derive(Clone, Debug)]
struct Column {
    name: String,
    is_left: bool,
    is_list: bool,
    /// By row of the table.
    values: LargeStringArray,
}

impl Values {
    /// Of these tables, whose text is there. Of several that are one, `source` is beside the ids already, and a column of that name
    /// is one of their own.
    pub(crate) fn of(columns: &[SideColumn], [left, right]: [&Table; 2], has_sources: bool) -> Result<Self> {
        let column = |&SideColumn { is_left, column }: &SideColumn| {
            let (side, table) = if is_left { ("left", left) } else { ("right", right) };
            let own = &table.schema.columns[column];
            let before = if has_sources && own.name.eq_ignore_ascii_case("source") { "own_" } else { "" };
            let (name, is_list) = (format!("{side}_{before}{}", own.name), own.kind == Kind::List);
            Ok(Column { name, is_left, is_list, values: table.values(column)?.clone() })
        };
        columns.iter().map(column).collect::<Result<_>>().map(Self)
    }

    /// Whether there are no columns.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes of memory that they hold; a column of both sides of one table is there once.
    pub(crate) fn n_bytes(&self) -> u64 {
        let place = |column: &Column| column.values.value_data().as_ptr();
        let is_first = |nth: usize| self.0[..nth].iter().all(|other| place(other) != place(&self.0[nth]));
        let own = self.0.iter().enumerate().filter(|(nth, _)| is_first(*nth));
        own.map(|(_, column)| column.values.get_array_memory_size() as u64).sum()
    }
}

/// The same, with what the numbers of records stand for.
pub(crate) struct ValueColumns<'a> {
    pub(crate) values: &'a Values,
    /// Left and right.
    pub(crate) ids: [&'a Ids; 2],
}

impl ValueColumns<'_> {
    /// The columns.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field> {
        self.values.0.iter().map(|column| Field::new(column.name.as_str(), DataType::LargeUtf8, true))
    }

    /// Of so many rows at most, as many as are made at once: values may be long.
    pub(crate) fn n_at_once(&self, most: usize) -> usize {
        let n_bytes = |column: &Column| column.values.value_data().len() / column.values.len().max(1);
        let n_rows = AT_ONCE / (self.values.0.iter().map(n_bytes).sum::<usize>() + 1);
        // Parts of a file are cut at powers of two.
        most.min(1 << n_rows.max(FEWEST).ilog2())
    }

    /// The values of pairs, by column.
    pub(crate) fn arrays(&self, pairs: impl Iterator<Item = [u32; 2]> + Clone) -> Vec<ArrayRef> {
        let array = |column: &Column| -> ArrayRef {
            let mut texts = LargeStringBuilder::new();
            pairs.clone().for_each(|pair| texts.append_option(self.value(column, pair)));
            Arc::new(texts.finish())
        };
        self.values.0.iter().map(array).collect()
    }

    /// The values of a pair as fields of CSV.
    pub(crate) fn write_csv(&self, pair: [u32; 2], lines: &mut Lines) {
        let values = self.values.0.iter().map(|column| self.value(column, pair).unwrap_or_default());
        values.for_each(|value| lines.text(&value));
    }

    fn value<'c>(&self, column: &'c Column, pair: [u32; 2]) -> Option<Cow<'c, str>> {
        let side = usize::from(!column.is_left);
        let row = self.ids[side].row(pair[side]);
        let value = column.values.is_valid(row).then(|| column.values.value(row))?;
        Some(if column.is_list { list::shown(value).into() } else { value.into() })
    }
}
