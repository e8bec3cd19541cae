//! Benchmarks in processes of their own, each with a time limit.
//!
//! What a run finds stays in a folder below `target/figures/` that is named by its command. One that has ended at this commit is
//! not run again, so a call that was cut off goes on where it stopped, and figures that need the same run share it. A commit with
//! changes that are in none has one name, whatever they are: `--again` measures it anew. That folder can be carried to another
//! machine, and drawn there.

use super::definition::{Device, Run};
use super::rows::Rows;
use crate::bench::workload::data_sets;
use crate::cargo::{cargo, output, root, target};
use crate::record;
use crate::replace::replace;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often a run is looked at.
const PAUSE: Duration = Duration::from_millis(50);
/// Benchmarks that start the program itself.
const STARTS: [&str; 3] = ["growth", "job", "paper"];
/// A limit does not shrink below this.
const LEAST_S: u64 = 60;
/// What says that a run has ended, and how.
const STAMP: &str = "ended.txt";

/// How runs are made.
pub(super) struct Runner {
    /// What is measured on.
    pub(super) devices: Vec<Device>,
    /// Whether what has ended is run again.
    pub(super) is_again: bool,
    /// Each run is ended then, if not before.
    pub(super) most_seconds: Option<u64>,
    /// The program that benchmarks of whole processes start.
    pub(super) program: Option<PathBuf>,
    /// Where all runs are, if none is to be made.
    pub(super) measured: Option<PathBuf>,
}

/// What came of a run.
pub(super) enum Ran {
    Rows(Rows),
    /// It was ended after so many seconds.
    Over {
        seconds: u64,
        command: String,
    },
    /// The data set is not there.
    Without(String),
    /// Nothing was to be run, and nothing is there.
    Not,
}

impl Runner {
    /// Runs it, unless that was done before.
    pub(super) fn run(&self, run: &Run, scale: f64, device: Device) -> Result<Ran> {
        let words = run.words_at(scale, device)?;
        let command = format!("cargo xtask {}", words.join(" "));
        let limit_s = self.limit(run.limit_s, scale);
        let folder = self.measured.clone().unwrap_or_else(|| target().join("figures")).join(name(&command));
        let stamp = folder.join(STAMP);
        let ended = fs::read_to_string(&stamp).ok();
        if self.measured.is_some() && ended.is_none() {
            return Ok(Ran::Not);
        }
        let is_there = self.measured.is_some()
            || !self.is_again && ended.is_some_and(|ended| counts(&ended, limit_s, &record::commit()));
        if !is_there {
            if let Some(data) = &run.data
                && !is_data(data)
            {
                return Ok(Ran::Without(data.clone()));
            }
            // What a run that was cut off has left is not taken for its result.
            drop(fs::remove_dir_all(&folder));
            fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            println!("  {command}");
            let how = within(&self.more(words)?, &folder, limit_s).with_context(|| command.clone())?;
            replace(&stamp, |file| write!(file, "{how}\n{}\n", record::commit()))?;
        }
        let how = fs::read_to_string(&stamp)?;
        if let Some(seconds) = over(&how) {
            return Ok(Ran::Over { seconds, command });
        }
        let path = folder.join(&run.file);
        if !path.is_file() {
            bail!("file: {command} wrote no {}, but {}", run.file, written(&folder));
        }
        // Some files share the text of another that was written with them.
        let own = path.with_extension("txt");
        let text = if own.is_file() { own } else { first_text(&folder).unwrap_or(own) };
        Ok(Ran::Rows(Rows::read(&path, &text, device)?))
    }

    /// Less work has less time, so that all figures together take minutes.
    fn limit(&self, limit_s: u64, scale: f64) -> u64 {
        let shrunk = (limit_s as f64 * scale).round() as u64;
        shrunk.max(LEAST_S).min(limit_s).min(self.most_seconds.unwrap_or(limit_s))
    }

    /// A benchmark that starts the program is told which; it is built before, since a limit is not for that.
    fn more(&self, mut words: Vec<String>) -> Result<Vec<String>> {
        if words.get(1).is_some_and(|bench| STARTS.contains(&bench.as_str())) {
            match &self.program {
                Some(program) => words.extend(["--program".to_owned(), program.display().to_string()]),
                None => {
                    crate::cargo::run(cargo().args([
                        "build",
                        "--release",
                        "--quiet",
                        "--package",
                        "hyperblock",
                    ]))?;
                }
            }
        }
        Ok(words)
    }
}

