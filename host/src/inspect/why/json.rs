//! An answer for programs. Keys never change their names or meanings; values are whole.
//!
//! `left` and `right` of a predicate are there for the records that it looks at, and `null` where a value is missing.
//! `verdict` is `holds`, `fails`, or `missing`: fails, and so would the opposite. `measured` is `null` where there is
//! nothing to measure. `score` is there if the rule file has one.

use super::{Conjunction, Finding, Measured, Scored, Verdict, Why};
use crate::base::billionths::Billionths;
use crate::base::json::Json;

impl Why {
    /// All of it.
    pub fn json(&self) -> Json {
        let witness = self.witness_name();
        let rules = self.rules.iter().map(|rule| {
            let conjunctions = rule.conjunctions.iter().map(|conjunction| self.conjunction_json(conjunction));
            Json::Object(vec![
                ("name", rule.name.as_str().into()),
                ("holds", self.rule_holds(rule).into()),
                ("conjunctions", conjunctions.collect()),
            ])
        });
        let near = self.neighbourhoods.iter().map(|near| {
            Json::Object(vec![
                ("name", near.neighbourhood.name.as_str().into()),
                ("holds", near.holds().into()),
                ("window", near.neighbourhood.window.into()),
                ("distance", near.distance.into()),
            ])
        });
        let near = (!self.neighbourhoods.is_empty()).then(|| ("neighbourhoods", near.collect()));
        let mut members = vec![
            ("left", self.left.as_str().into()),
            ("right", self.right.as_str().into()),
            ("candidate", witness.is_some().into()),
            ("witness", witness.into()),
            ("rules", rules.collect()),
        ];
        members.extend(near);
        members.extend(self.score.as_ref().map(|score| ("score", score.json())));
        Json::Object(members)
    }

    fn conjunction_json(&self, conjunction: &Conjunction) -> Json {
        let predicates = conjunction.predicates.iter().map(|&ix| self.findings[ix].json());
        Json::Object(vec![
            ("holds", self.conjunction_holds(conjunction).into()),
            ("predicates", predicates.collect()),
        ])
    }
}

impl Scored {
    fn json(&self) -> Json {
        let decimal = |billionths: u32| Json::Number(Billionths(billionths).to_string());
        let attributes = self.attributes.iter().map(|(name, measure, similarity)| {
            Json::Object(vec![
                ("name", name.as_str().into()),
                ("measure", measure.as_str().into()),
                ("similarity", similarity.map(decimal).into()),
            ])
        });
        Json::Object(vec![
            ("score", decimal(self.score)),
            ("threshold", decimal(self.threshold)),
            ("attributes", attributes.collect()),
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
            Self::Count(counted, n) => members.push((counted.key(), (*n).into())),
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
