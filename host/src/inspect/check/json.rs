//! A check for programs.

use super::{Check, Checked, CheckedRule};
use crate::base::json::float;
use serde_json::{Value, json};

impl Check {
    /// All of it. `wrong` is empty if the job can run; only then is all else there.
    pub fn json(&self) -> Value {
        match self {
            Self::Wrong(all) => {
                json!({ "wrong": all.iter().map(ToString::to_string).collect::<Vec<_>>() })
            }
            Self::Right(checked) => checked.json(),
        }
    }
}

impl Checked {
    fn json(&self) -> Value {
        let doubts = self.doubts.iter().map(|doubt| json!({ "kind": doubt.kind, "said": doubt.said }));
        json!({
            "wrong": [],
            "device": self.device,
            "records": self.n_records,
            "pairs": self.n_pairs,
            "rules": self.rules.iter().map(CheckedRule::json).collect::<Value>(),
            "all": {
                "candidates": float(self.n_candidates),
                "milliseconds": float(self.expects.finding),
                "preparing_milliseconds": float(self.expects.preparing.as_secs_f64() * 1e3),
                "memory_bytes": self.expects.memory,
            },
            "doubts": doubts.collect::<Value>(),
        })
    }
}

impl CheckedRule {
    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "pairs": float(self.n_pairs),
            "milliseconds": self.milliseconds.map_or(Value::Null, float),
            "ways": self.ways,
        })
    }
}
