//! What runs have found: the rows of their files, with where and when each was taken, and whether it is what must be found.

use super::definition::{Count, Device};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// When, at which commit and on which machine something was measured: the lines of the text beside a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Taken {
    pub(super) command: String,
    pub(super) date: String,
    pub(super) commit: String,
    pub(super) cpu: String,
    pub(super) gpu: String,
}

/// The rows of a file.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) rows: Vec<BTreeMap<String, String>>,
    pub(super) device: Device,
    pub(super) taken: Taken,
    /// Whether they were saved elsewhere, and not measured now.
    pub(super) is_saved: bool,
    /// Whether they are of data that was made in the shape of what is not there.
    pub(super) is_made: bool,
    /// The file, and the text that says where it is from.
    pub(super) files: [PathBuf; 2],
}

/// The rows of a CSV file with a head. None of them is an error.
fn read(path: &Path) -> Result<Vec<BTreeMap<String, String>>> {
    let mut reader =
        csv::Reader::from_path(path).with_context(|| format!("cannot read {}", path.display()))?;
    let head = reader.headers()?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.with_context(|| path.display().to_string())?;
        rows.push(head.iter().map(str::to_owned).zip(record.iter().map(str::to_owned)).collect());
    }
    ensure!(!rows.is_empty(), "{} has no rows", path.display());
    Ok(rows)
}

impl Taken {
    /// From the text; what it does not say is unknown. Of several lines the first counts.
    pub(super) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let said = |what: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(' '));
            line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
        };
        Self {
            command: said("command"),
            date: said("date"),
            commit: said("commit"),
            cpu: said("cpu"),
            gpu: said("gpu"),
        }
    }

    /// The day alone.
    pub(super) fn day(&self) -> &str {
        self.date.split(' ').next().unwrap_or_default()
    }
}

impl Rows {
    /// Those of a file that was measured now.
    pub(super) fn read(path: &Path, text: &Path, device: Device) -> Result<Self> {
        let files = [path, text].map(Path::to_path_buf);
        Ok(Self {
            rows: read(path)?,
            device,
            taken: Taken::read(text),
            is_saved: false,
            is_made: false,
            files,
        })
    }

    /// The device as panels name it: as the first row does, for baselines of one thread stand beside it; and when it was saved.
    pub(super) fn place(&self) -> String {
        let first = self.rows.first();
        let named = first.and_then(|row| row.get("device").or_else(|| row.get("recorded_on")));
        let device = match named {
            Some(device) if device.contains('(') => device.clone(),
            _ => match self.device {
                Device::Cpu => "cpu".to_owned(),
                Device::Cuda => self.taken.gpu.split(',').next().unwrap_or("cuda").to_owned(),
            },
        };
        if self.is_saved { format!("{device}, saved {}", self.taken.day()) } else { device }
    }

    /// Holds a count against the rows that it is of, and says how many there are; nothing, if it is of another scale or of other
    /// data. What is saved was measured with all rows.
    pub(super) fn check(&self, count: &Count, scale: f64) -> Result<Option<usize>> {
        let scale = if self.is_saved { 1.0 } else { scale };
        let has_data = |data: &String| self.rows.iter().any(|row| row.get("data") == Some(data));
        let is_other = self.is_made || !count.of.get("data").is_none_or(has_data);
        if is_other || count.scale.is_some_and(|of| of != scale) {
            return Ok(None);
        }
        let (column, value) = (&count.column, count.value);
        let mut n_checked = 0;
        for row in self.rows.iter().filter(|row| is_of(row, &count.of)) {
            let found = row.get(column).with_context(|| format!("count.column: there is no {column}"))?;
            // A way that was left out found nothing.
            if !found.is_empty() {
                ensure!(
                    *found == value.to_string(),
                    "count: {column} of {} is {found}, not {value}",
                    count.rows()
                );
                n_checked += 1;
            }
        }
        Ok(Some(n_checked))
    }
}

fn is_of(row: &BTreeMap<String, String>, of: &BTreeMap<String, String>) -> bool {
    of.iter().all(|(column, value)| row.get(column) == Some(value))
}

/// Rows as a test writes them: columns, and values with commas between.
#[cfg(test)]
pub(super) fn example(head: &str, lines: &[&str]) -> Rows {
    let row =
        |line: &&str| head.split(',').map(str::to_owned).zip(line.split(',').map(str::to_owned)).collect();
    Rows {
        rows: lines.iter().map(row).collect(),
        device: Device::Cpu,
        taken: Taken { gpu: "none".to_owned(), ..Taken::default() },
        is_saved: false,
        is_made: false,
        files: [PathBuf::new(), PathBuf::new()],
    }
}

#[cfg(test)]
mod tests {
    use super::super::definition::Count;
    use super::example;

    #[test]
    fn counts_are_held_against_rows() {
        let rows = example(
            "s,device,pairs",
            &["0,cpu (2 threads),32", "1,cpu (2 threads),77", "1,cpu (2 threads),"],
        );
        let count = |value, scale| Count {
            column: "pairs".to_owned(),
            value,
            of: [("s".to_owned(), "1".to_owned())].into(),
            scale,
        };
        assert_eq!(rows.check(&count(77, None), 0.5).unwrap(), Some(1));
        assert_eq!(rows.check(&count(78, Some(1.0)), 0.5).unwrap(), None);
        let error = rows.check(&count(78, Some(0.5)), 0.5).unwrap_err().to_string();
        assert_eq!(error, "count: pairs of s 1 is 77, not 78");
        assert_eq!(rows.place(), "cpu (2 threads)");
    }
}
