//! One figure from its definition to its files: it is measured, checked, drawn and described.
//!
//! Files are only replaced when all of that went well: one that fails keeps those of an earlier call.

use super::definition::{Definition, Device, Kind, Run, paper};
use super::drawing::{self, Picture};
use super::page::{self, Section};
use super::points::{self, Table};
use super::rows::Rows;
use super::runs::{self, Ran, Runner};
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
    pub(super) runner: Runner,
    pub(super) prices: Vec<(String, f64)>,
    /// What draws; nothing, if nothing is drawn.
    pub(super) python: Option<PathBuf>,
}

/// Why there is nothing, where nothing was saved.
const NO_GPU: &str = "needs a GPU";

/// What runs came to.
#[derive(Default)]
struct Measured {
    all: Vec<Rows>,
    /// Those of a GPU that were measured now, with the number of their run.
    of_gpu: Vec<(usize, Rows)>,
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
        for (ix, run) in definition.runs.iter().enumerate().filter(|(_, run)| run.is_for(self.scale)) {
            self.measure((name, ix + 1), run, &mut measured)?;
        }
        self.check(&definition, &measured)?;
        let Some(python) = &self.python else { return Ok(()) };
        let Measured { all, of_gpu, mut missing, notes } = measured;
        if all.is_empty() && missing.is_empty() {
            // A picture says so, too.
            missing.clone_from(&notes);
        }
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
        drawing::draw(python, &picture, &self.figures.join(name))?;
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
        page::write_section(&self.figures, &section)?;
        // Less than all of it is not worth keeping.
        if self.scale == 1.0 {
            of_gpu.iter().try_for_each(|(nth, rows)| saved::keep(&self.figures, name, *nth, rows))?;
        }
        Ok(())
    }

    /// Runs on each device that it is for, or takes what was saved of the figure's `nth` run.
    fn measure(&self, (name, nth): (&str, usize), run: &Run, measured: &mut Measured) -> Result<()> {
        if let Some(data) = &run.without {
            if runs::is_data(data) {
                return Ok(());
            }
            measured.notes.push(format!("{data} is not there: data is made in its shape"));
        }
        for device in &run.on {
            let ran = match self.runner.devices.contains(device) {
                true => self.runner.run(run, self.scale, *device)?,
                false => Ran::Not,
            };
            match ran {
                Ran::Rows(mut rows) => {
                    rows.is_made = run.without.is_some();
                    if *device == Device::Cuda {
                        measured.of_gpu.push((nth, rows.clone()));
                    }
                    measured.all.push(rows);
                }
                Ran::Over { seconds, command } => {
                    measured.missing.push(format!("{}: over {seconds} s, {command}", device.name()));
                }
                Ran::Without(data) => measured.missing.push(format!("the data set {data} is not there")),
                Ran::Not if *device == Device::Cpu => {
                    let note = "The CPU was not measured (--device, --measured)".to_owned();
                    if !measured.notes.contains(&note) {
                        measured.notes.push(note);
                    }
                }
                Ran::Not => match saved::rows(&root().join("results"), name, nth, run)? {
                    Some(rows) => measured.all.push(rows),
                    // What stands in for data need not stand in for a GPU.
                    None if run.without.is_some() => {}
                    None if measured.missing.iter().any(|why| why == NO_GPU) => {}
                    None => measured.missing.push(NO_GPU.to_owned()),
                },
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
    use crate::figures::runs::Runner;
    use std::path::PathBuf;

    #[test]
    fn a_count_that_nothing_has_is_an_error() {
        let work = Work {
            definitions: PathBuf::new(),
            figures: PathBuf::new(),
            scale: 1.0,
            runner: Runner {
                devices: Vec::new(),
                is_again: false,
                most_seconds: None,
                program: None,
                measured: None,
            },
            prices: Vec::new(),
            python: None,
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
