//! What was found of a program on a job: a row of `compare.csv`.

use super::check::Verdict;
use super::script::Told;
use super::tables::Ready;
use crate::bench::peers::Seen;
use crate::record;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What the engine goes by.
pub(super) const ENGINE: &str = "hyperblock";

/// A row. Of one that came to no end, `seen` says why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) job: String,
    pub(super) rows: u32,
    pub(super) program: String,
    pub(super) version: String,
    pub(super) device: String,
    pub(super) runs: usize,
    pub(super) median_s: Option<f64>,
    /// Pairs, or records that are not the first of their entity.
    pub(super) pairs: Option<usize>,
    pub(super) differ: Option<usize>,
    pub(super) recall: Option<f64>,
    pub(super) f1: Option<f64>,
    pub(super) peak_mib: Option<f64>,
    pub(super) seen: String,
    /// What it was measured beside: a call that measures some keeps the others.
    pub(super) commit: String,
}

impl Row {
    /// Of a program that was not run at all.
    pub(super) fn absent(ready: &Ready, program: &str, why: &str) -> Self {
        Self {
            job: ready.job.name.to_owned(),
            rows: ready.rows,
            program: program.to_owned(),
            device: "cpu".to_owned(),
            seen: why.to_owned(),
            commit: record::commit(),
            ..Self::default()
        }
    }

    /// Of one that was; pairs and verdict are of one that came to an end.
    pub(super) fn of(
        ready: &Ready,
        program: (&str, &str),
        told: &Told,
        found: Option<(usize, &Verdict)>,
    ) -> Self {
        let seen = match &told.seen {
            Seen::Times(_) => "compared",
            Seen::Nothing(why) => why,
        };
        let verdict = found.map(|(_, verdict)| verdict.clone()).unwrap_or_default();
        // Digits beyond these say nothing, and would make files differ.
        let rounded = |number: f64, digits: f64| (number * digits).round() / digits;
        Self {
            version: told.version.clone(),
            device: program.1.to_owned(),
            runs: told.times().map_or(0, |times| times.n_runs()),
            median_s: told.times().map(|times| rounded(times.median(), 1e6)),
            pairs: found.map(|(n, _)| n),
            differ: verdict.differ,
            recall: verdict.recall.map(|share| rounded(share, 1e6)),
            f1: verdict.f1.map(|share| rounded(share, 1e6)),
            peak_mib: told.peak_mib.map(|mib| rounded(mib, 10.0)),
            ..Self::absent(ready, program.0, seen)
        }
    }

    pub(super) fn is_ours(&self) -> bool {
        self.program == ENGINE
    }

    /// Whether both are of the same program on the same job.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        (&self.job, &self.program, &self.device) == (&other.job, &other.program, &other.device)
    }

    /// The seconds after which it was ended.
    pub(super) fn bound(&self) -> Option<f64> {
        self.seen.strip_prefix("over ")?.split(' ').next()?.parse().ok()
    }
}

/// Rows as lines of a file, with their head.
pub(super) fn lines(rows: &[Row]) -> Result<Vec<String>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let text = String::from_utf8(writer.into_inner().context("rows are not written")?)?;
    Ok(text.lines().map(str::to_owned).collect())
}

pub(super) fn read(path: &Path) -> Result<Vec<Row>> {
    let mut reader =
        csv::Reader::from_path(path).with_context(|| format!("cannot read {}", path.display()))?;
    reader.deserialize().map(|row| row.with_context(|| path.display().to_string())).collect()
}

/// How many times as long as we each program took, on the CPU.
pub(super) fn ratio(rows: &[Row], row: &Row) -> Option<f64> {
    let ours = rows.iter().find(|ours| ours.is_ours() && ours.job == row.job && ours.device == "cpu")?;
    Some(row.median_s? / ours.median_s?)
}

#[cfg(test)]
pub(super) fn example(job: &str, program: &str, median_s: Option<f64>, seen: &str) -> Row {
    Row {
        job: job.to_owned(),
        rows: 50_000,
        program: program.to_owned(),
        version: "1.2".to_owned(),
        device: "cpu".to_owned(),
        runs: 3,
        median_s,
        pairs: median_s.map(|_| 7),
        differ: median_s.map(|_| 0),
        peak_mib: Some(20.5),
        seen: seen.to_owned(),
        commit: "abc".to_owned(),
        ..Row::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{example, lines, ratio, read};
    use crate::cargo::target;
    use crate::replace::replace;
    use std::io::Write;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let rows = [
            example("e1", "hyperblock", Some(0.5), "compared"),
            example("e1", "duckdb", Some(2.0), "compared"),
            example("e1", "polars", None, "could not be installed: no wheels, \"none\""),
            example("e1", "splink", None, "over 60 s"),
        ];
        let path = target().join("compare-test").join(format!("rows-{}.csv", std::process::id()));
        let written = lines(&rows).unwrap();
        assert_eq!(written.len(), 5);
        replace(&path, |file| written.iter().try_for_each(|line| writeln!(file, "{line}"))).unwrap();
        assert_eq!(read(&path).unwrap(), rows);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(rows.each_ref().map(|row| ratio(&rows, row)), [Some(1.0), Some(4.0), None, None]);
        assert_eq!(rows.each_ref().map(|row| row.bound()), [None, None, None, Some(60.0)]);
        assert!(rows[0].is_as(&rows[0]) && !rows[0].is_as(&rows[1]));
    }
}
