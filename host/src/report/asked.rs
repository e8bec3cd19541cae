//! What was asked: the command, its arguments, the rules as they are written, and the tables.
//!
//! Nothing here is of the machine. Paths are told as they lead from the working folder; of one that leads out of it only the
//! file's name is told.

use crate::base::json::float;
use crate::base::stdin::is_stdin;
use crate::job::Prepared;
use crate::read::table::Table;
use crate::tell::report::Summary;
use serde_json::{Value, json};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use toml::de::{DeTable, DeValue};

/// Characters of the rules that are shown.
const MOST_RULES: usize = 100_000;

/// Which values of records a report has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownValues {
    /// None: neither of pairs, nor of columns or blocks. Ids are there.
    None,
    /// Those of the pairs that are shown, and the most frequent ones.
    #[default]
    Sample,
}

impl ShownValues {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sample => "sample",
        }
    }
}

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The command.
    pub command: &'static str,
    /// Its arguments, as they were given.
    pub arguments: Vec<String>,
    /// The file of rules.
    pub rules: PathBuf,
    /// Which values are shown.
    pub values: ShownValues,
    /// How many pairs are to be labelled.
    pub label_sample: usize,
}

impl Asked {
    /// All of it, of a job; what came of it is added later.
    pub(super) fn json(&self, job: &Prepared) -> Value {
        let arguments: Vec<String> =
            self.arguments.iter().map(|argument| without_folders(argument)).collect();
        let (tables, sides) = (tables(job), [&job.left, job.right()].map(name));
        let rules = self.rules_text();
        let key = key(&[
            self.command,
            &tables.to_string(),
            rules.as_deref().unwrap_or_default(),
            &self.label_sample.to_string(),
        ]);
        json!({
            "key": key,
            "command": self.command,
            "asked": arguments,
            "rules_file": from_here(&self.rules),
            "rules_text": rules.map(|text| super::cut::shortened(&named_alone(&text, job), MOST_RULES)),
            "device": null,
            "time_ms": null,
            "tables": tables,
            "comparisons": { "all": job.n_pairs() },
            "is_link": job.second().is_some(),
            "sides": sides,
        })
    }

    fn rules_text(&self) -> Option<String> {
        if is_stdin(&self.rules) { None } else { fs::read_to_string(&self.rules).ok() }
    }

    /// What each rule asks for, as it is written.
    pub(super) fn conditions(&self) -> Vec<String> {
        let Some(text) = self.rules_text() else { return Vec::new() };
        let Ok(file) = DeTable::parse(&text) else { return Vec::new() };
        let Some(DeValue::Array(rules)) = file.get_ref().get("rules").map(|rules| rules.get_ref()) else {
            return Vec::new();
        };
        let condition = |rule: &DeValue<'_>| match rule {
            DeValue::Table(rule) => match rule.get("when").map(|when| when.get_ref()) {
                Some(DeValue::String(when)) => Some(when.trim().to_owned()),
                _ => None,
            },
            _ => None,
        };
        rules.iter().filter_map(|rule| condition(rule.get_ref())).collect()
    }
}

/// Adds what a job came to.
pub(super) fn add_outcome(job: &mut Value, summary: &Summary) {
    job["device"] = summary.device.as_str().into();
    job["time_ms"] = float((summary.stages.total().as_secs_f64() * 1e6).round() / 1e3);
    job["comparisons"] = json!({
        "all": summary.n_pairs,
        "compared": summary.compared.most,
        "compared_is_exact": summary.compared.is_exact,
        "ruled_out_unseen": summary.n_unseen(),
    });
}

fn name(table: &Table) -> String {
    table.files().into_iter().map(from_here).collect::<Vec<_>>().join(", ")
}

