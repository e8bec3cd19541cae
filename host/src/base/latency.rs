//! Latencies: how long the parts of a scan took, from the shares of its threads to its tasks.
//!
//! Averages hide what balancing is about: the few shares that take long while everybody else waits. So each time goes
//! into a histogram ([HDR](https://docs.rs/hdrhistogram)), which knows the extremes and any quantile to three digits. They
//! are recorded only when a [`Control`](crate::Control) watches.

mod shared;

pub use shared::{Shared, TaskTime};

use crate::base::timeline::Timeline;
use hdrhistogram::Histogram;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Longer times count as this one: an hour, in nanoseconds.
const LONGEST: u64 = 3_600_000_000_000;
/// What of a time is kept.
const DIGITS: u8 = 3;
/// Between the least and the greatest.
const QUANTILES: [(&str, &str, f64); 3] =
    [("p50", "p50_ns", 0.5), ("p90", "p90_ns", 0.9), ("p99", "p99_ns", 0.99)];

/// How long the parts of a scan took.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    /// Shares of a sweep's stretches, from when a block or a thread got one until it was done or stolen; partitions of a
    /// join, and pieces of its heavy keys.
    pub intervals: Latency,
    /// Tasks, those that are done again in halves too.
    pub tasks: Latency,
    /// Until one of several places had its next task, or saw that there is none.
    pub waits: Latency,
    /// Copies to or from a device.
    pub transfers: Latency,
    /// Launches of kernels, by the device's clock.
    pub kernels: Latency,
    /// By the first step of an access path: how long it was under way, at all places together.
    pub paths: BTreeMap<u32, Duration>,
    /// What several places did, if there are several.
    pub shared: Vec<TaskTime>,
    /// What was done when.
    pub timeline: Timeline,
}

/// Times of one kind.
#[derive(Clone, Debug)]
pub struct Latency {
    histogram: Histogram<u64>,
    total: Duration,
}

impl Default for Latency {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("the bounds are in order");
        Self { histogram, total: Duration::ZERO }
    }
}

impl Latency {
    /// Adds a time.
    pub fn record(&mut self, took: Duration) {
        self.histogram.saturating_record(took.as_nanos().min(LONGEST.into()) as u64);
        self.total += took;
    }

    /// Adds all times of another.
    pub fn add(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("all have the same bounds");
        self.total += other.total;
    }

    /// All times together.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// How many times there are.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The least, some quantiles and the greatest, each with a title and a key; `None` if there are no times.
    fn columns(&self) -> [(&'static str, &'static str, Option<u64>); 5] {
        let some = |nanoseconds: u64| (!self.histogram.is_empty()).then_some(nanoseconds);
        let [p50, p90, p99] = QUANTILES.map(|(title, key, quantile)| {
            // The histogram answers with the end of a bucket, which may lie beyond the greatest.
            (title, key, some(self.histogram.value_at_quantile(quantile).min(self.histogram.max())))
        });
        [
            ("min", "min_ns", some(self.histogram.min())),
            p50,
            p90,
            p99,
            ("max", "max_ns", some(self.histogram.max())),
        ]
    }

    fn json(&self) -> Value {
        let mut object = json!({ "count": self.count() });
        for (_, key, nanoseconds) in self.columns() {
            object[key] = nanoseconds.into();
        }
        object
    }
}

impl Latencies {
    fn kinds(&self) -> [(&'static str, &Latency); 5] {
        [
            ("intervals", &self.intervals),
            ("tasks", &self.tasks),
            ("waits", &self.waits),
            ("transfers", &self.transfers),
            ("kernels", &self.kernels),
        ]
    }

    /// One object, in nanoseconds.
    pub fn json(&self) -> Value {
        let mut all: Value = self.kinds().into_iter().map(|(name, latency)| (name, latency.json())).collect();
        if !self.shared.is_empty() {
            all["places"] = Shared(&self.shared).json();
        }
        all["timeline"] = self.timeline.json();
        all
    }
}

/// A table, in milliseconds.
impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {:9} {:>9}", "", "count")?;
        for (title, ..) in self.intervals.columns() {
            write!(f, " {title:>13}")?;
        }
        writeln!(f)?;
        for (name, latency) in self.kinds() {
            write!(f, "  {name:9} {:>9}", latency.count())?;
            for (.., nanoseconds) in latency.columns() {
                let shown = nanoseconds.map_or("-".to_owned(), |ns| format!("{:.3} ms", ns as f64 / 1e6));
                write!(f, " {shown:>13}")?;
            }
            writeln!(f)?;
        }
        if !self.shared.is_empty() {
            write!(f, "Places:\n{}", Shared(&self.shared))?;
        }
        if self.timeline.spans().is_empty() { Ok(()) } else { write!(f, "Timeline:\n{}", self.timeline) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_kind() {
        let mut latencies = Latencies::default();
        for ms in 1..=100 {
            latencies.intervals.record(Duration::from_millis(ms));
        }
        latencies.tasks.record(Duration::from_micros(1500));
        let mut more = Latency::default();
        more.record(Duration::from_secs(2));
        latencies.tasks.add(&more);
        insta::assert_snapshot!(format!("table\n{latencies}"), @"
        table
                        count           min           p50           p90           p99           max
          intervals       100      1.000 ms     50.004 ms     90.046 ms     99.025 ms    100.008 ms
          tasks             2      1.499 ms      1.500 ms   2000.683 ms   2000.683 ms   2000.683 ms
          waits             0             -             -             -             -             -
          transfers         0             -             -             -             -             -
          kernels           0             -             -             -             -             -
        ");
        let json = latencies.json().to_string();
        let tasks = r#""tasks":{"count":2,"min_ns":1499136,"p50_ns":1500159,"p90_ns":2000683007,"#;
        assert!(json.contains(tasks), "{json}");
        assert!(json.contains(r#""transfers":{"count":0,"min_ns":null,"#), "{json}");
    }
}
