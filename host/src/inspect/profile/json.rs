//! A profile for programs.

use super::{ColumnProfile, Key, Profile, Sign};
use crate::base::json::{float, number};
use serde_json::{Value, json};

impl Profile {
    /// All of it.
    pub fn json(&self) -> Value {
        json!({
            "table": self.path.display().to_string(),
            "records": self.n_records,
            "columns": self.columns.iter().map(ColumnProfile::json).collect::<Vec<_>>(),
        })
    }
}

impl ColumnProfile {
    fn json(&self) -> Value {
        let key = match self.key() {
            None => json!(null),
            Some(Key::Unique) => json!({ "unique": true, "others": 0 }),
            Some(Key::Nearly(n)) => json!({ "unique": false, "others": n }),
        };
        let lengths = self.lengths.map(|it| {
            let mean = number(&format!("{:.3}", it.mean));
            json!({ "least": it.least, "median": it.median, "mean": mean, "most": it.most })
        });
        let heavy = self.heavy.iter().map(|(value, n)| json!({ "value": value, "records": n }));
        let placeholders = self
            .placeholders
            .iter()
            .map(|it| json!({ "value": it.value, "records": it.n, "sign": word(it.sign) }));
        json!({
            "name": self.name,
            "id": self.is_id,
            "kind": self.kind_said(),
            "missing": self.n_missing,
            "distinct": self.n_distinct,
            "bits": float((1000.0 * self.bits).round() / 1000.0),
            "key": key,
            "lengths": lengths,
            "heavy": heavy.collect::<Vec<_>>(),
            "placeholders": placeholders.collect::<Vec<_>>(),
        })
    }
}

fn word(sign: Sign) -> &'static str {
    match sign {
        Sign::Word => "word",
        Sign::Digits => "digits",
        Sign::Day => "day",
        Sign::Alone => "alone",
    }
}
