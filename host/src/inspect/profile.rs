//! What is in a table, before anybody has written a rule: of each column its kind, missing and distinct values, lengths, the
//! most frequent values, whether it could be a key, and what looks as if it were written where nothing is known.
//!
//! Everything is counted, nothing estimated. Values are told apart as they are written. A column whose values ascend needs no
//! counting: all of them differ.

mod json;
mod placeholder;
mod text;

pub use placeholder::{Placeholder, Sign};

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::base::list::elements;
use crate::encode::dictionary::Dictionary;
use crate::read::table::{ColumnSchema, IdSource, Input, Kind, ReadOptions, Table};
use arrow_array::{Array, LargeStringArray};
use hyperblock_shared::columns::MISSING;
use placeholder::{alone, sign};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Values that are told for being frequent.
const HEAVY: usize = 5;
/// Columns that are counted at once: while one is at what a single thread does, others count another.
const COLUMNS: usize = 2;
/// Rows that a thread looks at.
const ROWS: usize = 1 << 14;
/// A column is nearly a key if at most one record of so many lacks a value of its own.
const NEARLY: u64 = 100;
/// A number or a day looks like a placeholder if it has so many times the records that values have on average.
const FREQUENT: f64 = 3.0;

/// What is in a table.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The table.
    pub path: PathBuf,
    /// Its records.
    pub n_records: u64,
    /// In the order of the table.
    pub columns: Vec<ColumnProfile>,
}

/// What is in a column.
#[derive(Clone, Debug)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// Whether it has the records' ids.
    pub is_id: bool,
    /// What it holds.
    pub kind: Kind,
    /// Records of the table.
    pub n_records: u64,
    /// Records without a value.
    pub n_missing: u64,
    /// Distinct values.
    pub n_distinct: u64,
    /// If there are values: how long they are, in characters.
    pub lengths: Option<Lengths>,
    /// The most frequent values that several records have, and how many do, by falling number.
    pub heavy: Vec<(String, u64)>,
    /// Values that look as if nothing were known, by falling number.
    pub placeholders: Vec<Placeholder>,
    /// How many bits a value tells, on average: 0 if all are the same, log2 n if n records differ.
    pub bits: f64,
}

/// How long values are, in characters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths {
    /// Of the shortest.
    pub least: u64,
    /// Half of them are no longer.
    pub median: u64,
    /// On average.
    pub mean: f64,
    /// Of the longest.
    pub most: u64,
}

/// How near a column is to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Each record has a value of its own.
    Unique,
    /// So many records have none, or one that another record has.
    Nearly(u64),
}

impl Profile {
    /// Reads a table, which may have no rows, and counts what is in it. Ids are values like all others here: they may be
    /// missing, and may stand twice.
    pub fn read(input: &Input, options: &ReadOptions, control: &Control) -> Result<Self> {
        let rows = ReadOptions { id: IdSource::RowNumbers, ..options.clone() };
        let table = Table::of_several(input, &rows, &|_| true, control)?;
        let mut profile = control.guard(|| Self::of(&table, control))?;
        if let Some(ix) = table.id_column(&options.id)? {
            profile.columns[ix].is_id = true;
        }
        Ok(profile)
    }

    /// Of the columns of a table that were read.
    pub(crate) fn of(table: &Table, control: &Control) -> Result<Self> {
        let columns = table.schema.columns.iter().enumerate();
        let columns: Vec<_> =
            columns.filter_map(|(ix, column)| Some((column, table.values(ix).ok()?))).collect();
        let mut counted = Vec::with_capacity(columns.len());
        for some in columns.chunks(COLUMNS) {
            let of = |(column, values): &(&ColumnSchema, &LargeStringArray)| {
                ColumnProfile::of(&column.name, column.kind, values, control)
            };
            counted.extend(some.par_iter().map(of).gather());
            control.check()?;
        }
        Ok(Self { path: table.path.clone(), n_records: table.n_records().into(), columns: counted })
    }
}

