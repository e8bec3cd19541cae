//! What hyperblock says of a job on standard error: counts, quality, memory, and the time of every stage.
//!
//! ```text
//! candidates       173,113
//! time             2.70 s (read 107.0 ms, plan 28.0 ms (bind 1.0 ms), scan 1.64 s)
//! ```
//!
//! Stages may change their names from commit to commit, and may be within others: those are read as `plan/bind`.

use anyhow::{Context, Result, ensure};

/// What is counted, by the first word of its line.
const COUNTS: [&str; 3] = ["candidates", "kept", "entities"];
/// What is a share, likewise; where the truth is known.
const SHARES: [&str; 4] = ["recall", "precision", "F1", "CSSR"];
/// The line of times.
const TIME: &str = "time";
/// How the lines of memory begin.
const MEMORY: &str = "peak memory ";
const DEVICE_MEMORY: &str = "on the device ";

/// What a job did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::bench) struct Summary {
    pub(in crate::bench) counts: Vec<(&'static str, u64)>,
    /// Seconds of all stages together.
    pub(in crate::bench) all: f64,
    /// Seconds by stage.
    pub(in crate::bench) stages: Vec<(String, f64)>,
    pub(in crate::bench) shares: Vec<(&'static str, f64)>,
    /// Bytes at most.
    pub(in crate::bench) memory: u64,
    /// The same of a GPU, if there is one.
    pub(in crate::bench) device_memory: Option<u64>,
}

pub(in crate::bench) fn parse(text: &str) -> Result<Summary> {
    let mut summary = Summary::default();
    let mut has_time = false;
    for line in text.lines() {
        // Names of rules and attributes are indented.
        let Some((word, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim();
        if let Some(name) = COUNTS.into_iter().find(|name| *name == word) {
            summary.counts.push((name, number(rest).with_context(|| format!("no number: {line}"))?));
        } else if word == TIME {
            let (all, stages) = rest.split_once(" (").with_context(|| format!("no stages: {line}"))?;
            summary.all = seconds(all).with_context(|| format!("no time: {line}"))?;
            let stages = stages.strip_suffix(')').with_context(|| format!("no end: {line}"))?;
            read_stages("", stages, &mut summary.stages).with_context(|| format!("no stages: {line}"))?;
            has_time = true;
        } else if let Some(name) = SHARES.into_iter().find(|name| *name == word) {
            summary.shares.push((name, rest.parse().with_context(|| format!("no share: {line}"))?));
        } else if let Some(memory) = line.strip_prefix(MEMORY) {
            summary.memory = bytes(memory).with_context(|| format!("no bytes: {line}"))?;
        } else if let Some(memory) = line.strip_prefix(DEVICE_MEMORY) {
            summary.device_memory = Some(bytes(memory).with_context(|| format!("no bytes: {line}"))?);
        }
    }
    ensure!(has_time, "it says nothing of time");
    Ok(summary)
}

/// `14,913 (a score of 0.66 or more)` is 14,913.
fn number(text: &str) -> Option<u64> {
    text.split(' ').next()?.replace(',', "").parse().ok()
}

/// `41.2 MiB`.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let factor = match unit {
        "B" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some((number.replace(',', "").parse::<f64>().ok()? * factor) as u64)
}

/// `1.64 s` or `107.0 ms`.
fn seconds(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().rsplit_once(' ')?;
    let factor = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "µs" => 1e-6,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

/// Adds stages with a comma between them, each with those within it in brackets.
fn read_stages(within: &str, text: &str, all: &mut Vec<(String, f64)>) -> Option<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let end = end_of_stage(rest)?;
        let (stage, after) = (&rest[..end], &rest[end..]);
        rest = after.strip_prefix(", ").unwrap_or(after);
        let (own, parts) = match stage.split_once(" (") {
            Some((own, parts)) => (own, parts.strip_suffix(')')?),
            None => (stage, ""),
        };
        // The name may have blanks, too: the last two words are the time.
        let at = own.rmatch_indices(' ').nth(1)?.0;
        let name = format!("{within}{}", &own[..at]);
        all.push((name.clone(), seconds(&own[at..])?));
        read_stages(&format!("{name}/"), parts, all)?;
    }
    Some(())
}

/// Where the first comma is that is in no brackets, or the end.
fn end_of_stage(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    (depth == 0).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::parse;

    const SAID: &str = "\
running on cpu (2 threads)
device           cpu (2 threads)
records          19,375
pairs compared   187,685,625 of 187,685,625
candidates       173,113
  one title within the other                         171,226
  kept 5
scored           173,113
kept             14,913 (a score of 0.66 or more)
reduction ratio  0.999078
time             2.70 s (read 107.0 ms, encode 808.2 ms, scan 1.64 s)
peak memory      41.2 MiB
entities         10,356 by components, 4,721 of several records, the largest of 14
";

    #[test]
    fn counts_and_stages_are_read() {
        let summary = parse(SAID).unwrap();
        assert_eq!(summary.counts, [("candidates", 173_113), ("kept", 14_913), ("entities", 10_356)]);
        assert_eq!(summary.all, 2.7);
        assert_eq!(summary.memory, (41.2 * 1024.0 * 1024.0) as u64);
        let stages: Vec<_> = summary.stages.iter().map(|(name, time)| (name.as_str(), *time)).collect();
        assert_eq!(stages, [("read", 107.0 * 1e-3), ("encode", 808.2 * 1e-3), ("scan", 1.64)]);
    }

    #[test]
    fn quality_and_a_gpus_memory_are_read_where_they_are_told() {
        let said =
            "recall 0.9978\nF1               0.8837\nCSSR             4.662e-4\non the device    3.0 MiB\n";
        let summary = parse(&format!("{said}{SAID}")).unwrap();
        assert_eq!(summary.shares, [("recall", 0.9978), ("F1", 0.8837), ("CSSR", 4.662e-4)]);
        assert_eq!(summary.device_memory, Some(3 << 20));
        let summary = parse(SAID).unwrap();
        assert_eq!((summary.shares.len(), summary.device_memory), (0, None));
    }

    #[test]
    fn stages_may_be_within_others() {
        let line = "time             3.00 s (plan 2.00 s (bind 1.00 s (read rules 0.50 s), order 1.00 s), scan 1.00 s)";
        let names: Vec<_> = parse(line).unwrap().stages.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["plan", "plan/bind", "plan/bind/read rules", "plan/order", "scan"]);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for text in [
            "",
            "time 5 s",
            "time 5 h (read 5 h)",
            "time 5 s (read)",
            "time 5 s (read 5 s",
            "candidates none",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("time 5 s (read 5 s))").is_err());
    }
}