fn tables(job: &Prepared) -> Value {
    let several = job.tables();
    if !several.is_empty() {
        let table = |(name, n): &(String, u32)| json!({ "name": name, "records": n, "side": null });
        return several.iter().map(table).collect();
    }
    let table = |table: &Table, side: Option<&str>| json!({ "name": name(table), "records": table.n_records(), "side": side });
    match job.second() {
        None => json!([table(&job.left, None)]),
        Some(right) => json!([table(&job.left, Some("left")), table(right, Some("right"))]),
    }
}

/// A path as it leads from the working folder; of one that leads out of it the file's name.
pub(super) fn from_here(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let inner = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let path = inner.as_deref().unwrap_or(path);
    let leads_out = path.components().any(|it| !matches!(it, Component::Normal(_) | Component::CurDir));
    match path.file_name().filter(|_| leads_out) {
        Some(name) => name.to_string_lossy().into_owned(),
        None if leads_out => String::new(),
        None => path.display().to_string(),
    }
}

/// An argument, which may be a path, or an option with one behind `=`.
fn without_folders(argument: &str) -> String {
    let (option, value) = match argument.split_once('=').filter(|(option, _)| option.starts_with('-')) {
        Some((option, value)) => (format!("{option}="), value),
        None => (String::new(), argument),
    };
    let is_path = value.contains('/') || value == ".." || value.contains('\\');
    // Several of them may stand behind each other: places, columns.
    let parts = value.split(',').map(|part| match part.contains('/') && is_path {
        true => from_here(Path::new(part)),
        false => part.to_owned(),
    });
    option + &parts.collect::<Vec<_>>().join(",")
}

/// Rules, with the files that they name by folders outside named alone.
fn named_alone(text: &str, job: &Prepared) -> String {
    let weights = job.scoring().and_then(|scoring| scoring.weights_file());
    let files: Vec<&Path> = job.lookups.iter().map(PathBuf::as_path).chain(weights).collect();
    let mut shown = String::with_capacity(text.len());
    for piece in text.split_inclusive(['"', '\'']) {
        let (inner, quote) = piece.split_at(piece.len() - usize::from(piece.ends_with(['"', '\''])));
        let path = Path::new(inner);
        let is_file = inner.contains('/') && files.iter().any(|file| file.file_name() == path.file_name());
        shown += &if is_file { from_here(path) } else { inner.to_owned() };
        shown += quote;
    }
    shown
}

/// A digest of texts: marks in a browser are kept by it.
fn key(texts: &[&str]) -> String {
    let digest = |seed: u64| {
        let bytes = texts.iter().flat_map(|text| text.bytes().map(u64::from).chain([256]));
        // FNV-1a (Fowler, Noll and Vo).
        bytes.fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| (hash ^ byte).wrapping_mul(0x0100_0000_01b3))
    };
    format!("{:016x}{:016x}", digest(0), digest(0x9e37_79b9_7f4a_7c15))
}

/// This moment, in UTC.
pub(super) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let moment = chrono::DateTime::from_timestamp(since.as_secs() as i64, 0);
    moment.map_or(String::new(), |moment| format!("{:?}Z", moment.naive_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_out_are_names() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(from_here(Path::new("data/people.csv")), "data/people.csv");
        assert_eq!(from_here(Path::new("/home/ann/people.csv")), "people.csv");
        assert_eq!(from_here(Path::new("../people.csv")), "people.csv");
        assert_eq!(from_here(&here.join("people.csv")), "people.csv");
        assert_eq!(without_folders("--truth=/home/ann/truth.csv"), "--truth=truth.csv");
        assert_eq!(without_folders("--columns"), "--columns");
        assert_eq!(without_folders("-"), "-");
        assert_eq!(without_folders("cuda:0,cpu"), "cuda:0,cpu");
    }

    #[test]
    fn other_jobs_have_other_keys() {
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
        assert_ne!(key(&["a", "b"]), key(&["ab", ""]));
        assert_eq!(key(&[]).len(), 32);
    }

    #[test]
    fn a_moment_is_written_as_iso_8601_has_it() {
        let now = now();
        assert!(now.len() == 20 && now.ends_with('Z') && now.as_bytes()[10] == b'T', "{now}");
    }
}