impl ColumnProfile {
    fn of(name: &str, kind: Kind, values: &LargeStringArray, control: &Control) -> Self {
        let n_records = values.len() as u64;
        let n_missing = values.null_count() as u64;
        let mut column = Self {
            name: name.to_owned(),
            is_id: false,
            kind,
            n_records,
            n_missing,
            n_distinct: n_records - n_missing,
            lengths: None,
            heavy: Vec::new(),
            placeholders: Vec::new(),
            bits: (n_records.max(1) as f64).log2(),
        };
        if n_missing == 0 && ascend(values, control) {
            let counted = |row: usize| (values.value(row), 1);
            let (lengths, placeholders) = one_by_one(values.len(), counted, 1.0, control);
            (column.lengths, column.placeholders) = (Lengths::of(&lengths), placeholders);
            return column;
        }
        let value = |row: usize| values.is_valid(row).then(|| values.value(row));
        let Dictionary { values: distinct, codes } = Dictionary::new(values.len(), value, control);
        let mut counts = vec![0u32; distinct.len()];
        codes.iter().filter(|code| **code != MISSING).for_each(|code| counts[*code as usize] += 1);
        drop(codes);
        column.n_distinct = distinct.len() as u64;
        let counted = |ix: usize| (distinct[ix], u64::from(counts[ix]));
        column.bits = bits(&counts, n_records - n_missing);
        let shown = |value: &str| match kind {
            Kind::List => elements(value).collect::<Vec<_>>().join("; "),
            Kind::Text | Kind::Integer | Kind::Float | Kind::Date => value.to_owned(),
        };
        let heavy = heaviest(&distinct, &counts);
        let average = column.n_present() as f64 / column.n_distinct.max(1) as f64;
        let (lengths, placeholders) = one_by_one(distinct.len(), counted, average, control);
        (column.lengths, column.placeholders) = (Lengths::of(&lengths), placeholders);
        if let Some(found) = alone(&heavy, column.n_distinct, n_records)
            && column.placeholders.iter().all(|known| known.value != found.value)
        {
            column.placeholders.push(found);
        }
        column.heavy = heavy.into_iter().map(|(value, n)| (shown(value), n)).collect();
        column
    }

    /// Records with a value.
    pub fn n_present(&self) -> u64 {
        self.n_records - self.n_missing
    }

    /// Whether each record has a value of its own, or nearly each.
    pub fn key(&self) -> Option<Key> {
        let others = self.n_records - self.n_distinct;
        match others {
            _ if self.n_records == 0 => None,
            0 => Some(Key::Unique),
            _ if others * NEARLY <= self.n_records => Some(Key::Nearly(others)),
            _ => None,
        }
    }
}

impl Lengths {
    fn of(counts: &BTreeMap<u64, u64>) -> Option<Self> {
        let (least, most) = (*counts.first_key_value()?.0, *counts.last_key_value()?.0);
        let n: u64 = counts.values().sum();
        let sum: u128 = counts.iter().map(|(length, n)| u128::from(*length) * u128::from(*n)).sum();
        let mut below = 0;
        let median = counts.iter().find(|(_, n)| {
            below += **n;
            2 * below >= counts.values().sum::<u64>()
        });
        let median = median.map_or(most, |(length, _)| *length);
        Some(Self { least, median, mean: sum as f64 / n as f64, most })
    }
}

/// Whether each value is above the one before it.
fn ascend(values: &LargeStringArray, control: &Control) -> bool {
    let is_above = |row: usize| {
        let (before, own) = (values.value(row - 1).as_bytes(), values.value(row).as_bytes());
        // Numbers ascend as they get longer, too.
        before.len() < own.len() || (before.len() == own.len() && before < own)
    };
    (1..values.len()).into_par_iter().with_min_len(ROWS).all(|row| {
        control.pass();
        is_above(row)
    })
}

/// How many values there are of each length, and those that are written as if nothing were known; a number or a day only if it is
/// more frequent than most.
fn one_by_one<'a>(
    n: usize,
    counted: impl Fn(usize) -> (&'a str, u64) + Sync,
    average: f64,
    control: &Control,
) -> (BTreeMap<u64, u64>, Vec<Placeholder>) {
    let starts = (0..n).into_par_iter().step_by(ROWS);
    let of_part = |start: usize| {
        control.pass();
        // Nearly all values are short, and those are counted in a list.
        let (mut short, mut counts, mut found) = ([0u64; 64], BTreeMap::new(), Vec::new());
        for ix in start..(start + ROWS).min(n) {
            let (value, n) = counted(ix);
            let length = if value.is_ascii() { value.len() } else { value.chars().count() };
            match short.get_mut(length) {
                Some(count) => *count += n,
                None => *counts.entry(length as u64).or_insert(0) += n,
            }
            let is_meant = |sign: &Sign| *sign == Sign::Word || (n > 1 && n as f64 >= FREQUENT * average);
            let sign = sign(value).filter(is_meant);
            found.extend(sign.map(|sign| Placeholder { value: value.to_owned(), n, sign }));
        }
        counts.extend((0..).zip(short).filter(|(_, n)| *n > 0));
        (counts, found)
    };
    let both = |(mut lengths, mut found): (BTreeMap<u64, u64>, Vec<Placeholder>), (others, more)| {
        for (length, n) in others {
            *lengths.entry(length).or_insert(0) += n;
        }
        found.extend(more);
        (lengths, found)
    };
    let (lengths, mut found) = starts.map(of_part).reduce(Default::default, both);
    found.sort_unstable_by(|a, b| b.n.cmp(&a.n).then_with(|| a.value.cmp(&b.value)));
    (lengths, found)
}

