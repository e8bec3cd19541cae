//! How frequent the values of a score's attributes are, which only whole tables tell.
//!
//! ```text
//!   records ─► count: how many have each value ─► added up by whoever has all counts ─► with_terms: carried in the plan
//! ```
//!
//! Of rare values nothing is carried: whatever is rarer than its `least_frequency`, an attribute takes for as rare as that.

use super::decided::{Decided, Scored};
use super::grid::{compared, operands};
use super::unit_plan::UnitPlan;
use super::values::Value;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::table::{Batches, Table};
use crate::rules::{Predicate, ScoreAttribute};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use hashbrown::HashMap;
use rkyv::{Archive, Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::sync::Arc;

/// The least frequency that may be asked for, in billionths: ten million values have it at most.
const LEAST: u32 = 100;

/// How frequent an attribute's values are.
#[derive(Clone, Debug, Archive, Serialize, Deserialize)]
pub(super) struct Terms {
    /// Which attribute of the score.
    attribute: u32,
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
}

/// What an attribute's values are the same by.
pub(super) fn agreeing(attributes: &[ScoreAttribute], nth: usize) -> Result<&Predicate> {
    let lost = || Error::Job("the plan is damaged: terms of no attribute".into());
    attributes.get(nth).and_then(ScoreAttribute::agreeing).ok_or_else(lost)
}

impl UnitPlan {
    /// How many of a table's records have each value of the attributes whose frequencies the score asks, as far as these tell: the
    /// attribute's number, the value, and the count, which is to be added up over all records of all tables.
    pub fn count(
        &self,
        table: usize,
        batches: &Batches,
        control: &Control,
    ) -> Result<(SchemaRef, Vec<RecordBatch>)> {
        let field = |name: &str, data_type| Field::new(name, data_type, false);
        let schema: SchemaRef = Arc::new(Schema::new(vec![
            field("attribute", DataType::Int32),
            field("value", DataType::Utf8),
            field("n", DataType::Int64),
        ]));
        let terms = self.terms();
        if terms.is_empty() || batches.n_rows() == 0 {
            return Ok((schema, Vec::new()));
        }
        let mut tables = vec![None; self.n_tables()];
        tables[table] = Some(self.narrowed(table, batches)?);
        let bound = self.bound(tables, control)?;
        let own = if table == 0 { &bound.left } else { bound.right.as_ref().unwrap_or(&bound.left) };
        let attributes = bound.score.as_ref().map_or(&[][..], |score| &score.attributes);
        let (mut numbers, mut texts, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for terms in terms {
            let predicate = agreeing(attributes, terms.attribute as usize)?;
            let (left, right, _) = operands(predicate)?;
            // Records of one table are on both sides, and of one column each has one value.
            let roles = match self.is_one_table() {
                true if left == right => 0..1,
                true => 0..2,
                false => table..table + 1,
            };
            let values = compared(predicate)?;
            let mut of_values: HashMap<Cow<'_, str>, i64> = HashMap::new();
            for value in &values[roles] {
                let values = value.over(own)?;
                for row in 0..own.n_records() as usize {
                    control.pass();
                    if let Some(same) = values.same(row) {
                        *of_values.entry(same).or_default() += 1;
                    }
                }
            }
            control.check()?;
            for (value, n) in of_values {
                numbers.push(terms.attribute.cast_signed());
                texts.push(value.into_owned());
                counts.push(n);
            }
        }
        let columns: Vec<Arc<dyn Array>> = vec![
            Arc::new(Int32Array::from(numbers)),
            Arc::new(StringArray::from(texts)),
            Arc::new(Int64Array::from(counts)),
        ];
        let internal = |error| Error::Internal(format!("counts are no batch: {error}"));
        let batch = RecordBatch::try_new(schema.clone(), columns).map_err(internal)?;
        Ok((schema, vec![batch]))
    }

    /// The plan with what was [counted](Self::count) of whole tables: the attribute's number, the value, its count, and how many records
    /// have any value. Values that are rarer than their attribute's `least_frequency` may be left out.
    pub fn with_terms(self, counts: &Batches) -> Result<Self> {
        let unknown = || {
            let message =
                "counts of values have the columns attribute (int32), value (text), n and total (int64)";
            Error::table(counts.name(), message)
        };
        let mut scored = self.decided.scored.ok_or_else(unknown)?;
        for terms in &mut scored.terms {
            let mut counted = Counted::default();
            for batch in counts.batches() {
                let [attributes, values, n, totals] = batch.columns() else { return Err(unknown()) };
                let attributes = attributes.as_primitive_opt::<Int32Type>().ok_or_else(unknown)?;
                let values = values.as_string_opt::<i32>().ok_or_else(unknown)?;
                let n = n.as_primitive_opt::<Int64Type>().ok_or_else(unknown)?;
                let totals = totals.as_primitive_opt::<Int64Type>().ok_or_else(unknown)?;
                for row in 0..batch.num_rows() {
                    if attributes.value(row).cast_unsigned() == terms.attribute {
                        counted.n = totals.value(row).cast_unsigned();
                        counted.values.push((values.value(row).to_owned(), n.value(row).cast_unsigned()));
                    }
                }
            }
            counted.values.sort_unstable();
            if counted.values.windows(2).any(|two| two[0].0 == two[1].0) {
                return Err(Error::table(
                    counts.name(),
                    "a value is there twice: its counts were not added up",
                ));
            }
            terms.counted = Some(counted);
        }
        Ok(Self { decided: Decided { scored: Some(scored), ..self.decided } })
    }

    fn terms(&self) -> &[Terms] {
        self.decided.scored.as_ref().map_or(&[], |Scored { terms, .. }| terms)
    }
}
