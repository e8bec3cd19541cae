//! The score of a draft: how each column is measured, by what it is, and how much it counts.
//!
//! A column that tells more about a record counts more: as many bits as its values tell.

use super::compared::Compared;
use super::role::Role;
use super::sample::Seen;
use super::sql;
use crate::entities::cluster::ClusterMethod;
use std::collections::{BTreeMap, BTreeSet};

/// How pairs become entities. Nobody tuned the score, so that pairs are wrong now and then, and in chains one wrong pair makes one
/// entity of two; of most tables it is not known whether they have a thing once.
pub const METHOD: ClusterMethod = ClusterMethod::Complete;
/// Steps of a score, and between which of them a threshold is looked for.
const STEPS: usize = 100;
const LOWEST: usize = 40;
const HIGHEST: usize = 96;
/// Falls that are looked at, of a record.
const NEXT: usize = 12;
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
        // A name of blanks is none.
        let name = if it.names[0].trim().is_empty() { String::new() } else { format!("name = {name}\n") };
        format!("[[score.attributes]]\n{name}measure = {measure}\nweight = {weight:.1}\n")
    };
    compared.iter().map(attribute).collect::<Vec<_>>().join("\n")
}

/// The score that pairs should come to. From the best pair of a record to the next best, and so on, scores fall; and by most where
/// those end that are the same. So it is where most falls are, each counted by its square; amid them, where no score lies for a while.
pub(super) fn threshold(seen: &BTreeSet<Seen>) -> f64 {
    let mut by_record: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for Seen { pair, score } in seen {
        by_record.entry(pair.0).or_default().push(f64::from(*score) / 1e9);
    }
    let mut falls = [0.0; STEPS + 1];
    for scores in by_record.values_mut() {
        scores.sort_by(|a, b| b.total_cmp(a));
        for two in scores.windows(2).take(NEXT) {
            let steps = (two[1] * STEPS as f64) as usize + 1..=(two[0] * STEPS as f64) as usize;
            steps.for_each(|step| falls[step.min(STEPS)] += (two[0] - two[1]).powi(2));
        }
    }
    let most = falls[LOWEST..HIGHEST].iter().copied().fold(0.0, f64::max);
    let steps: Vec<usize> = (LOWEST..HIGHEST).filter(|step| falls[*step] >= most).collect();
    steps[steps.len() / 2] as f64 / STEPS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Partners of 0.9 and more, and strangers of 0.4 and less.
    #[test]
    fn the_threshold_is_between_partners_and_strangers() {
        let pair =
            |left: u32, right: u32, score: f64| Seen { pair: (left, right), score: (score * 1e9) as u32 };
        let of = |left: u32| {
            let more = f64::from(left % 10) / 100.0;
            let strangers = (3..9).map(move |right| pair(left, right, 0.4 - more - f64::from(right) / 100.0));
            [pair(left, 1, 0.9 + more), pair(left, 2, 0.95)].into_iter().chain(strangers)
        };
        let at = threshold(&(0..50).flat_map(of).collect());
        assert!(at > 0.4 && at < 0.9, "{at}");
        assert!((0.5..1.0).contains(&threshold(&BTreeSet::new())));
    }
}
