//! Entities as rows of `id, entity_id`, a row a record; of two tables, also which `table` the record is of.

use super::{Rows, id_array, id_field};
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
    /// Ids of left records, or of the only ones.
    pub left: &'a Ids,
    /// Ids of right records, if there are two tables.
    pub right: Option<&'a Ids>,
}

impl<'a> EntityRows<'a> {
    /// The table and the id of a record.
    fn place(&self, record: u32) -> (&'static str, Cow<'a, str>) {
        match (record.checked_sub(self.left.len()), self.right) {
            (Some(record), Some(right)) => ("right", right.borrowed(record)),
            _ => ("left", self.left.borrowed(record)),
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
        Arc::new(Schema::new(match self.right {
            None => vec![id_field("id", self.left), id_field("entity_id", self.left)],
            Some(_) => vec![Field::new("table", DataType::Utf8, false), text("id"), text("entity_id")],
        }))
    }

    fn batch(&self, rows: &[(u32, u32)]) -> Result<RecordBatch, ArrowError> {
        let columns = match self.right {
            None => vec![
                id_array(self.left, rows.iter().map(|(record, _)| *record)),
                id_array(self.left, rows.iter().map(|(_, entity)| *entity)),
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

    fn write_csv(&self, (record, entity): &(u32, u32), writer: &mut csv::Writer<Vec<u8>>) -> csv::Result<()> {
        let (table, id) = self.place(*record);
        match self.right {
            None => writer.write_record([&*id, &*self.place(*entity).1]),
            Some(_) => writer.write_record([table, &*id, &self.entity_id(*entity)]),
        }
    }
}
