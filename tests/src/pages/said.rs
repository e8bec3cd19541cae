//! Whether a command said what its page shows.
//!
//! Times, memory, versions and thread counts differ from run to run, and with them how wide columns are: they are replaced on
//! both sides, and blanks count as one. A line `…` stands for any number of lines.

use regex::Regex;
use std::sync::LazyLock;

/// Stands for any lines.
const ANYTHING: &str = "…";

static REDACTED: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let number = r"\d[\d,]*(\.\d+)?";
    let of = |unit: &str, name| (format!(r"\b{number}(e[+-]?\d+)? ?({unit})\b"), name);
    let patterns = [
        (r"\b\d+ (CPU )?threads?\b".to_owned(), "[threads]"),
        (r"\bhyperblock \d+\.\d+\.\d+\b".to_owned(), "hyperblock [version]"),
        (format!(r"\b{number} ?(million |billion )?([KMGT]i?B|\w+) (a|per) second\b"), "[rate]"),
        of("ns|µs|us|ms|s|min", "[time]"),
        of("B|bytes|[KMGT]i?B", "[memory]"),
        (r"[ \t]+".to_owned(), " "),
    ];
    patterns.map(|(pattern, name)| (Regex::new(&pattern).expect("a pattern"), name)).into()
});

/// A line without what differs from run to run.
fn redacted(line: &str) -> String {
    let replace =
        |line: String, (pattern, name): &(Regex, &str)| pattern.replace_all(&line, *name).into_owned();
    REDACTED.iter().fold(line.to_owned(), replace).trim_end().to_owned()
}

/// Holds what a command said against what its page shows of it; a page that shows nothing says nothing of it.
///
/// # Errors
///
/// The first line that is shown and was not said, or that was said and is not shown.
pub fn compare(shown: &[String], said: &str) -> Result<(), String> {
    if shown.is_empty() {
        return Ok(());
    }
    let mut said: Vec<&str> = said.lines().collect();
    while said.last().is_some_and(|line| line.trim().is_empty()) {
        said.pop();
    }
    let lines: Vec<String> = said.iter().map(|line| redacted(line)).collect();
    let mut rest = 0..lines.len();
    let parts: Vec<&[String]> = shown.split(|line| line.trim() == ANYTHING).collect();
    for (nth, part) in parts.iter().enumerate() {
        let wanted: Vec<String> = part.iter().map(|line| redacted(line)).collect();
        let here = |at: usize| lines.get(at..at + wanted.len()) == Some(&wanted[..]);
        let last_start = rest.end.checked_sub(wanted.len()).filter(|&at| at >= rest.start);
        let found = match (nth == 0, nth + 1 == parts.len()) {
            (true, true) => last_start.filter(|&at| at == rest.start && here(at)),
            (true, false) => last_start.map(|_| rest.start).filter(|&at| here(at)),
            (false, true) => last_start.filter(|&at| here(at)),
            (false, false) => last_start.and_then(|last| (rest.start..=last).find(|&at| here(at))),
        };
        let Some(at) = found else { return Err(differs(part, &said)) };
        rest.start = at + wanted.len();
    }
    Ok(())
}

fn differs(part: &[String], said: &[&str]) -> String {
    let indented =
        |lines: &mut dyn Iterator<Item = &str>| lines.map(|line| format!("    {line}\n")).collect();
    let shown: String = indented(&mut part.iter().map(String::as_str));
    let said: String = indented(&mut said.iter().copied());
    format!("the page shows\n{shown}  and the command said\n{said}")
}

#[cfg(test)]
mod tests {
    use super::{compare, redacted};

    fn agree(shown: &str, said: &str) -> bool {
        compare(&shown.lines().map(str::to_owned).collect::<Vec<_>>(), said).is_ok()
    }

    #[test]
    fn all_lines_count() {
        assert!(agree("a\nb", "a\nb\n"));
        assert!(agree("", "a\n"));
        for said in ["a\n", "b\n", "a\nc\n", "a\nb\nc\n", "c\na\nb\n", ""] {
            assert!(!agree("a\nb", said), "{said}");
        }
    }

    #[test]
    fn dots_stand_for_any_lines() {
        assert!(agree("a\n…", "a\nb\nc\n") && agree("a\n…", "a\n"));
        assert!(agree("…\nc", "a\nb\nc\n") && agree("a\n  …\nc", "a\nb\nc"));
        assert!(agree("a\n…\nc\n…\ne", "a\nb\nc\nd\ne"));
        assert!(!agree("a\n…", "b\na\n") && !agree("…\na", "a\nb\n"));
        assert!(!agree("a\n…\nc\n…\nb\n…", "a\nb\nc\n"), "the order counts");
        assert!(!agree("a\n…\na", "a"), "a line is shown once only");
    }

    #[test]
    fn what_differs_from_run_to_run_is_not_compared() {
        assert_eq!(redacted("time             47.4 ms (read 4.1 ms)"), "time [time] (read [time])");
        assert_eq!(redacted("device           cpu (2 threads)  "), "device cpu ([threads])");
        assert_eq!(redacted("peak memory      15.9 MiB"), "peak memory [memory]");
        assert_eq!(redacted("hyperblock 0.1.0"), "hyperblock [version]");
        assert_eq!(redacted("  hash join on l.zip = r.zip  ≈0.34 ms"), " hash join on l.zip = r.zip ≈[time]");
        assert_eq!(redacted("candidates       760 of 12 sources"), "candidates 760 of 12 sources");
        assert!(!agree("records  3,000", "records  3,001"));
    }
}
