//! The table, the picture and the pages that show them: `results/compare/`, a part of `results/README.md`, and the short table
//! of `README.md`.

use super::job;
use super::markers;
use super::peer;
use super::row::{self, ENGINE, Row, ratio};
use crate::figures::beside::{self, Bar, FIGURES, rounded};
use crate::record;
use crate::replace::replace;
use anyhow::{Result, ensure};
use std::io::Write;
use std::path::Path;

const TITLE: &str = "hyperblock beside other programs, on the same files";

/// Writes all but the short table.
pub(super) fn write(output: &Path, folder: &Path, rows: &[Row]) -> Result<()> {
    record::save(folder, "compare", &row::lines(rows)?)?;
    beside::draw(TITLE.to_owned(), bars(rows), &folder.join("compare"))?;
    let section = section(rows, &beside::taken(&folder.join("compare.txt")));
    replace(&folder.join("compare.md"), |file| file.write_all(section.as_bytes()))?;
    let part = section.replace("\"compare", "\"compare/compare");
    markers::write(&output.join("README.md"), Some(FIGURES), &part)
}

/// Writes the short table from what was saved.
pub(super) fn write_readme(readme: &Path, folder: &Path) -> Result<()> {
    let rows = row::read(&folder.join("compare.csv"))?;
    ensure!(!rows.is_empty(), "{} has no rows: cargo xtask compare measures them", folder.display());
    markers::write(readme, None, &short(&rows, &beside::taken(&folder.join("compare.txt"))))
}

/// What is said of a row as soon as it is there.
pub(super) fn describe(row: &Row, rows: &[Row]) -> String {
    let name = format!("{} {}", label(row), row.version);
    let Some(seconds) = row.median_s else { return format!("{name:44} {}", row.seen) };
    let times = match ratio(rows, row) {
        Some(ratio) if !row.is_ours() => format!("{ratio:8.1} times ours"),
        _ => " ".repeat(19),
    };
    let pairs = row.pairs.map_or_else(String::new, |n| format!("; {n} pairs"));
    let memory = row.peak_mib.map_or_else(String::new, |mib| format!("; {mib:.0} MiB"));
    format!("{name:44} {seconds:9.4} s {times}{pairs}{}{memory}", agreement(row))
}

/// How it agrees with us, or with the truth.
fn agreement(row: &Row) -> String {
    match (row.f1, row.recall, row.differ) {
        (Some(f1), Some(recall), _) => format!("; recall {recall:.4}, F1 {f1:.4}"),
        (_, Some(recall), _) => format!("; recall {recall:.4} of ours"),
        (_, _, Some(0)) => "; the same".to_owned(),
        (_, _, Some(n)) => format!("; {n} differ at a threshold"),
        _ => String::new(),
    }
}

fn label(row: &Row) -> &str {
    match (row.is_ours(), row.device.as_str()) {
        (true, "cpu") => ENGINE,
        (true, _) => "hyperblock, GPU",
        _ => peer::ALL.iter().find(|peer| peer.name == row.program).map_or(&row.program, |peer| peer.label),
    }
}

fn bars(rows: &[Row]) -> Vec<Bar> {
    let bar = |row: &Row| {
        let (seconds, is_bound) = match (row.median_s, row.bound()) {
            (Some(seconds), _) => (seconds, false),
            (None, Some(bound)) => (bound, true),
            (None, None) => return None,
        };
        let program = match (row.is_ours(), row.device.as_str()) {
            (true, device) if device != "cpu" => format!("{ENGINE}-cuda"),
            _ => row.program.clone(),
        };
        Some(Bar { job: panel(row), program, seconds, is_bound })
    };
    rows.iter().filter_map(bar).collect()
}

fn panel(row: &Row) -> String {
    format!("{}\n({} {})", title(row), thousands(row.rows), of_what(row))
}

