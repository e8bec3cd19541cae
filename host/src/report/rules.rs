//! Candidates by rule: what each adds to those before it, and what it finds by itself where that was asked for.

use super::asked::Asked;
use super::cells::rounded;
use super::cut::shortened;
use super::watching::Watching;
use crate::job::Prepared;
use crate::tell::each_rule::RuleCounts;
use crate::tell::evaluate::Truth;
use crate::tell::report::Summary;
use serde_json::{Value, json};

/// Rules that are told of, and characters of a condition.
const MOST: usize = 200;
const MOST_TEXT: usize = 1_000;

pub(super) fn section(
    watching: &Watching<'_>,
    asked: &Asked,
    summary: &Summary,
    truth: Option<&Truth>,
) -> Value {
    let job = watching.job();
    let names: Vec<&str> = job.names().collect();
    let conditions = conditions(job, asked);
    let n_to_find = truth.map(Truth::n_to_find).filter(|n| *n > 0.0);
    // Where candidates name nobody, only who asked for rules one by one knows how many each is the first to allow.
    if job.named(0).is_none() {
        let of = |(nth, (name, n)): (usize, &(String, u64))| {
            let alone = summary.each_rule.as_ref().and_then(|all| all.get(nth)).map(|each| each.n_alone);
            json!({ "name": shortened(name, MOST_TEXT), "when": null, "candidates": n, "alone": alone })
        };
        return summary.by_rule.iter().enumerate().take(MOST).map(of).collect();
    }
    let (mut n_so_far, mut found) = (0, 0.0);
    let mut all = Vec::new();
    for (nth, cell) in watching.by_rule.iter().enumerate().take(MOST) {
        n_so_far += cell.n;
        found += cell.found();
        let name = names.get(nth).copied().unwrap_or_default();
        let each: Option<&RuleCounts> = summary.each_rule.as_ref().and_then(|all| all.get(nth));
        let lost = each.and_then(|each| each.matches.as_ref()).map(|matches| matches.recall_lost);
        all.push(json!({
            "name": shortened(name, MOST_TEXT),
            "when": conditions.get(nth).map(|when| shortened(when, MOST_TEXT)),
            "candidates": cell.n,
            "alone": each.map(|each| each.n_alone),
            "true": truth.map(|_| cell.n_true),
            "cumulative": { "candidates": n_so_far, "recall": n_to_find.map(|all| rounded(found / all)) },
            "recall_lost": lost.filter(|lost| lost.is_finite()).map(rounded),
        }));
    }
    all.into()
}

/// What rules ask for, as they are written where that is known; then what neighbourhoods do.
fn conditions(job: &Prepared, asked: &Asked) -> Vec<String> {
    let written = asked.conditions();
    let rules = job.plan.rules.iter().enumerate().map(|(nth, rule)| {
        let own = written.get(nth).filter(|_| written.len() == job.plan.rules.len());
        own.cloned().unwrap_or_else(|| {
            let conjunction =
                |all: &Vec<_>| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" AND ");
            rule.conjunctions.iter().map(conjunction).collect::<Vec<_>>().join("\nOR ")
        })
    });
    rules.chain(job.neighbourhoods.iter().map(ToString::to_string)).collect()
}
