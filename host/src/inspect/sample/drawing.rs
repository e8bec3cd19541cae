//! Drawing: of all candidates that come, in any order, those with the lowest tickets stay, of each rule by itself.

use crate::base::random::Random;
use hyperblock_shared::layout::Candidate;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A candidate with its ticket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawn {
    ticket: u64,
    pub(crate) pair: Candidate,
}

impl Drawn {
    /// Of a pair; no other pair has the same.
    pub(crate) fn new(key: u64, pair: Candidate) -> Self {
        let place = u64::from(pair.left) << 32 | u64::from(pair.right);
        Self { ticket: Random::new(key ^ place).next(), pair }
    }
}

impl Ord for Drawn {
    fn cmp(&self, other: &Self) -> Ordering {
        self.ticket.cmp(&other.ticket)
    }
}

impl PartialOrd for Drawn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.ticket == other.ticket
    }
}

impl Eq for Drawn {}

/// What is drawn so far.
#[derive(Debug)]
pub(super) struct Drawing {
    n: usize,
    key: u64,
    /// The only rule that is drawn from, if it is one.
    only: Option<u32>,
    /// By rule: the lowest so far, the highest of them on top.
    lowest: Vec<BinaryHeap<Drawn>>,
    counts: Vec<u64>,
}

impl Drawing {
    pub(super) fn new(n: usize, seed: u64, only: Option<u32>, n_rules: usize) -> Self {
        let key = Random::new(seed).next();
        Self { n, key, only, lowest: vec![BinaryHeap::new(); n_rules], counts: vec![0; n_rules] }
    }

    /// Some more candidates.
    pub(super) fn add(&mut self, found: &[Candidate]) {
        for pair in found.iter().filter(|pair| self.only.is_none_or(|only| only == pair.rule)) {
            self.counts[pair.rule as usize] += 1;
            let (lowest, drawn) = (&mut self.lowest[pair.rule as usize], Drawn::new(self.key, *pair));
            if lowest.len() < self.n {
                lowest.push(drawn);
            } else if let Some(mut highest) = lowest.peek_mut().filter(|highest| drawn < **highest) {
                *highest = drawn;
            }
        }
    }

    /// By rule: how many there were.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Those that are drawn, in the order of rules, then of records.
    pub(super) fn done(self) -> Vec<Drawn> {
        let by_rule: Vec<Vec<Drawn>> = self.lowest.into_iter().map(BinaryHeap::into_sorted_vec).collect();
        let mut firsts: Vec<Drawn> = by_rule.iter().filter_map(|drawn| drawn.first().copied()).collect();
        let mut all = by_rule.concat();
        all.sort_unstable();
        if firsts.len() > self.n {
            firsts.clear();
        }
        let mut drawn = firsts;
        for one in all {
            if drawn.len() >= self.n {
                break;
            }
            if !drawn.contains(&one) {
                drawn.push(one);
            }
        }
        drawn.sort_unstable_by_key(|drawn| (drawn.pair.rule, drawn.pair.left, drawn.pair.right));
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(drawn: &[Drawn]) -> Vec<(u32, u32, u32)> {
        drawn.iter().map(|drawn| (drawn.pair.rule, drawn.pair.left, drawn.pair.right)).collect()
    }

    fn drawn(candidates: &[Candidate], n: usize, seed: u64, at_once: usize) -> Vec<Drawn> {
        let mut drawing = Drawing::new(n, seed, None, 3);
        candidates.chunks(at_once).for_each(|some| drawing.add(some));
        drawing.done()
    }

    #[test]
    fn each_candidate_is_drawn_about_as_often() {
        let all: Vec<Candidate> = (0..100).map(|left| Candidate { left, right: left + 1, rule: 0 }).collect();
        let mut counts = [0u32; 100];
        for seed in 0..2000 {
            drawn(&all, 10, seed, 7).iter().for_each(|drawn| counts[drawn.pair.left as usize] += 1);
        }
        // 200 are expected, and one standard deviation is 13.4.
        assert!(counts.iter().all(|n| (130..270).contains(n)), "{counts:?}");
    }

    proptest! {
        #[test]
        fn the_order_is_nothing(
            mut rules in proptest::collection::vec(0u32..3, 0..60), n in 1usize..20, seed: u64, at_once in 1usize..9
        ) {
            rules.sort_unstable();
            let all: Vec<Candidate> =
                (0..).zip(&rules).map(|(left, &rule)| Candidate { left, right: left + 9, rule }).collect();
            let mut shuffled = all.clone();
            Random::new(seed).shuffle(&mut shuffled);
            let want = drawn(&all, n, seed, all.len().max(1));
            prop_assert_eq!(pairs(&want), pairs(&drawn(&shuffled, n, seed, at_once)));
            prop_assert_eq!(want.len(), n.min(all.len()));
            let mut there = rules.clone();
            there.dedup();
            if n >= there.len() {
                let mut found: Vec<u32> = want.iter().map(|drawn| drawn.pair.rule).collect();
                found.dedup();
                prop_assert_eq!(found, there);
            }
        }
    }
}
