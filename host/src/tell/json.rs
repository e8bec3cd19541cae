//! Summaries for programs: one schema, with a version, whatever was done.
//!
//! ```text
//! version     1; raised when a key goes or changes its meaning, not when one is added
//! device      where it ran
//! records     left, and right (null for one table); of several that are one: tables: [{name, records}]; ids: of each table the
//!             column that they come from, or null where they are row numbers
//! pairs       all, candidates; compared: so many, or no more than that unless compared_is_exact; unseen: the others, which
//!             were ruled out without being compared; by_rule: [{name, candidates}]; rules one by one add allows, alone, and where the
//!             truth is known matches, matches_alone, recall_lost, precision
//! approximate what may miss pairs: neighbourhoods, and blocks: [{rule, equalities, most, values: [{value, records}]}]
//! scored      scored, kept, threshold; or null
//! errors      missed and wrong, each by cause; or null
//! quality     matches, found, recall, precision, f1, unknown; or null
//!             coverage: shares of candidates and of records; decided: how many candidates and pairs
//!             intervals: low and high of precision, recall and f1, where labels cover a part; or null
//! seconds     all, and by stage
//! memory      peak and peak_on_device, in bytes; or null
//! ```
//!
//! Resolving adds `entities`, with `apart` and `ids` as below, `coverage` (decided: pairs; records: all and named; unknown; or
//! null) and `steps`: name, pairs, decided, pairwise, intervals, b_cubed. Clustering and closures have `version`, `device`, `method`
//! and `seconds` of it, and
//!
//! ```text
//! records     all                              (clustering)
//! pairs       all, kept                        those in the file, and those that reach the threshold
//! entities    all, largest
//! apart       column, pairs_not_followed; or null
//! ids         before, unchanged, grown, shrunk, changed, merged, gone, split, new; or null
//! quality     pairwise, b_cubed: precision, recall, f1; decided, coverage and intervals of the first; or null
//!
//! nodes, edges, components, tuples, rounds     (closures)
//! memory      peak
//! ```

use crate::base::billionths::Billionths;
use crate::base::json::{SUMMARY_VERSION, float, number, seconds};
use crate::entities::score::Tally;
use crate::tell::each_rule::RuleCounts;
use crate::tell::errors::{Cause, ErrorCounts};
use crate::tell::evaluate::Quality;
use crate::tell::left_out::LeftOut;
use crate::tell::report::Summary;
use serde_json::{Value, json};

impl Summary {
    /// The summary for programs.
    pub fn json(&self) -> Value {
        let by_rule = self.by_rule.iter().enumerate().map(|(nth, (name, n))| {
            let each = self.each_rule.as_ref().and_then(|all| all.get(nth));
            by_rule(name, *n, each)
        });
        let mut records = json!({ "left": self.n_left, "right": self.n_right });
        if !self.tables.is_empty() {
            let table = |(name, n): &(String, u32)| json!({ "name": name, "records": n });
            records["tables"] = self.tables.iter().map(table).collect();
        }
        records["ids"] = self.ids.iter().cloned().collect();
        json!({
            "version": SUMMARY_VERSION,
            "device": self.device,
            "records": records,
            "pairs": {
                "all": self.n_pairs,
                "compared": self.compared.most,
                "compared_is_exact": self.compared.is_exact,
                "unseen": self.n_unseen(),
                "candidates": self.n_candidates(),
                "by_rule": by_rule.collect::<Vec<_>>(),
            },
            "approximate": {
                "neighbourhoods": self.approximate,
                "blocks": self.left_out.iter().map(left_out).collect::<Vec<_>>(),
            },
            "scored": self.scored.as_ref().map(scored),
            "quality": self.quality.as_ref().map(quality),
            "errors": self.errors.as_ref().map(errors),
            "seconds": seconds(&self.stages),
            "memory": { "peak": self.peak_memory, "peak_on_device": self.peak_device_memory },
        })
    }
}

fn by_rule(name: &str, n_candidates: u64, each: Option<&RuleCounts>) -> Value {
    let mut rule = json!({ "name": name, "candidates": n_candidates });
    let Some(each) = each else { return rule };
    rule["allows"] = each.n_allowed.into();
    rule["alone"] = each.n_alone.into();
    if let Some(matches) = &each.matches {
        rule["matches"] = matches.n_allowed.into();
        rule["matches_alone"] = matches.n_alone.into();
        rule["recall_lost"] = float(matches.recall_lost);
        rule["precision"] = float(matches.precision);
    }
    rule
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

fn errors(counts: &ErrorCounts) -> Value {
    let of = |causes: &[Cause]| -> Value {
        let each = causes.iter().map(|&cause| (cause.name().to_owned(), counts.of(cause).into()));
        Value::Object(each.collect())
    };
    json!({ "missed": of(&Cause::MISSED), "wrong": of(&Cause::WRONG) })
}

fn quality(quality: &Quality) -> Value {
    let Quality { n_matches, n_found, recall, precision, f1, n_unknown, .. } = *quality;
    let Quality { n_candidates, n_decided, coverage, .. } = *quality;
    json!({
        "matches": n_matches,
        "found": n_found,
        "recall": float(recall),
        "precision": float(precision),
        "f1": float(f1),
        "unknown": n_unknown,
        "coverage": coverage.json(n_candidates, n_decided),
        "decided": { "candidates": n_decided, "pairs": coverage.n_decided },
        "intervals": quality.intervals.map(|intervals| intervals.json()),
    })
}
