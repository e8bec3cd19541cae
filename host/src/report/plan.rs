//! The plan as a tree: what each node is expected to let through, and what it did as far as that is known.

use super::cut::shortened;
use crate::base::control::Control;
use crate::base::json::float;
use crate::inspect::analyze::shares;
use crate::inspect::explain::{Explained, Line, What};
use crate::tell::report::Summary;
use serde_json::{Value, json};
use std::time::Duration;

/// Nodes that are told of, and characters of a condition.
const MOST: usize = 400;
const MOST_TEXT: usize = 300;

/// A plan. Estimates and counts of a node are of the same pairs: where the plan was analyzed, those that come to it as its access
/// path brings them; of a job that has run, the candidates that name a rule, which stand at the first of its places in the tree.
pub(super) fn section(explained: &Explained<'_>, summary: Option<&Summary>, control: &Control) -> Value {
    let under_way = match summary {
        // By the clock of who waited for each.
        Some(summary) if control.is_watched() => {
            shares(explained.plan.program(), summary.stages.of("scan"), &control.latencies())
        }
        _ => Vec::new(),
    };
    let lines = explained.lines();
    let mut nodes: Vec<Value> = Vec::new();
    // By depth: the node that is open there.
    let mut open: Vec<usize> = Vec::new();
    let steps_of = |name: &str| {
        let is_own = |line: &&Line<'_>| matches!(line.what, What::Witness { rule } if rule == name);
        lines.iter().filter(is_own).map(|line| line.step).collect::<Vec<_>>()
    };
    for line in lines.iter().take(MOST) {
        if line.depth == 0 {
            // The access path comes first: it brings what the branch looks at.
            open.clear();
            nodes.push(branch(explained, line.step, nodes.len(), &under_way));
            open.push(nodes.len() - 1);
        }
        open.truncate(line.depth + 1);
        let parent = open.last().copied();
        let (text, kind) = match &line.what {
            What::Node { predicate, .. } => (predicate.clone(), "predicate"),
            What::Witness { rule } => ((*rule).to_owned(), "rule"),
        };
        let (estimated, actual) = match (&explained.analysis, &line.what, summary) {
            (Some(analysis), ..) => {
                let counted = analysis.steps.get(line.step).copied().flatten();
                (Some(explained.passing.brought[line.step]), counted.map(|counted| counted.passed))
            }
            (None, What::Witness { rule }, Some(summary)) => {
                let found = summary.by_rule.iter().find(|(name, _)| name == rule).map(|(_, n)| *n);
                let steps = steps_of(rule);
                match (found, steps.first() == Some(&line.step)) {
                    (Some(_), false) => (None, None),
                    (Some(_), true) => {
                        (Some(steps.iter().map(|&step| explained.passing.named[step]).sum()), found)
                    }
                    (None, _) => (Some(line.passing), None),
                }
            }
            (None, ..) => (Some(line.passing), None),
        };
        nodes.push(json!({
            "id": nodes.len(), "parent": parent, "text": shortened(&text, MOST_TEXT), "kind": kind,
            "estimated": estimated.map(hundredths), "actual": actual,
            "ms_expected": null, "ms": null,
        }));
        open.push(nodes.len() - 1);
    }
    for near in &explained.neighbourhoods {
        let actual = summary.and_then(|summary| {
            summary.by_rule.iter().find(|(name, _)| *name == near.neighbourhood.name).map(|(_, n)| *n)
        });
        nodes.push(json!({
            "id": nodes.len(), "parent": null, "text": shortened(&near.neighbourhood.to_string(), MOST_TEXT),
            "kind": "neighbourhood", "estimated": null, "actual": actual, "ms_expected": null, "ms": null,
        }));
    }
    let counts = match (&explained.analysis, summary) {
        (Some(_), _) => "brought",
        (None, Some(_)) => "named",
        (None, None) => "expected",
    };
    let n_left_out = lines.len().saturating_sub(MOST);
    json!({ "nodes": nodes, "counts": counts, "left_out": n_left_out })
}

fn hundredths(pairs: f64) -> Value {
    float((pairs * 100.0).round() / 100.0)
}

/// How the branch that begins with a step comes by its pairs: by one access path, or by several for parts of it.
fn branch(explained: &Explained<'_>, first: usize, id: usize, under_way: &[Duration]) -> Value {
    let lines = explained.lines();
    let next = lines.iter().find(|line| line.depth == 0 && line.step > first).map(|line| line.step);
    let is_own = |step: usize| step >= first && next.is_none_or(|next| step < next);
    let paths = explained.plan.program().paths().iter().enumerate();
    let own: Vec<usize> =
        paths.filter(|(_, (steps, _))| is_own(steps.start as usize)).map(|(nth, _)| nth).collect();
    let ways: Vec<_> = own.iter().filter_map(|&nth| explained.considered.get(nth)?.first()).collect();
    let runs = explained
        .analysis
        .as_ref()
        .map(|analysis| own.iter().filter_map(|&nth| analysis.paths.get(nth)).collect::<Vec<_>>());
    let text = match ways.is_empty() {
        true => "branch".to_owned(),
        false => ways.iter().map(|way| way.way.as_str()).collect::<Vec<_>>().join("; "),
    };
    let expected: f64 = ways.iter().map(|way| way.milliseconds).sum();
    let thousandths = |ms: f64| float((ms * 1e3).round() / 1e3);
    json!({
        "id": id, "parent": null, "text": shortened(&text, MOST_TEXT), "kind": "branch",
        "estimated": explained.passing.found.get(first).map(|pairs| hundredths(*pairs)),
        "actual": runs.as_ref().map(|runs| runs.iter().map(|run| run.n_candidates).sum::<u64>()),
        "ms_expected": (!ways.is_empty()).then(|| thousandths(expected)),
        "ms_under_way": (!under_way.is_empty()).then(|| {
            thousandths(own.iter().filter_map(|&nth| under_way.get(nth)).map(|time| time.as_secs_f64() * 1e3).sum())
        }),
        "ms": runs.map(|runs| thousandths(runs.iter().map(|run| run.time.as_secs_f64() * 1e3).sum())),
    })
}
