//! Files of pairs: two columns of ids, and perhaps one of scores.
//!
//! The records are those that some pair names, and those of a table if one is given. They are numbered as a
//! table's are: by ascending id, integers by value, text by code points; those of a second table after all of
//! the first. Where a table is given, there may be no pairs at all. Pairs of several tables say which one each id is of
//! ([`several`]).

mod several;

use crate::base::control::Control;
use crate::base::decimal::Decimal;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::read::sources::{self, Numbering, Sources};
use crate::read::table::{Batches, ColumnSchema, IdSource, Ids, Kind, ReadOptions, Table};
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashMap;
use hyperblock_shared::layout::ScoredPair;
use hyperblock_shared::score::{ONE, rank};
use rayon::prelude::*;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Names of the columns of ids, if they are not told: the first two that are there.
const ID_COLUMNS: [[&str; 2]; 2] = [["left", "right"], ["id_a", "id_b"]];
/// The name of the column of scores, if it is not told.
const SCORE_COLUMN: &str = "score";
/// The name of a column of weights, which are bits and not from 0 to 1, and of the one with their probabilities.
const WEIGHT_COLUMN: &str = "weight";
const PROBABILITY_COLUMN: &str = "probability";

/// Where pairs and records are.
#[derive(Clone, Debug, Default)]
pub struct PairSource {
    /// The file of pairs.
    pub path: PathBuf,
    /// The pairs themselves, if they are in memory; then there is no file.
    pub memory: Option<Batches>,
    /// What separates fields in CSV.
    pub delimiter: Option<u8>,
    /// The most bytes that a packed file may unpack to ([`ReadOptions::most_unpacked`]).
    pub most_unpacked: Option<u64>,
    /// The columns of ids: by default `left` and `right`, or `id_a` and `id_b`, or the first two.
    pub ids: [Option<String>; 2],
    /// The column of scores: by default `score`, or `weight`, if there is one.
    pub score: Option<String>,
    /// Leave out pairs with a lower score, or a lower `probability` where there are weights, compared as it is written.
    pub threshold: Option<Decimal>,
    /// Whether left and right ids are of two tables.
    pub two_tables: bool,
    /// A table whose records are there even if no pair names them, and a second one for right records. Where pairs say which
    /// table each id is of (`left_source` and `right_source`), those tables, each called by its file's name.
    pub records: [Vec<PathBuf>; 2],
    /// The column of ids in those.
    pub record_id: Option<String>,
    /// The column of those tables with the sources of records, if records of one source are to stay apart. `source` is the
    /// tables themselves, where they are several and have no such column.
    pub source: Option<String>,
}

/// Pairs, and the records that they are of.
#[derive(Debug)]
pub struct PairFile {
    /// Those that reach the threshold.
    pub pairs: Vec<ScoredPair>,
    /// Rows of the file.
    pub n_rows: u64,
    /// Whether it has scores; else all pairs are as alike as can be.
    pub has_scores: bool,
    /// Whether those are ranks of weights. Else they are billionths.
    pub are_weights: bool,
    /// The ids of records, or of left ones.
    pub left: Ids,
    /// The ids of right records, if they are of another table; they are numbered after the left ones.
    pub right: Option<Ids>,
    /// Which source each record is of, if that was asked for. Records that are in no table are of none.
    pub sources: Option<Sources>,
}

