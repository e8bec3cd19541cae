//! One figure from its definition to its files: it is measured, checked, drawn and described.
//!
//! Files are only replaced when all of that went well: one that fails keeps those of an earlier call.

use super::definition::{Definition, Device, Kind, Run, paper};
use super::drawing::{self, Picture};
use super::page::{self, Section};
use super::points::{self, Table};
use super::rows::Rows;
use super::runs::{self, Ran};
use super::saved;
use crate::cargo::root;
use crate::replace::replace;
use anyhow::{Result, ensure};
use std::io::Write;
use std::path::PathBuf;

/// What all figures of a call have in common.
pub(super) struct Work {
    pub(super) definitions: PathBuf,
    /// Where pictures, their numbers and what is said of them go.
    pub(super) figures: PathBuf,
    pub(super) scale: f64,
    pub(super) again: bool,
    pub(super) has_gpu: bool,
    pub(super) prices: Vec<(String, f64)>,
    pub(super) python: PathBuf,
}

/// What runs came to.
#[derive(Default)]
struct Measured {
    all: Vec<Rows>,
    /// What is not there, and why: a panel and a line of the page each.
    missing: Vec<String>,
    /// What else is to be said.
    notes: Vec<String>,
}

impl Work {
    /// Makes one of them.
    pub(super) fn make(&self, name: &str) -> Result<()> {
        let paper = paper(name)?;
        let definition = Definition::read(&self.definitions, name)?;
        let mut measured = Measured::default();
        if let Some(why) = &definition.left_out {
            measured.missing.push(format!("left out: {why}"));
        }
        for run in definition.runs.iter().filter(|run| run.is_for(self.scale)) {
            self.measure(run, &mut measured)?;
        }
        self.check(&definition, &measured)?;
        let Measured { all, missing, notes } = measured;
        let mut drawn = Vec::new();
        let mut table = Table::default();
        match &definition.plot {
            Some(plot) if !all.is_empty() && plot.kind == Kind::Table => {
                table = points::table(plot, &all, &self.prices)?;
            }
            Some(plot) if !all.is_empty() => drawn = points::of(plot, &all)?,
            _ => {}
        }
        let stated = points::stated(&definition);
        let picture = Picture {
            title: format!("{paper}, {}: {}", definition.place, definition.title),
            plot: definition.plot.as_ref(),
            points: drawn.iter().chain(&stated).collect(),
            table: &table,
            missing: &missing,
        };
        drawing::draw(&self.python, &picture, &self.figures.join(name))?;
        let lines = if table.lines.is_empty() { numbers(&drawn) } else { csv(&table) };
        replace(&self.figures.join(format!("{name}.csv")), |file| file.write_all(lines.as_bytes()))?;
        let section = Section {
            name,
            paper,
            definition: &definition,
            scale: self.scale,
            all: &all,
            missing: &missing,
            notes: &notes,
            points: &drawn,
        };
        page::write_section(&self.figures, &section)
    }

    /// Runs on each device that it is for, or takes what was saved.
    fn measure(&self, run: &Run, measured: &mut Measured) -> Result<()> {
        if let Some(data) = &run.without {
            if runs::is_there(data) {
                return Ok(());
            }
            measured.notes.push(format!("{data} is not there: data is made in its shape"));
        }
        for device in &run.on {
            if *device == Device::Cuda && !self.has_gpu {
                match saved::rows(&root().join("results"), run)? {
                    Some(rows) => measured.all.push(rows),
                    None => measured.missing.push("needs a GPU".to_owned()),
                }
                continue;
            }
            match runs::run(run, self.scale, *device, self.again)? {
                Ran::Rows(rows) => measured.all.push(rows),
                Ran::Over { device, seconds, command } => {
                    measured.missing.push(format!("{}: over {seconds} s, {command}", device.name()));
                }
                Ran::Without(data) => measured.missing.push(format!("the data set {data} is not there")),
            }
        }
        Ok(())
    }

    /// Each count that is of this scale must be found, unless something is missing anyway. Saved rows may be of less than what
    /// is measured now, so alone they must have it, and beside others need not.
    fn check(&self, definition: &Definition, measured: &Measured) -> Result<()> {
        let Measured { all, missing, .. } = measured;
        let are_all_saved = all.iter().all(|rows| rows.is_saved);
        for count in &definition.counts {
            let (mut n_checked, mut is_wanted) = (0, false);
            for rows in all {
                if let Some(n) = rows.check(count, self.scale)? {
                    n_checked += n;
                    is_wanted |= are_all_saved || !rows.is_saved;
                }
            }
            let is_found = n_checked > 0 || !is_wanted || !missing.is_empty();
            ensure!(is_found, "count: no row of {} has {}", count.rows(), count.column);
        }
        Ok(())
    }
}

/// The points as a file.
fn numbers(points: &[points::Point]) -> String {
    let head = ["panel", "series", "x", "y", "seen"].map(str::to_owned).to_vec();
    let line = |point: &points::Point| {
        let seen = if point.is_bound { "over" } else { "measured" };
        vec![point.panel.clone(), point.series.clone(), point.x.clone(), point.y.to_string(), seen.to_owned()]
    };
    csv(&Table { head, lines: points.iter().map(line).collect() })
}

fn csv(table: &Table) -> String {
    let quoted = |text: &String| match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.clone(),
    };
    let line = |line: &Vec<String>| line.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    std::iter::once(&table.head).chain(&table.lines).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{Measured, Work, csv};
    use crate::figures::definition::Definition;
    use crate::figures::points::Table;
    use crate::figures::rows::example;
    use std::path::PathBuf;

    #[test]
    fn a_count_that_nothing_has_is_an_error() {
        let work = Work {
            definitions: PathBuf::new(),
            figures: PathBuf::new(),
            scale: 1.0,
            again: false,
            has_gpu: false,
            prices: Vec::new(),
            python: PathBuf::new(),
        };
        let folder = crate::cargo::root().join("xtask/figures");
        let mut definition = Definition::read(&folder, "iterative-ra-table-1").unwrap();
        definition.counts.truncate(1);
        definition.counts[0].of = [("graph".to_owned(), "none".to_owned())].into();
        let all = vec![example("graph,tuples", &["wing,329438"])];
        let measured = Measured { all, ..Measured::default() };
        let error = work.check(&definition, &measured).unwrap_err().to_string();
        assert_eq!(error, "count: no row of graph none has tuples");
        let missing = Measured { missing: vec!["needs a GPU".to_owned()], ..measured };
        work.check(&definition, &missing).unwrap();
    }

    #[test]
    fn commas_are_quoted() {
        let lines = vec![vec!["cpu, 2 \"threads\"".to_owned(), "1".to_owned()]];
        let table = Table { head: vec!["a".to_owned(), "b".to_owned()], lines };
        assert_eq!(csv(&table), "a,b\n\"cpu, 2 \"\"threads\"\"\",1\n");
    }
}
