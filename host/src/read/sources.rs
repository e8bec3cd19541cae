//! The sources of records: what a column says of where they are from, as a small number for each.
//!
//! Sources are the same if they are written alike, in whichever table. A record whose source is missing is of none.

use super::table::Table;
use crate::base::error::{Error, Result};
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashMap;

/// No source.
const NONE: u32 = u32::MAX;

/// Which source each record is of.
///
/// ```
/// use hyperblock::{ClusterMethod, Control, DeviceChoice, Records, ScoredPair, Sources, cluster, device};
///
/// let sources = Sources::new("shop", [Some("a"), Some("b"), Some("a"), None]);
/// let records = Records { sources: Some(&sources), ..Records::from(4) };
/// let pair = |left, right, score| ScoredPair { left, right, score };
/// let pairs = [pair(0, 1, 900), pair(1, 2, 800), pair(0, 3, 700)];
/// let device = device::open(DeviceChoice::Cpu, None)?;
/// let entities = cluster(&*device, records, &pairs, ClusterMethod::Components, &Control::default())?;
/// // 2 is of the shop that 0 is of.
/// assert_eq!(entities, [0, 0, 2, 0]);
/// # Ok::<(), hyperblock::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sources {
    column: String,
    /// By record, counted from 0.
    codes: Vec<u32>,
    n: u32,
}

impl Sources {
    /// By record what a column of this name says.
    pub fn new<'a>(column: &str, values: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut numbering = Numbering::new(column);
        for value in values {
            let code = numbering.code(value);
            numbering.codes.push(code);
        }
        numbering.done()
    }

    /// What the column is called.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// How many records there are.
    #[expect(clippy::len_without_is_empty, reason = "there are sources of some records")]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// How many sources there are: their numbers are below it.
    pub(crate) fn n(&self) -> u32 {
        self.n
    }

    /// The source of a record.
    pub(crate) fn of(&self, record: u32) -> Option<u32> {
        Some(self.codes[record as usize]).filter(|code| *code != NONE)
    }

    /// Whether two records are of one source.
    pub(crate) fn are_one(&self, a: u32, b: u32) -> bool {
        self.of(a).is_some_and(|source| self.of(b) == Some(source))
    }
}

/// Numbers sources in the order in which they are met, so that no text of a table has to stay.
pub(crate) struct Numbering {
    numbers: HashMap<String, u32>,
    column: String,
    codes: Vec<u32>,
}

impl Numbering {
    pub(crate) fn new(column: &str) -> Self {
        Self { numbers: HashMap::new(), column: column.to_owned(), codes: Vec::new() }
    }

    /// The records of one more table, in their order. The column's text is there.
    pub(crate) fn add(&mut self, table: &Table, column: usize) -> Result<()> {
        let by_row = self.by_row(table.values(column)?);
        self.codes.extend((0..table.n_records()).map(|record| by_row[table.ids.row(record)]));
        Ok(())
    }

    /// Some more records, each by its row in a table, if it is in there.
    pub(crate) fn add_rows(
        &mut self,
        table: &Table,
        column: usize,
        rows: impl Iterator<Item = Option<usize>>,
    ) -> Result<()> {
        let by_row = self.by_row(table.values(column)?);
        self.codes.extend(rows.map(|row| row.map_or(NONE, |row| by_row[row])));
        Ok(())
    }

    pub(crate) fn done(self) -> Sources {
        let Self { numbers, column, codes } = self;
        Sources { column, codes, n: numbers.len() as u32 }
    }

    fn by_row(&mut self, values: &LargeStringArray) -> Vec<u32> {
        (0..values.len()).map(|row| self.code(values.is_valid(row).then(|| values.value(row)))).collect()
    }

    fn code(&mut self, value: Option<&str>) -> u32 {
        let next = self.numbers.len() as u32;
        value.map_or(NONE, |value| *self.numbers.entry_ref(value).or_insert(next))
    }
}

/// The column with the sources of each of these tables: all of them must have one.
pub(crate) fn columns(name: &str, tables: &[&Table]) -> Result<Vec<usize>> {
    let found: Vec<Option<usize>> = tables.iter().map(|table| table.schema.find(name)).collect();
    let missing = tables.iter().zip(&found).find(|(_, found)| found.is_none());
    if let Some((table, _)) = missing {
        let with = tables.iter().zip(&found).find(|(_, found)| found.is_some());
        let elsewhere = with.map_or(String::new(), |(other, _)| {
            format!("; {} has one, and sources are told apart in all tables or in none", other.path.display())
        });
        let columns = table.schema.names();
        let message = format!("no column `{name}` for the sources{elsewhere}; the columns are {columns}");
        return Err(Error::table(&table.path, message));
    }
    let found: Vec<usize> = found.into_iter().flatten().collect();
    tables.iter().zip(&found).try_for_each(|(table, &column)| table.check_single(column))?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_of_no_source() {
        let sources = Sources::new("shop", [Some("b"), None, Some("a"), Some("b"), None]);
        assert_eq!((sources.n(), sources.len(), sources.column()), (2, 5, "shop"));
        assert_eq!(
            (0..5).map(|record| sources.of(record)).collect::<Vec<_>>(),
            [Some(0), None, Some(1), Some(0), None]
        );
        assert!(sources.are_one(0, 3) && !sources.are_one(0, 2));
        assert!(!sources.are_one(1, 4), "missing is not equal");
    }
}
