//! Values, counted where records are: of the attributes whose frequencies a score asks ([`terms`](super::terms)).

use super::decided::{Decided, Scored};
use super::grid::{compared, operands};
use super::terms::{Terms, agreeing};
use super::unit_plan::UnitPlan;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::table::Batches;
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::sync::Arc;

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
        let no_score = || Error::Job("the plan has no score that asks how frequent values are".into());
        let mut scored = self.decided.scored.ok_or_else(no_score)?;
        scored.terms.iter_mut().try_for_each(|terms| terms.take(counts))?;
        Ok(Self { decided: Decided { scored: Some(scored), ..self.decided } })
    }

    fn terms(&self) -> &[Terms] {
        self.decided.scored.as_ref().map_or(&[], |Scored { terms, .. }| terms)
    }
}
