//! Candidates as rows of `left, right, rule`; of several tables with the table of each, `left_source` and `right_source`.

use super::ids::{IdColumn, SourceColumn};
use super::{Lines, Rows};
use crate::read::table::Ids;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hyperblock_shared::layout::Candidate;
use std::ptr;
use std::sync::Arc;

/// What the numbers in a candidate stand for.
pub struct CandidateRows<'a> {
    left: IdColumn<'a>,
    /// None where they are the left ones.
    right: Option<IdColumn<'a>>,
    rules: Vec<String>,
    /// By rule: the place of its name in `names`.
    keys: Vec<i32>,
    /// Of several tables: what they are called.
    sources: Option<SourceColumn<'a>>,
    /// The names, each once: an Arrow file has one dictionary for all batches, and readers expect its values to differ.
    names: ArrayRef,
}

impl<'a> CandidateRows<'a> {
    /// Of records with these ids, and rules with these names.
    pub fn new(left: &'a Ids, right: &'a Ids, rules: Vec<String>) -> Self {
        let mut names: Vec<&String> = rules.iter().collect();
        names.sort_unstable();
        names.dedup();
        let keys = rules.iter().map(|rule| names.partition_point(|name| *name < rule) as i32).collect();
        let names = Arc::new(StringArray::from_iter_values(names));
        let right = (!ptr::eq(left, right)).then(|| IdColumn::new(right));
        Self { left: IdColumn::new(left), right, rules, keys, sources: SourceColumn::new(left), names }
    }

    fn right(&self) -> &IdColumn<'a> {
        self.right.as_ref().unwrap_or(&self.left)
    }

    /// A candidate's fields of CSV.
    pub(super) fn write_fields(&self, candidate: &Candidate, lines: &mut Lines) {
        let source = |record, lines: &mut Lines| {
            if let Some(sources) = &self.sources {
                sources.write_csv(record, lines);
            }
        };
        source(candidate.left, lines);
        self.left.write_csv(candidate.left, lines);
        source(candidate.right, lines);
        self.right().write_csv(candidate.right, lines);
        lines.text(&self.rules[candidate.rule as usize]);
    }

    /// The columns of candidates.
    pub(super) fn arrays(
        &self,
        candidates: impl Iterator<Item = Candidate> + Clone,
    ) -> Result<Vec<ArrayRef>, ArrowError> {
        let left = self.left.array(candidates.clone().map(|candidate| candidate.left));
        let right = self.right().array(candidates.clone().map(|candidate| candidate.right));
        let mut columns = vec![left, right];
        if let Some(sources) = &self.sources {
            columns.insert(0, sources.array(candidates.clone().map(|candidate| candidate.left))?);
            columns.insert(2, sources.array(candidates.clone().map(|candidate| candidate.right))?);
        }
        let keys = candidates.map(|candidate| self.keys[candidate.rule as usize]);
        let keys = Int32Array::from_iter_values(keys);
        let rules = DictionaryArray::<Int32Type>::try_new(keys, self.names.clone())?;
        columns.push(Arc::new(rules));
        Ok(columns)
    }
}

impl Rows for CandidateRows<'_> {
    type Row = Candidate;

    fn schema(&self) -> SchemaRef {
        let rule_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let mut fields =
            vec![self.left.field("left"), self.right().field("right"), Field::new("rule", rule_type, false)];
        if self.sources.is_some() {
            fields.insert(0, SourceColumn::field("left_source"));
            fields.insert(2, SourceColumn::field("right_source"));
        }
        Arc::new(Schema::new(fields))
    }

    fn batch(&self, candidates: &[Candidate]) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(self.schema(), self.arrays(candidates.iter().copied())?)
    }

    fn write_csv(&self, row: &Candidate, lines: &mut Lines) {
        self.write_fields(row, lines);
        lines.end();
    }
}
