//! Scored candidates as rows of `left, right, rule, score`.

use super::{CandidateRows, Rows};
use crate::base::billionths::Billionths;
use arrow_array::{Float64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::ONE;
use std::sync::Arc;

/// Candidates with their scores, in billionths.
pub struct ScoredRows<'a>(pub CandidateRows<'a>);

impl Rows for ScoredRows<'_> {
    type Row = (Candidate, u32);

    fn schema(&self) -> SchemaRef {
        let mut fields = self.0.schema().fields().to_vec();
        fields.push(Arc::new(Field::new("score", DataType::Float64, false)));
        Arc::new(Schema::new(fields))
    }

    fn batch(&self, rows: &[(Candidate, u32)]) -> Result<RecordBatch, ArrowError> {
        let candidates: Vec<Candidate> = rows.iter().map(|(candidate, _)| *candidate).collect();
        let mut columns = self.0.batch(&candidates)?.columns().to_vec();
        // The number nearest to the decimal that CSV has.
        let scores = rows.iter().map(|(_, score)| f64::from(*score) / f64::from(ONE));
        columns.push(Arc::new(scores.collect::<Float64Array>()));
        RecordBatch::try_new(self.schema(), columns)
    }

    fn write_csv(
        &self,
        (row, score): &(Candidate, u32),
        writer: &mut csv::Writer<Vec<u8>>,
    ) -> csv::Result<()> {
        let CandidateRows { left, right, rules } = &self.0;
        let (left, right) = (left.borrowed(row.left), right.borrowed(row.right));
        let score = Billionths(*score).to_string();
        writer.write_record([&*left, &*right, &rules[row.rule as usize], &score])
    }
}