fn title(row: &Row) -> &str {
    job::ALL.iter().find(|job| job.name == row.job).map_or(&row.job, |job| job.title)
}

fn of_what(row: &Row) -> &'static str {
    if row.job == "components" { "pairs" } else { "records" }
}

fn section(rows: &[Row], taken: &str) -> String {
    let mut text = "## Beside other programs\n\n".to_owned();
    text += "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"compare-dark.svg\">\
             <img alt=\"times of programs by job\" src=\"compare.svg\"></picture>\n\n";
    text += STORY;
    text += &format!("\n- {taken}\n- Versions: {}\n", versions(rows));
    for (commit, other) in others(rows) {
        text += &format!("- At commit {commit}: {other}.\n");
    }
    for jobs in rows.chunk_by(|one, next| one.job == next.job) {
        let first = &jobs[0];
        let (name, records) = (title(first), thousands(first.rows));
        text += &format!("\n### `{}`: {name}, {records} {}\n\n", first.job, of_what(first));
        text += "| | seconds | times ours | pairs | answer | peak MiB |\n|---|---|---|---|---|---|\n";
        for row in jobs {
            text += &line(row, rows);
        }
    }
    text
}

const STORY: &str = "\
`cargo xtask compare` makes this: the same files, rules and limits for all, from a table on file to pairs on file. Of the engine
the start of its process counts, too; of the others Python has started before. All may use every core. Exact programs must find
the same pairs, or the command fails; where they compare doubles, pairs that stand at a threshold exactly may differ, and are
counted. Of those that are approximate by design the recall of our pairs is told, and of entities that of the truth. `answer` is
empty for ours. Memory is that of the largest process. dedupe learns from 200 labels of the truth; no other gets any.
";

fn line(row: &Row, rows: &[Row]) -> String {
    let number = |number: Option<f64>| number.map_or_else(String::new, rounded);
    let ratio = if row.is_ours() && row.device == "cpu" { None } else { ratio(rows, row) };
    let answer = if row.median_s.is_some() { agreement(row) } else { row.seen.clone() };
    format!(
        "| {} | {} | {} | {} | {} | {} |\n",
        label(row),
        number(row.median_s),
        number(ratio),
        row.pairs.map_or_else(String::new, |n| thousands(n as u32)),
        answer.trim_start_matches("; ").replace('|', "/"),
        number(row.peak_mib),
    )
}

/// Programs and jobs of other commits than most.
fn others(rows: &[Row]) -> Vec<(&str, String)> {
    let mut commits: Vec<(&str, Vec<String>)> = Vec::new();
    for row in rows {
        let told = format!("{} of `{}`", label(row), row.job);
        match commits.iter_mut().find(|(commit, _)| *commit == row.commit) {
            Some((_, all)) => all.push(told),
            None => commits.push((&row.commit, vec![told])),
        }
    }
    commits.sort_by_key(|(_, all)| all.len());
    commits.pop();
    commits.into_iter().map(|(commit, all)| (commit, all.join(", "))).collect()
}

/// Each program once, with its version.
fn versions(rows: &[Row]) -> String {
    let mut all: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| !row.version.is_empty() && row.device == "cpu") {
        let version = format!("{} {}", label(row), row.version);
        if !all.contains(&version) {
            all.push(version);
        }
    }
    all.join(", ") + "."
}

