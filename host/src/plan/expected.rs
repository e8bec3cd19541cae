//! What a tree is expected to cost a pair: it is walked for a sample of pairs at once, whose outcomes are known.

use super::tree::Node;
use crate::plan::statistics::Statistics;

/// Nanoseconds for a step whose outcome is remembered, and for coming to one at all.
const STEP: f64 = 1.0;

/// What the cost of a tree follows from.
pub(super) struct Expected<'a> {
    pub(super) statistics: &'a Statistics,
    /// By predicate: nanoseconds.
    pub(super) costs: &'a [f64],
    /// By predicate: whether it is an equality, which is never remembered.
    pub(super) is_equality: &'a [bool],
}

impl Expected<'_> {
    /// Nanoseconds a pair.
    pub(super) fn cost(&self, tree: &[Node]) -> f64 {
        let n_sampled = self.statistics.n_sampled;
        let n_words = n_sampled.div_ceil(64);
        let mut walk = Walk { expected: self, known: vec![0; n_words * self.costs.len()], sum: 0.0 };
        let mut all = vec![u64::MAX; n_words];
        if let Some(last) = all.last_mut().filter(|_| !n_sampled.is_multiple_of(64)) {
            *last = (1 << (n_sampled % 64)) - 1;
        }
        walk.siblings(tree, &mut all);
        walk.sum / n_sampled.max(1) as f64
    }
}

struct Walk<'a> {
    expected: &'a Expected<'a>,
    /// By predicate: the pairs on which it was computed, as many words as for all pairs.
    known: Vec<u64>,
    sum: f64,
}

impl Walk<'_> {
    /// Pairs that reach a witness leave; that an earlier rule may still be asked is too rare to count.
    fn siblings(&mut self, nodes: &[Node], pairs: &mut [u64]) {
        for node in nodes {
            if pairs.iter().all(|&word| word == 0) {
                return;
            }
            let n_words = pairs.len();
            let known = &mut self.known[node.predicate * n_words..][..n_words];
            let count = |words: &[u64]| f64::from(words.iter().map(|word| word.count_ones()).sum::<u32>());
            let computed = pairs.iter().zip(&*known).map(|(pairs, known)| (pairs & !known).count_ones());
            let n_computed = f64::from(computed.sum::<u32>());
            self.sum += STEP * count(pairs) + self.expected.costs[node.predicate] * n_computed;
            if !self.expected.is_equality[node.predicate] {
                known.iter_mut().zip(&*pairs).for_each(|(known, pairs)| *known |= pairs);
            }
            let outcomes = &self.expected.statistics.outcomes[node.predicate];
            let mut passing: Vec<u64> =
                pairs.iter().zip(outcomes).map(|(pairs, holds)| pairs & holds).collect();
            let before = passing.clone();
            if node.witness.is_some() {
                passing.fill(0);
            } else {
                self.siblings(&node.children, &mut passing);
            }
            // What passed and is gone found a witness.
            for ((pairs, before), left) in pairs.iter_mut().zip(before).zip(passing) {
                *pairs &= !(before & !left);
            }
        }
    }
}
