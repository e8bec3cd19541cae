//! Candidates as arrow rows.

use super::Names;
use crate::table::Ids;
use arrow_array::builder::{LargeStringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hyperblock_shared::layout::Candidate;
use std::sync::Arc;

/// `left`, `right`, `rule`; ids that are all integers stay integers.
pub(super) fn schema(names: &Names<'_>) -> SchemaRef {
    let id_type = |ids: &Ids| if ids.are_integers() { DataType::Int64 } else { DataType::LargeUtf8 };
    let rule_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    Arc::new(Schema::new(vec![
        Field::new("left", id_type(names.left), false),
        Field::new("right", id_type(names.right), false),
        Field::new("rule", rule_type, false),
    ]))
}

/// One row a candidate.
pub(super) fn rows(candidates: &[Candidate], names: &Names<'_>) -> Result<RecordBatch, ArrowError> {
    let mut rules = StringDictionaryBuilder::<Int32Type>::new();
    for candidate in candidates {
        rules.append(&names.rules[candidate.rule as usize])?;
    }
    let left = ids(names.left, candidates.iter().map(|candidate| candidate.left));
    let right = ids(names.right, candidates.iter().map(|candidate| candidate.right));
    RecordBatch::try_new(schema(names), vec![left, right, Arc::new(rules.finish())])
}

fn ids(ids: &Ids, records: impl Iterator<Item = u32>) -> ArrayRef {
    if ids.are_integers() {
        return Arc::new(records.map(|record| ids.integer(record)).collect::<Int64Array>());
    }
    let mut texts = LargeStringBuilder::new();
    records.for_each(|record| texts.append_value(ids.text(record)));
    Arc::new(texts.finish())
}
