//! Columns for people: what `explain --stats` tells of the values that rules look at.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::shown::shown;
use crate::encode::{CodeColumn, Pipeline, Raw};
use crate::read::table::Table;
use crate::rules::{Side, Sided};
use hashbrown::HashMap;
use hyperblock_shared::columns::MISSING;
use indicatif::HumanCount;
use std::fmt;

/// Values that are shown for being frequent.
const HEAVY: usize = 5;

/// What there is in a column, after transforms.
#[derive(Clone, Debug)]
pub struct ColumnStatistics {
    /// As rules write it.
    pub name: String,
    /// All records of the table.
    pub n_records: u64,
    /// Records without a value.
    pub n_missing: u64,
    /// Distinct values.
    pub n_distinct: u64,
    /// How many values have 1, 2, up to 4, up to 8, … characters.
    pub lengths: Vec<u64>,
    /// The most frequent values and how many records have them, by falling number.
    pub heavy: Vec<(String, u64)>,
}

impl ColumnStatistics {
    pub(crate) fn of(tables: [&Table; 2], column: &CodeColumn) -> Result<Self> {
        let table = tables[column.table];
        let raw = Raw::new(table, &column.operand, &Control::default())?;
        let pipeline = Pipeline::new(&column.operand)?;
        let mut counts = vec![0u64; raw.len()];
        let present = raw.codes().iter().filter(|code| **code != MISSING);
        present.for_each(|&code| counts[code as usize] += 1);
        let mut distinct: HashMap<String, u64> = HashMap::new();
        for (ix, n) in counts.into_iter().enumerate() {
            if let Some(value) = raw.made(&pipeline, ix) {
                *distinct.entry(column.operand.shown(value.into_owned())).or_default() += n;
            }
        }
        let mut lengths = Vec::new();
        for (value, n) in &distinct {
            let place = value.chars().count().next_power_of_two().trailing_zeros() as usize;
            lengths.resize(lengths.len().max(place + 1), 0);
            lengths[place] += n;
        }
        let n_records = raw.codes().len() as u64;
        let n_missing = n_records - distinct.values().sum::<u64>();
        let n_distinct = distinct.len() as u64;
        let mut heavy: Vec<(String, u64)> = distinct.into_iter().filter(|(_, n)| *n > 1).collect();
        heavy.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        heavy.truncate(HEAVY);
        let side = if column.table == 0 { Side::Left } else { Side::Right };
        let name = Sided(side, &column.operand).to_string();
        Ok(Self { name, n_records, n_missing, n_distinct, lengths, heavy })
    }

    /// The share of records without a value.
    pub fn missing(&self) -> f64 {
        if self.n_records == 0 { 0.0 } else { self.n_missing as f64 / self.n_records as f64 }
    }
}

impl fmt::Display for ColumnStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = 100.0 * self.missing();
        writeln!(f, "  {}: distinct={}, missing={missing:.1}%", self.name, HumanCount(self.n_distinct))?;
        let most = self.lengths.iter().copied().max().unwrap_or(0);
        for (place, n) in self.lengths.iter().enumerate().filter(|(_, n)| **n > 0) {
            let (from, upto) = (if place == 0 { 1 } else { (1u64 << (place - 1)) + 1 }, 1u64 << place);
            let range = if from >= upto { upto.to_string() } else { format!("{from}–{upto}") };
            let bar = "▇".repeat((n * 30).div_ceil(most.max(1)) as usize);
            writeln!(f, "      length {range:>11}  {bar} {}", HumanCount(*n))?;
        }
        for (value, n) in &self.heavy {
            let head: String = value.chars().take(40).collect();
            let (more, head) = (if head.len() < value.len() { "…" } else { "" }, shown(&head));
            let share = 100.0 * *n as f64 / self.n_records as f64;
            writeln!(f, "      {:>9} ({share:.2}%)  '{head}{more}'", HumanCount(*n).to_string())?;
        }
        Ok(())
    }
}
