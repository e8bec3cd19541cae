//! Summaries for programs: one schema, with a version, whatever was done.
//!
//! ```text
//! version     1; raised when a key goes or changes its meaning, not when one is added
//! device      where it ran
//! records     left, and right (null for one table)
//! pairs       all, compared, candidates, by_rule: [{name, candidates}]
//! approximate what may miss pairs: neighbourhoods, and blocks: [{rule, equalities, most, values: [{value, records}]}]
//! scored      scored, kept, threshold; or null
//! quality     matches, found, recall, precision, f1, unknown; or null
//! seconds     all, and by stage
//! memory      peak and peak_on_device, in bytes; or null
//! ```
//!
//! Resolving adds `entities`. Clustering and closures have `version`, `device`, `method` and `seconds` of it, and
//!
//! ```text
//! records     all                              (clustering)
//! pairs       all, kept                        those in the file, and those that reach the threshold
//! entities    all, largest
//! quality     pairwise, b_cubed: precision, recall, f1; or null
//!
//! nodes, edges, components, tuples, rounds     (closures)
//! memory      peak
//! ```

use crate::base::billionths::Billionths;
use crate::base::json::{SUMMARY_VERSION, float, number, seconds};
use crate::entities::score::Tally;
use crate::tell::evaluate::Quality;
use crate::tell::left_out::LeftOut;
use crate::tell::report::Summary;
use serde_json::{Value, json};

impl Summary {
    /// The summary for programs.
    pub fn json(&self) -> Value {
        let by_rule = self.by_rule.iter().map(|(name, n)| json!({ "name": name, "candidates": n }));
        json!({
            "version": SUMMARY_VERSION,
            "device": self.device,
            "records": { "left": self.n_left, "right": self.n_right },
            "pairs": {
                "all": self.n_pairs,
                "compared": self.n_compared,
                "candidates": self.n_candidates(),
                "by_rule": by_rule.collect::<Vec<_>>(),
            },
            "approximate": {
                "neighbourhoods": self.approximate,
                "blocks": self.left_out.iter().map(left_out).collect::<Vec<_>>(),
            },
            "scored": self.scored.as_ref().map(scored),
            "quality": self.quality.as_ref().map(quality),
            "seconds": seconds(&self.stages),
            "memory": { "peak": self.peak_memory, "peak_on_device": self.peak_device_memory },
        })
    }
}

fn left_out(left_out: &LeftOut) -> Value {
    let LeftOut { rule, equalities, most, blocks } = left_out;
    let value = |(value, n): &(String, u64)| json!({ "value": value, "records": n });
    let values: Vec<Value> = blocks.iter().map(value).collect();
    json!({ "rule": rule, "equalities": equalities, "most": most, "values": values })
}

fn scored(tally: &Tally) -> Value {
    let threshold = number(&Billionths(tally.threshold).to_string());
    json!({ "scored": tally.n_scored, "kept": tally.n_kept, "threshold": threshold })
}

fn quality(quality: &Quality) -> Value {
    let Quality { n_matches, n_found, recall, precision, f1, n_unknown } = *quality;
    json!({
        "matches": n_matches,
        "found": n_found,
        "recall": float(recall),
        "precision": float(precision),
        "f1": float(f1),
        "unknown": n_unknown,
    })
}
