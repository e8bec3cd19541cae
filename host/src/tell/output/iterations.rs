//! The rounds of a closure as rows: what was joined, what was new, and what each operator took.

use super::{Lines, Rows};
use crate::graph::report::OPERATORS;
use crate::operators::closure::Iteration;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::marker::PhantomData;
use std::sync::Arc;

/// A row for each round: its number, the tuples that there are after it, and what it did.
#[derive(Default)]
pub struct IterationRows<'a>(PhantomData<&'a Iteration>);

const COUNTS: [&str; 4] = ["iteration", "joined", "new", "total"];

type Round<'a> = (u32, u64, &'a Iteration);

fn counts((number, n_tuples, round): &Round<'_>) -> [u64; 4] {
    [u64::from(*number), round.n_joined, round.n_new, *n_tuples]
}

fn milliseconds(round: &Round<'_>, operator: &str) -> f64 {
    round.2.time(operator).as_secs_f64() * 1e3
}

impl<'a> Rows for IterationRows<'a> {
    type Row = Round<'a>;

    fn schema(&self) -> SchemaRef {
        let counts = COUNTS.map(|name| Field::new(name, DataType::UInt64, false));
        let times = OPERATORS.map(|name| Field::new(format!("{name}_ms"), DataType::Float64, false));
        Arc::new(Schema::new([counts, times].concat()))
    }

    fn batch(&self, rounds: &[Round<'a>]) -> Result<RecordBatch, ArrowError> {
        let count = |ix: usize| -> ArrayRef {
            Arc::new(rounds.iter().map(|round| Some(counts(round)[ix])).collect::<UInt64Array>())
        };
        let time = |operator: &str| -> ArrayRef {
            let times = rounds.iter().map(|round| Some(milliseconds(round, operator)));
            Arc::new(times.collect::<Float64Array>())
        };
        let columns = (0..COUNTS.len()).map(count).chain(OPERATORS.map(time)).collect();
        RecordBatch::try_new(self.schema(), columns)
    }

    fn write_csv(&self, round: &Round<'a>, lines: &mut Lines) {
        let times = OPERATORS.map(|operator| format!("{:.4}", milliseconds(round, operator)));
        lines.record(counts(round).map(|n| n.to_string()).iter().chain(&times));
    }
}