/// Whether what ended counts: of this commit, and not over a limit that is now higher.
fn counts(ended: &str, limit_s: u64, commit: &str) -> bool {
    ended.lines().nth(1) == Some(commit) && over(ended).is_none_or(|seconds| seconds >= limit_s)
}

/// The limit that a run was over.
fn over(ended: &str) -> Option<u64> {
    ended.strip_prefix("over ")?.split(' ').next()?.parse().ok()
}

/// Whether a data set is there: a folder, or a file of one.
pub(super) fn is_data(data: &str) -> bool {
    data_sets().join(data).exists()
}

/// The folder of a command.
fn name(command: &str) -> String {
    let hash = Sha256::digest(command);
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// How a run ended: in time, or over it. One that fails is an error with what it said last.
fn within(words: &[String], folder: &Path, limit_s: u64) -> Result<String> {
    let log = folder.join("log.txt");
    let file = File::create(&log)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words).arg("--save").arg(folder).current_dir(root());
    command.stdout(file.try_clone()?).stderr(file);
    let mut child = command.spawn().context("cannot start")?;
    let begin = Instant::now();
    let limit = Duration::from_secs(limit_s);
    loop {
        if let Some(status) = child.try_wait()? {
            let said = fs::read_to_string(&log).unwrap_or_default();
            if !status.success() {
                bail!("{}", last_error(&said).unwrap_or("it failed, and said nothing"));
            }
            return Ok(format!("within {:.1} s", begin.elapsed().as_secs_f64()));
        }
        if begin.elapsed() > limit {
            // What it has started, too, from the innermost on: it would go on by itself.
            for process in below(child.id()) {
                drop(output(Command::new("kill").args(["-KILL", &process.to_string()])));
            }
            child.kill()?;
            child.wait()?;
            return Ok(format!("over {limit_s} s"));
        }
        sleep(PAUSE);
    }
}

/// The processes that a process has started, and those that they have, the innermost first.
fn below(process: u32) -> Vec<u32> {
    let children = format!("/proc/{process}/task/{process}/children");
    let children = fs::read_to_string(children).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    children.flat_map(|child| below(child).into_iter().chain([child])).collect()
}

fn last_error(said: &str) -> Option<&str> {
    let error = said.lines().rev().find_map(|line| line.strip_prefix("error: "));
    error.or_else(|| said.lines().rev().find(|line| !line.trim().is_empty()))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn written(folder: &Path) -> String {
    let files: Vec<String> = names(folder).into_iter().filter(|name| name.ends_with(".csv")).collect();
    if files.is_empty() { "nothing".to_owned() } else { files.join(", ") }
}

fn first_text(folder: &Path) -> Option<PathBuf> {
    let is_text = |name: &String| name.ends_with(".txt") && name != STAMP && name != "log.txt";
    names(folder).into_iter().find(is_text).map(|name| folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::{Runner, counts, is_data, last_error, name};

    #[test]
    fn a_run_has_a_folder() {
        let one = name("cargo xtask bench join --rows 10");
        assert_eq!(one, name("cargo xtask bench join --rows 10"));
        assert_ne!(one, name("cargo xtask bench join --rows 11"));
    }

    #[test]
    fn what_has_ended_counts() {
        assert!(counts("within 3.1 s\nabc\n", 60, "abc"));
        assert!(!counts("within 3.1 s\nabc\n", 60, "abd"));
        assert!(counts("over 60 s\nabc\n", 60, "abc"));
        assert!(!counts("over 60 s\nabc\n", 61, "abc"));
    }

    #[test]
    fn limits_shrink_with_the_scale() {
        let mut runner = Runner {
            devices: Vec::new(),
            is_again: false,
            most_seconds: None,
            program: None,
            measured: None,
        };
        let limits = [(7200, 1.0), (7200, 0.1), (7200, 0.001), (30, 0.5)];
        assert_eq!(limits.map(|(limit_s, scale)| runner.limit(limit_s, scale)), [7200, 720, 60, 30]);
        runner.most_seconds = Some(100);
        assert_eq!(limits.map(|(limit_s, scale)| runner.limit(limit_s, scale)), [100, 100, 60, 30]);
    }

    #[test]
    fn a_failed_run_says_why() {
        assert_eq!(
            last_error("a\nerror: invalid value 'x'\n\nFor more information\n"),
            Some("invalid value 'x'")
        );
        assert_eq!(last_error("panicked\n\n"), Some("panicked"));
        assert_eq!(last_error(""), None);
        assert!(!is_data("no_such_data_set"));
    }
}
