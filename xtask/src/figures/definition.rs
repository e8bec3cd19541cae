//! A figure as its file defines it: what is run, what it must find, how it is drawn, and what the paper states.
//!
//! The file is named for the paper and the place: `skewed-joins-figure-4b.toml`. A key that is not known is an error that names
//! the file, the line and the keys that are.

use super::variants;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What files begin with, and the paper.
const PAPERS: [(&str, &str); 5] = [
    ("hyperblocker", "HyperBlocker"),
    ("gpudet", "Duplicate Detection on GPUs"),
    ("fgssjoin", "fgssjoin"),
    ("iterative-ra", "Towards Iterative Relational Algebra on the GPU"),
    ("skewed-joins", "CPU and GPU Hash Joins on Skewed Data"),
];

/// A figure or a table of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    /// What it shows.
    pub(super) title: String,
    /// Where it stands in the paper.
    pub(super) place: String,
    /// What is not as in the paper, in a sentence.
    pub(super) differs: String,
    /// Why it is not measured at all.
    pub(super) left_out: Option<String>,
    /// What the paper measured on.
    pub(super) paper_machine: Option<String>,
    #[serde(default, rename = "run")]
    pub(super) runs: Vec<Run>,
    #[serde(default, rename = "count")]
    pub(super) counts: Vec<Count>,
    pub(super) plot: Option<Plot>,
    #[serde(default, rename = "paper")]
    pub(super) stated: Vec<Stated>,
}

/// A benchmark to run, once on each device.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    /// The words after `cargo xtask`. `{device}` stands for `cpu` or `cuda`, others in braces for what `scaled` has.
    pub(super) words: Vec<String>,
    /// The file that it writes and that is read.
    pub(super) file: String,
    #[serde(default)]
    pub(super) scaled: BTreeMap<String, Scaled>,
    #[serde(default = "everywhere")]
    pub(super) on: Vec<Device>,
    /// It is ended after so many seconds, on each device.
    pub(super) limit_s: u64,
    /// Only with this scale or a greater one.
    pub(super) from: Option<f64>,
    /// Only with a smaller scale.
    pub(super) below: Option<f64>,
    /// Only where this data set is.
    pub(super) data: Option<String>,
    /// Only where this data set is not: data is made in its shape.
    pub(super) without: Option<String>,
    /// Saved results of a GPU, below `results`, for machines that have none.
    pub(super) saved: Option<String>,
}

/// Where a benchmark is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Device {
    Cpu,
    Cuda,
}

impl Device {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        }
    }
}

fn everywhere() -> Vec<Device> {
    vec![Device::Cpu, Device::Cuda]
}

/// Numbers that shrink with the scale, but not below the least.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scaled {
    pub(super) full: Vec<u64>,
    pub(super) least: u64,
}

/// What a column must hold in the rows that are meant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Count {
    pub(super) column: String,
    pub(super) value: u64,
    #[serde(default, rename = "where")]
    pub(super) of: BTreeMap<String, String>,
    /// Only with this scale; else with every one.
    pub(super) scale: Option<f64>,
}

impl Count {
    /// The rows that are meant.
    pub(super) fn rows(&self) -> String {
        let of = self.of.iter().map(|(column, value)| format!("{column} {value}")).collect::<Vec<_>>();
        if of.is_empty() { "all rows".to_owned() } else { of.join(", ") }
    }
}