/// The entropy of values that are there so often.
fn bits(counts: &[u32], n: u64) -> f64 {
    let n = n.max(1) as f64;
    // In the order of the values: sums of floating-point numbers depend on it.
    let sum: f64 = counts.iter().filter(|n| **n > 1).map(|&n| f64::from(n) * f64::from(n).log2()).sum();
    n.log2() - sum / n
}

/// The most frequent values that several records have.
fn heaviest<'a>(distinct: &[&'a str], counts: &[u32]) -> Vec<(&'a str, u64)> {
    let order =
        |a: &usize, b: &usize| counts[*b].cmp(&counts[*a]).then_with(|| distinct[*a].cmp(distinct[*b]));
    let mut all: Vec<usize> = (0..counts.len()).filter(|&ix| counts[ix] > 1).collect();
    if all.len() > HEAVY {
        all.select_nth_unstable_by(HEAVY, order);
        all.truncate(HEAVY);
    }
    all.sort_unstable_by(order);
    all.into_iter().map(|ix| (distinct[ix], counts[ix].into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn of(values: &[Option<&str>]) -> ColumnProfile {
        ColumnProfile::of("x", Kind::Text, &LargeStringArray::from(values.to_vec()), &Control::default())
    }

    proptest! {
        /// As the definitions say, value by value.
        #[test]
        fn everything_is_counted(values in prop::collection::vec(prop::option::of("[abé]{1,3}|N/A|[0-9]{1,4}"), 0..80)) {
            let values: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
            let column = of(&values);
            let present: Vec<&str> = values.iter().flatten().copied().collect();
            let mut counts: HashMap<&str, u64> = HashMap::new();
            present.iter().for_each(|value| *counts.entry(value).or_default() += 1);
            prop_assert_eq!(column.n_missing, (values.len() - present.len()) as u64);
            prop_assert_eq!(column.n_distinct, counts.len() as u64);
            let mut all: Vec<u64> = present.iter().map(|value| value.chars().count() as u64).collect();
            all.sort_unstable();
            let lengths = column.lengths.map(|it| [it.least, it.median, it.most]);
            let wanted = all.first().map(|first| [*first, all[(all.len() - 1) / 2], all[all.len() - 1]]);
            prop_assert_eq!(lengths, wanted);
            let mut heavy: Vec<(String, u64)> =
                counts.iter().filter(|(_, n)| **n > 1).map(|(value, n)| ((*value).to_owned(), *n)).collect();
            heavy.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            heavy.truncate(HEAVY);
            prop_assert_eq!(column.heavy, heavy);
            let n_words = counts.get("N/A").copied();
            let found = column.placeholders.iter().find(|found| found.value == "N/A").map(|found| found.n);
            prop_assert_eq!(found, n_words);
            let n = present.len().max(1) as f64;
            let entropy: f64 = counts.values().map(|&count| -(count as f64 / n) * (count as f64 / n).log2()).sum();
            let is_empty = present.is_empty();
            prop_assert!(is_empty || (column.bits - entropy).abs() < 1e-9, "{} {}", column.bits, entropy);
        }
    }

    #[test]
    fn keys_and_what_is_nearly_one() {
        let all: Vec<String> = (0..200).map(|n| n.to_string()).collect();
        let mut values: Vec<Option<&str>> = all.iter().map(|value| Some(value.as_str())).collect();
        assert_eq!(of(&values).key(), Some(Key::Unique));
        values.swap(3, 150);
        assert_eq!(of(&values).key(), Some(Key::Unique));
        values[7] = Some("8");
        values[9] = None;
        assert_eq!(of(&values).key(), Some(Key::Nearly(2)));
        values[11] = Some("8");
        assert_eq!(of(&values).key(), None);
        assert_eq!(of(&[]).key(), None);
    }
}
