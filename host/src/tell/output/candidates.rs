//! Candidates as rows of `left, right, rule`; of several tables with the table of each, `left_source` and `right_source`. Values
//! of both records may follow.

use super::csv::Short;
use super::ids::{IdColumn, SourceColumn};
use super::values::ValueColumns;
use super::{Lines, Rows};
use crate::read::table::Ids;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hyperblock_shared::layout::Candidate;
use std::ptr;
use std::sync::Arc;

/// Ids that are looked up at a time.
const AT_ONCE: usize = 1 << 7;

/// What the numbers in a candidate stand for.
pub struct CandidateRows<'a> {
    left: IdColumn<'a>,
    /// None where they are the left ones.
    right: Option<IdColumn<'a>>,
    rules: Vec<String>,
    /// By rule: its name as a field, if that is short.
    short_rules: Vec<Option<Short>>,
    /// By rule: the place of its name in `names`.
    keys: Vec<i32>,
    /// Of several tables: what they are called.
    sources: Option<SourceColumn<'a>>,
    /// The names, each once: an Arrow file has one dictionary for all batches, and readers expect its values to differ.
    names: ArrayRef,
    /// What both records say, if somebody asks.
    values: Option<ValueColumns<'a>>,
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
        let sources = SourceColumn::new(left);
        let short_rules = rules.iter().map(|rule| Short::text(rule)).collect();
        Self { left: IdColumn::new(left), right, rules, short_rules, keys, sources, names, values: None }
    }

    /// With values of both records, behind all else.
    pub(crate) fn with_values(self, values: ValueColumns<'a>) -> Self {
        Self { values: Some(values), ..self }
    }

    fn right(&self) -> &IdColumn<'a> {
        self.right.as_ref().unwrap_or(&self.left)
    }

    /// A candidate's fields of CSV, but for values.
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
        self.write_rule(candidate.rule, lines);
    }

    fn write_rule(&self, rule: u32, lines: &mut Lines) {
        match &self.short_rules[rule as usize] {
            Some(short) => lines.short(short),
            None => lines.text(&self.rules[rule as usize]),
        }
    }

    /// The values of its records, which end the line.
    pub(super) fn write_values(&self, candidate: &Candidate, lines: &mut Lines) {
        if let Some(values) = &self.values {
            values.write_csv([candidate.left, candidate.right], lines);
        }
        lines.end();
    }

    /// The columns of candidates, and behind them those of values.
    pub(super) fn fields(&self) -> [Vec<Field>; 2] {
        let rule_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let mut fields =
            vec![self.left.field("left"), self.right().field("right"), Field::new("rule", rule_type, false)];
        if self.sources.is_some() {
            fields.insert(0, SourceColumn::field("left_source"));
            fields.insert(2, SourceColumn::field("right_source"));
        }
        [fields, self.values.iter().flat_map(ValueColumns::fields).collect()]
    }

    /// The same of candidates.
    pub(super) fn arrays(
        &self,
        candidates: impl Iterator<Item = Candidate> + Clone,
    ) -> Result<[Vec<ArrayRef>; 2], ArrowError> {
        let left = self.left.array(candidates.clone().map(|candidate| candidate.left));
        let right = self.right().array(candidates.clone().map(|candidate| candidate.right));
        let mut columns = vec![left, right];
        if let Some(sources) = &self.sources {
            columns.insert(0, sources.array(candidates.clone().map(|candidate| candidate.left))?);
            columns.insert(2, sources.array(candidates.clone().map(|candidate| candidate.right))?);
        }
        let keys = candidates.clone().map(|candidate| self.keys[candidate.rule as usize]);
        let keys = Int32Array::from_iter_values(keys);
        let rules = DictionaryArray::<Int32Type>::try_new(keys, self.names.clone())?;
        columns.push(Arc::new(rules));
        let pairs = candidates.map(|candidate| [candidate.left, candidate.right]);
        let values = self.values.as_ref().map(|values| values.arrays(pairs)).unwrap_or_default();
        Ok([columns, values])
    }
}

impl Rows for CandidateRows<'_> {
    type Row = Candidate;

    fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(self.fields().concat()))
    }

    fn batch(&self, candidates: &[Candidate]) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(self.schema(), self.arrays(candidates.iter().copied())?.concat())
    }

    fn n_at_once(&self, most: usize) -> usize {
        self.values.as_ref().map_or(most, |values| values.n_at_once(most))
    }

    fn write_csv(&self, row: &Candidate, lines: &mut Lines) {
        self.write_fields(row, lines);
        self.write_values(row, lines);
    }

    fn write_all_csv(&self, rows: &[Candidate], lines: &mut Lines) {
        let integers = (self.left.integers(), self.right().integers());
        let ((Some(lefts), Some(rights)), None, None) = (integers, &self.sources, &self.values) else {
            return rows.iter().for_each(|row| self.write_csv(row, lines));
        };
        // Those of one left record stand together: its id is looked up once. Those of right ones are anywhere, and are looked up
        // before any is written: then nothing waits for one of them.
        let mut ids = [0; AT_ONCE];
        let (mut of, mut left) = (None, Short::integer(0));
        for rows in rows.chunks(AT_ONCE) {
            ids.iter_mut().zip(rows).for_each(|(id, row)| *id = rights[row.right as usize]);
            for (row, &id) in rows.iter().zip(&ids) {
                if of != Some(row.left) {
                    (of, left) = (Some(row.left), Short::integer(lefts[row.left as usize]));
                }
                lines.short(&left);
                lines.integer(id);
                self.write_rule(row.rule, lines);
                lines.end();
            }
        }
    }
}
