//! What a benchmark measured, row by row, as it stands in the CSV that `--save` writes.
//!
//! That file is what every commit has in common since `--save` is there, so it is the form in which figures are passed
//! on: a line of names, and a row for each measurement. `median_s` is how long it took. Some columns count what was
//! found, and must be the same whoever measured; some say more of the measurement, and may differ; all others say what
//! was measured. A column that only one of two commits has is not looked at.

use anyhow::{Context, Result, ensure};

/// How long it took.
const SECONDS: &str = "median_s";
/// What was found.
const COUNTS: [&str; 5] = ["candidates", "tuples", "kept", "entities", "sum"];
/// More of the measurement; as all that end in `_s` and `_ms`.
const DETAILS: [&str; 5] = ["runs", "rounds", "pieces", "heavy", "seen"];
/// What is measured by parts, and its name of the whole.
const PARTS: (&str, &str) = ("stage", "all");

/// A measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::bench) struct Row {
    /// What was measured: columns and values.
    pub(in crate::bench) names: Vec<(String, String)>,
    /// What was found, likewise.
    pub(in crate::bench) counts: Vec<(String, String)>,
    pub(in crate::bench) seconds: f64,
}

impl Row {
    /// Whether it is a part of something that has a row of its own.
    pub(super) fn is_part(&self) -> bool {
        self.names.iter().any(|(name, value)| name == PARTS.0 && value != PARTS.1)
    }

    /// Whether both are of the same, as far as both say.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        agree(&self.names, &other.names)
    }

    /// Whether both found the same, as far as both say.
    pub(super) fn found_as(&self, other: &Self) -> bool {
        agree(&self.counts, &other.counts)
    }

    /// What was measured, for people.
    pub(super) fn label(&self) -> String {
        self.names.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// What was found, for people.
    pub(super) fn found(&self) -> String {
        self.counts.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(" ")
    }
}

fn agree(some: &[(String, String)], others: &[(String, String)]) -> bool {
    some.iter().all(|(name, value)| others.iter().all(|(other, than)| name != other || value == than))
}

/// The rows of a file; what was left out in it has none.
pub(super) fn parse(bench: &str, text: &str) -> Result<Vec<Row>> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().context("the file is empty")?.split(',').collect();
    ensure!(head.contains(&SECONDS), "no column {SECONDS}");
    let mut rows = Vec::new();
    for line in lines {
        let values: Vec<&str> = line.split(',').collect();
        ensure!(values.len() == head.len(), "{} values in {} columns: {line}", values.len(), head.len());
        let mut row = Row::default();
        let mut seconds = None;
        for (&name, value) in head.iter().zip(values) {
            match kind(bench, name) {
                Kind::Seconds if value.is_empty() => {}
                Kind::Seconds => seconds = Some(value.parse().with_context(|| format!("{name}: {value}"))?),
                Kind::Count => row.counts.push((name.to_owned(), value.to_owned())),
                Kind::Name => row.names.push((name.to_owned(), value.to_owned())),
                Kind::Detail => {}
            }
        }
        if let Some(seconds) = seconds {
            rows.push(Row { seconds, ..row });
        }
    }
    Ok(rows)
}

#[derive(Debug, PartialEq)]
enum Kind {
    Name,
    Count,
    Seconds,
    Detail,
}

fn kind(bench: &str, column: &str) -> Kind {
    match column {
        SECONDS => Kind::Seconds,
        // Elsewhere they are what is gone through.
        "pairs" if bench == "join" => Kind::Count,
        _ if COUNTS.contains(&column) => Kind::Count,
        _ if DETAILS.contains(&column) || column.ends_with("_s") || column.ends_with("_ms") => Kind::Detail,
        _ => Kind::Name,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, kind, parse};
    use std::fs;

    #[test]
    fn columns_say_what_they_are() {
        let text = "workload,device,rows,pairs,candidates,runs,median_s,fastest_s,pairs_per_s\n\
                    papers,cpu (2 threads),100,10000,12,7,0.250000,0.2,40000\n\
                    scholar,cpu (2 threads),100,10000,13,7,0.500000,0.2,20000\n";
        let rows = parse("scan", text).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].label().as_str(), rows[0].seconds), ("papers cpu (2 threads) 100 10000", 0.25));
        assert_eq!(rows[1].found(), "candidates 13");
        assert!(!rows[0].is_as(&rows[1]) && !rows[0].found_as(&rows[1]) && !rows[0].is_part());
        assert_eq!(kind("join", "pairs"), Kind::Count);
        assert_eq!(kind("cluster", "pairs"), Kind::Name);
    }

    #[test]
    fn what_was_left_out_is_no_row() {
        let text = "data,way,candidates,runs,median_s,seen\nt,join,,0,,left out\nt,scan,5,1,2.5,measured\n";
        let rows = parse("setjoin", text).unwrap();
        assert_eq!(rows.iter().map(|row| row.label()).collect::<Vec<_>>(), ["t scan"]);
        assert!(parse("scan", "").is_err());
        assert!(parse("scan", "a,b\n1,2\n").is_err());
        assert!(parse("scan", "a,median_s\n1\n").is_err());
        assert!(parse("scan", "a,median_s\n1,soon\n").is_err());
    }

    #[test]
    fn columns_of_one_commit_alone_are_not_looked_at() {
        let old = parse("score", "measure,rows,median_s\njaccard,5,1\n").unwrap().remove(0);
        let new = parse("score", "measure,kind,rows,median_s,sum\njaccard,a,5,1,77\n").unwrap().remove(0);
        assert!(old.is_as(&new) && new.is_as(&old) && new.found_as(&old));
    }

    #[test]
    fn parts_are_told_from_the_whole() {
        let text = "device,rows,entities,runs,stage,median_s\ncpu,6,5,3,read,0.1\ncpu,6,5,3,all,0.2\n";
        let rows = parse("workflow", text).unwrap();
        assert_eq!(rows.iter().map(|row| row.is_part()).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn all_saved_results_can_be_compared() {
        let results = crate::cargo::root().join("results");
        for machine in fs::read_dir(results).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
            for bench in super::super::COMPARED.iter().filter(|bench| **bench != "job") {
                let path = machine.path().join(format!("{bench}.csv"));
                let Ok(text) = fs::read_to_string(&path) else { continue };
                let rows = parse(bench, &text).unwrap();
                assert!(!rows.is_empty(), "{}", path.display());
                // Names tell them apart.
                for (ix, row) in rows.iter().enumerate() {
                    let same = rows.iter().filter(|other| row.is_as(other)).count();
                    assert_eq!(same, 1, "row {ix} of {}: {}", path.display(), row.label());
                }
            }
        }
    }
}
