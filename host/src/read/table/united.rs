//! Several tables as one: the rows of each behind those of the one before, columns that are named alike together.
//!
//! Each table is read by itself, whatever its format, and is put together with the others column by column, by all threads. A
//! table that lacks a column has no value in it. Records are numbered by table, then by id. Which table a record is of, the column
//! `source` says, which is made here; if a table has a column of that name, that one stays what it is, and the made one is for the
//! engine alone.

use super::{ColumnSchema, Ids, Kind, Schema, Table, check_rows};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::list::escaped;
use arrow_array::{Array, LargeStringArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// The made column, and what it is called where a table has one of that name.
const SOURCE: &str = "source";
const HIDDEN: &str = "(table)";

/// What is known of a table that is made of several.
#[derive(Debug)]
pub(crate) struct United {
    /// Where each is, and its first row.
    tables: Vec<(PathBuf, usize)>,
    /// The place of the column that says which of them a record is of.
    pub(crate) source: usize,
    /// Whether pairs are of records of different tables alone.
    pub(crate) across: bool,
    /// Columns that some of the tables have themselves, and others under another name.
    pub(super) own: Vec<String>,
}

impl Table {
    /// Tables, each with its name, as one table with the columns that `wanted` names. With `across` pairs will be of different
    /// tables alone.
    pub(crate) fn united(
        tables: Vec<(String, Self)>,
        across: bool,
        wanted: &dyn Fn(&str) -> bool,
        control: &Control,
    ) -> Result<Self> {
        let (names, mut tables): (Vec<String>, Vec<Self>) = tables.into_iter().unzip();
        let paths: Vec<String> = tables.iter().map(|table| table.path.display().to_string()).collect();
        let path = PathBuf::from(format!("the union of {}", listed(&paths)));
        let rows: Vec<usize> = tables.iter().map(|table| table.n_records() as usize).collect();
        let n_rows = rows.iter().sum();
        check_rows(&path, n_rows)?;
        let mut columns = Vec::new();
        let mut parts = Vec::new();
        let places = places(&tables);
        for (nth, (name, of_tables)) in places.iter().enumerate() {
            columns.push(together(name, of_tables, &tables));
            if !wanted(name) {
                continue;
            }
            for (table, path) in of_tables.iter().zip(&paths) {
                if table.is_none() {
                    tracing::info!("{path}: there is no column `{name}`; it counts as missing there");
                }
            }
            let is_last = |table: usize, place| {
                places[nth + 1..].iter().all(|(_, of_tables)| of_tables[table] != Some(place))
            };
            let part = |(table, place): (usize, &Option<usize>)| {
                let Some(place) = *place else { return Ok(LargeStringArray::new_null(rows[table])) };
                let whole = tables[table].values(place)?.clone();
                // Of what is put together nothing else is kept.
                if is_last(table, place) {
                    tables[table].values[place] = None;
                }
                let is_list =
                    columns[nth].kind == Kind::List && tables[table].schema.columns[place].kind != Kind::List;
                Ok(if is_list { lists(&whole) } else { whole })
            };
            parts.push((nth, of_tables.iter().enumerate().map(part).collect::<Result<Vec<_>>>()?));
        }
        control.check()?;
        let put = parts.into_par_iter().map(|(nth, parts)| Ok((nth, behind_each_other(parts)?)));
        let mut values = vec![None; columns.len()];
        for (nth, whole) in put.collect::<Result<Vec<_>>>()? {
            values[nth] = Some(whole);
        }
        let mut schema = Schema { table: path.display().to_string(), columns };
        let is_hidden = schema.find(SOURCE).is_some();
        let name = if is_hidden { HIDDEN } else { SOURCE };
        let source = schema.columns.len();
        schema.columns.push(ColumnSchema { name: name.into(), kind: Kind::Text, why_text: None });
        values.push((across || (!is_hidden && wanted(SOURCE))).then(|| of_source(&names, &rows)));
        let starts = rows.iter().scan(0, |first, n| Some(std::mem::replace(first, *first + n)));
        let is_own = |table: &Self, name: &str| {
            table.schema.find(name).is_some() && !table.called.iter().any(|(other, _)| other == name)
        };
        let own = tables.iter().flat_map(|table| table.called.iter().map(|(name, _)| name));
        let own = own.filter(|name| tables.iter().any(|table| is_own(table, name))).cloned().collect();
        let united = United {
            tables: tables.iter().map(|table| table.path.clone()).zip(starts).collect(),
            source,
            across,
            own,
        };
        let called = tables.iter().flat_map(|table| table.called.iter().cloned()).collect();
        let id_columns = tables.iter().flat_map(|table| table.id_columns.iter().cloned()).collect();
        let ids = names.into_iter().zip(tables.into_iter().map(|table| table.ids)).collect();
        Ok(Self {
            path,
            schema,
            values,
            ids: Ids::several(ids),
            id_columns,
            bare: None,
            origin: None,
            united: Some(united),
            called,
        })
    }

    /// What is known of it, if pairs are of several tables, and of different ones alone.
    pub(crate) fn across(&self) -> Option<&United> {
        self.united.as_ref().filter(|united| united.across)
    }

    /// The place of the column that says which of several tables a record is of, if it is made of several.
    pub(crate) fn source_column(&self) -> Option<usize> {
        self.united.as_ref().map(|united| united.source)
    }

    /// The files that it was made of, or its own.
    pub(crate) fn files(&self) -> Vec<&Path> {
        match &self.united {
            None => vec![&self.path],
            Some(united) => united.tables.iter().map(|(path, _)| path.as_path()).collect(),
        }
    }

    /// Where a row stands: in which file, and which row it is there; counted from 0.
    pub(crate) fn place(&self, row: usize) -> (&Path, usize) {
        let tables = self.united.iter().flat_map(|united| &united.tables);
        match tables.rev().find(|(_, first)| *first <= row) {
            None => (&self.path, row),
            Some((path, first)) => (path, row - first),
        }
    }
}

/// `a, b and c`; of very many, the first.
fn listed(paths: &[String]) -> String {
    const SHOWN: usize = 6;
    match paths {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] if paths.len() <= SHOWN => format!("{} and {last}", others.join(", ")),
        _ => format!("{} and {} more", paths[..SHOWN].join(", "), paths.len() - SHOWN),
    }
}

