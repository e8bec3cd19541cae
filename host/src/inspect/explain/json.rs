//! The tree as JSON: nodes within nodes.

use super::{BranchScan, Considered, Explained, Line, Near, What};
use crate::base::json::Json;
use crate::inspect::analyze::{Counted, OnDevice};
use crate::plan::statistics::ColumnStatistics;

impl Explained<'_> {
    /// The plan as one object.
    pub fn json(&self) -> Json {
        let lines = self.lines();
        let [left, right] = self.n_records;
        let name = |rule: usize| self.plan.rules[rule].name.as_str();
        let subsumed = self.subsumed.iter().map(|subsumed| {
            Json::Object(vec![("rule", name(subsumed.rule).into()), ("by", name(subsumed.by).into())])
        });
        let mut object = vec![
            ("left_records", left.into()),
            ("right_records", right.into()),
            ("left_compared", self.encoded.n_left.into()),
            ("right_compared", self.encoded.n_right.into()),
            ("pairs", self.n_pairs.into()),
            ("branches", Json::List(self.nodes(&mut lines.iter().peekable(), 0))),
            ("accesses", Json::List(self.scans.iter().map(scan).collect())),
            ("considered", Json::List(self.considered.iter().map(|it| considered(it)).collect())),
            ("subsumed", Json::List(subsumed.collect())),
        ];
        if !self.neighbourhoods.is_empty() {
            object.push(("neighbourhoods", Json::List(self.neighbourhoods.iter().map(near).collect())));
        }
        if let Some(analysis) = &self.analysis {
            object.push(("candidates", analysis.n_candidates.into()));
            object.push(("seconds", analysis.time.as_secs_f64().into()));
            if let Some(OnDevice { name, time, latencies }) = &analysis.on_device {
                object.push(("device", name.as_str().into()));
                object.push(("device_seconds", time.as_secs_f64().into()));
                object.push(("latencies", latencies.json()));
            }
        }
        if !self.columns.is_empty() {
            object.push(("columns", Json::List(self.columns.iter().map(column).collect())));
        }
        Json::Object(object)
    }

    /// The nodes from here on that are this deep, with all that hangs on them.
    fn nodes<'a>(
        &self,
        lines: &mut std::iter::Peekable<std::slice::Iter<'a, Line<'a>>>,
        depth: usize,
    ) -> Vec<Json> {
        let mut nodes = Vec::new();
        while let Some(line) = lines.next_if(|line| line.depth == depth) {
            let mut object = match &line.what {
                What::Witness { rule } => vec![("rule", (*rule).into())],
                What::Node { predicate, selectivity, counted, cost, score, remembered } => vec![
                    ("predicate", predicate.as_str().into()),
                    ("selectivity", (*selectivity).into()),
                    ("selectivity_is_exact", (*counted).into()),
                    ("cost_ns", (*cost).into()),
                    ("score", (*score).into()),
                    ("remembered", (*remembered).into()),
                ],
            };
            object.push(("expected_pairs", line.passing.into()));
            if let Some(analysis) = &self.analysis {
                let Counted { tested, computed, passed, nanoseconds } = analysis.steps[line.step];
                object.push(("actual_pairs", passed.into()));
                object.push(("tested", tested.into()));
                object.push(("computed", computed.into()));
                object.push(("milliseconds", (nanoseconds / 1e6).into()));
            }
            let children = self.nodes(lines, depth + 1);
            if !children.is_empty() {
                object.push(("children", Json::List(children)));
            }
            nodes.push(Json::Object(object));
        }
        nodes
    }
}

fn considered(ways: &[Considered]) -> Json {
    let way =
        |it: &Considered| Json::Object(vec![("access", it.way.as_str().into()), ("cost", it.cost.into())]);
    Json::List(ways.iter().map(way).collect())
}

fn scan(scan: &BranchScan) -> Json {
    let on = |equalities: &[String]| Json::List(equalities.iter().map(|it| it.as_str().into()).collect());
    let mut object = Vec::new();
    match scan {
        BranchScan::Join { equalities, n_records: [left, right], n_keys, n_pairs } => object.extend([
            ("access", "hash join".into()),
            ("on", on(equalities)),
            ("left_records", (*left as u64).into()),
            ("right_records", (*right as u64).into()),
            ("keys", (*n_keys).into()),
            ("pairs", (*n_pairs).into()),
        ]),
        BranchScan::SameValue { lead, n_values, n_pairs } => object.extend([
            ("access", "hash join".into()),
            ("same_value", lead.as_str().into()),
            ("keys", (*n_values).into()),
            ("pairs", (*n_pairs).into()),
        ]),
        BranchScan::Overlap { lead, within, found_by, elements, n_values: [left, right], n_hits } => {
            object.push(("access", "overlap join".into()));
            if let Some((equalities, n_keys)) = within {
                object.extend([("on", on(equalities)), ("heavy_keys", (*n_keys).into())]);
            }
            object.extend([
                ("lead", lead.as_str().into()),
                ("found_by", (*found_by).into()),
                ("elements", elements.as_str().into()),
                ("left_items", (*left).into()),
                ("right_items", (*right).into()),
                ("expected_hits", (*n_hits).into()),
            ]);
        }
        BranchScan::Sweep { within, lead, n_items: [left, right], of_values, n_reached, screen } => {
            match within {
                None => object.push(("access", "sweep".into())),
                Some((equalities, n_keys)) => object.extend([
                    ("access", "hash join".into()),
                    ("on", on(equalities)),
                    ("heavy_keys", (*n_keys).into()),
                ]),
            }
            if let Some(lead) = lead {
                object.push(("lead", lead.as_str().into()));
            }
            object.extend([
                ("items", if *of_values { "values" } else { "records" }.into()),
                ("left_items", (*left).into()),
                ("right_items", (*right).into()),
                ("pairs_in_reach", (*n_reached).into()),
                ("screen", (*screen).into()),
            ]);
        }
    }
    Json::Object(object)
}

fn column(column: &ColumnStatistics) -> Json {
    let heavy = column
        .heavy
        .iter()
        .map(|(value, n)| Json::Object(vec![("value", value.as_str().into()), ("records", (*n).into())]));
    // The n-th number counts values of up to 2^n characters.
    let lengths =
        column.lengths.iter().enumerate().map(|(place, n)| {
            Json::Object(vec![("up_to", (1u64 << place).into()), ("records", (*n).into())])
        });
    Json::Object(vec![
        ("name", column.name.as_str().into()),
        ("records", column.n_records.into()),
        ("missing", column.n_missing.into()),
        ("distinct", column.n_distinct.into()),
        ("lengths", Json::List(lengths.collect())),
        ("heavy", Json::List(heavy.collect())),
    ])
}

fn near(near: &Near<'_>) -> Json {
    let Near { neighbourhood, n_records } = near;
    let keys = neighbourhood.keys.iter().map(|key| Json::Text(key.to_string()));
    Json::Object(vec![
        ("name", neighbourhood.name.as_str().into()),
        ("keys", Json::List(keys.collect())),
        ("window", neighbourhood.window.into()),
        ("records", (*n_records as u64).into()),
        ("approximate", true.into()),
    ])
}
