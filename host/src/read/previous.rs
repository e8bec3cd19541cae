//! The entities that records were in before: a table of `id, entity_id`, and of two tables which `table` a record is of, of several
//! the `source`, which is what the table is called.
//!
//! Records are found by their ids. What is no longer in the tables is counted, and so is known to be gone. Ids of entities may be
//! any texts; they are in order: integers by value, if all are, else by code points.

use super::table::{IdSource, Ids, Input, ReadOptions, Table, plain_integer};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashMap;
use rayon::prelude::*;

/// No entity, no record, no row.
const NONE: u32 = u32::MAX;

/// What the columns are called.
const COLUMNS: [&str; 2] = ["id", "entity_id"];
const TABLE: &str = "table";
const TABLES: [&str; 2] = ["left", "right"];
const SOURCE: &str = "source";

/// The entities that records were in before.
#[derive(Debug)]
pub struct Previous {
    /// The ids of entities, each once, in order.
    ids: LargeStringArray,
    /// The same as numbers, if all of them are.
    numbers: Option<Vec<i64>>,
    /// By id: how many records it had.
    sizes: Vec<u32>,
    /// By record that there is now: the place of its entity's id.
    of: Vec<u32>,
}

impl Previous {
    /// Reads the entities of these records, and of others that are no more; right ones are numbered after left ones.
    pub fn read(input: &Input, left: &Ids, right: Option<&Ids>, control: &Control) -> Result<Self> {
        let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
        let is_wanted =
            |name: &str| COLUMNS.into_iter().chain([TABLE, SOURCE]).any(|it| it.eq_ignore_ascii_case(name));
        let file = match input {
            Input::File(path) => Table::read_even_empty(path, &options, &is_wanted, control)?,
            Input::Memory(batches) => Table::of_batches(batches, &options, &is_wanted, control)?,
        };
        if left.are_rows() || right.is_some_and(Ids::are_rows) {
            tracing::warn!(
                "records have no ids but their row numbers, which may be of other records than before: name the column of ids with --id"
            );
        }
        Rows::of(&file, left, right.is_some())?.entities(left, right, control)
    }

    /// The ids of entities, each once, in order.
    pub fn ids(&self) -> &LargeStringArray {
        &self.ids
    }

    /// How many records an entity had, by the place of its id.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The place of the id of the entity that a record was in, if it was in one.
    pub fn of(&self, record: u32) -> Option<u32> {
        Some(self.of[record as usize]).filter(|place| *place != NONE)
    }

    /// The place of an id.
    pub(crate) fn place(&self, id: &str) -> Option<u32> {
        let place = match &self.numbers {
            Some(numbers) => numbers.binary_search(&plain_integer(id)?).ok()?,
            None => {
                let (mut low, mut high) = (0, self.ids.len());
                while low < high {
                    let middle = low.midpoint(high);
                    if self.ids.value(middle) < id { low = middle + 1 } else { high = middle }
                }
                Some(low).filter(|&low| low < self.ids.len() && self.ids.value(low) == id)?
            }
        };
        Some(place as u32)
    }
}

/// The rows of the file.
struct Rows<'a> {
    file: &'a Table,
    ids: &'a LargeStringArray,
    entities: &'a LargeStringArray,
    tables: Tables<'a>,
}

/// By row, which table its record is of.
enum Tables<'a> {
    One,
    /// Whether it is the right one.
    Two(Vec<bool>),
    /// What it is called.
    Several(&'a LargeStringArray),
}

impl<'a> Rows<'a> {
    fn of(file: &'a Table, left: &Ids, of_two: bool) -> Result<Self> {
        let wrong = |message: String| Err(Error::table(&file.path, message));
        let find = |name: &str| file.schema.find(name);
        let ([Some(id), Some(entity)], table, source) = (COLUMNS.map(find), find(TABLE), find(SOURCE)) else {
            let names = file.schema.names();
            return wrong(format!(
                "a file of entities has the columns `id` and `entity_id`; this one has {names}"
            ));
        };
        if table.is_some() != of_two {
            return wrong(match of_two {
                true => "these are entities of one table, and here are two: there is no column `table` that says which one \
                         a record is of"
                    .into(),
                false => "these are entities of two tables, and here is one: there is a column `table`; leave it out, and \
                          the records of the other table"
                    .into(),
            });
        }
        let of_several = left.tables().len() > 0;
        if source.is_some() != of_several {
            return wrong(match of_several {
                true => "these are entities of one table or of two, and here are several: there is no column `source` that says \
                         which one a record is of"
                    .into(),
                false => "these are entities of several tables: there is a column `source`; leave it out, and the records of \
                          other tables"
                    .into(),
            });
        }
        for column in [Some(id), Some(entity), table, source].into_iter().flatten() {
            let (values, name) = (file.singles(column)?, &file.schema.columns[column].name);
            if let Some(row) = (0..values.len()).find(|&row| values.is_null(row)) {
                return wrong(format!("row {}, column `{name}`: the value is missing", row + 1));
            }
        }
        let mut tables = source.map_or(Ok(Tables::One), |source| file.values(source).map(Tables::Several))?;
        if let Some(table) = table {
            let mut are_right = Vec::new();
            let values = file.values(table)?;
            for row in 0..values.len() {
                let value = values.value(row);
                let Some(nth) = TABLES.iter().position(|name| *name == value) else {
                    return wrong(format!(
                        "row {}, column `table`: `{value}` is neither `left` nor `right`",
                        row + 1
                    ));
                };
                are_right.push(nth == 1);
            }
            tables = Tables::Two(are_right);
        }
        Ok(Self { file, ids: file.values(id)?, entities: file.values(entity)?, tables })
    }

