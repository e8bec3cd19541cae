//! What became of the ids of entities as rows: a row for records that have an old id, a new one, or both.

use super::{EntityRows, Lines, Rows};
use crate::entities::survival::{Change, EntityIds};
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A row for each change: which it is, the old id and the new one, and how many records it is of.
pub struct ChangeRows<'a> {
    entities: EntityRows<'a>,
    ids: &'a OnceLock<EntityIds>,
}

impl<'a> ChangeRows<'a> {
    /// Changes of entities that are named so.
    pub fn new(entities: EntityRows<'a>, ids: &'a OnceLock<EntityIds>) -> Self {
        Self { entities: entities.named(ids), ids }
    }

    fn old(&self, change: &Change) -> Option<&'a str> {
        Some(self.ids.get()?.old(change.old?))
    }

    fn new_id(&self, change: &Change) -> Option<Cow<'a, str>> {
        change.new.map(|entity| self.entities.entity_id(entity))
    }
}

impl Rows for ChangeRows<'_> {
    type Row = Change;

    fn schema(&self) -> SchemaRef {
        let id = |name| Field::new(name, DataType::LargeUtf8, true);
        Arc::new(Schema::new(vec![
            Field::new("change", DataType::Utf8, false),
            id("old_id"),
            id("new_id"),
            Field::new("records", DataType::UInt64, false),
        ]))
    }

    fn batch(&self, changes: &[Change]) -> Result<RecordBatch, ArrowError> {
        let kinds = changes.iter().map(|change| Some(<&str>::from(change.kind)));
        let (mut old, mut new) = (LargeStringBuilder::new(), LargeStringBuilder::new());
        for change in changes {
            old.append_option(self.old(change));
            new.append_option(self.new_id(change));
        }
        let records = UInt64Array::from_iter_values(changes.iter().map(|change| change.n_records.into()));
        let kinds = kinds.collect::<StringArray>();
        RecordBatch::try_new(
            self.schema(),
            vec![Arc::new(kinds), Arc::new(old.finish()), Arc::new(new.finish()), Arc::new(records)],
        )
    }

    fn write_csv(&self, change: &Change, lines: &mut Lines) {
        let (old, new) = (self.old(change).unwrap_or_default(), self.new_id(change).unwrap_or_default());
        lines.record([change.kind.into(), old, &*new, &change.n_records.to_string()]);
    }
}
