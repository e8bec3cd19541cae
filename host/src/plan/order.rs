//! Order: which predicate of a rule is asked first.
//!
//! HyperBlocker ranks predicates by (1 − sp) / cost: what it is worth to fail a pair early, against what the question
//! costs. For one rule that order is the best there is (Hellerstein, *Practical predicate placement*, SIGMOD 1994). For
//! many rules a question that several of them share is worth more: [`covering`] counts a predicate once for every rule
//! that it may end.

use super::Conjunction;
use super::variant::Variant;
use crate::base::random::Random;
use hashbrown::{HashMap, HashSet};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

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
    if let [alone] = rest[..] {
        let list = &mut conjunctions[alone].predicates[depth..];
        return list.sort_by(|&a, &b| weights.rank(b).total_cmp(&weights.rank(a)));
    }
    let mut uses: HashMap<usize, Uses> = HashMap::new();
    let mut n_seen = 0;
    for &ix in &rest {
        for &predicate in &conjunctions[ix].predicates[depth..] {
            uses.entry(predicate).or_default().places.push((ix, n_seen));
            n_seen += 1;
        }
    }
    // The worth of a predicate only falls, with each conjunction that is taken by another one: it is looked at again when
    // its turn comes.
    let mut is_open: HashSet<usize> = rest.into_iter().collect();
    let mut queue: BinaryHeap<Worth> = BinaryHeap::new();
    let worth = |predicate: usize, uses: &mut HashMap<usize, Uses>, is_open: &HashSet<usize>| {
        let (n, first) = uses.get_mut(&predicate)?.left(is_open)?;
        Some(Worth { worth: n as f64 * weights.rank(predicate), first, predicate })
    };
    let distinct: Vec<usize> = uses.keys().copied().collect();
    queue.extend(distinct.into_iter().filter_map(|predicate| worth(predicate, &mut uses, &is_open)));
    while let Some(best) = queue.pop() {
        let Some(now) = worth(best.predicate, &mut uses, &is_open) else { continue };
        if now != best {
            queue.push(now);
            continue;
        }
        let with = uses.remove(&best.predicate).map(|uses| uses.places).unwrap_or_default();
        let with: Vec<usize> = with.into_iter().map(|(ix, _)| ix).filter(|ix| is_open.remove(ix)).collect();
        for &ix in &with {
            let list = &mut conjunctions[ix].predicates[depth..];
            let place = list.iter().position(|&other| other == best.predicate).unwrap_or_default();
            list[..=place].rotate_right(1);
        }
        cover(conjunctions, with, depth + 1, weights);
    }
}

/// Where a predicate stands: in which conjunctions, ascending, and at which place among all.
#[derive(Default)]
struct Uses {
    places: Vec<(usize, usize)>,
}

impl Uses {
    /// In how many of the open conjunctions it stands, if in any, and where first.
    fn left(&mut self, is_open: &HashSet<usize>) -> Option<(usize, usize)> {
        self.places.retain(|(ix, _)| is_open.contains(ix));
        self.places.first().map(|&(_, first)| (self.places.len(), first))
    }
}

/// What a predicate is worth: of two that are worth the same, the one that stands first is greater.
#[derive(Clone, Copy, PartialEq)]
struct Worth {
    worth: f64,
    first: usize,
    predicate: usize,
}

impl Eq for Worth {}

impl Ord for Worth {
    fn cmp(&self, other: &Self) -> Ordering {
        self.worth.total_cmp(&other.worth).then_with(|| other.first.cmp(&self.first))
    }
}

impl PartialOrd for Worth {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
