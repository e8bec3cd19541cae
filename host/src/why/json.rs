//! An answer for programs. Keys never change their names or meanings; values are whole.
//!
//! `left` and `right` of a predicate are there for the records that it looks at, and `null` where a value is missing.
//! `verdict` is `holds`, `fails`, or `missing`: fails, and so would the opposite. `measured` is `null` where there is
//! nothing to measure.

use super::{Conjunction, Finding, Measured, Verdict, Why};
use crate::json::Json;

impl Why {
    /// All of it.
    pub fn json(&self) -> Json {
        let witness = self.witness();
        let rules = self.rules.iter().map(|rule| {
            let conjunctions = rule.conjunctions.iter().map(|conjunction| self.conjunction_json(conjunction));
            Json::Object(vec![
                ("name", rule.name.as_str().into()),
                ("holds", self.rule_holds(rule).into()),
                ("conjunctions", conjunctions.collect()),
            ])
        });
        Json::Object(vec![
            ("left", self.left.as_str().into()),
            ("right", self.right.as_str().into()),
            ("candidate", witness.is_some().into()),
            ("witness", witness.and_then(|ix| self.rules.get(ix)).map(|rule| rule.name.as_str()).into()),
            ("rules", rules.collect()),
        ])
    }

    fn conjunction_json(&self, conjunction: &Conjunction) -> Json {
        let predicates = conjunction.predicates.iter().map(|&ix| self.findings[ix].json());
        Json::Object(vec![
            ("holds", self.conjunction_holds(conjunction).into()),
            ("predicates", predicates.collect()),
        ])
    }
}

impl Finding {
    fn json(&self) -> Json {
        let verdict = match self.verdict {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Missing => "missing",
        };
        let mut members = vec![("predicate", Json::Text(self.predicate.to_string()))];
        for (key, seen) in [("left", &self.left), ("right", &self.right)] {
            members.extend(seen.as_ref().map(|value| (key, value.as_deref().into())));
        }
        members.push(("measured", self.measured.as_ref().map(Measured::json).into()));
        members.push(("verdict", verdict.into()));
        Json::Object(members)
    }
}

impl Measured {
    fn json(&self) -> Json {
        let mut members = Vec::new();
        match self {
            Self::Edits(edits) => members.push(("edits", (*edits).into())),
            Self::Difference { decimal, is_days } => {
                members.push(("difference", decimal.clone().map(Json::Number).into()));
                members.push(("unit", is_days.then_some("days").into()));
            }
            Self::Similarity(_) | Self::Sets(..) => {}
        }
        if let Self::Similarity(ratio) | Self::Sets(_, Some(ratio)) = self {
            members.push(("similarity", Json::Number(ratio.decimal.clone())));
            members.push(("exact", Json::Text(ratio.exact.to_string())));
        }
        if let Self::Sets(common, _) = self {
            members.push(("common", (common.tokens.len() as u64).into()));
            members.push(("sizes", [common.n_left as u64, common.n_right as u64].into_iter().collect()));
            members.push(("tokens", common.tokens.iter().map(String::as_str).collect()));
        }
        Json::Object(members)
    }
}
