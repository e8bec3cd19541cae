//! Benchmarks in processes of their own, each with a time limit.
//!
//! What a run finds stays in a folder below `target/figures/` that is named by its command, device, limit and commit. A run
//! that ended before is not run again, so a call that was cut off goes on where it stopped, and figures that need the same run
//! share it. A commit with changes that are in none has one name, whatever they are: `--again` measures it anew.

use super::definition::{Device, Run};
use super::rows::{Rows, Taken, read};
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
/// Benchmarks that build the program itself: that is done before, since a limit is not for it.
const BUILDS: [&str; 3] = ["growth", "job", "paper"];
/// A limit does not shrink below this.
const LEAST_S: u64 = 60;
/// What says that a run has ended, and how.
const STAMP: &str = "ended.txt";

/// What came of a run.
pub(super) enum Ran {
    Rows(Rows),
    /// It was ended after so many seconds.
    Over {
        device: Device,
        seconds: u64,
        command: String,
    },
    /// The data set is not there.
    Without(String),
}

/// Runs it, unless that was done before.
pub(super) fn run(run: &Run, scale: f64, device: Device, is_again: bool) -> Result<Ran> {
    if let Some(data) = &run.data
        && !is_there(data)
    {
        return Ok(Ran::Without(data.clone()));
    }
    let words = run.words_at(scale, device)?;
    let command = format!("cargo xtask {}", words.join(" "));
    let limit_s = limit(run.limit_s, scale);
    let folder = folder(&command, limit_s);
    let stamp = folder.join(STAMP);
    if is_again || !stamp.is_file() {
        // What a run that was cut off has left is not taken for its result.
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        println!("  {command}");
        if words.get(1).is_some_and(|bench| BUILDS.contains(&bench.as_str())) {
            crate::cargo::run(cargo().args(["build", "--release", "--quiet", "--package", "hyperblock"]))?;
        }
        let how = within(&words, &folder, limit_s).with_context(|| command.clone())?;
        replace(&stamp, |file| writeln!(file, "{how}"))?;
    }
    if fs::read_to_string(&stamp)?.starts_with("over") {
        return Ok(Ran::Over { device, seconds: limit_s, command });
    }
    let path = folder.join(&run.file);
    if !path.is_file() {
        bail!("file: {command} wrote no {}, but {}", run.file, written(&folder));
    }
    // Some files share the text of another that was written with them.
    let own = path.with_extension("txt");
    let text = if own.is_file() { own } else { first_text(&folder).unwrap_or(own) };
    Ok(Ran::Rows(Rows { rows: read(&path)?, device, taken: Taken::read(&text), is_saved: false }))
}

/// Less work has less time, so that all figures together take minutes.
fn limit(limit_s: u64, scale: f64) -> u64 {
    let shrunk = (limit_s as f64 * scale).round() as u64;
    shrunk.max(LEAST_S).min(limit_s)
}

/// Whether a data set is there: a folder, or a file of one.
pub(super) fn is_there(data: &str) -> bool {
    data_sets().join(data).exists()
}

fn folder(command: &str, limit_s: u64) -> PathBuf {
    let hash = Sha256::digest(format!("{command}\n{limit_s}\n{}", record::commit()));
    let name: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    target().join("figures").join(name)
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
    use super::{folder, is_there, last_error, limit};

    #[test]
    fn a_run_has_a_folder() {
        let one = folder("cargo xtask bench join --rows 10", 5);
        assert_eq!(one, folder("cargo xtask bench join --rows 10", 5));
        assert_ne!(one, folder("cargo xtask bench join --rows 11", 5));
        assert_ne!(one, folder("cargo xtask bench join --rows 10", 6));
    }

    #[test]
    fn limits_shrink_with_the_scale() {
        assert_eq!(
            [limit(7200, 1.0), limit(7200, 0.1), limit(7200, 0.001), limit(30, 0.5)],
            [7200, 720, 60, 30]
        );
    }

    #[test]
    fn a_failed_run_says_why() {
        assert_eq!(
            last_error("a\nerror: invalid value 'x'\n\nFor more information\n"),
            Some("invalid value 'x'")
        );
        assert_eq!(last_error("panicked\n\n"), Some("panicked"));
        assert_eq!(last_error(""), None);
        assert!(!is_there("no_such_data_set"));
    }
}
