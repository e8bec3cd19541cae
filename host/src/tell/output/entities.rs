//! Entities as rows of `id, entity_id`, a row a record; of two tables, also which `table` the record is of, and of several the
//! `source`, which is what the table is called.

use super::ids::{IdColumn, SourceColumn};
use super::{Lines, Rows};
use crate::entities::survival::{EntityIds, usual_id};
use crate::read::table::Ids;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// What the numbers of records stand for: those of a right table come after those of the left one.
///
/// An entity is named by the id of its first record. Of two tables that may be a left or a right one, and ids of the two may
/// be alike: so the entity's id is then preceded by its table, as in `left:17`; of several by its name, `shop:17`. Where ids have
/// survived, those of entities are texts.
#[derive(Clone)]
pub struct EntityRows<'a> {
    sources: Option<SourceColumn<'a>>,
    left: IdColumn<'a>,
    right: Option<IdColumn<'a>>,
    /// Ids that have survived, as soon as they are known.
    survived: Option<&'a OnceLock<EntityIds>>,
}

impl<'a> EntityRows<'a> {
    /// Of left records with these ids, or the only ones; and of right ones, if there are two tables.
    pub fn new(left: &'a Ids, right: Option<&'a Ids>) -> Self {
        let (sources, right) = (SourceColumn::new(left), right.map(IdColumn::new));
        Self { sources, left: IdColumn::new(left), right, survived: None }
    }

    /// With ids that survive, which are known before any row is written.
    pub fn named(self, ids: &'a OnceLock<EntityIds>) -> Self {
        Self { survived: Some(ids), ..self }
    }

    /// Whether the ids of entities are texts, whatever those of records are.
    fn are_texts(&self) -> bool {
        self.sources.is_some() || self.right.is_some() || self.survived.is_some()
    }

    /// The table and the id of a record.
    fn place(&self, record: u32) -> (&'static str, Cow<'a, str>) {
        match (record.checked_sub(self.left.len()), &self.right) {
            (Some(record), Some(right)) => ("right", right.text(record)),
            _ => ("left", self.left.text(record)),
        }
    }

    /// The id of an entity.
    pub(super) fn entity_id(&self, entity: u32) -> Cow<'a, str> {
        match self.survived.and_then(|ids| ids.get()?.of(entity)) {
            Some(id) => id.into(),
            None => usual_id(self.left.ids(), self.right.map(|right| right.ids()), entity),
        }
    }
}

impl Rows for EntityRows<'_> {
    /// A record and its entity.
    type Row = (u32, u32);

    fn schema(&self) -> SchemaRef {
        let text = |name| Field::new(name, DataType::LargeUtf8, false);
        let entity = if self.are_texts() { text("entity_id") } else { self.left.field("entity_id") };
        let mut fields = match (&self.right, &self.sources) {
            (Some(_), _) => vec![Field::new("table", DataType::Utf8, false), text("id")],
            (None, Some(_)) => vec![SourceColumn::field("source"), self.left.field("id")],
            (None, None) => vec![self.left.field("id")],
        };
        fields.push(entity);
        Arc::new(Schema::new(fields))
    }

    fn batch(&self, rows: &[(u32, u32)]) -> Result<RecordBatch, ArrowError> {
        let records = || rows.iter().map(|(record, _)| *record);
        let mut columns = match (&self.right, &self.sources) {
            (Some(_), _) => {
                let mut ids = LargeStringBuilder::new();
                records().for_each(|record| ids.append_value(self.place(record).1));
                let tables = records().map(|record| Some(self.place(record).0));
                let tables: ArrayRef = Arc::new(tables.collect::<StringArray>());
                vec![tables, Arc::new(ids.finish())]
            }
            (None, Some(sources)) => vec![sources.array(records())?, self.left.array(records())],
            (None, None) => vec![self.left.array(records())],
        };
        columns.push(match self.are_texts() {
            true => {
                let mut entities = LargeStringBuilder::new();
                rows.iter().for_each(|(_, entity)| entities.append_value(self.entity_id(*entity)));
                Arc::new(entities.finish())
            }
            false => self.left.array(rows.iter().map(|(_, entity)| *entity)),
        });
        RecordBatch::try_new(self.schema(), columns)
    }

    fn write_csv(&self, (record, entity): &(u32, u32), lines: &mut Lines) {
        if self.right.is_none() {
            if let Some(sources) = &self.sources {
                sources.write_csv(*record, lines);
            }
            self.left.write_csv(*record, lines);
            match self.are_texts() {
                true => lines.text(&self.entity_id(*entity)),
                false => self.left.write_csv(*entity, lines),
            }
            return lines.end();
        }
        let (table, id) = self.place(*record);
        lines.record([table, &*id, &self.entity_id(*entity)]);
    }
}