/// How it is drawn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plot {
    pub(super) kind: Kind,
    /// Only rows with one of these values in a column.
    #[serde(default)]
    pub(super) only: BTreeMap<String, Vec<String>>,
    /// The column along the axis.
    #[serde(default)]
    pub(super) x: String,
    #[serde(default)]
    pub(super) x_label: String,
    /// The column of heights, in the unit that the label names.
    #[serde(default)]
    pub(super) y: String,
    #[serde(default)]
    pub(super) y_label: String,
    /// The column that says which variant a row is of.
    pub(super) series: Option<String>,
    /// Which variants are drawn, in this order [default: all that were found].
    #[serde(default)]
    pub(super) variants: Vec<String>,
    /// Values of that column that are drawn as another variant.
    #[serde(default)]
    pub(super) named: BTreeMap<String, String>,
    /// A column of `name=value` with semicolons between: a variant each.
    pub(super) parts: Option<String>,
    /// Columns that are a variant each.
    #[serde(default)]
    pub(super) wide: Vec<String>,
    /// Columns whose values have a panel each, beside the device.
    #[serde(default)]
    pub(super) panels: Vec<String>,
    /// Heights are divided by this variant's.
    pub(super) relative_to: Option<String>,
    #[serde(default)]
    pub(super) log_x: bool,
    #[serde(default)]
    pub(super) log_y: bool,
    /// What a table shows.
    #[serde(default)]
    pub(super) columns: Vec<String>,
    /// A table has prices beside times, of this column.
    pub(super) priced: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Lines,
    Bars,
    Stacks,
    /// Bars side by side, each with its name.
    Beside,
    Table,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Bars => "bars",
            Self::Stacks => "stacks",
            Self::Beside => "beside",
            Self::Table => "table",
        }
    }
}

/// What the paper states, in a table or in its text. A number that has a variant and a place on the axis is drawn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stated {
    pub(super) panel: Option<String>,
    pub(super) series: Option<String>,
    pub(super) x: Option<String>,
    pub(super) value: Value,
    /// Where it stands.
    pub(super) at: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Value {
    Number(f64),
    Text(String),
}

/// The names of all definitions, in the order of papers, then of places.
pub(super) fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let name = |entry: fs::DirEntry| entry.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned);
    let mut names: Vec<String> = entries.flatten().filter_map(name).collect();
    let paper = |name: &String| PAPERS.iter().position(|(begin, _)| name.starts_with(begin));
    names.sort_by_key(|name| (paper(name), name.clone()));
    Ok(names)
}

/// The paper that a file is named for.
pub(super) fn paper(name: &str) -> Result<&'static str> {
    let found =
        PAPERS.iter().find(|(begin, _)| name.strip_prefix(begin).is_some_and(|rest| rest.starts_with('-')));
    let known = || PAPERS.map(|(begin, _)| begin).join(", ");
    found
        .map(|(_, paper)| *paper)
        .with_context(|| format!("{name}.toml begins with no paper: they are {}", known()))
}

impl Definition {
    pub(super) fn read(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(format!("{name}.toml"));
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Self> {
        let definition: Self = toml::from_str(text)?;
        definition.check()?;
        Ok(definition)
    }

    /// What serde cannot know: which keys need each other, and which variants there are.
    fn check(&self) -> Result<()> {
        if self.left_out.is_some() {
            ensure!(
                self.runs.is_empty() && self.plot.is_none(),
                "left_out: then there is no run and no plot"
            );
            return Ok(());
        }
        ensure!(!self.runs.is_empty(), "run: there is none, and no left_out says why");
        let plot = self.plot.as_ref().context("plot: there is none")?;
        for (ix, run) in self.runs.iter().enumerate() {
            run.check().with_context(|| format!("run {}", ix + 1))?;
        }
        let known = |key: &str, name: &String| {
            ensure!(variants::known(name).is_some(), "{key}: unknown variant {name:?}");
            Ok(())
        };
        plot.variants.iter().try_for_each(|name| known("plot.variants", name))?;
        plot.named.values().try_for_each(|name| known("plot.named", name))?;
        plot.relative_to.iter().try_for_each(|name| known("plot.relative_to", name))?;
        self.stated
            .iter()
            .filter_map(|stated| stated.series.as_ref())
            .try_for_each(|name| known("paper.series", name))?;
        if plot.kind == Kind::Table {
            ensure!(!plot.columns.is_empty(), "plot.columns: a table wants some");
            return Ok(());
        }
        ensure!(!plot.x.is_empty() && !plot.x_label.is_empty(), "plot.x and plot.x_label: both are wanted");
        ensure!(!plot.y_label.is_empty(), "plot.y_label: it names the unit");
        let ways = [plot.series.is_some(), plot.parts.is_some(), !plot.wide.is_empty()];
        ensure!(
            ways.iter().filter(|way| **way).count() == 1,
            "plot: one of series, parts and wide is wanted"
        );
        ensure!(plot.series.is_none() || !plot.y.is_empty(), "plot.y: with series it is wanted");
        Ok(())
    }
}

impl Run {
    fn check(&self) -> Result<()> {
        let first = self.words.first().map_or("", String::as_str);
        ensure!(["bench", "ablate", "simulate"].contains(&first), "words: {first:?} measures nothing");
        ensure!(!self.words.iter().any(|word| word.starts_with("--save")), "words: --save is added here");
        ensure!(!self.on.is_empty(), "on: no device");
        ensure!(self.limit_s > 0, "limit_s: nothing takes no time");
        self.words_at(1.0, Device::Cpu).map(|_| ())
    }

