//! A check for people: a table of rules, what all of them come to, and doubts.

use super::{Check, Checked, CheckedRule};
use crate::base::shown::shown;
use crate::inspect::explain::{Expects, about};
use indicatif::HumanCount;
use std::fmt;

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(all) => all.iter().try_for_each(|error| writeln!(f, "wrong: {error}\n")),
            Self::Right(checked) => checked.fmt(f),
        }
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { device, n_records, n_pairs, rules, n_candidates, expects, doubts } = self;
        let records: Vec<String> = n_records.iter().map(|n| HumanCount((*n).into()).to_string()).collect();
        writeln!(f, "{} records, {} pairs, on {device}\n", records.join(" and "), HumanCount(*n_pairs))?;
        let head = ["rule", "pairs", "time", "how"].map(str::to_owned);
        let last = ["all", &format!("≈{}", about(*n_candidates)), &time(Some(expects.finding)), ""]
            .map(str::to_owned);
        let lines: Vec<[String; 4]> =
            [head].into_iter().chain(rules.iter().map(line)).chain([last]).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let [name, pairs, took] = [width(0), width(1), width(2)];
        for [a, b, c, d] in &lines {
            let line = format!("{a:name$}  {b:>pairs$}  {c:>took$}  {d}");
            writeln!(f, "{}", line.trim_end())?;
        }
        let Expects { preparing, finding, memory } = expects;
        let preparing = preparing.as_secs_f64();
        writeln!(
            f,
            "\n≈{:.2} s in all, of which {preparing:.2} s to read, encode and plan as here; ≈{:.1} MiB of memory",
            preparing + finding / 1e3,
            *memory as f64 / f64::from(1 << 20)
        )?;
        doubts.iter().try_for_each(|doubt| writeln!(f, "doubt ({}): {}", doubt.kind, shown(&doubt.said)))
    }
}

fn line(rule: &CheckedRule) -> [String; 4] {
    let CheckedRule { name, n_pairs, milliseconds, ways } = rule;
    let ways: Vec<_> = ways.iter().map(|way| shown(way)).collect();
    [shown(name).into_owned(), format!("≈{}", about(*n_pairs)), time(*milliseconds), ways.join("; ")]
}

fn time(milliseconds: Option<f64>) -> String {
    milliseconds.map_or(String::new(), |milliseconds| format!("≈{} ms", about(milliseconds)))
}