impl PairFile {
    /// Reads it.
    pub fn read(source: &PairSource, control: &Control) -> Result<Self> {
        let path = &source.path;
        let options = source.options(IdSource::RowNumbers);
        let file = match &source.memory {
            Some(batches) => Table::of_batches(batches, &options, &|_| true, control)?,
            None => Table::read_even_empty(path, &options, &|_| true, control)?,
        };
        let columns = source.id_columns(&file)?;
        let scores = source.scores(&file)?;
        let are_weights = source.score_column(&file)?.is_some_and(|column| is_weight(&file, column));
        let [lefts, rights] = columns.map(|column| file.singles(column));
        let (lefts, rights) = (lefts?, rights?);
        for (column, ids) in columns.into_iter().zip([lefts, rights]) {
            if let Some(row) = (0..ids.len()).find(|&row| ids.is_null(row)) {
                let name = &file.schema.columns[column].name;
                let message = format!("row {}, column `{name}`: the id is missing", row + 1);
                return Err(Error::table(path, message));
            }
        }
        let numbered = match several::columns(&file, columns)? {
            None => source.numbered(&file, columns, control)?,
            Some(tables) => several::numbered(source, &file, columns, tables, control)?,
        };
        let Numbered { left, right, records: [left_records, right_records], sources } = numbered;
        let n_records = u64::from(left.len()) + right.as_ref().map_or(0, |right| u64::from(right.len()));
        if n_records == 0 {
            let message = "there are no pairs, and so no records; --records names a table of records";
            return Err(Error::table(path, message));
        }
        if n_records >= u64::from(u32::MAX) {
            let message = format!("{n_records} records; at most {} can be clustered", u32::MAX - 1);
            return Err(Error::table(path, message));
        }
        let first_right = right.as_ref().map_or(0, |_| left.len());
        let pairs = left_records.iter().zip(&right_records).enumerate();
        let pair = |(row, (&left, &right)): (usize, (&u32, &u32))| {
            let score = scores.as_ref().map_or(Some(ONE), |scores| scores[row])?;
            Some(ScoredPair { left, right: first_right + right, score })
        };
        let pairs = pairs.filter_map(pair).collect();
        let (n_rows, has_scores) = (lefts.len() as u64, scores.is_some());
        Ok(Self { pairs, n_rows, has_scores, are_weights, left, right, sources })
    }

    /// All records, of all tables.
    pub fn n_records(&self) -> u32 {
        self.left.len() + self.right.as_ref().map_or(0, Ids::len)
    }
}

/// The records of pairs.
struct Numbered {
    left: Ids,
    right: Option<Ids>,
    /// By row: the left record and the right one; of another table they are numbered by themselves.
    records: [Vec<u32>; 2],
    sources: Option<Sources>,
}

impl PairSource {
    /// The records of pairs of one table or of two, whose ids stand in these columns.
    fn numbered(&self, file: &Table, columns: [usize; 2], control: &Control) -> Result<Numbered> {
        let path = &self.path;
        let kinds = columns.map(|column| file.schema.columns[column].kind);
        let lefts = (file.singles(columns[0])?, kinds[0]);
        let rights = (file.singles(columns[1])?, kinds[1]);
        let (of_left, of_right) = (self.only_table(0, control)?, self.only_table(1, control)?);
        let (left, right, records) = if self.two_tables {
            let (left, [lefts]) = number(path, [lefts], of_left.as_ref(), control)?;
            let (right, [rights]) = number(path, [rights], of_right.as_ref(), control)?;
            (left, Some(right), [lefts, rights])
        } else {
            let (ids, records) = number(path, [lefts, rights], of_left.as_ref(), control)?;
            (ids, None, records)
        };
        let sources = self.sources([(of_left.as_ref(), Some(&left)), (of_right.as_ref(), right.as_ref())])?;
        Ok(Numbered { left, right, records, sources })
    }

    fn id_columns(&self, file: &Table) -> Result<[usize; 2]> {
        let find = |name: &str| file.schema.find(name);
        let usual = ID_COLUMNS.iter().find_map(|names| Some([find(names[0])?, find(names[1])?]));
        let usual = match usual {
            None if file.schema.columns.len() >= 2 => Some([0, 1]),
            usual => usual,
        };
        let mut columns = [0; 2];
        for (ix, column) in columns.iter_mut().enumerate() {
            *column = match (&self.ids[ix], usual) {
                (Some(name), _) => known(file, name)?,
                (None, Some(usual)) => usual[ix],
                (None, None) => {
                    let message = format!(
                        "pairs have two columns of ids, left and right; this file has {}",
                        file.schema.names()
                    );
                    return Err(Error::table(&file.path, message));
                }
            };
        }
        Ok(columns)
    }

    fn score_column(&self, file: &Table) -> Result<Option<usize>> {
        match &self.score {
            Some(name) => known(file, name).map(Some),
            None => Ok(file.schema.find(SCORE_COLUMN).or_else(|| file.schema.find(WEIGHT_COLUMN))),
        }
    }

