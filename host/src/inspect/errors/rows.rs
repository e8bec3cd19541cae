//! Errors as rows: what is wrong with a pair, and what both records say.

use super::examiner::{Chosen, Examiner};
use super::row::ErrorRow;
use super::told::Told;
use crate::base::billionths::{Billionths, Millionths};
use crate::base::error::Result;
use crate::entities::score::probability;
use crate::inspect::why::Part;
use crate::read::table::Table;
use crate::tell::output::{IdColumn, Lines, Rows, SourceColumn, ValueColumns, Values, side_by_side};
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hyperblock_shared::score::{ONE, weight};
use std::sync::Arc;

/// What the numbers in a row stand for.
pub(super) struct ErrorRows<'a> {
    pub(super) left: IdColumn<'a>,
    pub(super) right: IdColumn<'a>,
    /// Of several tables that are one: what they are called.
    pub(super) sources: Option<SourceColumn<'a>>,
    /// The records that errors are about.
    pub(super) chosen: Chosen<'a>,
    pub(super) examiner: &'a Examiner<'a>,
    pub(super) told: &'a Told<'a>,
    /// Whether there are scores, and whether they are weights.
    pub(super) are_weights: Option<bool>,
    pub(super) values: ValueColumns<'a>,
}

/// The values of all columns whose text is there. One that says which table a record is of is told beside the id.
pub(super) fn values(part: &Part, whole: &Table) -> Result<Values> {
    let tables = [&part.left, part.right()];
    let columns = tables.map(|table| {
        let is_shown = |nth: &usize| Some(*nth) != whole.source_column() && table.values(*nth).is_ok();
        (0..table.schema.columns.len()).filter(is_shown).collect::<Vec<_>>()
    });
    let columns = side_by_side(tables, columns);
    Values::of(&columns, tables, whole.source_column().is_some())
}

impl Rows for ErrorRows<'_> {
    type Row = ErrorRow;

    fn schema(&self) -> SchemaRef {
        let word = |name: &str| Field::new(name, DataType::Utf8, false);
        let text = |name: &str| Field::new(name, DataType::LargeUtf8, true);
        let mut fields =
            vec![word("kind"), word("cause"), self.left.field("left"), self.right.field("right")];
        if self.sources.is_some() {
            fields.insert(2, SourceColumn::field("left_source"));
            fields.insert(4, SourceColumn::field("right_source"));
        }
        fields.extend(["rule", "failed", "by_how_much"].map(text));
        let scores: &[&str] = match self.are_weights {
            None => &[],
            Some(false) => &["score"],
            Some(true) => &["weight", "probability"],
        };
        fields.extend(scores.iter().map(|name| Field::new(*name, DataType::Float64, false)));
        fields.extend(self.values.fields());
        Arc::new(Schema::new(fields))
    }

    fn batch(&self, rows: &[ErrorRow]) -> Result<RecordBatch, ArrowError> {
        let failed = |error| ArrowError::ExternalError(Box::new(error));
        let words = |of: &dyn Fn(&ErrorRow) -> &'static str| -> ArrayRef {
            Arc::new(arrow_array::StringArray::from_iter_values(rows.iter().map(of)))
        };
        let mut columns = vec![
            words(&|row| row.cause.kind()),
            words(&|row| row.cause.name()),
            self.left.array(rows.iter().map(|row| row.left)),
            self.right.array(rows.iter().map(|row| row.right)),
        ];
        if let Some(sources) = &self.sources {
            columns.insert(2, sources.array(rows.iter().map(|row| row.left))?);
            columns.insert(4, sources.array(rows.iter().map(|row| row.right))?);
        }
        let mut texts = [(); 3].map(|()| LargeStringBuilder::new());
        let mut pairs = Vec::with_capacity(rows.len());
        for row in rows {
            pairs.push(self.chosen.numbers([row.left, row.right]).map_err(failed)?);
            let [rule, lacks, by_how_much] = self.told.of(row, self.examiner).map_err(failed)?;
            let own = [rule, lacks, by_how_much].map(|text| Some(text).filter(|text| !text.is_empty()));
            for (text, own) in texts.iter_mut().zip(own) {
                text.append_option(own);
            }
        }
        columns.extend(texts.map(|mut text| Arc::new(text.finish()) as ArrayRef));
        // The numbers nearest to the decimals that CSV has.
        let decimals = |of: &dyn Fn(u32) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| of(row.score))))
        };
        match self.are_weights {
            None => {}
            Some(false) => columns.push(decimals(&|score| f64::from(score) / f64::from(ONE))),
            Some(true) => columns.extend([
                decimals(&|score| f64::from(weight(score)) / 1e6),
                decimals(&|score| f64::from(probability(weight(score))) / f64::from(ONE)),
            ]),
        }
        columns.extend(self.values.arrays(pairs.into_iter()));
        RecordBatch::try_new(self.schema(), columns)
    }

    fn write_csv(&self, row: &ErrorRow, lines: &mut Lines) {
        lines.text(row.cause.kind());
        lines.text(row.cause.name());
        let source = |record, lines: &mut Lines| {
            if let Some(sources) = &self.sources {
                sources.write_csv(record, lines);
            }
        };
        source(row.left, lines);
        self.left.write_csv(row.left, lines);
        source(row.right, lines);
        self.right.write_csv(row.right, lines);
        // Whoever made the row has asked for the same, and it was there.
        let told = self.told.of(row, self.examiner).unwrap_or_default();
        told.iter().for_each(|text| lines.text(text));
        match self.are_weights {
            None => {}
            Some(false) => lines.text(&Billionths(row.score).to_string()),
            Some(true) => {
                let weight = weight(row.score);
                lines.text(&Millionths(weight).to_string());
                lines.text(&Billionths(probability(weight)).to_string());
            }
        }
        let pair = self.chosen.numbers([row.left, row.right]).unwrap_or_default();
        self.values.write_csv(pair, lines);
        lines.end();
    }
}
