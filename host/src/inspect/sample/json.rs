//! A sample for programs. Values are whole and as the table has them; `differs` has the characters (Unicode scalar values, counted
//! from 0) that the other value has not, as the first and the one behind the last.

use super::marks::marks;
use super::{Compared, Looked, PairScore, Sample};
use crate::base::json::number;
use serde_json::{Map, Value, json};
use std::ops::Range;

impl Sample {
    /// All of it.
    pub fn json(&self) -> Value {
        let rules = self
            .rules
            .iter()
            .map(|(name, n, n_drawn)| json!({ "name": name, "candidates": n, "drawn": n_drawn }));
        json!({
            "seed": self.seed,
            "candidates": self.n_candidates(),
            "drawn": self.pairs.len(),
            "rules": rules.collect::<Value>(),
            "sample": self.pairs.iter().map(Looked::json).collect::<Value>(),
        })
    }
}

impl Looked {
    fn json(&self) -> Value {
        let mut object = json!({
            "left": self.ids[0],
            "right": self.ids[1],
            "rule": self.rule,
            "columns": self.columns.iter().map(Compared::json).collect::<Value>(),
        });
        if let Some([left, right]) = &self.sources {
            object["left_source"] = json!(left);
            object["right_source"] = json!(right);
        }
        if let Some(score) = &self.score {
            let PairScore { weight, reached, threshold } = score;
            let reached = number(&reached.to_string());
            match weight {
                None => object["score"] = reached,
                Some(weight) => {
                    object["weight"] = number(&weight.to_string());
                    object["probability"] = reached;
                }
            }
            object["threshold"] = number(&threshold.to_string());
            object["kept"] = json!(score.is_kept());
        }
        object
    }
}

impl Compared {
    fn json(&self) -> Value {
        let mut object = Map::from_iter([("column".to_owned(), json!(self.name))]);
        for (side, value) in ["left", "right"].into_iter().zip(&self.values) {
            if let Some(value) = value {
                object.insert(side.to_owned(), json!(value));
            }
        }
        if let [Some(Some(left)), Some(Some(right))] = &self.values {
            let marks = marks(left, right);
            let [l, r] = [(left, &marks[0]), (right, &marks[1])].map(|(text, ranges)| places(text, ranges));
            object.insert("differs".to_owned(), json!({ "left": l, "right": r }));
        }
        Value::Object(object)
    }
}

/// Bytes of a text as characters of it.
fn places(text: &str, ranges: &[Range<usize>]) -> Vec<[usize; 2]> {
    let place = |byte: usize| text[..byte].chars().count();
    ranges.iter().map(|range| [place(range.start), place(range.end)]).collect()
}