    /// The score of each row, in billionths, or the rank of its weight, if it reaches the threshold.
    fn scores(&self, file: &Table) -> Result<Option<Vec<Option<u32>>>> {
        let Some(column) = self.score_column(file)? else {
            return match self.threshold {
                None => Ok(None),
                Some(_) => {
                    let message = format!(
                        "a threshold needs a column `{SCORE_COLUMN}` (name another with --score); this file has {}",
                        file.schema.names()
                    );
                    Err(Error::table(&file.path, message))
                }
            };
        };
        let is_weight = is_weight(file, column);
        let of: fn(Decimal) -> Option<u32> = if is_weight { weight } else { billionths };
        let scores = numbers(file, column, of, if is_weight { "of bits" } else { "from 0 to 1" })?;
        let Some(least) = self.threshold else {
            return Ok(Some(scores.into_iter().map(|it| Some(it.1)).collect()));
        };
        let probabilities = match file.schema.find(PROBABILITY_COLUMN).filter(|_| is_weight) {
            Some(column) => Some(numbers(file, column, billionths, "from 0 to 1")?),
            None if is_weight => {
                let message = format!(
                    "a threshold of weights needs a column `{PROBABILITY_COLUMN}`; this file has {}",
                    file.schema.names()
                );
                return Err(Error::table(&file.path, message));
            }
            None => None,
        };
        let is_enough = |row: usize| probabilities.as_ref().unwrap_or(&scores)[row].0 >= least;
        Ok(Some((0..scores.len()).map(|row| is_enough(row).then_some(scores[row].1)).collect()))
    }

    fn options(&self, id: IdSource) -> ReadOptions {
        let (delimiter, most_unpacked) = (self.delimiter, self.most_unpacked);
        ReadOptions { delimiter, id, most_unpacked, ..ReadOptions::default() }
    }

    /// The table of left records, or of right ones, if there is one.
    fn only_table(&self, which: usize, control: &Control) -> Result<Option<Table>> {
        match &self.records[which][..] {
            [] => Ok(None),
            [path] => {
                let id = self.record_id.clone().map_or(IdSource::Usual, IdSource::Column);
                self.table(path, id, control).map(Some)
            }
            [_, second, ..] => {
                let message = "this is a second table of records, and the pairs do not say which table each id is of; \
                               write that in columns `left_source` and `right_source`, as link does";
                Err(Error::table(second, message))
            }
        }
    }

    /// A table of records.
    fn table(&self, path: &Path, id: IdSource, control: &Control) -> Result<Table> {
        let is_wanted = |name: &str| self.source.as_ref().is_some_and(|it| it.eq_ignore_ascii_case(name));
        Table::read(path, &self.options(id), &is_wanted, control)
    }

    /// The sources of records, by the tables that are given and the ids of all records.
    fn sources(&self, tables: [(Option<&Table>, Option<&Ids>); 2]) -> Result<Option<Sources>> {
        let Some(name) = &self.source else { return Ok(None) };
        let mut given = Vec::new();
        for (nth, (table, ids)) in (1..).zip(tables) {
            let Some(ids) = ids else { continue };
            let Some(table) = table else {
                let of = if self.two_tables { ["the left", "the right"][nth - 1] } else { "the" };
                let message = format!(
                    "--source `{name}` is a column of the tables of records, and {of} table is not there; name it with \
                     --records{}",
                    if self.two_tables { " and --right-records" } else { "" }
                );
                return Err(Error::Job(message));
            };
            given.push((table, ids));
        }
        let all: Vec<&Table> = given.iter().map(|(table, _)| *table).collect();
        let mut numbering = Numbering::new(name);
        for ((table, ids), column) in given.iter().zip(sources::columns(name, &all)?) {
            // Records of the table are numbered before those that pairs alone name, and are the rows of the ids.
            let row =
                |place: usize| (place < table.n_records() as usize).then(|| table.ids.row(place as u32));
            numbering.add_rows(table, column, (0..ids.len()).map(|record| row(ids.row(record))))?;
        }
        Ok(Some(numbering.done()))
    }
}

fn known(file: &Table, name: &str) -> Result<usize> {
    file.schema.find(name).ok_or_else(|| {
        Error::table(&file.path, format!("no column `{name}`; the columns are {}", file.schema.names()))
    })
}

/// Whether a column of scores is of weights.
fn is_weight(file: &Table, column: usize) -> bool {
    file.schema.columns[column].name.eq_ignore_ascii_case(WEIGHT_COLUMN)
}

