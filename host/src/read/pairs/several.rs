//! Pairs of several tables: beside each column of ids stands one that says which table an id is of.
//!
//! An id is unique within its table alone, so records are numbered table by table, as where the tables themselves are taken as one:
//! in the order in which tables of records are given, or else by their names. Each table's ids are numbered as those of pairs of
//! one table are.

use super::{Numbered, PairSource, number};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::sources::{self, Numbering, Sources};
use crate::read::table::{IdSource, Ids, Input, Kind, Table, check_each_once, names_of};
use arrow_array::{Array, LargeStringArray};
use hashbrown::{HashMap, HashSet};

/// Columns of ids, each with the one that says which tables they are of.
const COLUMNS: [[&str; 2]; 4] =
    [["left", "left_source"], ["right", "right_source"], ["id_a", "source_a"], ["id_b", "source_b"]];
/// What tells tables apart where rules see several.
const SOURCE: &str = "source";

/// The columns that say which tables the ids of two columns are of, if there are any.
pub(super) fn columns(file: &Table, ids: [usize; 2]) -> Result<Option<[usize; 2]>> {
    let name = |column: usize| {
        let own = &file.schema.columns[column].name;
        COLUMNS.iter().find(|[id, _]| own.eq_ignore_ascii_case(id)).map(|[_, source]| *source)
    };
    let names = ids.map(name);
    let found = names.map(|name| file.schema.find(name?));
    match (found, names) {
        ([Some(left), Some(right)], _) => Ok(Some([left, right])),
        ([Some(_), None], [Some(there), Some(lacking)]) | ([None, Some(_)], [Some(lacking), Some(there)]) => {
            let message = format!(
                "column `{there}` says which tables ids are of, and there is no `{lacking}`; write both, or neither"
            );
            Err(Error::table(&file.path, message))
        }
        _ => Ok(None),
    }
}

/// The records of pairs whose ids, and whose tables, stand in these columns.
pub(super) fn numbered(
    source: &PairSource,
    file: &Table,
    ids: [usize; 2],
    tables: [usize; 2],
    control: &Control,
) -> Result<Numbered> {
    let [left, right] = tables.map(|column| file.schema.columns[column].name.as_str());
    if source.two_tables {
        let message = format!(
            "the columns `{left}` and `{right}` say which table each id is of; leave --two-tables out, or the columns"
        );
        return Err(Error::table(&file.path, message));
    }
    let given = given(source, control)?;
    let tables = [file.singles(tables[0])?, file.singles(tables[1])?];
    for (name, tables) in [left, right].into_iter().zip(tables) {
        if let Some(row) = (0..tables.len()).find(|&row| tables.is_null(row)) {
            let message = format!("row {}, column `{name}`: the table is missing", row + 1);
            return Err(Error::table(&file.path, message));
        }
    }
    let names = names(file, tables, &given)?;
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(nth, name)| (*name, nth)).collect();
    let ids = [file.singles(ids[0])?, file.singles(ids[1])?];
    // By table: the rows whose left ids are of it, and those whose right ones are.
    let mut rows: Vec<[Vec<usize>; 2]> = vec![Default::default(); names.len()];
    for (side, tables) in tables.into_iter().enumerate() {
        tables.iter().flatten().enumerate().for_each(|(row, table)| rows[places[table]][side].push(row));
    }
    let mut records = ids.map(|ids| vec![0; ids.len()]);
    let (mut all, mut first) = (Vec::with_capacity(names.len()), 0u32);
    for (nth, rows) in rows.iter().enumerate() {
        let [lefts, rights] = [0, 1].map(|side| {
            LargeStringArray::from_iter_values(rows[side].iter().map(|&row| ids[side].value(row)))
        });
        let table = given.get(nth).map(|(_, table)| table);
        // Of each table they may be numbers, though of another one they are none.
        let columns = [(&lefts, Kind::Integer), (&rights, Kind::Integer)];
        let (ids, own) = number(&file.path, columns, table, control)?;
        for ((rows, own), records) in rows.iter().zip(own).zip(&mut records) {
            rows.iter().zip(own).for_each(|(&row, record)| records[row] = first.saturating_add(record));
        }
        first = first.saturating_add(ids.len());
        all.push((names[nth].to_owned(), ids));
    }
    let left = Ids::several(all);
    let sources = source.source.as_ref().map(|name| of_sources(name, &given, &left)).transpose()?;
    Ok(Numbered { left, right: None, records, sources })
}

/// The tables of records, with what they are called.
fn given(source: &PairSource, control: &Control) -> Result<Vec<(String, Table)>> {
    let inputs: Vec<Input> = source.records[0].iter().cloned().map(Input::from).collect();
    check_each_once(&inputs)?;
    // Only those that have the column are meant.
    let id = source.record_id.clone().map_or(IdSource::Usual, IdSource::Preferred);
    let tables = source.records[0].iter().map(|path| source.table(path, id.clone(), control));
    names_of(&inputs).into_iter().zip(tables).map(|(name, table)| Ok((name, table?))).collect()
}

/// What the tables are called, in order. If some are given, they are all.
fn names<'a>(
    file: &'a Table,
    tables: [&'a LargeStringArray; 2],
    given: &'a [(String, Table)],
) -> Result<Vec<&'a str>> {
    let met: HashSet<&str> = tables.iter().flat_map(|tables| tables.iter().flatten()).collect();
    let mut met: Vec<&str> = met.into_iter().collect();
    met.sort_unstable();
    if given.is_empty() {
        return Ok(met);
    }
    let names: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
    match met.iter().find(|name| !names.contains(*name)) {
        None => Ok(names),
        Some(unknown) => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let message = format!(
                "some pairs are of the table `{unknown}`, and the tables of records are called {}; name all with --records, \
                 or none",
                names.join(", ")
            );
            Err(Error::table(&file.path, message))
        }
    }
}

/// The sources of records: what a column of their tables says; or, as `source`, the tables themselves.
fn of_sources(name: &str, given: &[(String, Table)], ids: &Ids) -> Result<Sources> {
    let tables: Vec<&Table> = given.iter().map(|(_, table)| table).collect();
    let is_own = tables.iter().any(|table| table.schema.find(name).is_some());
    if !is_own && name.eq_ignore_ascii_case(SOURCE) {
        return Ok(Sources::new(name, (0..ids.len()).map(|record| ids.source(record))));
    }
    if tables.is_empty() {
        let message = format!(
            "--source `{name}` is a column of the tables of records, and they are not there; name them with --records, or \
             write --source {SOURCE} for the tables themselves"
        );
        return Err(Error::Job(message));
    }
    let mut numbering = Numbering::new(name);
    let columns = sources::columns(name, &tables)?;
    for ((table, column), (_, records)) in tables.iter().zip(columns).zip(ids.tables()) {
        let first = records.start as usize;
        // Records of the table are numbered before those that pairs alone name, and are the rows of the ids.
        let row = |record: u32| {
            let place = ids.row(record) - first;
            (place < table.n_records() as usize).then(|| table.ids.row(place as u32))
        };
        numbering.add_rows(table, column, records.map(row))?;
    }
    Ok(numbering.done())
}
