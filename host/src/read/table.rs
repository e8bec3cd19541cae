//! Tables: what is in a file, before anything is done with it.
//!
//! A [`Table`] holds the columns that rules ask for, as text with a kind each, and the records' ids. Whatever the file
//! format, a value is the text that a person would write for it, so the same table gives the same answer as CSV and as
//! Parquet. Records are numbered by ascending id, not by their place in the file: results then come out sorted, and do
//! not depend on the order of the rows.

mod arrow;
mod blocks;
mod cache;
mod called;
mod csv;
mod ids;
mod input;
mod kind;
mod lean;
mod memory;
mod missing;
mod picked;
mod pieces;
mod pipe;
mod proposed;
mod schema;
mod source;
mod sources;
mod united;
mod unpacked;

pub use cache::Cache;
pub use ids::Ids;
pub use input::{Batches, Input};
pub use missing::Words;
pub use schema::{ColumnSchema, Kind, Schema};

pub(crate) use arrow::Format;
pub(crate) use cache::{MADE_BY, Origin, bytes, parsed};
pub(crate) use ids::plain_integer;
pub(crate) use kind::{Odd, brief, days};
pub(crate) use source::Source;
pub(crate) use sources::{check_each_once, names as names_of};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::stamp::Stamp;
use crate::base::timeline::Lane;
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use proposed::Proposed;
use std::path::{Path, PathBuf};
use united::United;

/// The longest field, in bytes. Longer ones are nearly always an unclosed quote.
pub const MAX_FIELD: usize = hyperblock_shared::text::MAX_LEN as usize;

/// What some programs write before text in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How to read a table.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// What separates fields in CSV; by default a tab for `.tsv` and `.tab`, else a comma.
    pub delimiter: Option<u8>,
    /// Where the ids come from.
    pub id: IdSource,
    /// The most bytes that a packed file, such as gzip or Parquet, may unpack to; by default 4 GiB, or 64 times its size
    /// if that is more.
    pub most_unpacked: Option<u64>,
    /// Names that columns go by beside their own: each with the columns of which the first that there is goes by it, unless one
    /// is named so.
    pub columns: Vec<(String, Vec<String>)>,
    /// What counts as missing: a rule file says so.
    #[doc(hidden)]
    pub missing: Words,
}

/// Where a table's ids come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IdSource {
    /// The first column named `id`, else the row numbers.
    #[default]
    Usual,
    /// The column of this name.
    Column(String),
    /// The column of this name, if there is one; else as usual.
    Preferred(String),
    /// The row numbers, counted from 1.
    RowNumbers,
}

/// One table.
#[derive(Debug)]
pub struct Table {
    /// The file.
    pub path: PathBuf,
    /// All columns of the file.
    #[doc(hidden)]
    pub schema: Schema,
    /// By column of the schema: its values by row, or `None` if nobody asked for it.
    values: Vec<Option<LargeStringArray>>,
    /// The records' ids.
    pub ids: Ids,
    /// The column that they come from, or none if they are row numbers; of several tables that are one, of each.
    pub(crate) id_columns: Vec<Option<String>>,
    /// What is known instead of the text, where that was not read.
    bare: Option<Bare>,
    /// Which file it is of, if it is kept in a cache.
    pub(crate) origin: Option<Origin>,
    /// What it is made of, if it is made of several.
    united: Option<United>,
    /// The columns that go by another name, with that and their own.
    pub(crate) called: Vec<(String, String)>,
}

/// What is known of a table's text without holding it.
#[derive(Debug)]
struct Bare {
    /// The file as it was.
    stamp: Stamp,
    /// By column that was asked for: its odd values.
    odds: Vec<(usize, Option<Odd>)>,
}

/// What a reader of one file format hands over.
struct Contents {
    /// Whether kinds are what values look like.
    infers_kinds: bool,
    columns: Vec<ColumnSchema>,
    values: Vec<Option<LargeStringArray>>,
    n_rows: usize,
}

impl Table {
    /// Reads the file at `path`, keeping the ids and the columns that `wanted` names. A table has at least one row.
    #[doc(hidden)]
    pub fn read(
        path: &Path,
        options: &ReadOptions,
        wanted: &dyn Fn(&str) -> bool,
        control: &Control,
    ) -> Result<Self> {
        Self::read_even_empty(path, options, wanted, control)?.with_rows()
    }

    /// The same, where it is no mistake if there are no rows.
    pub(super) fn read_even_empty(
        path: &Path,
        options: &ReadOptions,
        wanted: &dyn Fn(&str) -> bool,
        control: &Control,
    ) -> Result<Self> {
        control.guard(|| {
            let source = Source::open(path, options.most_unpacked, control)?;
            Self::of(&source, options, wanted, control)
        })
    }