/// The numbers of a column, and what `of` makes of them, which takes numbers of some kind alone.
fn numbers(
    file: &Table,
    column: usize,
    of: fn(Decimal) -> Option<u32>,
    kind: &str,
) -> Result<Vec<(Decimal, u32)>> {
    let texts = file.values(column)?;
    let text = |row: usize| (!texts.is_null(row)).then(|| texts.value(row));
    let number = |row: usize| {
        let number = Decimal::parse(text(row)?)?;
        Some((number, of(number)?))
    };
    let parsed: Vec<Option<(Decimal, u32)>> = (0..texts.len()).into_par_iter().map(number).gather();
    if let Some(row) = parsed.iter().position(Option::is_none) {
        let name = &file.schema.columns[column].name;
        let is = match text(row) {
            None => format!("the {name} is missing"),
            Some(text) => format!("`{text}` is no {name}"),
        };
        let message = format!("row {}, column `{name}`: {is}; write a number {kind}", row + 1);
        return Err(Error::table(&file.path, message));
    }
    Ok(parsed.into_iter().flatten().collect())
}

/// The rank of a weight, whose millionths are rounded down; none if there is no such weight.
fn weight(bits: Decimal) -> Option<u32> {
    const MILLIONTHS: u32 = 6;
    let scale = bits.scale().max(MILLIONTHS);
    let millionths = bits.at_scale(scale)?.div_euclid(10i128.pow(scale - MILLIONTHS));
    Some(rank(i32::try_from(millionths).ok()?))
}

/// A score in billionths, rounded down; none if it is not from 0 to 1.
fn billionths(score: Decimal) -> Option<u32> {
    const SCALE: u32 = 36;
    if score.is_negative() || score > Decimal::ONE {
        return None;
    }
    Some((score.at_scale(SCALE)? / 10i128.pow(SCALE - 9)) as u32)
}

/// Numbers the ids of some columns and of a table: the ids by record, and of each column the records.
fn number<const N: usize>(
    path: &Path,
    columns: [(&LargeStringArray, Kind); N],
    table: Option<&Table>,
    control: &Control,
) -> Result<(Ids, [Vec<u32>; N])> {
    // First in the order in which they are met.
    let mut numbers: HashMap<Cow<'_, str>, u32> = HashMap::new();
    if let Some(table) = table {
        numbers.extend((0..table.n_records()).map(|record| (table.ids.borrowed(record), record)));
    }
    let n_of_table = numbers.len();
    let places = columns.map(|(column, _)| -> Vec<u32> {
        let place = |text| {
            let next = numbers.len() as u32;
            *numbers.entry(Cow::Borrowed(text)).or_insert(next)
        };
        column.iter().flatten().map(place).collect()
    });
    if let Some(table) = table
        && numbers.len() > n_of_table
    {
        let n = numbers.len() - n_of_table;
        tracing::warn!("{n} ids of pairs are not in {}; they are records all the same", table.path.display());
    }
    let mut texts: Vec<&str> = vec![""; numbers.len()];
    numbers.iter().for_each(|(text, &number)| texts[number as usize] = text);
    // A column without values may hold anything.
    let are_integers = columns.iter().all(|(column, kind)| *kind == Kind::Integer || column.is_empty())
        && table.is_none_or(|table| table.ids.are_integers());
    let kind = if are_integers { Kind::Integer } else { Kind::Text };
    let column = ColumnSchema { name: "id".into(), kind, why_text: None };
    let ids = Ids::new(path, &column, LargeStringArray::from_iter_values(texts), control)?;
    let mut records = vec![0; ids.len() as usize];
    (0..ids.len()).for_each(|record| records[ids.row(record)] = record);
    let record = |place: &u32| records[*place as usize];
    Ok((ids, places.map(|places| places.par_iter().map(record).gather())))
}

#[cfg(test)]
mod tests {
    use super::billionths;
    use crate::base::decimal::Decimal;

    #[test]
    fn scores_are_billionths() {
        for (text, score) in [
            ("0", Some(0)),
            ("1", Some(1_000_000_000)),
            ("1.0", Some(1_000_000_000)),
            ("0.5", Some(500_000_000)),
            ("0.8865740299224854", Some(886_574_029)),
            ("1e-5", Some(10_000)),
            ("0.0000000009", Some(0)),
            ("1.000000000000001", None),
            ("-0.1", None),
            ("2", None),
            ("17.5", None),
        ] {
            assert_eq!(Decimal::parse(text).and_then(billionths), score, "{text}");
        }
    }
}
