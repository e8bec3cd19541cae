//! How frequent the values of a score's attributes are, which only whole tables tell.
//!
//! ```text
//!   records ─► count: how many have each value ─► added up by whoever has all counts ─► with_terms: carried in the plan
//! ```
//!
//! Of rare values nothing is carried: whatever is rarer than its `least_frequency`, an attribute takes for as rare as that.

use super::grid::compared;
use super::values::Value;
use crate::base::error::{Error, Result};
use crate::read::table::{Batches, Table};
use crate::rules::{Predicate, ScoreAttribute};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use rkyv::{Archive, Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::borrow::Cow;

/// The least frequency that may be asked for, in billionths: ten million values have it at most.
const LEAST: u32 = 100;

/// How frequent an attribute's values are.
#[derive(Clone, Debug, Archive, Serialize, Deserialize)]
pub(super) struct Terms {
    /// Which attribute of the score.
    pub(super) attribute: u32,
    counted: Option<Counted>,
}

#[derive(Clone, Debug, Default, Archive, Serialize, Deserialize)]
struct Counted {
    /// How many records have a value; of two columns, in both.
    n: u64,
    /// How many of them have each that is not rare, by value.
    values: Vec<(String, u64)>,
}

impl Terms {
    /// Those that attributes ask for. They are not counted yet.
    pub(super) fn asked(attributes: &[ScoreAttribute]) -> Result<Vec<Self>> {
        let asked = (0..).zip(attributes).filter_map(|(nth, it)| Some((nth, it, it.term_frequency?)));
        let terms = asked.map(|(attribute, ScoreAttribute { name, .. }, least)| match least < LEAST {
            false => Ok(Self { attribute, counted: None }),
            true => Err(Error::Job(format!(
                "this job cannot be spread over units with its score: more than ten million values of `{name}` may be as frequent as its \
                 `least_frequency`, and go along to each task; make that 0.0000001 or more"
            ))),
        });
        terms.collect()
    }

    /// What whoever adds counts up has to know.
    pub(super) fn told(all: &[Self], attributes: &[ScoreAttribute]) -> Json {
        let told = all.iter().filter_map(|terms| {
            let ScoreAttribute { name, term_frequency, .. } = attributes.get(terms.attribute as usize)?;
            let least = f64::from((*term_frequency)?) / 1e9;
            Some(json!({ "attribute": terms.attribute, "name": name, "least_frequency": least }))
        });
        told.collect()
    }

    /// By record: how frequent its value is, of the `nth` attribute, which is compared by `predicate`, in a table on one of its sides.
    pub(super) fn shares(
        all: &[Self],
        nth: usize,
        predicate: &Predicate,
        sides: [&Table; 2],
    ) -> Result<[Vec<f64>; 2]> {
        let uncounted = || {
            let message =
                "the plan is not complete: it does not say how frequent values are, which the score asks";
            Error::Job(message.into())
        };
        let terms = all.iter().find(|terms| terms.attribute as usize == nth).ok_or_else(uncounted)?;
        let Counted { n, values: known } = terms.counted.as_ref().ok_or_else(uncounted)?;
        let of_text = |text: Cow<'_, str>| {
            let place = known.binary_search_by(|(value, _)| value.as_str().cmp(&text)).ok()?;
            Some(known[place].1 as f64 / *n as f64)
        };
        let of_side = |value: &Value, table: &Table| {
            let values = value.over(table)?;
            let share = |record| values.same(table.ids.row(record)).and_then(of_text).unwrap_or(0.0);
            Ok((0..table.n_records()).map(share).collect())
        };
        let [left, right] = compared(predicate)?;
        Ok([of_side(&left, sides[0])?, of_side(&right, sides[1])?])
    }

    /// Takes what was counted of whole tables: the attribute's number, the value, its count, and how many records have any value.
    pub(super) fn take(&mut self, counts: &Batches) -> Result<()> {
        let unknown = || {
            let message =
                "counts of values have the columns attribute (int32), value (text), n and total (int64)";
            Error::table(counts.name(), message)
        };
        let mut counted = Counted::default();
        for batch in counts.batches() {
            let [attributes, values, n, totals] = batch.columns() else { return Err(unknown()) };
            let attributes = attributes.as_primitive_opt::<Int32Type>().ok_or_else(unknown)?;
            let values = values.as_string_opt::<i32>().ok_or_else(unknown)?;
            let n = n.as_primitive_opt::<Int64Type>().ok_or_else(unknown)?;
            let totals = totals.as_primitive_opt::<Int64Type>().ok_or_else(unknown)?;
            for row in 0..batch.num_rows() {
                if attributes.value(row).cast_unsigned() == self.attribute {
                    counted.n = totals.value(row).cast_unsigned();
                    counted.values.push((values.value(row).to_owned(), n.value(row).cast_unsigned()));
                }
            }
        }
        counted.values.sort_unstable();
        if counted.values.windows(2).any(|two| two[0].0 == two[1].0) {
            return Err(Error::table(counts.name(), "a value is there twice: its counts were not added up"));
        }
        self.counted = Some(counted);
        Ok(())
    }
}

/// What an attribute's values are the same by.
pub(super) fn agreeing(attributes: &[ScoreAttribute], nth: usize) -> Result<&Predicate> {
    let lost = || Error::Job("the plan is damaged: terms of no attribute".into());
    attributes.get(nth).and_then(ScoreAttribute::agreeing).ok_or_else(lost)
}
