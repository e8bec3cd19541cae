//! The records that a report shows, or looks at: their text is read again, once.
//!
//! These are the records of pairs, an example of each block, and so many at equal distances that the columns can be told of by them.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::list;
use crate::job::Prepared;
use crate::read::table::{Kind, Table};
use crate::rules::Side;
use arrow_array::Array;

/// Records that columns are told of by: of a larger table so many at equal distances.
const PROFILED: u32 = 50_000;

/// Some records of the tables, with all of their text.
pub(super) struct Records {
    /// Left, or of the only table; right.
    pub(super) left: Table,
    pub(super) right: Option<Table>,
    /// Which ones, in order. Of one table both are the same.
    pub(super) records: [Vec<u32>; 2],
    /// The columns that are shown: not the ids, which stand beside, nor other names of columns.
    pub(super) columns: [Vec<usize>; 2],
}

impl Records {
    /// Those of pairs and others, by side, and those that columns are told of by.
    pub(super) fn read(job: &Prepared, wanted: &[(Side, u32)], control: &Control) -> Result<Self> {
        let is_one_table = job.second().is_none();
        let of = |side: Side, n: u32| {
            let own = wanted.iter().filter(|(other, _)| is_one_table || *other == side);
            let mut records: Vec<u32> = own.map(|(_, record)| *record).chain(spread(n)).collect();
            records.sort_unstable();
            records.dedup();
            records
        };
        let lefts = of(Side::Left, job.left.n_records());
        let rights = if is_one_table { lefts.clone() } else { of(Side::Right, job.right().n_records()) };
        let (left, right) = job.whole_text_of([&lefts, &rights], control)?;
        let shown = |table: &Table, whole: &Table| {
            let is_id = |name: &str| whole.id_columns.iter().flatten().any(|id| id == name);
            let is_called = |name: &str| whole.called.iter().any(|(other, _)| other == name);
            let columns = table.schema.columns.iter().enumerate();
            let shown = columns.filter(|(nth, column)| {
                let is_other = is_id(&column.name) || is_called(&column.name);
                table.values(*nth).is_ok() && whole.source_column() != Some(*nth) && !is_other
            });
            shown.map(|(nth, _)| nth).collect::<Vec<_>>()
        };
        let lefts_shown = shown(&left, &job.left);
        let rights_shown = shown(right.as_ref().unwrap_or(&left), job.right());
        Ok(Self { left, right, records: [lefts, rights], columns: [lefts_shown, rights_shown] })
    }

    /// The table of a side.
    pub(super) fn table(&self, side: usize) -> &Table {
        if side == 0 { &self.left } else { self.right.as_ref().unwrap_or(&self.left) }
    }

    /// The row that a record stands in.
    pub(super) fn row(&self, side: usize, record: u32) -> Result<usize> {
        let lost = |_| Error::Internal(format!("record {record} was not read again"));
        self.records[side].binary_search(&record).map_err(lost)
    }

    /// A value for people.
    pub(super) fn value(&self, side: usize, column: usize, row: usize) -> Result<Option<String>> {
        let table = self.table(side);
        let (values, is_list) = (table.values(column)?, table.schema.columns[column].kind == Kind::List);
        let value = values.is_valid(row).then(|| values.value(row));
        Ok(value.map(|value| if is_list { list::shown(value) } else { value.to_owned() }))
    }

    /// The names of columns of both sides, those of the same name once; and by side the column of each name.
    pub(super) fn names(&self) -> (Vec<String>, [Vec<Option<usize>>; 2]) {
        let name = |side: usize, column: usize| self.table(side).schema.columns[column].name.clone();
        let mut names: Vec<String> = self.columns[0].iter().map(|&column| name(0, column)).collect();
        for &column in &self.columns[1] {
            let own = name(1, column);
            if !names.iter().any(|other| other.eq_ignore_ascii_case(&own)) {
                names.push(own);
            }
        }
        let places = [0, 1].map(|side| {
            let place = |wanted: &String| {
                let own = self.columns[side].iter().copied();
                own.into_iter().find(|&column| name(side, column).eq_ignore_ascii_case(wanted))
            };
            names.iter().map(place).collect()
        });
        (names, places)
    }
}

/// So many of all records, at equal distances.
fn spread(n: u32) -> impl Iterator<Item = u32> {
    let most = n.min(PROFILED);
    (0..most).map(move |nth| (u64::from(nth) * u64::from(n) / u64::from(most.max(1))) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_spread_evenly() {
        assert_eq!(spread(3).collect::<Vec<_>>(), [0, 1, 2]);
        let all: Vec<u32> = spread(250_000).collect();
        assert!(all.len() == 50_000 && all.is_sorted() && all.windows(2).all(|it| it[1] - it[0] == 5));
        assert_eq!(spread(0).count(), 0);
    }
}
