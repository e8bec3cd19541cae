//! Where time went: a lane for the stages of the job, for what goes on beside them, and for each device, and when each was at what.

use crate::base::control::Control;
use crate::base::json::float;
use crate::base::stopwatch::spans;
use crate::base::timeline::{Lane, Timeline, covered};
use serde_json::{Value, json};
use std::time::Duration;

/// Spans that are told of: neighbours are taken together until they are no more.
const MOST: usize = 600;

/// From when to when something was done.
type Span = (Duration, Duration);

/// All that one did of one kind.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    lane: Lane,
    name: &'static str,
    spans: Vec<Span>,
}

/// All that was done until now, on a device of that name.
pub(super) fn section(control: &Control, device: &str) -> Value {
    // Recorded from when the control was made, which is when the clock began, but for some milliseconds.
    let timeline = if control.is_watched() { control.latencies().timeline } else { Timeline::default() };
    let own = spans().into_iter().map(|(name, from, upto)| (Lane::Job, name, (from, upto)));
    // The stages of the job are parts of the clock's.
    let beside = timeline.spans().iter().filter(|span| span.lane != Lane::Job);
    let rows = rows(own.chain(beside.map(|span| (span.lane, span.name, (span.from, span.upto)))));
    let end = rows.iter().flat_map(|row| &row.spans).map(|span| span.1).max().unwrap_or_default();
    let shown = joined(rows.clone(), MOST);
    let mut lanes: Vec<Value> = Vec::new();
    for (own, shown) in rows.chunk_by(|a, b| a.lane == b.lane).zip(shown.chunk_by(|a, b| a.lane == b.lane)) {
        let all: Vec<Span> = own.iter().flat_map(|row| row.spans.iter().copied()).collect();
        let (kind, name) = named(own[0].lane, device, &timeline);
        lanes.push(json!({
            "kind": kind,
            "name": name,
            "busy_ms": milliseconds(covered(&all)),
            "rows": own.iter().zip(shown).map(told).collect::<Value>(),
        }));
    }
    json!({ "total_ms": milliseconds(end), "lanes": lanes })
}

/// A row as it is told of: its spans as they are shown, its time and their number as they are.
fn told((row, shown): (&Row, &Row)) -> Value {
    let took: Duration = row.spans.iter().map(|(from, upto)| *upto - *from).sum();
    let spans = shown.spans.iter().map(|(from, upto)| json!([milliseconds(*from), milliseconds(*upto)]));
    json!({ "name": row.name, "ms": milliseconds(took), "n": row.spans.len(), "spans": spans.collect::<Value>() })
}

/// What a lane is, and what people call it.
fn named(lane: Lane, device: &str, timeline: &Timeline) -> (&'static str, String) {
    let is_shared = !timeline.places().is_empty();
    match lane {
        Lane::Job => ("job", "the job, stage by stage".to_owned()),
        Lane::Read => ("host", "reading tables".to_owned()),
        Lane::Encode => ("host", "encoding columns".to_owned()),
        Lane::Scan => ("host", "finding candidates".to_owned()),
        Lane::Place(0) if is_shared => ("place", "all places together, or one for all".to_owned()),
        Lane::Place(0) => ("place", device.to_owned()),
        Lane::Place(nth) => {
            let name = timeline.places().get(&nth).map_or("", |name| name);
            ("place", format!("place {nth}: {name}"))
        }
        Lane::Gpu(ordinal) => ("gpu", format!("cuda:{ordinal}, by its own clock")),
    }
}

/// By lane and name, in the order in which they began.
fn rows(spans: impl Iterator<Item = (Lane, &'static str, Span)>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (lane, name, span) in spans {
        match rows.iter_mut().find(|row| (row.lane, row.name) == (lane, name)) {
            Some(row) => row.spans.push(span),
            None => rows.push(Row { lane, name, spans: vec![span] }),
        }
    }
    rows.iter_mut().for_each(|row| row.spans.sort_unstable());
    rows.sort_by_key(|row| (row.lane, row.spans[0]));
    rows
}

/// In thousandths.
pub(super) fn milliseconds(time: Duration) -> Value {
    float((time.as_secs_f64() * 1e6).round() / 1e3)
}

/// At most so many spans: those of a row are taken together where what is between them is short.
fn joined(mut rows: Vec<Row>, most: usize) -> Vec<Row> {
    let mut least = Duration::from_micros(1);
    while rows.iter().map(|row| row.spans.len()).sum::<usize>() > most.max(rows.len()) {
        for row in &mut rows {
            let mut fewer: Vec<Span> = Vec::with_capacity(row.spans.len());
            for &(from, upto) in &row.spans {
                match fewer.last_mut().filter(|last| from.saturating_sub(last.1) < least) {
                    Some(last) => last.1 = last.1.max(upto),
                    None => fewer.push((from, upto)),
                }
            }
            row.spans = fewer;
        }
        least *= 2;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_spans_are_taken_together() {
        let at = Duration::from_millis;
        let span = |nth: u64| (Lane::Scan, "find", (at(10 * nth), at(10 * nth + 9)));
        let all = rows((0..100).map(span).chain([(Lane::Job, "scan", (at(3), at(4)))]));
        assert_eq!(
            all.iter().map(|row| (row.name, row.spans.len())).collect::<Vec<_>>(),
            [("scan", 1), ("find", 100)]
        );
        assert_eq!(joined(all.clone(), 101), all);
        let few = joined(all.clone(), 10);
        assert!(few[1].spans.len() <= 9 && few[1].spans[0].0 == at(0), "{few:?}");
        assert_eq!(few[1].spans.last().map(|span| span.1), Some(at(999)));
        // A row is never left out.
        assert_eq!(joined(all, 0).iter().map(|row| row.spans.len()).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn each_place_has_a_lane_of_its_own() {
        let control = Control::watching();
        let now = std::time::Instant::now();
        let later = now + Duration::from_millis(5);
        control.watch(|latencies| {
            let timeline = &mut latencies.timeline;
            timeline.name_place(2, "cpu (1 threads)");
            for (lane, name) in [(Lane::Gpu(0), "kernels"), (Lane::Place(2), "sweep"), (Lane::Job, "load")] {
                timeline.add(lane, name, now, later);
                timeline.add(lane, name, now, later);
            }
        });
        let section = section(&control, "several");
        let lanes = section["lanes"].as_array().unwrap();
        // This thread's clock is in no stage.
        assert_eq!(lanes.iter().map(|lane| &lane["kind"]).collect::<Vec<_>>(), ["place", "gpu"]);
        assert_eq!(lanes[0]["name"], "place 2: cpu (1 threads)");
        assert_eq!((&lanes[1]["busy_ms"], &lanes[1]["rows"][0]["ms"]), (&5.into(), &10.into()));
        assert_eq!(
            (&lanes[1]["rows"][0]["n"], &section["total_ms"]),
            (&2.into(), &lanes[1]["rows"][0]["spans"][0][1])
        );
    }
}