    /// Whether it is this run's turn.
    pub(super) fn is_for(&self, scale: f64) -> bool {
        self.from.is_none_or(|from| scale >= from) && self.below.is_none_or(|below| scale < below)
    }

    /// The words with what stands in braces filled in.
    pub(super) fn words_at(&self, scale: f64, device: Device) -> Result<Vec<String>> {
        let filled = |word: &String| -> Result<String> {
            let Some((before, rest)) = word.split_once('{') else { return Ok(word.clone()) };
            let (name, after) =
                rest.split_once('}').with_context(|| format!("words: {word:?} does not close"))?;
            let value = match (name, self.scaled.get(name)) {
                ("device", _) => device.name().to_owned(),
                (_, Some(scaled)) => scaled.at(scale),
                (_, None) => anyhow::bail!("words: {{{name}}}, but scaled has no {name}"),
            };
            Ok(format!("{before}{value}{after}"))
        };
        self.words.iter().map(filled).collect()
    }
}

impl Scaled {
    /// With commas between. What shrinks to the same number comes once.
    fn at(&self, scale: f64) -> String {
        let mut numbers: Vec<u64> =
            self.full.iter().map(|full| ((*full as f64 * scale).round() as u64).max(self.least)).collect();
        numbers.dedup();
        numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::{Definition, Device, names, paper};
    use crate::cargo::root;

    const GOOD: &str = r#"
        title = "t"
        place = "Figure 1"
        differs = "nothing"
        [[run]]
        words = ["bench", "join", "--rows", "{rows}", "--device={device}"]
        file = "join.csv"
        limit_s = 5
        scaled.rows = { full = [1000, 2000], least = 100 }
        [plot]
        kind = "lines"
        x = "s"
        x_label = "zipf factor"
        y = "median_s"
        y_label = "seconds"
        series = "method"
        variants = ["cbase", "csh"]
    "#;

    fn fails(from: &str, to: &str, says: &str) {
        assert!(GOOD.contains(from), "{from}");
        let error = format!("{:#}", Definition::parse(&GOOD.replace(from, to)).unwrap_err());
        assert!(error.contains(says), "{error}");
    }

    #[test]
    fn words_are_filled_in() {
        let run = Definition::parse(GOOD).unwrap().runs.remove(0);
        let words = run.words_at(0.5, Device::Cuda).unwrap();
        assert_eq!(words, ["bench", "join", "--rows", "500,1000", "--device=cuda"]);
        assert_eq!(run.words_at(0.001, Device::Cpu).unwrap()[3], "100");
    }

    #[test]
    fn what_is_wrong_is_named() {
        fails("limit_s = 5", "limit_s = 5\nlimt = 3", "unknown field `limt`");
        fails("\"csh\"", "\"cshh\"", "unknown variant \"cshh\"");
        fails("{rows}", "{edges}", "scaled has no edges");
        fails("\"bench\"", "\"demo\"", "measures nothing");
        fails("series = \"method\"", "", "one of series");
        fails("title = \"t\"", "", "missing field `title`");
        fails("kind = \"lines\"", "kind = \"pies\"", "pies");
        fails("differs = \"nothing\"", "differs = \"nothing\"\nleft_out = \"why\"", "left_out");
    }

    #[test]
    fn all_definitions_are_right() {
        let folder = root().join("xtask/figures");
        let all = names(&folder).unwrap();
        assert!(all.len() >= 29, "{all:?}");
        for name in all {
            paper(&name).unwrap();
            let definition = Definition::read(&folder, &name).unwrap();
            for run in &definition.runs {
                if let Some(saved) = &run.saved {
                    assert!(root().join("results").join(saved).is_file(), "{name}: {saved}");
                }
            }
        }
    }
}