    /// Itself, if it has rows.
    pub(crate) fn with_rows(self) -> Result<Self> {
        match self.n_records() {
            0 => Err(Error::table(&self.path, "the table has no rows; there is nothing to compare")),
            _ => Ok(self),
        }
    }

    /// The table in a file that is open, which may have no rows.
    pub(crate) fn of(
        source: &Source,
        options: &ReadOptions,
        wanted: &dyn Fn(&str) -> bool,
        control: &Control,
    ) -> Result<Self> {
        if source.len() == 0 {
            return Err(Error::table(source.path(), "the file is empty; a table starts with a header"));
        }
        control.begin(source.len(), "bytes");
        let proposed = Proposed::of(source.path(), &options.id);
        let is_wanted = |name: &str| options.wants(wanted, name);
        let keep = Keep { id: &options.id, wanted: &is_wanted, proposed: &proposed };
        let unpacked = source.unpacked(options.most_unpacked);
        let contents = match Format::of(source)? {
            Some(Format::Parquet) => arrow::parquet::read(source, &keep, unpacked, control)?,
            Some(Format::File) => arrow::ipc::read_file(source, &keep, unpacked, control)?,
            Some(Format::Stream) => arrow::ipc::read_stream(source, &keep, unpacked, control)?,
            None => csv::read(source, options.delimiter, &keep, control)?,
        };
        Self::new(source.path(), contents, options, wanted, control)
    }

    fn new(
        path: &Path,
        mut contents: Contents,
        options: &ReadOptions,
        wanted: &dyn Fn(&str) -> bool,
        control: &Control,
    ) -> Result<Self> {
        let called = called::call(&mut contents, &options.columns, wanted);
        let Contents { infers_kinds, columns, mut values, n_rows } = contents;
        check_rows(path, n_rows)?;
        let mut schema = Schema { table: path.display().to_string(), columns };
        let id = schema.id(path, &options.id)?;
        let ids = match id {
            None => {
                Proposed::of(path, &options.id).warn(path, &schema, &values, control)?;
                Ids::rows(n_rows)
            }
            Some(ix) => {
                let missing = || Error::Internal(format!("the id column of {} was not read", path.display()));
                let values = match wanted(&schema.columns[ix].name) {
                    true => values[ix].clone(),
                    false => values[ix].take(),
                };
                let values = values.ok_or_else(missing)?;
                control.note(Lane::Read, "ids", || Ids::new(path, &schema.columns[ix], values, control))?
            }
        };
        // What was read for another name alone stands there, and so do ids.
        let read = values.iter_mut().zip(&schema.columns);
        read.filter(|(_, column)| !wanted(&column.name)).for_each(|(values, _)| *values = None);
        if !options.missing.is_empty() {
            options.missing.take_out(&mut schema, &mut values, infers_kinds, control);
        }
        let (path, id_columns) = (path.to_owned(), vec![options.id.named(&schema)]);
        Ok(Self { path, schema, values, ids, id_columns, bare: None, origin: None, united: None, called })
    }

    /// The column that ids come from, if one does.
    pub(crate) fn id_column(&self, source: &IdSource) -> Result<Option<usize>> {
        self.schema.id(&self.path, source)
    }

    /// These records alone, numbered anew in the order given: to look closely at few without encoding all. Columns keep
    /// their kinds, and records their rows.
    pub(crate) fn part(&self, records: &[u32]) -> Self {
        let Self { path, schema, values, ids, .. } = self;
        let (path, schema, values) = (path.clone(), schema.clone(), values.clone());
        let ids = ids.part(records);
        let (called, id_columns) = (self.called.clone(), self.id_columns.clone());
        Self { path, schema, values, ids, id_columns, bare: None, origin: None, united: None, called }
    }

    /// Takes words for nothing out of the values, as if the table had been read so; whether there were any.
    pub(crate) fn take_out(&mut self, words: &Words, control: &Control) -> bool {
        let n_missing = |values: &[Option<LargeStringArray>]| -> usize {
            values.iter().flatten().map(Array::null_count).sum()
        };
        let before = n_missing(&self.values);
        // Only of kinds that were read off values is it known what made a column text.
        let infers_kinds = self.schema.columns.iter().any(|column| column.why_text.is_some());
        words.take_out(&mut self.schema, &mut self.values, infers_kinds, control);
        n_missing(&self.values) > before
    }

    /// Frees all text but that of the ids.
    pub(crate) fn keep_ids(&mut self) {
        self.values.iter_mut().for_each(|values| *values = None);
    }

