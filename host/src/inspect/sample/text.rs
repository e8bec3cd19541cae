//! A sample for people: the values of both records one above the other, and what is different marked. Values are data: what a
//! terminal would obey is written out before anything is marked.

use super::marks::marks;
use super::{Compared, Looked, PairScore, Sample};
use crate::base::shown::shown;
use indicatif::HumanCount;
use std::fmt;
use std::ops::Range;

/// A sample, as it is printed.
pub struct Printed<'a> {
    /// What.
    pub sample: &'a Sample,
    /// Whether a terminal shows it, which knows colours: then what is different is inverse. Else it is in brackets.
    pub is_coloured: bool,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sample { seed, rules, pairs } = self.sample;
        let (n, all) = (HumanCount(pairs.len() as u64), HumanCount(self.sample.n_candidates()));
        writeln!(f, "{n} of {all} candidates, drawn with seed {seed}")?;
        let width = rules.iter().map(|(name, ..)| shown(name).chars().count()).max().unwrap_or(0);
        for (name, n, n_drawn) in rules {
            writeln!(f, "  {:width$}  {n_drawn} of {}", shown(name), HumanCount(*n))?;
        }
        pairs.iter().try_for_each(|pair| self.pair(f, pair))
    }
}

impl Printed<'_> {
    fn pair(&self, f: &mut fmt::Formatter<'_>, pair: &Looked) -> fmt::Result {
        let Looked { ids, sources, rule, score, columns } = pair;
        let name = |side: usize| match sources {
            Some(sources) => format!("{}:{}", shown(&sources[side]), shown(&ids[side])),
            None => shown(&ids[side]).into_owned(),
        };
        writeln!(f, "\n{} and {}: {}{}", name(0), name(1), shown(rule), said(score.as_ref()))?;
        let width = columns.iter().map(|column| shown(&column.name).chars().count()).max().unwrap_or(0);
        columns.iter().try_for_each(|column| self.column(f, column, width))
    }

    fn column(&self, f: &mut fmt::Formatter<'_>, column: &Compared, width: usize) -> fmt::Result {
        let name = shown(&column.name);
        let [left, right] = &column.values;
        let lines = match (left, right) {
            (Some(left), Some(right)) if left == right => vec![("=", self.value(left.as_deref(), &[]))],
            (Some(left), Some(right)) => {
                let marks = left.as_ref().zip(right.as_ref()).map(|(left, right)| marks(left, right));
                let marks = marks.unwrap_or_default();
                vec![
                    ("l", self.value(left.as_deref(), &marks[0])),
                    ("r", self.value(right.as_deref(), &marks[1])),
                ]
            }
            (Some(left), None) => vec![("l", self.value(left.as_deref(), &[]))],
            (None, Some(right)) => vec![("r", self.value(right.as_deref(), &[]))],
            (None, None) => Vec::new(),
        };
        for (nth, (side, value)) in lines.into_iter().enumerate() {
            let name = if nth == 0 { &*name } else { "" };
            writeln!(f, "  {name:width$}  {side} {value}")?;
        }
        Ok(())
    }

    /// A value with some of its bytes marked.
    fn value(&self, value: Option<&str>, marks: &[Range<usize>]) -> String {
        let Some(value) = value else { return "missing".into() };
        let [before, behind] = if self.is_coloured { ["\x1b[1;7m", "\x1b[0m"] } else { ["[", "]"] };
        let (mut text, mut done) = (String::from("'"), 0);
        for range in marks {
            text += &shown(&value[done..range.start]);
            text += before;
            text += &shown(&value[range.clone()]);
            text += behind;
            done = range.end;
        }
        text + &shown(&value[done..]) + "'"
    }
}

/// What a pair scores.
fn said(score: Option<&PairScore>) -> String {
    let Some(score) = score else { return String::new() };
    let PairScore { weight, reached, threshold } = score;
    let below = if score.is_kept() { String::new() } else { format!(", below {threshold}") };
    match weight {
        None => format!(", score {reached}{below}"),
        Some(weight) => format!(", weight {weight}, probability {reached}{below}"),
    }
}
