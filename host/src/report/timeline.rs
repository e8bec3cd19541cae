//! Where time went: the stages of the job, and when each place was at what.

use crate::base::control::Control;
use crate::base::json::float;
use crate::base::stopwatch::{Stages, spans};
use crate::base::timeline::Lane;
use serde_json::{Value, json};
use std::time::Duration;

/// Spans that are told of: neighbours are taken together until they are no more.
const MOST: usize = 500;

/// When something was done, and by whom.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    place: usize,
    stage: &'static str,
    from: Duration,
    upto: Duration,
}

pub(super) fn section(control: &Control, stages: &Stages) -> Value {
    let mut places = vec!["job"];
    let own = |(stage, from, upto)| Span { place: 0, stage, from, upto };
    let mut all: Vec<Span> = spans().into_iter().map(own).collect();
    if control.is_watched() {
        // Recorded from when the control was made, which is when the clock began, but for some milliseconds.
        let lanes =
            [(Lane::Read, "read"), (Lane::Encode, "encode"), (Lane::Scan, "scan"), (Lane::Device, "device")];
        let timeline = control.latencies().timeline;
        for (lane, name) in lanes {
            let own = timeline.spans().iter().filter(|span| span.lane == lane);
            let place = places.len();
            let own = own.map(|it| Span { place, stage: it.name, from: it.from, upto: it.upto });
            let before = all.len();
            all.extend(own);
            if all.len() > before {
                places.push(name);
            }
        }
    }
    let all = joined(all, MOST);
    let span = |it: &Span| {
        json!({
            "place": it.place, "stage": it.stage, "from_ms": milliseconds(it.from), "to_ms": milliseconds(it.upto)
        })
    };
    let stage = |(name, time)| json!({ "name": name, "ms": milliseconds(time), "depth": 0 });
    json!({
        "places": places,
        "spans": all.iter().map(span).collect::<Value>(),
        "stages": stages.iter().map(stage).collect::<Value>(),
    })
}

/// In thousandths.
pub(super) fn milliseconds(time: Duration) -> Value {
    float((time.as_secs_f64() * 1e6).round() / 1e3)
}

/// At most so many spans: those of one place and stage are taken together where what is between them is short.
fn joined(mut all: Vec<Span>, most: usize) -> Vec<Span> {
    all.sort_by_key(|span| (span.place, span.stage, span.from));
    let mut least = Duration::from_micros(1);
    while all.len() > most {
        let mut fewer: Vec<Span> = Vec::with_capacity(all.len());
        for span in all {
            let is_near = |last: &&mut Span| {
                (last.place, last.stage) == (span.place, span.stage)
                    && span.from.saturating_sub(last.upto) < least
            };
            match fewer.last_mut().filter(is_near) {
                Some(last) => last.upto = last.upto.max(span.upto),
                None => fewer.push(span),
            }
        }
        all = fewer;
        least *= 2;
        if least > Duration::from_secs(1 << 30) {
            break;
        }
    }
    all.sort_by_key(|span| (span.place, span.from));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_spans_are_taken_together() {
        let at = Duration::from_millis;
        let span = |nth: u64| Span { place: 0, stage: "scan", from: at(10 * nth), upto: at(10 * nth + 9) };
        let all: Vec<Span> = (0..100).map(span).collect();
        assert_eq!(joined(all.clone(), 100), all);
        let few = joined(all, 10);
        assert!(few.len() <= 10 && few[0].from == at(0) && few[few.len() - 1].upto == at(999), "{few:?}");
    }
}
