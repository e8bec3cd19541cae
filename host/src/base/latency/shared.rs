//! What several places did of a job: a row for each of them, and how evenly they were busy.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A task that one of several places did.
#[derive(Clone, Debug)]
pub struct TaskTime {
    /// By number, and by name.
    pub place: (usize, Arc<str>),
    /// The milliseconds that it was expected to take.
    pub expected: f64,
    /// How long it took there, with what it found put in order.
    pub took: Duration,
    /// How long the place had waited for it.
    pub waited: Duration,
    /// What it found.
    pub n_candidates: usize,
    /// Whether it had been dealt to somebody else.
    pub was_stolen: bool,
}

/// What one place did.
#[derive(Default)]
struct Row {
    name: String,
    n_tasks: usize,
    n_stolen: usize,
    n_candidates: usize,
    expected: f64,
    took: f64,
    waited: f64,
    longest: f64,
}

/// The tasks of several places, as a table.
pub struct Shared<'a>(pub &'a [TaskTime]);

impl Shared<'_> {
    fn rows(&self) -> Vec<Row> {
        let mut rows: BTreeMap<usize, Row> = BTreeMap::new();
        for task in self.0 {
            let row = rows.entry(task.place.0).or_default();
            row.name = task.place.1.to_string();
            row.n_tasks += 1;
            row.n_stolen += usize::from(task.was_stolen);
            row.n_candidates += task.n_candidates;
            row.expected += task.expected;
            let took = task.took.as_secs_f64() * 1e3;
            row.took += took;
            row.waited += task.waited.as_secs_f64() * 1e3;
            row.longest = row.longest.max(took);
        }
        rows.into_values().collect()
    }

    /// What the busiest place took over what all took on average: 1 if all were equally busy.
    pub fn imbalance(&self) -> f64 {
        let rows = self.rows();
        let most = rows.iter().map(|row| row.took).fold(0.0, f64::max);
        let sum: f64 = rows.iter().map(|row| row.took).sum();
        if sum > 0.0 { most * rows.len() as f64 / sum } else { 1.0 }
    }

    /// An object for each place.
    pub fn json(&self) -> Value {
        let place = |row: &Row| {
            json!({
                "place": row.name, "tasks": row.n_tasks, "stolen": row.n_stolen, "candidates": row.n_candidates,
                "expected_ms": row.expected, "took_ms": row.took, "waited_ms": row.waited, "longest_ms": row.longest,
            })
        };
        self.rows().iter().map(place).collect()
    }
}

impl fmt::Display for Shared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.rows();
        let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(5);
        let titles = ["tasks", "stolen", "candidates", "expected", "took", "waited", "longest"];
        write!(f, "  {:width$}", "")?;
        titles.iter().try_for_each(|title| write!(f, " {title:>13}"))?;
        writeln!(f)?;
        for row in rows {
            let Row { name, n_tasks, n_stolen, n_candidates, .. } = &row;
            write!(f, "  {name:width$} {n_tasks:>13} {n_stolen:>13} {n_candidates:>13}")?;
            for milliseconds in [row.expected, row.took, row.waited, row.longest] {
                write!(f, " {:>13}", format!("{milliseconds:.3} ms"))?;
            }
            writeln!(f)?;
        }
        writeln!(f, "  the busiest place: {:.2} of what they took on average", self.imbalance())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_for_each_place() {
        let task = |place: usize, ms: u64, was_stolen| TaskTime {
            place: (place, format!("cpu {place}").into()),
            expected: 2.0,
            took: Duration::from_millis(ms),
            waited: Duration::from_millis(1),
            n_candidates: 10,
            was_stolen,
        };
        let tasks = [task(1, 3, false), task(0, 1, false), task(1, 5, true)];
        let shared = Shared(&tasks);
        insta::assert_snapshot!(format!("table\n{shared}"), @"
        table
                        tasks        stolen    candidates      expected          took        waited       longest
          cpu 0             1             0            10      2.000 ms      1.000 ms      1.000 ms      1.000 ms
          cpu 1             2             1            20      4.000 ms      8.000 ms      2.000 ms      5.000 ms
          the busiest place: 1.78 of what they took on average
        ");
        assert_eq!(shared.json()[1]["took_ms"], 8.0);
    }
}
