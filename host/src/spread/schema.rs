//! Columns of batches, held against those that a plan was made for. A value must have the same text wherever it is: so texts of all
//! widths are one, and integers; but doubles are written otherwise than singles, and dates otherwise than times.

use super::decided::Needed;
use crate::base::error::{Error, Result};
use crate::read::table::{Batches, Kind, Table};
use arrow_array::{ArrayRef, NullArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use std::sync::Arc;

/// What values of a type are, as far as that tells their texts.
fn holds(data_type: &DataType) -> String {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".into(),
        DataType::Dictionary(_, values) => holds(values),
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            format!("lists of {}", holds(field.data_type()))
        }
        integers if integers.is_integer() => "integers".into(),
        other => other.to_string(),
    }
}

/// The columns of batches that were read, the one with the ids first.
pub(super) fn needed(batches: &Batches, table: &Table) -> Result<Vec<Needed>> {
    let names: Vec<String> = batches.schema().fields().iter().map(|field| field.name().clone()).collect();
    let of = |name: String| {
        let lost = || Error::Internal(format!("`{name}` is no column of the table"));
        let field = batches.schema().field_with_name(&name).map_err(|_| lost())?;
        let column = table.schema.columns.iter().find(|column| column.name == name).ok_or_else(lost)?;
        Ok(Needed { holds: holds(field.data_type()), kind: column.kind, name })
    };
    table.read_columns(&names).into_iter().map(of).collect()
}

/// The names of the columns of batches that are not needed.
pub(super) fn others(batches: &Batches, needed: &[Needed]) -> Vec<String> {
    let names = batches.schema().fields().iter().map(|field| field.name());
    names.filter(|name| needed.iter().all(|needed| needed.name != **name)).cloned().collect()
}

/// The same batches with columns of these names that hold nothing, behind their own: a rule file may name columns that it does not
/// need, and what a name means hangs on all columns.
pub(super) fn widened(batches: &Batches, others: &[String]) -> Result<Batches> {
    let own = batches.schema().fields().iter().map(|field| field.as_ref().clone());
    let more = others.iter().map(|name| Field::new(name, DataType::Null, true));
    let schema = Arc::new(Schema::new(own.chain(more).collect::<Vec<_>>()));
    let widened = batches.batches().iter().map(|batch| {
        let nothing = || Arc::new(NullArray::new(batch.num_rows())) as ArrayRef;
        let columns = batch.columns().iter().cloned().chain(others.iter().map(|_| nothing())).collect();
        RecordBatch::try_new(schema.clone(), columns)
            .map_err(|error| Error::Internal(format!("columns cannot be added: {error}")))
    });
    let widened = widened.collect::<Result<Vec<_>>>()?;
    Batches::new(&batches.name().display().to_string(), schema, widened)
}

/// A table with these columns and no rows, where another one stands for it.
pub(super) fn without_rows(name: &str, needed: &[Needed]) -> Result<Batches> {
    let data_type = |kind: Kind| match kind {
        Kind::Text => DataType::Utf8,
        Kind::Integer => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Date => DataType::Date32,
        Kind::List => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
    };
    let fields: Vec<Field> =
        needed.iter().map(|Needed { name, kind, .. }| Field::new(name, data_type(*kind), true)).collect();
    Batches::new(name, Arc::new(Schema::new(fields)), Vec::new())
}

/// Those columns of batches alone, which must hold what was planned for.
pub(super) fn narrowed(batches: &Batches, needed: &[Needed]) -> Result<Batches> {
    let schema = batches.schema();
    let places: Vec<usize> = needed
        .iter()
        .map(|Needed { name, holds: planned, .. }| {
            let mut places = schema.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
            let (Some((place, field)), None) = (places.next(), places.next()) else {
                let names: Vec<String> = schema.fields().iter().map(|it| format!("`{}`", it.name())).collect();
                let message = format!(
                    "the plan needs one column `{name}`, and the columns here are {}: plan again for this table",
                    names.join(", ")
                );
                return Err(Error::table(batches.name(), message));
            };
            let found = holds(field.data_type());
            match found == *planned {
                true => Ok(place),
                false => {
                    let message = format!(
                        "column `{name}` holds {found} here, and the plan was made for {planned}: plan again for this table"
                    );
                    Err(Error::table(batches.name(), message))
                }
            }
        })
        .collect::<Result<_>>()?;
    let internal = |error| Error::Internal(format!("columns cannot be taken out: {error}"));
    let schema = Arc::new(schema.project(&places).map_err(internal)?);
    let project = |batch: &RecordBatch| batch.project(&places).map_err(internal);
    let projected = batches.batches().iter().map(project).collect::<Result<Vec<_>>>()?;
    Batches::new(&batches.name().display().to_string(), schema, projected)
}
