//! The files of jobs: made with a seed, so that any checkout has the same, in the build folder.
//!
//! People are those of `cargo xtask gen people --skew 0.8`, each with a title of `cargo xtask gen titles` for a description. Ids
//! are numbers, and letters have no accents: some programs count edits of bytes.

use super::job::{Ask, Job};
use crate::bench::job::work::shift;
use crate::cargo::{root, target};
use crate::r#gen::{self, Command, fold};
use crate::paths::rule_file;
use crate::replace::replace;
use anyhow::{Context, Result};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const SEED: u64 = 7;
const DUPLICATES: f64 = 0.2;
const SKEW: f64 = 0.8;
/// What both get for entities.
const RULES: &str = "people.toml";
const WEIGHTS: &str = "people.weights.toml";

/// A job whose files are there.
pub(super) struct Ready {
    pub(super) job: &'static Job,
    /// Records, or pairs of a file of pairs.
    pub(super) rows: u32,
    pub(super) table: PathBuf,
    /// Where rules and answers are.
    pub(super) folder: PathBuf,
}

impl Ready {
    /// Makes what is not there.
    pub(super) fn make(job: &'static Job, scale: f64) -> Result<Self> {
        let rows = job.rows(scale);
        let folder = target().join("compare").join("jobs").join(format!("{}-{rows}", job.name));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let (rows, table) = match job.ask {
            Ask::Pairs(conditions) => {
                write(&folder.join("rules.toml"), &rule_file(conditions))?;
                (rows, people(rows)?)
            }
            Ask::Components => (rows, pairs(rows)?),
            Ask::Truth => {
                let from = root().join("xtask/compare").join(RULES);
                fs::copy(&from, folder.join(RULES))
                    .with_context(|| format!("cannot copy {}", from.display()))?;
                let table = root().join("examples/people/people.csv");
                (fs::read_to_string(&table)?.lines().count() as u32 - 1, table)
            }
        };
        Ok(Self { job, rows, table, folder })
    }

    /// The rules that entities are found by.
    pub(super) fn rules(&self) -> PathBuf {
        self.folder.join(RULES)
    }

    /// Who is who, where it is known.
    pub(super) fn truth(&self) -> PathBuf {
        self.table.with_file_name("truth.csv")
    }

    /// What the engine is started with, one process after the other.
    pub(super) fn commands(&self, device: &str, output: &Path) -> Vec<Vec<String>> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let command = |verb: &str, more: &[&str]| {
            let table = text(&self.table);
            let words = [&[verb, &table], more, &["--device", device]].concat();
            words.into_iter().map(str::to_owned).collect::<Vec<String>>()
        };
        let output = text(output);
        match self.job.ask {
            Ask::Pairs(_) => {
                let rules = text(&self.folder.join("rules.toml"));
                vec![command("dedupe", &["--rules", &rules, "--output", &output])]
            }
            Ask::Components => vec![command("cluster", &["--output", &output])],
            Ask::Truth => {
                let (rules, weights) = (text(&self.rules()), text(&self.folder.join(WEIGHTS)));
                vec![
                    command("fit", &["--rules", &rules, "--output", &weights]),
                    command("resolve", &["--rules", &rules, "--output", &output]),
                ]
            }
        }
    }

    /// The same job over people with every threshold so much higher.
    pub(super) fn shifted(&self, by: f64) -> Result<Self> {
        let folder = self.folder.join("shifted");
        let conditions: Vec<String> = match self.job.ask {
            Ask::Pairs(conditions) => conditions.iter().map(|condition| shift(condition, by)).collect(),
            Ask::Components | Ask::Truth => Vec::new(),
        };
        let conditions: Vec<&str> = conditions.iter().map(String::as_str).collect();
        write(&folder.join("rules.toml"), &rule_file(&conditions))?;
        Ok(Self { job: self.job, rows: self.rows, table: self.table.clone(), folder })
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    replace(path, |file| file.write_all(text.as_bytes()))
}

fn tables() -> PathBuf {
    target().join("compare").join("tables")
}

fn people(rows: u32) -> Result<PathBuf> {
    let made = tables().join(format!("people-{rows}.csv"));
    if made.is_file() {
        return Ok(made);
    }
    let parts = tables().join(format!("parts-{rows}"));
    let titles = parts.join("titles.csv");
    let (seed, duplicates, skew) = (SEED, DUPLICATES, Some(SKEW));
    r#gen::run(&Command::People { rows, seed, duplicates, skew, output: parts.clone() })?;
    r#gen::run(&Command::Titles { rows, seed, output: titles.clone() })?;
    let mut people = csv::Reader::from_path(parts.join("people.csv"))?;
    let mut titles = csv::Reader::from_path(&titles)?;
    let head = people.headers()?.iter().chain(["description"]).collect::<Vec<_>>().join(",");
    let mut lines = vec![head];
    for (id, (person, title)) in (1..).zip(people.records().zip(titles.records())) {
        let (person, title) = (person?, title?);
        let values = person.iter().skip(1).chain(title.get(1));
        lines.push(format!("{id},{}", values.map(plain).collect::<Vec<_>>().join(",")));
    }
    replace(&made, |file| lines.iter().try_for_each(|line| writeln!(file, "{line}")))?;
    fs::remove_dir_all(&parts)?;
    Ok(made)
}

/// Without accents.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match fold(letter) {
            Some(letters) => plain.push_str(letters),
            None if letter.is_ascii() => plain.push(letter),
            None => plain.push('?'),
        }
    }
    plain
}

/// So many pairs, each of any two of as many records: most are in one giant component, and others in small ones.
fn pairs(n: u32) -> Result<PathBuf> {
    let made = tables().join(format!("pairs-{n}.csv"));
    if made.is_file() {
        return Ok(made);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    replace(&made, |file| {
        writeln!(file, "left,right")?;
        for _ in 0..n {
            let (one, other) = (rng.random_range(1..=n), rng.random_range(1..n));
            // Another record: those from the first on move up by one.
            let other = if other >= one { other + 1 } else { other };
            writeln!(file, "{},{}", one.min(other), one.max(other))?;
        }
        Ok(())
    })?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::super::job::ALL;
    use super::{Ready, plain};
    use std::fs;
    use std::path::Path;

    #[test]
    fn files_of_all_jobs_are_made() {
        for job in &ALL {
            let ready = Ready::make(job, 0.0005).unwrap();
            let text = fs::read_to_string(&ready.table).unwrap();
            assert_eq!(text.lines().count(), ready.rows as usize + 1, "{}", job.name);
            assert!(job.name == "truth" || text.is_ascii(), "{}", job.name);
            let commands = ready.commands("cpu", Path::new("out.csv"));
            assert_eq!(commands.len(), if job.name == "truth" { 2 } else { 1 });
            assert!(commands.iter().all(|words| words.ends_with(&["--device".into(), "cpu".into()])));
        }
    }

    #[test]
    fn accents_go() {
        assert_eq!(plain("Åse Müller, Łódź ∞"), "Ase Mueller, Lodz ?");
    }
}
