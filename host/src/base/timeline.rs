//! The timeline: what a job did when, and for how much of its time the device was busy.
//!
//! Stages overlap: one run of candidates is written while the next is found, and kernels work while the host prepares what
//! comes after them. Sums of times do not show that, so spans are kept with where they begin and end. They are recorded only
//! when a [`Control`](crate::Control) watches.

use crate::base::stopwatch::seconds;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Who did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// The stages of the job, one at a time.
    Job,
    /// What reads tables.
    Read,
    /// What encodes columns, several at a time.
    Encode,
    /// What finds runs of candidates.
    Scan,
    /// Where the job runs, by the clock of who waits for it: 0, or of several places their number, from 1 on.
    Place(u16),
    /// The GPU of this number, by its own clock.
    Gpu(u16),
}

impl Lane {
    /// The place that this thread works for: one of several, or the only one.
    pub fn here() -> Self {
        Self::Place(HERE.get())
    }

    fn name(self) -> String {
        match self {
            Self::Job => "job".to_owned(),
            Self::Read => "read".to_owned(),
            Self::Encode => "encode".to_owned(),
            Self::Scan => "scan".to_owned(),
            Self::Place(0) => "device".to_owned(),
            Self::Place(nth) => format!("place {nth}"),
            Self::Gpu(ordinal) => format!("cuda:{ordinal}"),
        }
    }
}

thread_local! {
    /// The number of the place that this thread works for.
    static HERE: Cell<u16> = const { Cell::new(0) };
}

/// Does what one of several places does, on its thread.
pub fn at_place<T>(nth: u16, act: impl FnOnce() -> T) -> T {
    struct Back(u16);
    impl Drop for Back {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
    let _back = Back(HERE.replace(nth));
    act()
}

/// Something that was done, and when, from the beginning of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// By whom.
    pub lane: Lane,
    /// What.
    pub name: &'static str,
    /// From then on.
    pub from: Duration,
    /// Until then.
    pub upto: Duration,
}

/// What was done when.
#[derive(Clone, Debug)]
pub struct Timeline {
    begun: Instant,
    spans: Vec<Span>,
    /// What places are called, of several by their number.
    places: BTreeMap<u16, Arc<str>>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self { begun: Instant::now(), spans: Vec::new(), places: BTreeMap::new() }
    }
}

/// Cells of a line.
const WIDTH: usize = 60;
/// A cell that is empty, busy for some of its time, and for all of it.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

impl Timeline {
    /// Adds what was done between two moments. What was before the beginning is cut off.
    pub fn add(&mut self, lane: Lane, name: &'static str, from: Instant, upto: Instant) {
        let since = |moment: Instant| moment.saturating_duration_since(self.begun);
        let (from, upto) = (since(from), since(upto));
        if from < upto {
            self.spans.push(Span { lane, name, from, upto });
        }
    }

    /// What one of several places is called.
    pub fn name_place(&mut self, nth: u16, name: &str) {
        self.places.entry(nth).or_insert_with(|| name.into());
    }

    /// The names of several places, by their number.
    pub fn places(&self) -> &BTreeMap<u16, Arc<str>> {
        &self.places
    }

    /// All that was done, in the order in which it was told.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Until when something was done.
    fn end(&self) -> Duration {
        self.spans.iter().map(|span| span.upto).max().unwrap_or_default()
    }

    /// The share of the time in which a GPU did something, if there is one.
    pub fn busy(&self) -> Option<f64> {
        let spans = self.spans.iter().filter(|span| matches!(span.lane, Lane::Gpu(_)));
        let spans: Vec<_> = spans.map(|span| (span.from, span.upto)).collect();
        (!spans.is_empty()).then(|| covered(&spans).as_secs_f64() / self.end().as_secs_f64())
    }

    /// One object: spans in nanoseconds.
    pub fn json(&self) -> Value {
        let span = |Span { lane, name, from, upto }: &Span| {
            let (from, upto) = (from.as_nanos() as u64, upto.as_nanos() as u64);
            json!({ "lane": lane.name(), "name": name, "from_ns": from, "upto_ns": upto })
        };
        let spans: Vec<Value> = self.spans.iter().map(span).collect();
        json!({ "total_ns": self.end().as_nanos() as u64, "device_busy": self.busy(), "spans": spans })
    }