/// The columns of all tables, by name, and where each table has them. Names that differ in case alone are the same, unless a table
/// has both.
fn places(tables: &[Table]) -> Vec<(String, Vec<Option<usize>>)> {
    let mut names = Schema { table: String::new(), columns: Vec::new() };
    for table in tables {
        for column in &table.schema.columns {
            let is_there = names.find(&column.name).is_some_and(|place| {
                let known = &names.columns[place].name;
                *known == column.name || table.schema.find(known) == table.schema.find(&column.name)
            });
            if !is_there {
                names.columns.push(column.clone());
            }
        }
    }
    let places = |name: &str| tables.iter().map(|table| table.schema.find(name)).collect();
    names.columns.iter().map(|column| (column.name.clone(), places(&column.name))).collect()
}

/// What a column holds that the tables have at these places: numbers or dates, if it does so in all of them. One without values
/// has no say.
fn together(name: &str, places: &[Option<usize>], tables: &[Table]) -> ColumnSchema {
    let of = |(table, place): (_, &Option<usize>)| place.map(|place| (table, place));
    let all: Vec<(&Table, usize)> = tables.iter().zip(places).filter_map(of).collect();
    let has_values = |(table, place): &&(&Table, usize)| {
        table.values[*place].as_ref().is_none_or(|values| values.null_count() < values.len())
    };
    let mut telling: Vec<_> = all.iter().filter(has_values).collect();
    if telling.is_empty() {
        telling = all.iter().collect();
    }
    let column = |(table, place): &&&(&Table, usize)| -> (String, ColumnSchema) {
        (table.path.display().to_string(), table.schema.columns[*place].clone())
    };
    let told: Vec<(String, ColumnSchema)> = telling.iter().map(|it| column(&it)).collect();
    let are = |kinds: &[Kind]| told.iter().all(|(_, column)| kinds.contains(&column.kind));
    let kind = match () {
        () if told.is_empty() => Kind::Text,
        () if are(&[Kind::Integer]) => Kind::Integer,
        () if are(&[Kind::Integer, Kind::Float]) => Kind::Float,
        () if are(&[Kind::Date]) => Kind::Date,
        // A value is a list of itself.
        () if told.iter().any(|(_, column)| column.kind == Kind::List) => Kind::List,
        () => Kind::Text,
    };
    let why_text = || {
        let text = told.iter().find(|(_, column)| column.kind == Kind::Text);
        Some(match text {
            Some((path, ColumnSchema { why_text: Some(why), .. })) => format!("in {path} {why}"),
            Some((path, _)) => format!("it is text in {path}"),
            None => {
                let of = |kinds: &[Kind]| {
                    told.iter().find(|(_, column)| kinds.contains(&column.kind)).map(|(path, _)| path.clone())
                };
                let numbers = of(&[Kind::Integer, Kind::Float])?;
                format!("numbers in {numbers}, dates in {}", of(&[Kind::Date])?)
            }
        })
    };
    let why_text = if kind == Kind::Text { why_text() } else { None };
    ColumnSchema { name: name.to_owned(), kind, why_text }
}

/// Values as lists of one element each.
fn lists(values: &LargeStringArray) -> LargeStringArray {
    values.iter().map(|value| value.map(escaped)).collect()
}

/// The values of a column's parts.
fn behind_each_other(mut parts: Vec<LargeStringArray>) -> Result<LargeStringArray> {
    if parts.len() == 1
        && let Some(whole) = parts.pop()
    {
        return Ok(whole);
    }
    let wrong = || Error::Internal("the columns of several tables do not go together".into());
    let all: Vec<&dyn Array> = parts.iter().map(|part| part as &dyn Array).collect();
    let whole = arrow_select::concat::concat(&all).map_err(|_| wrong())?;
    whole.as_any().downcast_ref::<LargeStringArray>().cloned().ok_or_else(wrong)
}

/// A column with each table's name, as often as it has rows.
fn of_source(names: &[String], rows: &[usize]) -> LargeStringArray {
    let lengths = names.iter().zip(rows).flat_map(|(name, n)| std::iter::repeat_n(name.len(), *n));
    let offsets = OffsetBuffer::from_lengths(lengths);
    let bytes = names.iter().zip(rows).map(|(name, n)| name.repeat(*n)).collect::<String>();
    LargeStringArray::new(offsets, Buffer::from_vec(bytes.into_bytes()), None)
}
