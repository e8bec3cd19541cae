//! Errors as rows: what is wrong with a pair, and what both records say.

use super::examiner::{Chosen, Examiner};
use super::row::ErrorRow;
use super::told::Told;
use crate::base::billionths::{Billionths, Millionths};
use crate::base::error::Result;
use crate::entities::score::probability;
use crate::read::table::Table;
use crate::tell::output::{IdColumn, Lines, Rows, SourceColumn};
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{Array, ArrayRef, Float64Array, LargeStringArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hyperblock_shared::score::{ONE, weight};
use std::sync::Arc;

/// What is told of both records: the columns of a side.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    is_left: bool,
    column: usize,
}

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
    pub(super) shown: Vec<Shown>,
}

/// The columns of two tables, or twice of one, that are shown: those of the same name side by side. One that says which table a record
/// is of is told beside the id.
pub(super) fn shown(left: &Table, right: &Table, source: Option<usize>) -> Vec<Shown> {
    let columns = |table: &Table| -> Vec<(usize, String)> {
        let is_shown = |nth: usize| Some(nth) != source && table.values(nth).is_ok();
        let all = table.schema.columns.iter().enumerate().filter(|(nth, _)| is_shown(*nth));
        all.map(|(nth, column)| (nth, column.name.clone())).collect()
    };
    let (lefts, mut rights) = (columns(left), columns(right));
    let mut all = Vec::new();
    for (column, name) in lefts {
        all.push(Shown { is_left: true, column });
        if let Some(place) = rights.iter().position(|(_, other)| other.eq_ignore_ascii_case(&name)) {
            all.push(Shown { is_left: false, column: rights.remove(place).0 });
        }
    }
    all.extend(rights.into_iter().map(|(column, _)| Shown { is_left: false, column }));
    all
}

impl ErrorRows<'_> {
    fn table(&self, shown: Shown) -> &Table {
        if shown.is_left { &self.chosen.part.left } else { self.chosen.part.right() }
    }

    fn column(&self, shown: Shown) -> Result<&LargeStringArray> {
        self.table(shown).values(shown.column)
    }

    fn name(&self, shown: Shown) -> String {
        let side = if shown.is_left { "left" } else { "right" };
        let name = &self.table(shown).schema.columns[shown.column].name;
        // Several tables that are one may have a column of the name that says which of them a record is of.
        let own = if self.sources.is_some() && name.eq_ignore_ascii_case("source") { "own_" } else { "" };
        format!("{side}_{own}{name}")
    }

    /// The values of both records, in the order of the columns.
    fn values(&self, row: &ErrorRow) -> Result<Vec<Option<&str>>> {
        let numbers = self.chosen.numbers([row.left, row.right])?;
        let value = |&shown: &Shown| {
            let (column, record) = (self.column(shown)?, numbers[usize::from(!shown.is_left)] as usize);
            Ok(column.is_valid(record).then(|| column.value(record)))
        };
        self.shown.iter().map(value).collect()
    }
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
        fields.extend(self.shown.iter().map(|&shown| text(&self.name(shown))));
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
        let n_texts = 3 + self.shown.len();
        let mut texts: Vec<LargeStringBuilder> = (0..n_texts).map(|_| LargeStringBuilder::new()).collect();
        for row in rows {
            let [rule, lacks, by_how_much] = self.told.of(row, self.examiner).map_err(failed)?;
            let own = [rule, lacks, by_how_much].map(|text| Some(text).filter(|text| !text.is_empty()));
            for (text, own) in texts.iter_mut().zip(own) {
                text.append_option(own);
            }
            for (text, value) in texts[3..].iter_mut().zip(self.values(row).map_err(failed)?) {
                text.append_option(value);
            }
        }
        let mut texts = texts.into_iter().map(|mut text| Arc::new(text.finish()) as ArrayRef);
        columns.extend(texts.by_ref().take(3));
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
        columns.extend(texts);
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
        let values = self.values(row).unwrap_or_default();
        values.iter().for_each(|value| lines.text(value.unwrap_or_default()));
        lines.end();
    }
}
