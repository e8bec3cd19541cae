//! The ids of a table's records, and the order that they give them.

mod several;

use super::{ColumnSchema, Kind};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashMap;
use rayon::prelude::*;
use several::Part;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::Path;

/// Rows that are not worth another thread.
const ROWS: usize = 1 << 10;

/// Ids by record. Records are numbered by ascending id: integers by value, text by code points.
#[derive(Debug)]
pub struct Ids {
    /// By record: its row in the file, counted from 0.
    pub(super) rows: Vec<u32>,
    pub(super) named: Named,
}

/// What ids are.
#[derive(Clone, Debug)]
pub(super) enum Named {
    /// The row's number, counted from 1: there is no id column.
    Rows,
    /// Integers of 64 bits as one writes them, by record.
    Integers(Vec<i64>),
    /// Texts, by row.
    Texts(LargeStringArray),
    /// Of each of several tables its own, in the order of the tables.
    Several(Vec<Part>),
}

impl Ids {
    /// The row numbers as ids.
    pub(super) fn rows(n_rows: usize) -> Self {
        Self { rows: (0..n_rows as u32).collect(), named: Named::Rows }
    }

    /// The values of an id column, which must all be there and all differ.
    pub(crate) fn new(
        path: &Path,
        column: &ColumnSchema,
        texts: LargeStringArray,
        control: &Control,
    ) -> Result<Self> {
        if column.kind == Kind::List {
            let message = format!(
                "column `{}` holds lists, and an id is one value; name another column with --id, or write the lists \
                 as text",
                column.name
            );
            return Err(Error::table(path, message));
        }
        if let Some(row) = (0..texts.len()).into_par_iter().find_first(|&row| texts.is_null(row)) {
            let message = format!(
                "row {}, column `{}`: the id is missing; every record needs one",
                row + 1,
                column.name
            );
            return Err(Error::table(path, message));
        }
        let numbers = (column.kind == Kind::Integer).then(|| plain_integers(&texts)).flatten();
        let text = |row: u32| texts.value(row as usize);
        let rows = match &numbers {
            Some(numbers) => {
                sorted(texts.len(), |row| numbers[row as usize], |_, _| Ordering::Equal, control)
            }
            None => sorted(texts.len(), |row| prefix(text(row)), |a, b| text(a).cmp(text(b)), control),
        };
        let rows = rows.map_err(|twice| {
            let message = format!(
                "rows {} and {} have the same id `{}` in column `{}`; ids must differ \
                 (name another column with --id)",
                twice[0] + 1,
                twice[1] + 1,
                text(twice[0]),
                column.name
            );
            Error::table(path, message)
        })?;
        let named = match numbers {
            None => Named::Texts(texts),
            // Most files are in order.
            Some(numbers) if numbers.is_sorted() => Named::Integers(numbers),
            Some(numbers) => {
                Named::Integers(rows.par_iter().with_min_len(ROWS).map(|&row| numbers[row as usize]).gather())
            }
        };
        Ok(Self { rows, named })
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
        self.named.are_integers()
    }

    /// A record's id, if ids are integers.
    pub fn integer(&self, record: u32) -> Option<i64> {
        self.named.integer(record, self.rows[record as usize])
    }

    /// All ids by record, if they are integers from a column.
    pub(crate) fn integers(&self) -> Option<&[i64]> {
        match &self.named {
            Named::Integers(integers) => Some(integers),
            Named::Rows | Named::Texts(_) | Named::Several(_) => None,
        }
    }

    /// A record's id as text.
    pub fn text(&self, record: u32) -> String {
        self.borrowed(record).into_owned()
    }

    /// The same, where it lies.
    pub(crate) fn borrowed(&self, record: u32) -> Cow<'_, str> {
        self.named.text(record, self.rows[record as usize])
    }

    /// Whether there was no id column, so that ids are the row numbers.
    pub fn are_rows(&self) -> bool {
        matches!(self.named, Named::Rows)
    }

    /// The record of that id, compared as text: `007` is not `7`. Of several tables the only one, which may also be named by
    /// table and id, `shop:7`.
    pub fn record(&self, id: &str) -> Option<u32> {
        match &self.named {
            Named::Several(_) => match self.records(id)[..] {
                [record] => Some(record),
                _ => None,
            },
            _ => Some(self.place(id)).filter(|&record| record < self.len() && self.text(record) == id),
        }
    }

    /// The first record whose id is not below `id`, in the order of the ids; one past the last, if all are. Where ids
    /// are integers and `id` is none, that is the first of all.
    #[doc(hidden)]
    pub fn place(&self, id: &str) -> u32 {
        self.named.place(&self.rows, 0, id)
    }

    /// The ids of these records alone, numbered anew in the order given.
    pub(super) fn part(&self, records: &[u32]) -> Self {
        let rows = records.iter().map(|&record| self.rows[record as usize]).collect();
        let named = match &self.named {
            Named::Integers(integers) => {
                Named::Integers(records.iter().map(|&record| integers[record as usize]).collect())
            }
            Named::Several(_) => Named::Several(self.parts_of(records)),
            named => named.clone(),
        };
        Self { rows, named }
    }

    /// The records by the text of their ids.
    #[doc(hidden)]
    pub fn index(&self) -> HashMap<String, u32> {
        (0..self.len()).map(|record| (self.text(record), record)).collect()
    }
}

impl Named {
    fn are_integers(&self) -> bool {
        match self {
            Self::Rows | Self::Integers(_) => true,
            Self::Texts(_) => false,
            Self::Several(parts) => parts.iter().all(|part| part.named.are_integers()),
        }
    }

