//! Candidates as rows of `left, right, rule`.

use super::{Rows, id_array, id_field};
use crate::read::table::Ids;
use arrow_array::RecordBatch;
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hyperblock_shared::layout::Candidate;
use std::sync::Arc;

/// What the numbers in a candidate stand for.
pub struct CandidateRows<'a> {
    /// Ids of left records.
    pub left: &'a Ids,
    /// Ids of right records.
    pub right: &'a Ids,
    /// Names of rules.
    pub rules: Vec<String>,
}

impl Rows for CandidateRows<'_> {
    type Row = Candidate;

    fn schema(&self) -> SchemaRef {
        let rule_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        Arc::new(Schema::new(vec![
            id_field("left", self.left),
            id_field("right", self.right),
            Field::new("rule", rule_type, false),
        ]))
    }

    fn batch(&self, candidates: &[Candidate]) -> Result<RecordBatch, ArrowError> {
        let mut rules = StringDictionaryBuilder::<Int32Type>::new();
        for candidate in candidates {
            rules.append(&self.rules[candidate.rule as usize])?;
        }
        let left = id_array(self.left, candidates.iter().map(|candidate| candidate.left));
        let right = id_array(self.right, candidates.iter().map(|candidate| candidate.right));
        RecordBatch::try_new(self.schema(), vec![left, right, Arc::new(rules.finish())])
    }

    fn write_csv(&self, row: &Candidate, writer: &mut csv::Writer<Vec<u8>>) -> csv::Result<()> {
        let (left, right) = (self.left.borrowed(row.left), self.right.borrowed(row.right));
        writer.write_record([&*left, &*right, &self.rules[row.rule as usize]])
    }
}
