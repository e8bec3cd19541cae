//! Scored candidates as rows of `left, right, rule, score`, or `left, right, rule, weight, probability`; and of values, if
//! candidates have any.

use super::{CandidateRows, Lines, Rows};
use crate::base::billionths::{Billionths, Millionths};
use crate::entities::score::probability;
use arrow_array::{Float64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::{ONE, weight};
use std::sync::Arc;

/// Candidates with their scores.
pub struct ScoredRows<'a> {
    /// What the numbers in a candidate stand for.
    pub candidates: CandidateRows<'a>,
    /// Whether scores are ranks of weights. Else they are billionths.
    pub are_weights: bool,
}

impl Rows for ScoredRows<'_> {
    type Row = (Candidate, u32);

    fn schema(&self) -> SchemaRef {
        let [mut fields, values] = self.candidates.fields();
        let names: &[&str] = if self.are_weights { &["weight", "probability"] } else { &["score"] };
        fields.extend(names.iter().map(|name| Field::new(*name, DataType::Float64, false)));
        fields.extend(values);
        Arc::new(Schema::new(fields))
    }

    fn batch(&self, rows: &[(Candidate, u32)]) -> Result<RecordBatch, ArrowError> {
        let [mut columns, values] = self.candidates.arrays(rows.iter().map(|(candidate, _)| *candidate))?;
        // The numbers nearest to the decimals that CSV has.
        let decimals = |of: &dyn Fn(u32) -> f64| rows.iter().map(|(_, score)| of(*score)).collect();
        let numbers: Vec<Float64Array> = match self.are_weights {
            false => vec![decimals(&|score| f64::from(score) / f64::from(ONE))],
            true => vec![
                decimals(&|score| f64::from(weight(score)) / 1e6),
                decimals(&|score| f64::from(probability(weight(score))) / f64::from(ONE)),
            ],
        };
        columns.extend(numbers.into_iter().map(|numbers| Arc::new(numbers) as _));
        columns.extend(values);
        RecordBatch::try_new(self.schema(), columns)
    }

    fn n_at_once(&self, most: usize) -> usize {
        self.candidates.n_at_once(most)
    }

    fn write_csv(&self, (row, score): &(Candidate, u32), lines: &mut Lines) {
        self.candidates.write_fields(row, lines);
        if self.are_weights {
            let weight = weight(*score);
            lines.text(&Millionths(weight).to_string());
            lines.text(&Billionths(probability(weight)).to_string());
        } else {
            lines.text(&Billionths(*score).to_string());
        }
        self.candidates.write_values(row, lines);
    }
}