    /// By lane and name, in the order in which they first came up: what they are, and their spans.
    fn lines(&self) -> Vec<((Lane, &'static str), Vec<&Span>)> {
        let mut lines: Vec<((Lane, &'static str), Vec<&Span>)> = Vec::new();
        for span in &self.spans {
            let key = (span.lane, span.name);
            match lines.iter_mut().find(|(other, _)| *other == key) {
                Some((_, spans)) => spans.push(span),
                None => lines.push((key, vec![span])),
            }
        }
        lines.sort_by_key(|((lane, _), _)| *lane);
        lines
    }
}

/// How much of the time spans cover, which may lie over each other.
pub fn covered(spans: &[(Duration, Duration)]) -> Duration {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let (mut sum, mut done) = (Duration::ZERO, Duration::ZERO);
    for (from, upto) in spans {
        sum += upto.saturating_sub(from.max(done));
        done = done.max(upto);
    }
    sum
}

/// A line for each thing that was done, as long as the whole.
impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.end();
        write!(f, "  {} in all", seconds(whole))?;
        match self.busy() {
            Some(busy) => writeln!(f, "; the device was busy for {:.0}% of it", 100.0 * busy)?,
            None => writeln!(f)?,
        }
        let cell = whole.as_secs_f64() / WIDTH as f64;
        for (nth, name) in &self.places {
            writeln!(f, "  {}: {name}", Lane::Place(*nth).name())?;
        }
        for ((lane, name), spans) in self.lines() {
            let mut shares = [0.0; WIDTH];
            for span in &spans {
                let (from, upto) = (span.from.as_secs_f64() / cell, span.upto.as_secs_f64() / cell);
                let cells = shares.iter_mut().enumerate().take(upto.ceil() as usize).skip(from as usize);
                for (ix, share) in cells {
                    *share += upto.min(ix as f64 + 1.0) - from.max(ix as f64);
                }
            }
            let full = SHADES.len() - 1;
            let shade = |share: f64| match share {
                0.0 => SHADES[0],
                share => SHADES[((share * full as f64).round() as usize).clamp(1, full)],
            };
            let drawn: String = shares.into_iter().map(shade).collect();
            let took = seconds(spans.iter().map(|span| span.upto - span.from).sum());
            writeln!(f, "  {:8} {name:12} {took:>9} |{drawn}|", lane.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_is_busy_once() {
        let mut timeline = Timeline::default();
        let at = |ms: u64| timeline.begun + Duration::from_millis(ms);
        let spans = [
            (Lane::Job, "read", at(0), at(300)),
            (Lane::Job, "scan", at(300), at(1000)),
            (Lane::Gpu(0), "kernels", at(400), at(600)),
            (Lane::Gpu(0), "copies", at(500), at(750)),
            (Lane::Job, "write", at(1000), at(1200)),
            (Lane::Gpu(0), "kernels", at(900), at(905)),
        ];
        for (lane, name, from, upto) in spans {
            timeline.add(lane, name, from, upto);
        }
        timeline.add(Lane::Job, "before", timeline.begun - Duration::from_millis(5), timeline.begun);
        insta::assert_snapshot!(format!("timeline\n{timeline}"), @"
        timeline
          1.20 s in all; the device was busy for 30% of it
          job      read          300.0 ms |███████████████                                             |
          job      scan          700.0 ms |               ███████████████████████████████████          |
          job      write         200.0 ms |                                                  ██████████|
          cuda:0   kernels       205.0 ms |                    ██████████               ░              |
          cuda:0   copies        250.0 ms |                         ████████████▒                      |
        ");
        let json = timeline.json();
        assert_eq!(json["total_ns"], 1_200_000_000u64);
        assert_eq!(json["spans"].as_array().map(Vec::len), Some(6));
        assert_eq!(Timeline::default().busy(), None);
    }

    #[test]
    fn a_thread_works_for_one_place_at_a_time() {
        assert_eq!(Lane::here(), Lane::Place(0));
        at_place(2, || {
            assert_eq!(Lane::here(), Lane::Place(2));
            let unwound = std::panic::catch_unwind(|| at_place(3, || panic!("a defect")));
            assert!(unwound.is_err() && Lane::here() == Lane::Place(2));
        });
        assert_eq!(Lane::here(), Lane::Place(0));
    }
}
