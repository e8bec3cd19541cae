//! An answer for programs. Keys never change their names or meanings; values are whole.
//!
//! `left` and `right` of a predicate are there for the records that it looks at, and `null` where a value is missing.
//! `verdict` is `holds`, `fails`, or `missing`: fails, and so would the opposite. `measured` is `null` where there is
//! nothing to measure. `score` is there if the rule file has one.

use super::{Conjunction, Finding, Measured, Verdict, Why};
use crate::base::json::number;
use serde_json::{Value, json};

impl Why {
    /// All of it.
    pub fn json(&self) -> Value {
        let witness = self.witness_name();
        let rules = self.rules.iter().map(|rule| {
            let conjunctions = rule.conjunctions.iter().map(|conjunction| self.conjunction_json(conjunction));
            json!({
                "name": rule.name,
                "holds": self.rule_holds(rule),
                "conjunctions": conjunctions.collect::<Value>(),
            })
        });
        let mut object = json!({
            "left": self.left,
            "right": self.right,
            "candidate": witness.is_some(),
            "witness": witness,
            "rules": rules.collect::<Value>(),
        });
        if let Some((left, right)) = &self.sources {
            object["left_source"] = json!(left);
            object["right_source"] = json!(right);
        }
        if !self.neighbourhoods.is_empty() {
            let near = self.neighbourhoods.iter().map(|near| {
                json!({
                    "name": near.neighbourhood.name,
                    "holds": near.holds(),
                    "window": near.neighbourhood.window,
                    "distance": near.distance,
                })
            });
            object["neighbourhoods"] = near.collect();
        }
        if let Some(all) = &self.all {
            object["all_pairs"] = json!({ "name": all.name, "holds": true });
        }
        if let Some(score) = &self.score {
            object["score"] = score.json();
        }
        object
    }

    fn conjunction_json(&self, conjunction: &Conjunction) -> Value {
        let predicates = conjunction.predicates.iter().map(|&ix| self.findings[ix].json());
        json!({
            "holds": self.conjunction_holds(conjunction),
            "predicates": predicates.collect::<Value>(),
        })
    }
}

impl Finding {
    fn json(&self) -> Value {
        let verdict = match self.verdict {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Missing => "missing",
        };
        let mut object = json!({ "predicate": self.predicate.to_string() });
        for (key, seen) in [("left", &self.left), ("right", &self.right)] {
            if let Some(value) = seen {
                object[key] = json!(value);
            }
        }
        object["measured"] = self.measured.as_ref().map(Measured::json).into();
        object["verdict"] = verdict.into();
        object
    }
}

impl Measured {
    fn json(&self) -> Value {
        let mut object = json!({});
        match self {
            Self::Count(counted, n) => object[counted.key()] = json!(n),
            Self::Difference { decimal, is_days } => {
                object["difference"] = decimal.as_deref().map(number).into();
                object["unit"] = is_days.then_some("days").into();
            }
            Self::Distance(kilometres) => {
                object["distance"] = number(kilometres);
                object["unit"] = "km".into();
            }
            Self::Similarity(_) | Self::Sets(..) => {}
        }
        if let Self::Similarity(ratio) | Self::Sets(_, Some(ratio)) = self {
            object["similarity"] = number(&ratio.decimal);
            object["exact"] = ratio.exact.to_string().into();
        }
        if let Self::Sets(common, _) = self {
            object["common"] = common.tokens.len().into();
            object["sizes"] = json!([common.n_left, common.n_right]);
            object["tokens"] = json!(common.tokens);
        }
        object
    }
}
