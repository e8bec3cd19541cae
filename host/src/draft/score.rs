//! The score of a draft: how each column is measured, by what it is, and how much it counts.
//!
//! A column that tells more about a record counts more: as many bits as its values tell.

use super::compared::Compared;
use super::role::Role;
use super::sample::Seen;
use super::sql;
use std::collections::BTreeMap;

/// No score below it keeps a pair, and none above it is asked for.
const THRESHOLDS: (f64, f64) = (0.7, 0.9);
/// The least that a column weighs.
const LEAST: f64 = 0.5;

/// How a column is measured.
pub(super) fn measure(it: &Compared) -> String {
    let [l, r] = it.values();
    match it.role {
        Role::Name if it.look.words < 1.6 => format!("jaro_winkler({l}, {r})"),
        Role::Name => format!("cosine(qgrams({l}, 3), qgrams({r}, 3))"),
        Role::Text => format!("cosine(alphanumeric({l}), alphanumeric({r}))"),
        Role::Code | Role::Date => format!("levenshtein_similarity({l}, {r})"),
        Role::Number => format!("abs({l} - {r}) <= {}", it.near),
    }
}

/// The attributes, as TOML.
pub(super) fn attributes(compared: &[Compared]) -> String {
    let attribute = |it: &Compared| {
        let weight = it.bits.max(LEAST);
        let (name, measure) = (sql::text(&it.names[0]), sql::text(&measure(it)));
        format!("[[score.attributes]]\nname = {name}\nmeasure = {measure}\nweight = {weight:.1}\n")
    };
    compared.iter().map(attribute).collect::<Vec<_>>().join("\n")
}

/// The score that pairs should come to: it parts what the best pairs of records come to into those that are alike and those that
/// are not, so that both sides are as much the same within as can be (Otsu, 1979).
pub(super) fn threshold(seen: &[Seen]) -> f64 {
    let mut best: BTreeMap<u32, u32> = BTreeMap::new();
    for Seen { pair, score } in seen {
        let own = best.entry(pair.0).or_default();
        *own = (*own).max(*score);
    }
    let scores: Vec<f64> = best.values().map(|score| f64::from(*score) / 1e9).collect();
    let (n, sum) = (scores.len() as f64, scores.iter().sum::<f64>());
    let parted = |at: f64| {
        let (n_low, low) = scores.iter().filter(|score| **score < at).fold((0.0, 0.0), |(n, sum), it| (n + 1.0, sum + it));
        let n_high = n - n_low;
        if n_low == 0.0 || n_high == 0.0 { 0.0 } else { n_low * n_high * (low / n_low - (sum - low) / n_high).powi(2) }
    };
    let steps = (THRESHOLDS.0 * 100.0) as u32..=(THRESHOLDS.1 * 100.0) as u32;
    let at = steps.map(|step| f64::from(step) / 100.0).max_by(|a, b| parted(*a).total_cmp(&parted(*b)).then(b.total_cmp(a)));
    at.unwrap_or(THRESHOLDS.0)
}