/// One line a job: ours, and how many times as long others take.
fn short(rows: &[Row], taken: &str) -> String {
    let mut text = "| | hyperblock | others, in times ours |\n|---|---|---|\n".to_owned();
    for jobs in rows.chunk_by(|one, next| one.job == next.job) {
        let (ours, others): (Vec<&Row>, Vec<&Row>) = jobs.iter().partition(|row| row.is_ours());
        let seconds = |row: &&Row| {
            let seconds = row.median_s.map_or_else(|| row.seen.clone(), |seconds| rounded(seconds) + " s");
            let device = if row.device == "cpu" { "" } else { " on a GPU" };
            seconds + device + &quality(row)
        };
        let times = |row: &&Row| match (ratio(rows, row), row.bound()) {
            (Some(ratio), _) => format!("{} {}{}", label(row), rounded(ratio), quality(row)),
            (None, Some(_)) => format!("{} {}", label(row), row.seen),
            // The whole reason is in the long table.
            (None, None) => format!("{} –", label(row)),
        };
        let all = |rows: &[&Row], say: &dyn Fn(&&Row) -> String| {
            rows.iter().map(say).collect::<Vec<_>>().join(", ")
        };
        let records = thousands(jobs[0].rows);
        let what = format!("{}; {records} {}", title(&jobs[0]), of_what(&jobs[0]));
        text += &format!("| {what} | {} | {} |\n", all(&ours, &seconds), all(&others, &times));
    }
    text + &format!("\n{taken}\n")
}

/// What matters of an answer that is not just the same.
fn quality(row: &Row) -> String {
    match (row.f1, row.recall) {
        (Some(f1), _) => format!(" (F1 {f1:.3})"),
        (None, Some(recall)) => format!(" (recall {recall:.3})"),
        (None, None) => String::new(),
    }
}

/// `1,000,000`.
fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::super::row::{Row, example};
    use super::{bars, describe, section, short, thousands};

    fn rows() -> Vec<Row> {
        vec![
            example("e1", "hyperblock", Some(0.05), "compared"),
            Row { differ: Some(2), ..example("e1", "duckdb", Some(0.61), "compared") },
            example("e1", "splink", None, "over 60 s"),
            example("e1", "stringzilla", None, "could not be installed: no wheels"),
            example("s1w", "hyperblock", Some(0.1), "compared"),
            Row { differ: None, recall: Some(0.95), ..example("s1w", "datasketch", Some(20.0), "compared") },
        ]
    }

    #[test]
    fn the_short_table_has_a_line_for_each_job() {
        let text = short(&rows(), "Measured today");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert!(lines[2].ends_with("| 0.0500 s | DuckDB 12.2, Splink over 60 s, StringZilla – |"), "{text}");
        assert!(lines[3].ends_with("; 50,000 records | 0.100 s | datasketch 200 (recall 0.950) |"), "{text}");
        assert_eq!(lines[5], "Measured today");
    }

    #[test]
    fn the_long_table_says_all() {
        let text = section(&rows(), "Measured today");
        for said in [
            "| hyperblock | 0.0500 |  | 7 | the same | 20.5 |",
            "| DuckDB | 0.610 | 12.2 | 7 | 2 differ at a threshold | 20.5 |",
            "| Splink |  |  |  | over 60 s | 20.5 |",
            "| StringZilla |  |  |  | could not be installed: no wheels | 20.5 |",
            "recall 0.9500 of ours",
            "- Versions: hyperblock 1.2, DuckDB 1.2, ",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }

    #[test]
    fn rows_of_other_commits_are_named() {
        let mut rows = rows();
        assert!(!section(&rows, "").contains("- At commit"));
        rows[1].commit = "def".to_owned();
        assert!(section(&rows, "").contains("- At commit def: DuckDB of `e1`.\n"));
    }

    #[test]
    fn what_was_ended_is_drawn_as_a_bound() {
        let bars = bars(&rows());
        let drawn: Vec<_> =
            bars.iter().map(|bar| (bar.program.as_str(), bar.seconds, bar.is_bound)).collect();
        let e1 = [("hyperblock", 0.05, false), ("duckdb", 0.61, false), ("splink", 60.0, true)];
        assert_eq!(drawn[..3], e1);
        assert_eq!(drawn.len(), 5);
        assert!(describe(&rows()[1], &rows()).contains("12.2 times ours; 7 pairs; 2 differ"));
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!([7, 1_234, 1_000_000].map(thousands), ["7", "1,234", "1,000,000"]);
    }
}