    /// Which table a row's record is of, and its id there.
    fn name(&self, row: usize) -> (&'a str, &'a str) {
        let table = match &self.tables {
            Tables::One => "",
            Tables::Two(are_right) => TABLES[usize::from(are_right[row])],
            Tables::Several(sources) => sources.value(row),
        };
        (table, self.ids.value(row))
    }

    /// The number of a row's record, if it is still there.
    fn record(&self, row: usize, left: &Ids, right: Option<&Ids>) -> Option<u32> {
        let id = self.ids.value(row);
        match &self.tables {
            Tables::One => left.record(id),
            Tables::Two(are_right) if are_right[row] => Some(left.len() + right?.record(id)?),
            Tables::Two(_) => left.record(id),
            Tables::Several(sources) => left.record_in(sources.value(row), id),
        }
    }

    fn entities(&self, left: &Ids, right: Option<&Ids>, control: &Control) -> Result<Previous> {
        let n_records = left.len() + right.map_or(0, Ids::len);
        let record = |row: usize| self.record(row, left, right).unwrap_or(NONE);
        let records: Vec<u32> = (0..self.ids.len()).into_par_iter().map(record).gather();
        control.check()?;
        let mut codes: HashMap<&str, u32> = HashMap::new();
        let mut sizes = Vec::new();
        let mut of = vec![NONE; n_records as usize];
        // Which row a record is in: of those that there are by number, of the others by table and id.
        let mut rows = vec![NONE; n_records as usize];
        let mut gone: HashMap<(&str, &str), u32> = HashMap::new();
        for (row, &record) in records.iter().enumerate() {
            let first = match record {
                NONE => gone.entry(self.name(row)).or_insert(NONE),
                record => &mut rows[record as usize],
            };
            if *first != NONE {
                self.check_same(*first as usize, row)?;
                continue;
            }
            *first = row as u32;
            let code = *codes.entry(self.entities.value(row)).or_insert(sizes.len() as u32);
            if code as usize == sizes.len() {
                sizes.push(0);
            }
            sizes[code as usize] += 1;
            if record != NONE {
                of[record as usize] = code;
            }
        }
        Ok(in_order(codes, sizes, of))
    }

    /// An error if two rows of one record name two entities.
    fn check_same(&self, first: usize, row: usize) -> Result<()> {
        let [before, entity] = [first, row].map(|row| self.entities.value(row));
        if before == entity {
            return Ok(());
        }
        let message = format!(
            "rows {} and {}: the record `{}` is of entity `{before}` and of entity `{entity}`; a record is of one",
            first + 1,
            row + 1,
            self.ids.value(row)
        );
        Err(Error::table(&self.file.path, message))
    }
}

/// Has ids in order, which are numbered as they came.
fn in_order(codes: HashMap<&str, u32>, sizes: Vec<u32>, mut of: Vec<u32>) -> Previous {
    let numbers = codes.iter().map(|(id, &code)| Some((plain_integer(id)?, *id, code)));
    let mut sorted: Vec<(i64, &str, u32)> = match numbers.collect() {
        Some(numbers) => numbers,
        None => codes.iter().map(|(id, &code)| (0, *id, code)).collect(),
    };
    sorted.par_sort_unstable();
    let are_numbers = codes.keys().all(|id| plain_integer(id).is_some());
    let mut places = vec![0; sorted.len()];
    (0..).zip(&sorted).for_each(|(place, (_, _, code))| places[*code as usize] = place);
    of.par_iter_mut().filter(|code| **code != NONE).for_each(|code| *code = places[*code as usize]);
    Previous {
        ids: LargeStringArray::from_iter_values(sorted.iter().map(|(_, id, _)| *id)),
        numbers: are_numbers.then(|| sorted.iter().map(|(number, _, _)| *number).collect()),
        sizes: sorted.iter().map(|(_, _, code)| sizes[*code as usize]).collect(),
        of,
    }
}
