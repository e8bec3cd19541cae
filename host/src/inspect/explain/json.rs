//! The tree as JSON: nodes within nodes.

use super::{BranchScan, Considered, Explained, Line, Near, What};
use crate::base::json::{float, seconds};
use crate::inspect::analyze::Counted;
use crate::plan::statistics::ColumnStatistics;
use crate::tell::left_out::LeftOut;
use serde_json::{Value, json};

impl Explained<'_> {
    /// The plan as one object.
    pub fn json(&self) -> Value {
        let lines = self.lines();
        let [left, right] = self.n_records;
        let name = |rule: usize| self.plan.rules[rule].name.as_str();
        let subsumed = self.subsumed.iter().map(|it| json!({ "rule": name(it.rule), "by": name(it.by) }));
        let mut object = json!({
            "left_records": left,
            "right_records": right,
            "left_compared": self.encoded.n_left,
            "right_compared": self.encoded.n_right,
            "pairs": self.n_pairs,
            "branches": self.nodes(&mut lines.iter().peekable(), 0),
            "accesses": self.scans.iter().map(scan).collect::<Value>(),
            "considered": self.considered.iter().map(|it| considered(it)).collect::<Value>(),
            "subsumed": subsumed.collect::<Value>(),
            "expected": {
                "prepare_seconds": float(self.expects.preparing.as_secs_f64()),
                "find_seconds": float(self.expects.finding / 1e3),
                "memory_bytes": self.expects.memory,
            },
        });
        if !self.tables.is_empty() {
            let table = |(name, n): &(String, u32)| json!({ "name": name, "records": n });
            object["tables"] = self.tables.iter().map(table).collect();
        }
        if let Some(kind) = self.planned_for {
            object["planned_for"] = kind.to_string().into();
        }
        if let [_, _, ..] = self.tasks[..] {
            let [least, median, most] = self.task_times().map(float);
            object["tasks"] = json!({
                "count": self.tasks.len(), "least_ms": least, "median_ms": median, "most_ms": most,
            });
        }
        if !self.neighbourhoods.is_empty() {
            object["neighbourhoods"] = self.neighbourhoods.iter().map(near).collect();
        }
        if !self.left_out.is_empty() {
            object["left_out"] = self.left_out.iter().map(left_out).collect();
        }
        if let Some((all, n_pairs)) = self.all {
            object["all_pairs"] = json!({ "name": all.name, "pairs": n_pairs, "most": all.most });
        }
        if let Some(analysis) = &self.analysis {
            object["candidates"] = analysis.n_candidates.into();
            object["device"] = analysis.device.as_str().into();
            object["seconds"] = float(analysis.time().as_secs_f64());
            object["times"] = seconds(&analysis.stages);
            object["times"]["scan"] = json!({
                "by_path": analysis.shares.iter().map(|time| float(time.as_secs_f64())).collect::<Value>(),
                "other": float(analysis.rest().as_secs_f64()),
            });
            object["latencies"] = analysis.latencies.json();
            for (nth, path) in analysis.paths.iter().enumerate() {
                // The first is what runs.
                let taken = &mut object["considered"][nth][0];
                taken["actual_milliseconds"] = float(path.time.as_secs_f64() * 1e3);
                taken["candidates"] = path.n_candidates.into();
            }
        }
        if !self.columns.is_empty() {
            object["columns"] = self.columns.iter().map(column).collect();
        }
        object
    }

    /// The nodes from here on that are this deep, with all that hangs on them.
    fn nodes<'a>(
        &self,
        lines: &mut std::iter::Peekable<std::slice::Iter<'a, Line<'a>>>,
        depth: usize,
    ) -> Vec<Value> {
        let mut nodes = Vec::new();
        while let Some(line) = lines.next_if(|line| line.depth == depth) {
            let mut object = match &line.what {
                What::Witness { rule } => json!({ "rule": rule }),
                What::Node { predicate, selectivity, counted, cost, score, remembered } => json!({
                    "predicate": predicate,
                    "selectivity": float(*selectivity),
                    "selectivity_is_exact": counted,
                    "cost_ns": float(*cost),
                    "score": float(*score),
                    "remembered": remembered,
                }),
            };
            object["expected_pairs"] = float(line.passing);
            if let Some(counted) = self.analysis.as_ref().and_then(|analysis| analysis.steps[line.step]) {
                let Counted { tested, computed, passed } = counted;
                object["actual_pairs"] = passed.into();
                object["tested"] = tested.into();
                object["computed"] = computed.into();
            }
            let children = self.nodes(lines, depth + 1);
            if !children.is_empty() {
                object["children"] = children.into();
            }
            nodes.push(object);
        }
        nodes
    }
}

