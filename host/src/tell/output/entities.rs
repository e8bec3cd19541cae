//! Entities as rows of `id, entity_id`, a row a record; of two tables, also which `table` the record is of.

use super::ids::IdColumn;
use super::{Lines, Rows};
use crate::read::table::Ids;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::borrow::Cow;
use std::sync::Arc;

/// What the numbers of records stand for: those of a right table come after those of the left one.
///
/// An entity is named by the id of its first record. Of two tables that may be a left or a right one, and ids of the two may
/// be alike: so the entity's id is then preceded by its table, as in `left:17`.
pub struct EntityRows<'a> {
    left: IdColumn<'a>,
    right: Option<IdColumn<'a>>,
}

impl<'a> EntityRows<'a> {
    /// Of left records with these ids, or the only ones; and of right ones, if there are two tables.
    pub fn new(left: &'a Ids, right: Option<&'a Ids>) -> Self {
        Self { left: IdColumn::new(left), right: right.map(IdColumn::new) }
    }

    /// The table and the id of a record.
    fn place(&self, record: u32) -> (&'static str, Cow<'a, str>) {
        match (record.checked_sub(self.left.len()), &self.right) {
            (Some(record), Some(right)) => ("right", right.text(record)),
            _ => ("left", self.left.text(record)),
        }
    }

    fn entity_id(&self, entity: u32) -> String {
        let (table, id) = self.place(entity);
        format!("{table}:{id}")
    }
}

impl Rows for EntityRows<'_> {
    /// A record and its entity.
    type Row = (u32, u32);

    fn schema(&self) -> SchemaRef {
        let text = |name| Field::new(name, DataType::LargeUtf8, false);
        Arc::new(Schema::new(match &self.right {
            None => vec![self.left.field("id"), self.left.field("entity_id")],
            Some(_) => vec![Field::new("table", DataType::Utf8, false), text("id"), text("entity_id")],
        }))
    }

    fn batch(&self, rows: &[(u32, u32)]) -> Result<RecordBatch, ArrowError> {
        let columns = match &self.right {
            None => vec![
                self.left.array(rows.iter().map(|(record, _)| *record)),
                self.left.array(rows.iter().map(|(_, entity)| *entity)),
            ],
            Some(_) => {
                let (mut ids, mut entities) = (LargeStringBuilder::new(), LargeStringBuilder::new());
                for (record, entity) in rows {
                    ids.append_value(self.place(*record).1);
                    entities.append_value(self.entity_id(*entity));
                }
                let tables = rows.iter().map(|(record, _)| Some(self.place(*record).0));
                let tables: ArrayRef = Arc::new(tables.collect::<StringArray>());
                vec![tables, Arc::new(ids.finish()), Arc::new(entities.finish())]
            }
        };
        RecordBatch::try_new(self.schema(), columns)
    }

    fn write_csv(&self, (record, entity): &(u32, u32), lines: &mut Lines) {
        if self.right.is_none() {
            self.left.write_csv(*record, lines);
            self.left.write_csv(*entity, lines);
            return lines.end();
        }
        let (table, id) = self.place(*record);
        lines.record([table, &*id, &self.entity_id(*entity)]);
    }
}
