//! Records, each copied to the units that it is in.

use super::cover::{Over, Shown};
use super::placed::Standing;
use super::unit_plan::{UnitPlan, of_ids, predicates};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::table::Batches;
use arrow_array::{ArrayRef, Int8Array, Int32Array, Int64Array, RecordBatch, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use std::sync::Arc;

/// The columns before those of the records.
const PLACES: [(&str, DataType); 3] =
    [("pack", DataType::Int32), ("unit", DataType::Int64), ("side", DataType::Int8)];

impl UnitPlan {
    /// The rows of a table, as often as they are in a unit: its pack, its number, on which side of it they are, and the columns that are
    /// needed. It is the same whatever batches they come in.
    pub fn cover(
        &self,
        table: usize,
        batches: &Batches,
        control: &Control,
    ) -> Result<(SchemaRef, Vec<RecordBatch>)> {
        let batches = self.narrowed(table, batches)?;
        let places = PLACES.map(|(name, data_type)| Field::new(name, data_type, false));
        let own = batches.schema().fields().iter().map(|field| field.as_ref().clone());
        let schema: SchemaRef = Arc::new(Schema::new(places.into_iter().chain(own).collect::<Vec<_>>()));
        let covered = batches.batches().iter().filter(|batch| batch.num_rows() > 0).map(|batch| {
            control.check()?;
            self.covered(table, &batches, batch, &schema, control)
        });
        let covered = covered.collect::<Result<_>>()?;
        Ok((schema, covered))
    }

    fn covered(
        &self,
        nth: usize,
        batches: &Batches,
        batch: &RecordBatch,
        schema: &SchemaRef,
        control: &Control,
    ) -> Result<RecordBatch> {
        let name = batches.name().display().to_string();
        let one = Batches::new(&name, batches.schema().clone(), vec![batch.clone()])?;
        let mut tables = vec![None; self.n_tables()];
        tables[nth] = Some(one);
        let mut bound = self.bound(tables, control)?;
        let rules = predicates(&mut bound);
        let covers = self.covers(&rules.predicates)?;
        let table = if nth == 0 { &bound.left } else { bound.right.as_ref().unwrap_or(&bound.left) };
        // Of one table, records are looked at from both sides, unless these are alike.
        let over = covers.iter().map(|ready| {
            let roles = if self.is_one_table() && !ready.is_same { 0..2 } else { nth..nth + 1 };
            let over = roles.map(|role| ready.over(table, role)).collect::<Result<Vec<Over<'_>>>>()?;
            Ok((ready, over))
        });
        let over = over.collect::<Result<Vec<_>>>()?;
        let (mut rows, mut units, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        let (mut standings, mut shown) = (Vec::<Standing>::new(), Shown::default());
        for (row, &id) in of_ids(table).iter().enumerate() {
            control.pass();
            for (ready, over) in &over {
                standings.clear();
                for over in over {
                    over.shown(row, id, &mut shown)?;
                    ready.each(&shown, id, nth as u8, |standing| standings.push(standing));
                }
                standings.sort_unstable();
                standings.dedup();
                for &Standing { unit, side } in &standings {
                    rows.push(row as u32);
                    units.push(unit.cast_signed());
                    sides.push(side.cast_signed());
                }
            }
        }
        let lost = |unit: &i64| Error::Internal(format!("unit {unit} is in no pack"));
        let pack = |unit: &i64| self.decided.packs.get(*unit as usize).ok_or_else(|| lost(unit));
        let packs = units.iter().map(|unit| Ok(pack(unit)?.cast_signed())).collect::<Result<Vec<i32>>>()?;
        let rows = UInt32Array::from(rows);
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(packs)),
            Arc::new(Int64Array::from(units)),
            Arc::new(Int8Array::from(sides)),
        ];
        let internal = |error: ArrowError| Error::Internal(format!("rows cannot be copied: {error}"));
        for column in batch.columns() {
            columns.push(take(column, &rows, None).map_err(internal)?);
        }
        RecordBatch::try_new(schema.clone(), columns).map_err(internal)
    }
}
