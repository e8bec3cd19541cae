//! What became of ids, counted: for people and for programs.

use crate::entities::survival::ChangeCounts;
use indicatif::HumanCount;
use serde_json::{Value, json};
use std::fmt;

/// A line of a summary.
pub(crate) fn line(counts: &ChangeCounts, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let ChangeCounts { before, unchanged, grown, shrunk, changed, merged, gone, split, new } = *counts;
    let became = [
        (unchanged, "unchanged"),
        (grown, "grown"),
        (shrunk, "shrunk"),
        (changed, "changed"),
        (merged, "merged"),
        (gone, "gone"),
    ];
    let became: Vec<String> = became.iter().map(|(n, what)| format!("{} {what}", HumanCount(*n))).collect();
    writeln!(
        f,
        "ids              {} before: {}; {} were split, {} are new",
        HumanCount(before),
        became.join(", "),
        HumanCount(split),
        HumanCount(new)
    )
}

pub(crate) fn json(counts: &ChangeCounts) -> Value {
    let ChangeCounts { before, unchanged, grown, shrunk, changed, merged, gone, split, new } = *counts;
    json!({
        "before": before,
        "unchanged": unchanged,
        "grown": grown,
        "shrunk": shrunk,
        "changed": changed,
        "merged": merged,
        "gone": gone,
        "split": split,
        "new": new,
    })
}
