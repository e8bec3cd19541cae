//! How good something is, in words and as JSON: each measure with its interval, and what labels cover.

use super::{Agreement, Coverage, Interval, Intervals};
use crate::base::json::float;
use indicatif::HumanCount;
use serde_json::{Value, json};
use std::fmt;

/// A measure; nothing that labels decide may say what it is.
pub(crate) struct Told(pub(crate) f64, pub(crate) Option<Interval>);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(measure, _) if measure.is_nan() => f.pad("unknown"),
            Self(measure, None) => write!(f, "{measure:.4}"),
            Self(measure, Some(Interval { low, high })) => write!(f, "{measure:.4} ({low:.3} to {high:.3})"),
        }
    }
}

/// A measure in a table.
pub(crate) fn cell(measure: f64) -> String {
    if measure.is_nan() { "?".to_owned() } else { format!("{measure:.4}") }
}

/// Some of all, in hundredths.
pub(crate) fn percent(some: u64, all: u64) -> String {
    format!("{:.1}%", 100.0 * some as f64 / all.max(1) as f64)
}

/// What a part of the truth covers.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [pairs, named, records] = [self.n_decided, self.n_named, self.n_records].map(HumanCount);
        write!(f, "decide {pairs} pairs, of {named} of {records} records")
    }
}

impl Coverage {
    /// For programs: the shares of candidates and of records.
    pub(crate) fn json(&self, n_candidates: u64, n_decided: u64) -> Value {
        let share =
            |some: u64, all: u64| if all == 0 { Value::Null } else { float(some as f64 / all as f64) };
        json!({
            "candidates": share(n_decided, n_candidates),
            "records": share(self.n_named, self.n_records),
        })
    }
}

impl Agreement {
    /// For programs.
    pub(crate) fn json(&self) -> Value {
        json!({ "precision": self.precision, "recall": self.recall, "f1": self.f1 })
    }
}

impl Intervals {
    /// For programs: the ends of each.
    pub(crate) fn json(&self) -> Value {
        let of =
            |interval: Option<Interval>| interval.map(|Interval { low, high }| [float(low), float(high)]);
        json!({ "precision": of(self.precision), "recall": of(self.recall), "f1": of(self.f1) })
    }
}

/// The measures with their intervals, and how many pairs they rest on: a line of its own where a table has no room.
pub(crate) struct Beside<'a> {
    pub(crate) n_decided: u64,
    pub(crate) n_pairs: u64,
    pub(crate) intervals: &'a Intervals,
}

impl fmt::Display for Beside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_decided, n_pairs, intervals: Intervals { precision, recall, f1 } } = *self;
        write!(f, "decided {} of {} pairs", percent(n_decided, n_pairs), HumanCount(n_pairs))?;
        for (name, interval) in [("precision", precision), ("recall", recall), ("F1", f1)] {
            if let Some(Interval { low, high }) = interval {
                write!(f, ", {name} {low:.3} to {high:.3}")?;
            }
        }
        Ok(())
    }
}