    /// The bytes of all text that is there, but that of the ids.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.values.iter().flatten().map(|values| values.get_array_memory_size() as u64).sum()
    }

    /// The bytes of all values that are there, but for those of the ids.
    pub(crate) fn n_bytes_of_values(&self) -> u64 {
        self.values.iter().flatten().map(|values| values.value_data().len() as u64).sum()
    }

    /// A column's values, where each row is to have one: an id, a source or a label.
    pub(crate) fn singles(&self, column: usize) -> Result<&LargeStringArray> {
        self.check_single(column)?;
        self.values(column)
    }

    /// An error, if a column holds lists, and each row is to have one value.
    pub(crate) fn check_single(&self, column: usize) -> Result<()> {
        let ColumnSchema { name, kind, .. } = &self.schema.columns[column];
        match kind {
            Kind::List => {
                let message = format!(
                    "column `{name}` holds lists, and here each row has one value; name another column, or write the \
                     lists as text"
                );
                Err(Error::table(&self.path, message))
            }
            _ => Ok(()),
        }
    }

    /// The number of records.
    pub fn n_records(&self) -> u32 {
        self.ids.len()
    }

    /// The values of a number or date column that are missing where numbers or dates are compared, if there are any.
    pub(crate) fn odd(&self, column: usize) -> Result<Option<Odd>> {
        match self.bare.iter().flat_map(|bare| &bare.odds).find(|(known, _)| *known == column) {
            Some((_, odd)) => Ok(odd.clone()),
            None => Ok(kind::odd(self.values(column)?, self.schema.columns[column].kind)),
        }
    }

    /// A column's values, by row of the file; `ids` says which record a row is. Empty fields are null.
    #[doc(hidden)]
    pub fn values(&self, column: usize) -> Result<&LargeStringArray> {
        self.values[column].as_ref().ok_or_else(|| {
            Error::Internal(format!(
                "column `{}` of {} was not read",
                self.schema.columns[column].name, self.schema.table
            ))
        })
    }
}

impl ReadOptions {
    /// Whether a column is to be read, by its own name or by another one.
    fn wants(&self, wanted: &dyn Fn(&str) -> bool, column: &str) -> bool {
        wanted(column) || called::is_wanted(&self.columns, wanted, column)
    }
}

impl IdSource {
    /// The column that ids come from, unless they are row numbers.
    pub(crate) fn column(&self, schema: &Schema) -> Option<usize> {
        match self {
            Self::Column(name) => schema.find(name),
            Self::Usual => usual_id(schema),
            Self::Preferred(name) => schema.find(name).or_else(|| usual_id(schema)),
            Self::RowNumbers => None,
        }
    }

    /// Its name.
    fn named(&self, schema: &Schema) -> Option<String> {
        self.column(schema).map(|ix| schema.columns[ix].name.clone())
    }
}

/// The first column of ids, if nobody names one.
fn usual_id(schema: &Schema) -> Option<usize> {
    schema.columns.iter().position(|column| column.name.eq_ignore_ascii_case("id"))
}

/// Which columns to keep.
struct Keep<'a> {
    id: &'a IdSource,
    wanted: &'a dyn Fn(&str) -> bool,
    /// Those that may be ids, where they can be read.
    proposed: &'a Proposed,
}

impl Keep<'_> {
    fn keeps(&self, name: &str) -> bool {
        self.needs(name) || self.proposed.has(name)
    }

    fn needs(&self, name: &str) -> bool {
        let is_id = match self.id {
            IdSource::Usual => name.eq_ignore_ascii_case("id"),
            IdSource::Column(id) => name.eq_ignore_ascii_case(id),
            IdSource::Preferred(id) => name.eq_ignore_ascii_case(id) || name.eq_ignore_ascii_case("id"),
            IdSource::RowNumbers => false,
        };
        is_id || (self.wanted)(name)
    }
}

fn check_rows(path: &Path, n_rows: usize) -> Result<()> {
    if n_rows < u32::MAX as usize {
        return Ok(());
    }
    Err(Error::table(path, format!("{n_rows} rows; at most {} fit in one table", u32::MAX - 1)))
}

/// Names for the columns of a header: unnamed ones get a number, and no name may stand twice.
fn name_columns(path: &Path, header: impl Iterator<Item = String>) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (ix, name) in header.enumerate() {
        let name = if name.is_empty() { format!("column_{}", ix + 1) } else { name };
        match places.entry(name.clone()) {
            Entry::Vacant(place) => place.insert(ix),
            Entry::Occupied(first) => {
                let message = format!(
                    "columns {} and {} are both named `{name}`; rename one in the header",
                    first.get() + 1,
                    ix + 1
                );
                return Err(Error::table(path, message));
            }
        };
        names.push(name);
    }
    Ok(names)
}

/// A field that is longer than any value should be.
fn field_too_long(path: &Path, row: usize, line: Option<u64>, column: &str, len: usize) -> Error {
    let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let message = format!(
        "row {row}{line}, column `{column}`: a field of {len} bytes; at most {MAX_FIELD} are allowed. \
         Is a quote left open? If not, shorten the field or leave the column out"
    );
    Error::table(path, message)
}
