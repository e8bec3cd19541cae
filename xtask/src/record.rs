//! Results on file: the figures as CSV, and beside them when, at which commit and on which machine they were taken.

use crate::cargo::{at_root, output};
use crate::replace::replace;
use anyhow::{Context, Result};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The commit that is measured, where git does not tell: a program that was carried to another machine.
const COMMIT: &str = "HYPERBLOCK_COMMIT";

/// What the place of figures is said by.
const PLACES: [&str; 2] = ["--save", "--output"];

/// Writes `<bench>.csv` and `<bench>.txt` to `folder`.
pub(crate) fn save(folder: &Path, bench: &str, lines: &[String]) -> Result<()> {
    save_of(folder, bench, lines, &[("commit", commit())])
}

/// The same of figures that were not taken of this commit, or not of it alone: `subjects` says of what.
pub(super) fn save_of(
    folder: &Path,
    bench: &str,
    lines: &[String],
    subjects: &[(&str, String)],
) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let figures = folder.join(format!("{bench}.csv"));
    replace(&figures, |file| lines.iter().try_for_each(|line| writeln!(file, "{line}")))?;
    let circumstances = circumstances(subjects);
    replace(&folder.join(format!("{bench}.txt")), |file| file.write_all(circumstances.as_bytes()))?;
    println!("wrote {}", figures.display());
    Ok(())
}

fn circumstances(subjects: &[(&str, String)]) -> String {
    let command = without_place(std::env::args().skip(1)).join(" ");
    let threads = std::thread::available_parallelism().map_or(0, usize::from);
    let gpu = ["--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"];
    let gpu = output(Command::new("nvidia-smi").args(gpu)).unwrap_or_else(|| "none".to_owned());
    let date = output(Command::new("date").args(["-u", "+%Y-%m-%d"])).unwrap_or_else(|| "unknown".to_owned());
    let mut lines = vec![("command", format!("cargo xtask {command}")), ("date", date)];
    lines.extend_from_slice(subjects);
    lines.extend([("cpu", format!("{}, {threads} threads", cpu())), ("gpu", gpu)]);
    lines.into_iter().map(|(what, value)| format!("{what:8} {value}\n")).collect()
}

/// The words of a command, but for where the figures go and where else on the machine files are: that says nothing about them.
fn without_place(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut is_place = false;
    let is_said = |word: &String| {
        let names_one = PLACES.contains(&word.split('=').next().unwrap_or_default());
        let is_left_out = is_place || names_one;
        is_place = PLACES.contains(&word.as_str());
        !is_left_out
    };
    words.filter(is_said).map(named).collect()
}

/// A file elsewhere by its name alone.
fn named(word: String) -> String {
    let path = Path::new(&word);
    match path.file_name() {
        Some(name) if path.is_absolute() => name.to_string_lossy().into_owned(),
        _ => word,
    }
}

/// The commit of this checkout, with a word on changes that are in none.
pub(super) fn commit() -> String {
    let described = || output(at_root("git").args(["describe", "--always", "--dirty", "--abbrev=12"]));
    std::env::var(COMMIT).ok().or_else(described).unwrap_or_else(|| "unknown".to_owned())
}

/// The CPU's model.
pub(crate) fn cpu() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown");
    model.trim_start_matches([':', ' ', '\t']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{circumstances, without_place};

    #[test]
    fn results_say_when_and_of_what() {
        let text = circumstances(&[("old", "abc".to_owned()), ("new", "def".to_owned())]);
        let said: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(said, ["command", "date", "old", "new", "cpu", "gpu"]);
        assert!(text.contains("\ndate     20") && text.contains("\nold      abc\n"), "{text}");
    }

    #[test]
    fn where_figures_go_is_not_said() {
        for place in ["--save results/here ", "--save=results/here ", "--output here ", ""] {
            let command = format!("bench access {place}--device cpu,cuda");
            let words = without_place(command.split_whitespace().map(str::to_owned));
            assert_eq!(words.join(" "), "bench access --device cpu,cuda");
        }
        let words = ["--binaries", "/there/old", "target/new"].map(str::to_owned);
        assert_eq!(without_place(words.into_iter()), ["--binaries", "old", "target/new"]);
    }
}