fn considered(ways: &[Considered]) -> Value {
    let way = |it: &Considered| json!({ "access": it.way, "path": it.path, "milliseconds": float(it.milliseconds) });
    ways.iter().map(way).collect()
}

fn scan(scan: &BranchScan) -> Value {
    match scan {
        BranchScan::Join { is_swept, equalities, n_records: [left, right], n_keys, n_pairs } => json!({
            "access": if *is_swept { "sweep by key" } else { "hash join" },
            "on": equalities,
            "left_records": left,
            "right_records": right,
            "keys": n_keys,
            "pairs": n_pairs,
        }),
        BranchScan::SameValue { lead, n_values, n_pairs } => json!({
            "access": "join",
            "same_value": lead,
            "keys": n_values,
            "pairs": n_pairs,
        }),
        BranchScan::Overlap { lead, within, found_by, elements, n_values: [left, right] } => {
            let mut object = json!({ "access": "overlap join" });
            if let Some((equalities, n_keys)) = within {
                object["on"] = json!(equalities);
                object["heavy_keys"] = json!(n_keys);
            }
            object["lead"] = json!(lead);
            object["found_by"] = json!(found_by);
            object["elements"] = json!(elements);
            object["left_items"] = json!(left);
            object["right_items"] = json!(right);
            object
        }
        BranchScan::Sweep { within, lead, n_items: [left, right], of_values, n_reached, screen } => {
            let mut object = match within {
                None => json!({ "access": "sweep" }),
                Some((equalities, n_keys)) => {
                    json!({ "access": "hash join", "on": equalities, "heavy_keys": n_keys })
                }
            };
            if let Some(lead) = lead {
                object["lead"] = json!(lead);
            }
            object["items"] = json!(if *of_values { "values" } else { "records" });
            object["left_items"] = json!(left);
            object["right_items"] = json!(right);
            object["pairs_in_reach"] = json!(n_reached);
            object["screen"] = json!(screen);
            object
        }
    }
}

fn column(column: &ColumnStatistics) -> Value {
    let heavy = column.heavy.iter().map(|(value, n)| json!({ "value": value, "records": n }));
    // The n-th number counts values of up to 2^n characters.
    let lengths = column.lengths.iter().enumerate();
    let lengths = lengths.map(|(place, n)| json!({ "up_to": 1u64 << place, "records": n }));
    json!({
        "name": column.name,
        "records": column.n_records,
        "missing": column.n_missing,
        "distinct": column.n_distinct,
        "lengths": lengths.collect::<Value>(),
        "heavy": heavy.collect::<Value>(),
    })
}

fn near(near: &Near<'_>) -> Value {
    let Near { neighbourhood, n_records } = near;
    json!({
        "name": neighbourhood.name,
        "keys": neighbourhood.keys.iter().map(ToString::to_string).collect::<Value>(),
        "window": neighbourhood.window,
        "records": n_records,
        "approximate": true,
    })
}

fn left_out(left_out: &LeftOut) -> Value {
    let LeftOut { rule, equalities, most, blocks } = left_out;
    let block = |(value, n_records): &(String, u64)| json!({ "value": value, "records": n_records });
    json!({
        "rule": rule,
        "equalities": equalities,
        "most_records": most,
        "blocks": blocks.iter().map(block).collect::<Value>(),
        "approximate": true,
    })
}
