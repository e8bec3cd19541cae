//! What an operand is made of, before it is made: the distinct values of its column, or the distinct tuples of values of its
//! columns, and which one each record has.
//!
//! Each column is numbered alone, and tuples are numbered by the codes of their columns: so no text is looked at twice, none
//! is copied, and values round-trip whatever characters they hold. What is missing has a code as well, so a tuple of nothing
//! is one like the others: something may be made of it.

use super::dictionary::Dictionary;
use super::transform::Pipeline;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::read::table::Table;
use crate::rules::Operand;
use arrow_array::Array;
use hyperblock_shared::columns::MISSING;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// The distinct values of one column, by code, and the code of each record.
pub(super) type Column<'a> = Arc<Dictionary<&'a str>>;

/// The distinct values of a column of a table.
pub(super) fn column<'a>(table: &'a Table, place: usize, control: &Control) -> Result<Column<'a>> {
    let column = table.values(place)?;
    let text = |record: usize| {
        let row = table.ids.row(record as u32);
        column.is_valid(row).then(|| column.value(row))
    };
    Ok(Arc::new(Dictionary::new(table.n_records() as usize, text, control)))
}

/// What an operand is made of.
#[derive(Clone)]
pub(crate) enum Raw<'a> {
    /// The values of one column. Where it has none, nothing is made.
    Values(Column<'a>),
    /// Tuples of the values of several, or of one where something may be made of nothing.
    Tuples(Arc<Tuples<'a>>),
}

/// Distinct tuples.
pub(crate) struct Tuples<'a> {
    columns: Vec<Column<'a>>,
    /// Tuple by tuple: the code in each column, which may be `MISSING`.
    of_columns: Vec<u32>,
    /// By record: its tuple.
    codes: Vec<u32>,
}

impl<'a> Raw<'a> {
    pub(crate) fn new(table: &'a Table, operand: &Operand, control: &Control) -> Result<Self> {
        let columns = operand.columns.iter().map(|of| column(table, of.place, control));
        Ok(Self::of(operand.is_one_column(), columns.collect::<Result<_>>()?, control))
    }

    /// The same, given the operand's columns.
    pub(super) fn of(is_one_column: bool, mut columns: Vec<Column<'a>>, control: &Control) -> Self {
        match (is_one_column, columns.pop()) {
            (true, Some(column)) => Self::Values(column),
            (_, last) => {
                columns.extend(last);
                Self::Tuples(Arc::new(Tuples::new(columns, control)))
            }
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Values(column) => column.values.len(),
            Self::Tuples(tuples) => tuples.of_columns.len() / tuples.columns.len().max(1),
        }
    }

    /// The values of the one at `ix`, by column of the operand.
    pub(crate) fn fields(&self, ix: usize) -> impl Fn(usize) -> Option<&'a str> {
        move |place| match self {
            Self::Values(column) => Some(column.values[ix]),
            Self::Tuples(tuples) => {
                let code = tuples.of_columns[ix * tuples.columns.len() + place];
                (code != MISSING).then(|| tuples.columns[place].values[code as usize])
            }
        }
    }

    /// What is made of the one at `ix`.
    pub(crate) fn made(&self, pipeline: &Pipeline, ix: usize) -> Option<Cow<'a, str>> {
        pipeline.apply(&self.fields(ix))
    }

    /// By record: which one it has, or `MISSING`.
    pub(crate) fn codes(&self) -> &[u32] {
        match self {
            Self::Values(column) => &column.codes,
            Self::Tuples(tuples) => &tuples.codes,
        }
    }

    /// The values of one column, if none of them is empty, which would be missing: then they may stay as they are.
    pub(super) fn as_read(&self) -> Option<&[&'a str]> {
        match self {
            Self::Values(column) if column.values.par_iter().all(|value| !value.is_empty()) => {
                Some(&column.values)
            }
            _ => None,
        }
    }

    /// The codes by record, given the final code of each one.
    pub(super) fn recode(&self, finals: &[u32]) -> Vec<u32> {
        let recode = |&code: &u32| if code == MISSING { MISSING } else { finals[code as usize] };
        self.codes().par_iter().map(recode).gather()
    }

    /// The codes by record, where each one keeps its own. Whoever is the last to look at a column has them without a copy.
    pub(super) fn into_codes(self) -> Vec<u32> {
        match self {
            Self::Values(column) => match Arc::try_unwrap(column) {
                Ok(dictionary) => dictionary.codes,
                Err(shared) => shared.codes.clone(),
            },
            Self::Tuples(tuples) => tuples.codes.clone(),
        }
    }
}

impl<'a> Tuples<'a> {
    /// Column by column: a tuple of some of them, with the value of the next, is numbered again.
    fn new(columns: Vec<Column<'a>>, control: &Control) -> Self {
        let n_records = columns.first().map_or(0, |column| column.codes.len());
        let (mut of_columns, mut codes) = (Vec::new(), vec![0; n_records]);
        for (n_before, column) in columns.iter().enumerate() {
            let both = |record: usize| Some(u64::from(codes[record]) << 32 | u64::from(column.codes[record]));
            let Dictionary { values, codes: longer } = Dictionary::new(n_records, both, control);
            let longer_by = |both: &u64| {
                let before = (both >> 32) as usize * n_before;
                of_columns[before..before + n_before].iter().copied().chain([*both as u32])
            };
            of_columns = values.iter().flat_map(longer_by).collect::<Vec<u32>>();
            codes = longer;
        }
        Self { columns, of_columns, codes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tuples_are_what_records_have(
            rows in proptest::collection::vec(proptest::collection::vec(proptest::option::of("[a\u{1f}:]{0,2}"), 3), 0..60),
        ) {
            let column = |place: usize| {
                let value = |record: usize| rows[record][place].as_deref();
                Arc::new(Dictionary::new(rows.len(), value, &Control::default()))
            };
            let tuples = Tuples::new((0..3).map(column).collect(), &Control::default());
            let raw = Raw::Tuples(Arc::new(tuples));
            let tuple = |ix: usize| (0..3).map(raw.fields(ix)).collect::<Vec<_>>();
            let all: Vec<_> = (0..raw.len()).map(tuple).collect();
            for (row, &code) in rows.iter().zip(raw.codes()) {
                prop_assert_eq!(&all[code as usize], &row.iter().map(Option::as_deref).collect::<Vec<_>>());
            }
            for (ix, one) in all.iter().enumerate() {
                prop_assert!(!all[..ix].contains(one));
            }
        }
    }
}
