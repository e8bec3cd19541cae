//! Runs a program by its script, and reads what that prints: version, number of what was found, seconds of runs, and on
//! standard error how much the largest process had in memory.

use crate::bench::measure::Times;
use crate::bench::peers::{self, Seen};
use crate::cargo::at_root;
use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::path::Path;

/// Runs to take the median of, after one that is not counted. One that takes long is measured once.
const RUNS: u32 = 3;

/// What is run.
pub(super) struct Script<'a> {
    pub(super) python: &'a Path,
    pub(super) text: &'a str,
    pub(super) program: &'a str,
    pub(super) job: &'a str,
    pub(super) table: &'a Path,
    pub(super) output: &'a Path,
    pub(super) most_seconds: u32,
    /// A word for this program alone.
    pub(super) more: &'a OsStr,
    /// Where its own modules are.
    pub(super) modules: &'a Path,
}

/// What came of it.
pub(super) struct Told {
    pub(super) version: String,
    pub(super) seen: Seen,
    pub(super) peak_mib: Option<f64>,
}

impl Script<'_> {
    /// Runs it. `n_written` counts what it wrote, which must be as many as it says.
    pub(super) fn run(&self, n_written: impl FnOnce(&Path) -> Result<usize>) -> Result<Told> {
        // What an earlier run left would be taken for an answer.
        drop(std::fs::remove_file(self.output));
        let mut command = at_root(self.python);
        command.args(["-c", self.text, self.program, self.job]).args([self.table, self.output]);
        command.args([RUNS.to_string(), self.most_seconds.to_string()]).arg(self.more);
        command.env("PYTHONPATH", self.modules).env("PYTHONWARNINGS", "ignore");
        // One that learns goes through sets in their order, and would come to other entities each time.
        command.env("PYTHONHASHSEED", "0");
        let ran = command.output().context("cannot start Python")?;
        let said = String::from_utf8_lossy(&ran.stderr);
        if !ran.status.success() {
            bail!("it failed ({}): {}", ran.status, last_words(&said));
        }
        let n_found = if self.output.is_file() { n_written(self.output)? } else { 0 };
        parse(self.program, n_found, &String::from_utf8_lossy(&ran.stdout), &said)
            .with_context(|| format!("what the script of {} printed is not as expected", self.program))
    }
}

fn parse(program: &str, n_found: usize, printed: &str, said: &str) -> Result<Told> {
    let (name, seen) = peers::parse(program, n_found as u64, |n| n == RUNS as usize || n == 1, printed)?;
    let version = name.strip_prefix(program).unwrap_or(&name).trim().to_owned();
    ensure!(!version.is_empty(), "it does not say which version it is");
    Ok(Told { version, seen, peak_mib: peak_mib(said) })
}

/// `peak 20480 KiB` is 20.
fn peak_mib(said: &str) -> Option<f64> {
    let line = said.lines().rev().find_map(|line| line.strip_prefix("peak ")?.strip_suffix(" KiB"))?;
    Some(line.parse::<f64>().ok()? / 1024.0)
}

/// The last line that says something, but for memory.
fn last_words(said: &str) -> &str {
    let is_word = |line: &&str| !line.trim().is_empty() && !line.starts_with("peak ");
    said.lines().rev().find(is_word).unwrap_or("it said nothing")
}

impl Told {
    /// The times, where it came to an end.
    pub(super) fn times(&self) -> Option<&Times> {
        match &self.seen {
            Seen::Times(times) => Some(times),
            Seen::Nothing(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{last_words, parse};
    use crate::bench::peers::Seen;

    #[test]
    fn what_a_script_prints_is_read() {
        let told =
            parse("duckdb", 7, "2.0.0 with ICU\n7\n0.5 0.25 0.3\n", "a warning\npeak 20480 KiB\n").unwrap();
        assert_eq!((told.version.as_str(), told.peak_mib), ("2.0.0 with ICU", Some(20.0)));
        assert_eq!(told.times().unwrap().median(), 0.3);
        let over = parse("duckdb", 0, "2.0.0\nover 60 s\n", "").unwrap();
        assert!(matches!(&over.seen, Seen::Nothing(why) if why == "over 60 s"));
        assert!(over.times().is_none() && over.peak_mib.is_none());
        for wrong in ["", "2.0.0\n", "2.0.0\n8\n1 1 1\n", "2.0.0\n7\n1 1\n", "2.0.0\nelse\n"] {
            assert!(parse("duckdb", 7, wrong, "").is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_script_that_fails_says_why() {
        assert_eq!(last_words("Traceback\nValueError: no\n\npeak 5 KiB\n"), "ValueError: no");
        assert_eq!(last_words(""), "it said nothing");
    }
}
