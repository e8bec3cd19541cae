//! Some records of the tables, and what rules find among them: by the engine itself, so that what is expected of a rule is what
//! it does.

use super::compared::Compared;
use super::role::Role;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::job::{Job, RuleSource};
use crate::operators::Backend;
use crate::read::table::{Batches, IdSource, Input, Kind, ReadOptions, Table};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, RecordBatch};
use arrow_schema::{Field, Schema};
use std::sync::Arc;

/// Records of the left table, each of which is compared with
const LEFT: usize = 512;
/// so many of the right one.
const RIGHT: usize = 1 << 15;
/// Steps of a similarity.
const STEPS: usize = 100;
const ONE: u32 = 1_000_000_000;

/// Some records.
pub(super) struct Sample<'a> {
    batches: [Batches; 2],
    /// Which records of the tables they are.
    rows: [Vec<usize>; 2],
    id: String,
    is_one_table: bool,
    /// Pairs of the tables for each that is found in the sample.
    pub(super) scale: f64,
    /// Pairs of the tables, and their records.
    pub(super) n_pairs: f64,
    pub(super) n_records: f64,
    /// What rule files begin with.
    head: String,
    device: &'a dyn Backend,
    control: &'a Control,
}

/// A pair of the sample, by rows of the tables, and its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seen {
    pub(super) pair: (u32, u32),
    pub(super) score: u32,
}

impl<'a> Sample<'a> {
    pub(super) fn new(
        tables: &[Table],
        compared: &[Compared],
        head: String,
        device: &'a dyn Backend,
        control: &'a Control,
    ) -> Result<Self> {
        let (left, right) = (&tables[0], tables.last().unwrap_or(&tables[0]));
        let n = [left, right].map(|table| table.n_records() as usize);
        let rows = [evenly(n[0], LEFT), evenly(n[1], RIGHT)];
        let mut id = "(row)".to_owned();
        while [left, right].iter().any(|table| table.schema.find(&id).is_some()) {
            id.push('\'');
        }
        let batch = |side: usize, table: &Table| {
            let mut columns: Vec<(String, ArrayRef)> =
                vec![(id.clone(), Arc::new((0..rows[side].len() as i64).collect::<Int64Array>()))];
            for it in compared {
                let column = &table.schema.columns[it.places[side]];
                let values = picked(table.values(it.places[side])?, &rows[side]);
                if columns.iter().all(|(name, _)| *name != column.name) {
                    let is_number = it.role == Role::Number;
                    columns.push((
                        column.name.clone(),
                        if is_number { numbers(&values, column.kind) } else { values },
                    ));
                }
            }
            let fields: Vec<Field> = columns
                .iter()
                .map(|(name, values)| Field::new(name, values.data_type().clone(), true))
                .collect();
            let schema = Arc::new(Schema::new(fields));
            let arrays = columns.into_iter().map(|(_, values)| values).collect();
            let batch = RecordBatch::try_new(schema.clone(), arrays)
                .map_err(|error| Error::Internal(format!("a sample is no batch: {error}")))?;
            Batches::new(&table.path.to_string_lossy(), schema, vec![batch])
        };
        let batches = [batch(0, left)?, batch(1, right)?];
        let is_one_table = tables.len() == 1;
        let drawn = rows[0].len() as f64 * rows[1].len() as f64;
        let scale = n[0] as f64 * n[1] as f64 / drawn.max(1.0) / if is_one_table { 2.0 } else { 1.0 };
        let n_records = if is_one_table { n[0] } else { n[0] + n[1] } as f64;
        let n_pairs = drawn * scale;
        Ok(Self { batches, rows, id, is_one_table, scale, n_pairs, n_records, head, device, control })
    }

    /// Candidates a record, where the sample has so many pairs.
    pub(super) fn a_record(&self, n_seen: usize) -> f64 {
        n_seen as f64 * self.scale / self.n_records
    }

    /// The pairs that a condition allows, by pair, each with its score by these attributes; at most so many candidates a
    /// record, else none.
    pub(super) fn pairs(&self, when: &str, score: &str, most: f64) -> Result<Option<Vec<Seen>>> {
        let mut seen = Vec::new();
        let is_done = self.run(when, score, &mut |pair, score| {
            seen.push(Seen { pair, score });
            self.a_record(seen.len()) <= most
        })?;
        seen.sort_unstable();
        Ok(is_done.then_some(seen))
    }

    /// How many pairs are at least this alike, by hundredths; of pairs that are at least as alike as `floor` says.
    pub(super) fn histogram(&self, measure: &str, floor: f64) -> Result<[usize; STEPS + 1]> {
        let mut counts = [0; STEPS + 1];
        let score = format!("[[score.attributes]]\nmeasure = {}\n", super::sql::text(measure));
        self.run(&format!("{measure} >= {floor:.2}"), &score, &mut |_, score| {
            counts[(u64::from(score) * STEPS as u64 / u64::from(ONE)) as usize] += 1;
            true
        })?;
        for step in (0..STEPS).rev() {
            counts[step] += counts[step + 1];
        }
        Ok(counts)
    }

    /// Runs one rule with a score, until `take` has enough; whether it never had.
    fn run(&self, when: &str, score: &str, take: &mut dyn FnMut((u32, u32), u32) -> bool) -> Result<bool> {
        let rule = format!("{}[[rules]]\nwhen = {}\n\n[score]\n{score}", self.head, super::sql::text(when));
        let inputs = self.batches.clone().map(Input::from);
        let [left, right] = inputs;
        let options = ReadOptions { id: IdSource::Column(self.id.clone()), ..ReadOptions::default() };
        let job = Job::over(left, Some(right), RuleSource::Text(rule)).read_options(options.clone(), options);
        let job = job.prepare(self.device, self.control)?;
        let mut wants_more = true;
        let ran = job.run_scored(self.device, self.control, &mut |kept| {
            for (candidate, score) in kept {
                let row = |side: usize, record: u32| self.rows[side][record as usize] as u32;
                let pair = (row(0, candidate.left), row(1, candidate.right));
                if self.is_one_table && pair.0 == pair.1 {
                    continue;
                }
                wants_more = wants_more && take(pair, *score);
            }
            if wants_more { Ok(()) } else { Err(Error::Job("enough".into())) }
        });
        match ran {
            Err(_) if !wants_more => Ok(false),
            ran => ran.map(|_| true),
        }
    }
}

/// At most so many of them, as far from each other as there are many.
fn evenly(n: usize, most: usize) -> Vec<usize> {
    let wanted = n.min(most);
    (0..wanted).map(|nth| nth * n / wanted).collect()
}

fn picked(values: &LargeStringArray, rows: &[usize]) -> ArrayRef {
    let value = |row: &usize| values.is_valid(*row).then(|| values.value(*row));
    Arc::new(rows.iter().map(value).collect::<LargeStringArray>())
}

/// Numbers as such.
fn numbers(values: &ArrayRef, kind: Kind) -> ArrayRef {
    use arrow_array::cast::AsArray;
    let texts = values.as_string::<i64>();
    if kind == Kind::Integer && texts.iter().flatten().all(|text| text.parse::<i64>().is_ok()) {
        return Arc::new(texts.iter().map(|text| text?.parse().ok()).collect::<Int64Array>());
    }
    let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    Arc::new(texts.iter().map(|text| number(text?)).collect::<Float64Array>())
}
