//! The ids of a table's records, and the order that they give them.

use super::{ColumnSchema, Kind};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashMap;
use rayon::slice::ParallelSliceMut;
use std::borrow::Cow;
use std::path::Path;

/// Ids by record. Records are numbered by ascending id: integers by value, text by code points.
#[derive(Debug)]
pub struct Ids {
    /// By record: its row in the file, counted from 0.
    rows: Vec<u32>,
    /// By row; without an id column, the row's number, counted from 1, is the id.
    texts: Option<LargeStringArray>,
    integers: bool,
}

impl Ids {
    /// The row numbers as ids.
    pub(super) fn rows(n_rows: usize) -> Self {
        Self { rows: (0..n_rows as u32).collect(), texts: None, integers: true }
    }

    /// The values of an id column, which must all be there and all differ.
    pub(crate) fn new(
        path: &Path,
        column: &ColumnSchema,
        texts: LargeStringArray,
        control: &Control,
    ) -> Result<Self> {
        if let Some(row) = (0..texts.len()).find(|&row| texts.is_null(row)) {
            let message = format!(
                "row {}, column `{}`: the id is missing; every record needs one",
                row + 1,
                column.name
            );
            return Err(Error::table(path, message));
        }
        let mut rows: Vec<u32> = (0..texts.len() as u32).collect();
        let numbers: Option<Vec<i64>> = (column.kind == Kind::Integer)
            .then(|| texts.iter().map(|text| plain_integer(text?)).collect())
            .flatten();
        match &numbers {
            Some(numbers) => rows.par_sort_by_key(|&row| {
                control.pass();
                (numbers[row as usize], row)
            }),
            None => rows.par_sort_by(|&a, &b| {
                control.pass();
                (texts.value(a as usize), a).cmp(&(texts.value(b as usize), b))
            }),
        }
        if let Some(twice) =
            rows.windows(2).find(|two| texts.value(two[0] as usize) == texts.value(two[1] as usize))
        {
            let message = format!(
                "rows {} and {} have the same id `{}` in column `{}`; ids must differ \
                 (name another column with --id)",
                twice[0] + 1,
                twice[1] + 1,
                texts.value(twice[0] as usize),
                column.name
            );
            return Err(Error::table(path, message));
        }
        Ok(Self { rows, texts: Some(texts), integers: numbers.is_some() })
    }

    /// The number of records.
    #[expect(clippy::len_without_is_empty, reason = "a table has at least one record")]
    pub fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    /// The row, counted from 0, that a record stands in.
    pub fn row(&self, record: u32) -> usize {
        self.rows[record as usize] as usize
    }

    /// Whether all ids are integers of 64 bits, as one writes them.
    pub fn are_integers(&self) -> bool {
        self.integers
    }

    /// A record's id, if ids are integers.
    pub fn integer(&self, record: u32) -> Option<i64> {
        match &self.texts {
            None => Some(self.row(record) as i64 + 1),
            Some(texts) => texts.value(self.row(record)).parse().ok(),
        }
    }

    /// A record's id as text.
    pub fn text(&self, record: u32) -> String {
        self.borrowed(record).into_owned()
    }

    /// The same, where it lies.
    pub(crate) fn borrowed(&self, record: u32) -> Cow<'_, str> {
        match &self.texts {
            None => (self.row(record) + 1).to_string().into(),
            Some(texts) => texts.value(self.row(record)).into(),
        }
    }

    /// Whether there was no id column, so that ids are the row numbers.
    pub fn are_rows(&self) -> bool {
        self.texts.is_none()
    }

    /// The record of that id, compared as text: `007` is not `7`.
    pub fn record(&self, id: &str) -> Option<u32> {
        Some(self.place(id)).filter(|&record| record < self.len() && self.text(record) == id)
    }

    /// The first record whose id is not below `id`, in the order of the ids; one past the last, if all are. Where ids
    /// are integers and `id` is none, that is the first of all.
    pub fn place(&self, id: &str) -> u32 {
        let number = id.parse().unwrap_or(i64::MIN);
        let is_below = |row: &u32| match &self.texts {
            None => i64::from(*row) + 1 < number,
            Some(texts) if self.integers => {
                texts.value(*row as usize).parse().is_ok_and(|own: i64| own < number)
            }
            Some(texts) => texts.value(*row as usize) < id,
        };
        self.rows.partition_point(is_below) as u32
    }

    /// The ids of these records alone, numbered anew in the order given.
    pub(super) fn part(&self, records: &[u32]) -> Self {
        let rows = records.iter().map(|&record| self.rows[record as usize]).collect();
        Self { rows, texts: self.texts.clone(), integers: self.integers }
    }

    /// The records by the text of their ids.
    pub fn index(&self) -> HashMap<String, u32> {
        (0..self.len()).map(|record| (self.text(record), record)).collect()
    }
}

/// An integer of 64 bits as one writes it. With a plus, with zeros before it, or as `-0`, it is a label: `007` is not `7`.
pub(crate) fn plain_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_label = digits.starts_with('+') || (digits.starts_with('0') && text != "0");
    if is_label { None } else { text.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_integer_is_written_in_one_way(text in "[-+]{0,2}[0-9]{0,3}", number in any::<i64>()) {
            let in_one_way = text.parse::<i64>().ok().filter(|number| number.to_string() == text);
            prop_assert_eq!(plain_integer(&text), in_one_way);
            prop_assert_eq!(plain_integer(&number.to_string()), Some(number));
        }
    }

    /// Then their texts say which is which.
    #[test]
    fn minus_zero_makes_ids_text() {
        let ids = ids(&["0", "-0", "10", "9"], Kind::Integer);
        assert!(!ids.are_integers());
        let all: Vec<String> = (0..4).map(|record| ids.text(record)).collect();
        assert_eq!(all, ["-0", "0", "10", "9"]);
        assert_eq!([ids.record("-0"), ids.record("0")], [Some(0), Some(1)]);
    }

    fn ids(texts: &[&str], kind: Kind) -> Ids {
        let column = ColumnSchema { name: "id".into(), kind, why_text: None };
        Ids::new(Path::new("t.csv"), &column, LargeStringArray::from(texts.to_vec()), &Control::default())
            .unwrap()
    }

    #[test]
    fn records_are_found_by_text() {
        let integers = ids(&["10", "-3", "9", "200"], Kind::Integer);
        let labels = ids(&["10", "9", "007", "é"], Kind::Text);
        for (ids, id, want) in [
            (&integers, "-3", Some(0)),
            (&integers, "9", Some(1)),
            (&integers, "200", Some(3)),
            (&integers, "09", None),
            (&integers, "201", None),
            (&integers, "nine", None),
            (&integers, "", None),
            (&labels, "007", Some(0)),
            (&labels, "7", None),
            (&labels, "10", Some(1)),
            (&labels, "é", Some(3)),
            (&labels, "ê", None),
            (&Ids::rows(3), "1", Some(0)),
            (&Ids::rows(3), "3", Some(2)),
            (&Ids::rows(3), "0", None),
            (&Ids::rows(3), "4", None),
            (&Ids::rows(3), "+1", None),
        ] {
            assert_eq!(ids.record(id), want, "{id}");
        }
        assert_eq!([labels.place("8"), labels.place("x"), integers.place("x")], [2, 3, 0]);
    }

    #[test]
    fn a_part_keeps_the_ids() {
        let part = ids(&["10", "-3", "9"], Kind::Integer).part(&[2, 0]);
        assert_eq!((part.len(), part.text(0), part.text(1)), (2, "10".into(), "-3".into()));
    }
}
