//! Pictures by matplotlib, light and dark, as SVG and as PNG. `draw.py` says how; it is given all of it as JSON.

use super::definition::{Kind, Plot};
use super::points::{Point, Table};
use super::variants;
use crate::cargo::at_root;
use crate::python::environment;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const SCRIPT: &str = include_str!("draw.py");
/// One version, so that the same numbers give the same picture.
const MATPLOTLIB: &str = "matplotlib==3.11.2";

/// What is drawn.
pub(super) struct Picture<'a> {
    pub(super) title: String,
    pub(super) plot: Option<&'a Plot>,
    pub(super) points: Vec<&'a Point>,
    pub(super) table: &'a Table,
    /// What is not there, and why.
    pub(super) missing: &'a [String],
}

/// The Python that draws.
pub(super) fn python() -> Result<PathBuf> {
    environment("figures-python", &[MATPLOTLIB])
}

/// Draws to `stem.svg`, `stem.png`, `stem-dark.svg` and `stem-dark.png`.
pub(super) fn draw(python: &Path, picture: &Picture<'_>, stem: &Path) -> Result<()> {
    if let Some(folder) = stem.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut command = at_root(python);
    command.args(["-c", SCRIPT]).arg(stem).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start Python")?;
    let told = picture.json().to_string();
    // It goes away before it has read all, if something is wrong: then its own words say what.
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(told.as_bytes()));
    let ended = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&ended.stderr);
    ensure!(
        ended.status.success(),
        "draw.py: {}",
        said.lines().last().unwrap_or("it failed, and said nothing")
    );
    written.unwrap_or(Ok(())).context("draw.py did not read what it is to draw")
}

impl Picture<'_> {
    fn json(&self) -> Value {
        let mut panels: Vec<&str> = Vec::new();
        for point in &self.points {
            if !panels.contains(&point.panel.as_str()) {
                panels.push(&point.panel);
            }
        }
        let points = |panel: &str| -> Vec<Value> {
            let here = self.points.iter().filter(|point| point.panel == panel);
            here.map(|point| json!([point.series, point.x, point.y, point.is_bound])).collect()
        };
        let series: Vec<Value> = self.series().into_iter().map(variant).collect();
        let text = |of: &dyn Fn(&Plot) -> String| self.plot.map_or_else(String::new, of);
        json!({
            "title": self.title,
            "kind": self.plot.map_or(Kind::Table, |plot| plot.kind).name(),
            "x_label": text(&|plot| plot.x_label.clone()),
            "y_label": text(&|plot| plot.y_label.clone()),
            "log_x": self.plot.is_some_and(|plot| plot.log_x),
            "log_y": self.plot.is_some_and(|plot| plot.log_y),
            "panels": panels.iter().map(|panel| json!({"name": panel, "points": points(panel)})).collect::<Vec<_>>(),
            "series": series,
            "head": self.table.head,
            "lines": self.table.lines,
            "missing": self.missing,
        })
    }

    /// The variants that are drawn, in the order of points.
    fn series(&self) -> Vec<&str> {
        let mut series: Vec<&str> = Vec::new();
        for point in &self.points {
            if !series.contains(&point.series.as_str()) {
                series.push(&point.series);
            }
        }
        series
    }
}

fn variant(name: &str) -> Value {
    let known = variants::known(name);
    let label = known.map_or(name, |known| known.label);
    let (colour, mark) = known.map_or(("ink", "o"), |known| (known.colour, known.mark));
    json!({"name": name, "label": label, "colour": colour, "mark": mark})
}

#[cfg(test)]
mod tests {
    use super::super::points::{Point, Table};
    use super::Picture;

    #[test]
    fn what_is_drawn_is_told() {
        let point = |panel: &str, series: &str| Point {
            panel: panel.to_owned(),
            series: series.to_owned(),
            x: "0.5".to_owned(),
            y: 2.0,
            is_bound: false,
        };
        let points = [point("cpu", "csh"), point("the paper", "cbase"), point("cpu", "cbase")];
        let picture = Picture {
            title: "t".to_owned(),
            plot: None,
            points: points.iter().collect(),
            table: &Table::default(),
            missing: &["needs a GPU".to_owned()],
        };
        let json = picture.json();
        assert_eq!(json["panels"].as_array().unwrap().len(), 2);
        assert_eq!(json["panels"][0]["points"].as_array().unwrap().len(), 2);
        assert_eq!(json["series"][1]["label"], "Cbase");
        assert_eq!(json["missing"][0], "needs a GPU");
    }
}
