//! Programs beside each other, drawn and dated for `cargo xtask compare` as the papers' figures are: a panel for each job.

use super::definition::Plot;
use super::drawing::{self, Picture};
use super::page;
use super::points::{Point, Table};
use super::rows::Taken;
use anyhow::Result;
use std::path::Path;

/// What the part of `results/README.md` begins with that figures write anew.
pub(crate) const FIGURES: &str = page::HEADING;

/// How long a program took for a job.
pub(crate) struct Bar {
    pub(crate) job: String,
    pub(crate) program: String,
    pub(crate) seconds: f64,
    /// Whether it was ended then.
    pub(crate) is_bound: bool,
}

/// A number as pages have it.
pub(crate) fn rounded(number: f64) -> String {
    page::rounded(number)
}

/// Draws to `stem.svg`, `stem.png`, and both dark.
pub(crate) fn draw(title: String, bars: Vec<Bar>, stem: &Path) -> Result<()> {
    let plot: Plot = toml::from_str("kind = \"beside\"\nx_label = \"seconds\"\nlog_x = true")?;
    let point = |bar: Bar| {
        let Bar { job, program, seconds, is_bound } = bar;
        Point { panel: job, x: program.clone(), series: program, y: seconds, is_bound }
    };
    let points: Vec<Point> = bars.into_iter().map(point).collect();
    let picture = Picture {
        title,
        plot: Some(&plot),
        points: points.iter().collect(),
        table: &Table::default(),
        missing: &[],
    };
    drawing::draw(&drawing::python()?, &picture, stem)
}

/// When, at which commit, by which command and where what is saved beside this text was measured.
pub(crate) fn taken(text: &Path) -> String {
    let Taken { command, date, commit, cpu, gpu } = Taken::read(text);
    let machine = if gpu == "none" || gpu == "unknown" { cpu } else { format!("{cpu}; {gpu}") };
    format!("Measured {date}, commit {commit}, {machine}: `{command}`")
}
