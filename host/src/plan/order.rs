//! Order: which predicate of a rule is asked first.
//!
//! HyperBlocker ranks predicates by (1 − sp) / cost: what it is worth to fail a pair early, against what the question
//! costs. For one rule that order is the best there is (Hellerstein, *Practical predicate placement*, SIGMOD 1994). For
//! many rules a question that several of them share is worth more: [`covering`] counts a predicate once for every rule
//! that it may end.

use super::Conjunction;
use super::variant::Variant;
use crate::base::random::Random;

/// What the order is made from: by predicate, the share of pairs on which it holds, and its cost.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub(super) selectivity: &'a [f64],
    pub(super) costs: &'a [f64],
}

impl Weights<'_> {
    /// (1 − sp) / cost.
    pub(super) fn rank(&self, predicate: usize) -> f64 {
        (1.0 - self.selectivity[predicate]) / self.costs[predicate]
    }

    /// Π sp.
    pub(super) fn score(&self, conjunction: &[usize]) -> f64 {
        conjunction.iter().map(|&predicate| self.selectivity[predicate]).product()
    }
}

/// Orders each conjunction for itself: by rank, or as the variants say.
pub(super) fn ranked(
    conjunctions: &mut [Conjunction],
    weights: &Weights<'_>,
    variants: &[Variant],
    seed: u64,
) {
    let mut random = Random::new(seed);
    for conjunction in conjunctions {
        let list = &mut conjunction.predicates;
        // All sorts are stable: what ranks the same stays in file order.
        if variants.contains(&Variant::NoEpg) {
            continue;
        } else if variants.contains(&Variant::NoPo) {
            random.shuffle(list);
        } else if variants.contains(&Variant::COrder) {
            list.sort_by(|&a, &b| weights.costs[a].total_cmp(&weights.costs[b]));
        } else if variants.contains(&Variant::SOrder) {
            list.sort_by(|&a, &b| weights.selectivity[a].total_cmp(&weights.selectivity[b]));
        } else {
            list.sort_by(|&a, &b| weights.rank(b).total_cmp(&weights.rank(a)));
        }
    }
}

/// Orders all conjunctions together: the predicate with the greatest rank times the number of conjunctions that have it
/// comes first in all of them; then the same among these, and among the rest.
pub(super) fn covering(conjunctions: &mut [Conjunction], weights: &Weights<'_>) {
    let all: Vec<usize> = (0..conjunctions.len()).collect();
    cover(conjunctions, all, 0, weights);
}

/// Chooses what stands at `depth` in the conjunctions with these numbers, which agree up to there.
fn cover(conjunctions: &mut [Conjunction], mut rest: Vec<usize>, depth: usize, weights: &Weights<'_>) {
    rest.retain(|&ix| conjunctions[ix].predicates.len() > depth);
    while !rest.is_empty() {
        let mut best: Option<(usize, f64)> = None;
        let mut seen: Vec<usize> = Vec::new();
        for &predicate in rest.iter().flat_map(|&ix| &conjunctions[ix].predicates[depth..]) {
            if seen.contains(&predicate) {
                continue;
            }
            seen.push(predicate);
            let n =
                rest.iter().filter(|&&ix| conjunctions[ix].predicates[depth..].contains(&predicate)).count();
            let worth = n as f64 * weights.rank(predicate);
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((predicate, worth));
            }
        }
        let Some((predicate, _)) = best else { return };
        let (with, without) = rest.into_iter().partition(|&ix| {
            let list = &mut conjunctions[ix].predicates;
            match list[depth..].iter().position(|&other| other == predicate) {
                Some(place) => {
                    list[depth..=depth + place].rotate_right(1);
                    true
                }
                None => false,
            }
        });
        cover(conjunctions, with, depth + 1, weights);
        rest = without;
    }
}