    /// The id of the record of this number and row, if it is an integer.
    fn integer(&self, record: u32, row: u32) -> Option<i64> {
        match self {
            Self::Rows => Some(i64::from(row) + 1),
            Self::Integers(integers) => Some(integers[record as usize]),
            Self::Texts(_) => None,
            Self::Several(parts) => {
                let part = several::of(parts, record)?;
                part.named.integer(record - part.first, row - part.first_row)
            }
        }
    }

    /// The same as text.
    fn text(&self, record: u32, row: u32) -> Cow<'_, str> {
        match self {
            Self::Rows => (row + 1).to_string().into(),
            Self::Integers(integers) => integers[record as usize].to_string().into(),
            Self::Texts(texts) => texts.value(row as usize).into(),
            Self::Several(parts) => match several::of(parts, record) {
                Some(part) => part.named.text(record - part.first, row - part.first_row),
                None => Cow::Borrowed(""),
            },
        }
    }

    /// How many records, of which these are the rows, have an id below `id`; rows are counted from the given one.
    fn place(&self, rows: &[u32], first_row: u32, id: &str) -> u32 {
        let number = id.parse().unwrap_or(i64::MIN);
        let place = match self {
            Self::Rows => rows.partition_point(|&row| i64::from(row - first_row) + 1 < number),
            Self::Integers(integers) => integers.partition_point(|&own| own < number),
            Self::Texts(texts) => rows.partition_point(|&row| texts.value((row - first_row) as usize) < id),
            // Each table has an order of its own: the first of them will do to look around.
            Self::Several(_) => 0,
        };
        place as u32
    }
}

/// An integer of 64 bits as one writes it. With a plus, with zeros before it, or as `-0`, it is a label: `007` is not `7`.
pub(crate) fn plain_integer(text: &str) -> Option<i64> {
    let ([b'-', digits @ ..] | digits) = text.as_bytes();
    let is_label = match digits {
        [b'+', ..] => true,
        [b'0', ..] => text.len() > 1,
        _ => false,
    };
    if is_label { None } else { text.parse().ok() }
}

/// The values, if all are integers as one writes them.
fn plain_integers(texts: &LargeStringArray) -> Option<Vec<i64>> {
    let mut numbers = vec![0; texts.len()];
    let all = numbers.par_iter_mut().enumerate().with_min_len(ROWS);
    all.try_for_each(|(row, number)| {
        *number = plain_integer(texts.value(row))?;
        Some(())
    })?;
    Some(numbers)
}

/// The rows by ascending key, and by `compare` where keys are the same; or the first two that are the same by both. Keys
/// lie beside the rows, so that few comparisons look elsewhere.
fn sorted<K: Copy + Ord + Send + Sync>(
    n_rows: usize,
    key: impl Fn(u32) -> K + Sync,
    compare: impl Fn(u32, u32) -> Ordering + Sync,
    control: &Control,
) -> Result<Vec<u32>, [u32; 2]> {
    let order = |a: (K, u32), b: (K, u32)| {
        control.pass();
        a.0.cmp(&b.0).then_with(|| compare(a.1, b.1))
    };
    let rows = (0..n_rows as u32).into_par_iter().with_min_len(ROWS);
    let keyed = |row| (key(row), row);
    // Most files are in order.
    if rows.clone().skip(1).all(|row| order(keyed(row - 1), keyed(row)).is_lt()) {
        return Ok(rows.collect());
    }
    let mut keys: Vec<(K, u32)> = rows.map(keyed).collect();
    keys.par_sort_unstable_by(|a, b| order(*a, *b).then(a.1.cmp(&b.1)));
    match keys.par_windows(2).find_first(|two| order(two[0], two[1]).is_eq()) {
        Some(twice) => Err([twice[0].1, twice[1].1]),
        None => Ok(keys.into_par_iter().map(|(_, row)| row).gather()),
    }
}

/// The first bytes of a text, as a number: texts with a lower one come first.
fn prefix(text: &str) -> u64 {
    let (mut first, len) = ([0; 8], text.len().min(8));
    first[..len].copy_from_slice(&text.as_bytes()[..len]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
pub(super) mod tests {
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

    proptest! {
        #[test]
        fn texts_are_sorted_whatever_their_prefix(texts in prop::collection::hash_set("[a\u{0}é]{0,12}", 0..30)) {
            let mut wanted: Vec<&String> = texts.iter().collect();
            let values: Vec<&str> = wanted.iter().map(|text| text.as_str()).collect();
            let ids = ids(&values, Kind::Text);
            wanted.sort();
            let found: Vec<String> = (0..ids.len()).map(|record| ids.text(record)).collect();
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn ids_that_stand_twice() {
        let column = |kind| ColumnSchema { name: "id".into(), kind, why_text: None };
        for (texts, kind, wanted) in [
            (["1", "2", "2", "1"], Kind::Integer, "rows 1 and 4 have the same id `1` "),
            (["9", "10", "9", "9"], Kind::Integer, "rows 1 and 3 have the same id `9` "),
            (["b", "abcdefgh1", "abcdefgh1", "b"], Kind::Text, "rows 2 and 3 have the same id `abcdefgh1` "),
        ] {
            let texts = LargeStringArray::from(texts.to_vec());
            let ids = Ids::new(Path::new("t.csv"), &column(kind), texts, &Control::default());
            let said = ids.unwrap_err().to_string();
            assert!(said.contains(wanted), "{said}");
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

    pub(super) fn ids(texts: &[&str], kind: Kind) -> Ids {
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
