//! Sources that stay apart, and naive ways to cluster with them that say what is right.

use crate::clusters::{ClusterCase, scored};
use hyperblock::device::cpu::Cpu;
use hyperblock::entities::cluster::{ClusterMethod, Clustered, Records, cluster, clustered};
use hyperblock::operators::Backend;
use hyperblock::read::sources::Sources;
use hyperblock::{Control, ScoredPair};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of records of some sources.
#[derive(Clone, Debug)]
pub struct ApartCase {
    /// By record: its source, if it is of one.
    pub sources: Vec<Option<u32>>,
    /// The first record of the right table, if there are two.
    pub first_right: Option<u32>,
    /// Pairs, of two tables left records first.
    pub pairs: Vec<ScoredPair>,
}

impl ApartCase {
    /// The same with these records' sources as the engine takes them.
    pub fn told(&self) -> Sources {
        let names: Vec<Option<String>> =
            self.sources.iter().map(|source| source.map(|source| format!("source {source}"))).collect();
        Sources::new("source", names.iter().map(Option::as_deref))
    }

    /// Clusters, and sees that no entity has a source twice, that the naive way gives the same, and that nothing changes where
    /// no component has a source twice.
    pub fn assert_apart(&self, method: ClusterMethod, device: &dyn Backend) {
        let sources = self.told();
        let free = Records { first_right: self.first_right, ..Records::from(self.sources.len() as u32) };
        let records = Records { sources: Some(&sources), ..free };
        let what = format!("{self:?} by {method} on {}", device.name());
        let run = |records, pairs: &[ScoredPair]| {
            clustered(device, records, pairs, method, &Control::default())
                .unwrap_or_else(|error| panic!("{what}: {error}"))
        };
        let got = run(records, &self.pairs);
        assert!(!self.is_violated(&got.entities), "{what}: {:?}", got.entities);
        if let Some(naive) = self.naive(method) {
            assert_eq!((&got.entities, got.n_refused), (&naive.entities, naive.n_refused), "{what}");
        }
        let all = run(free, &self.pairs);
        if !self.is_violated(&components(self.sources.len() as u32, &self.pairs)) {
            assert_eq!(
                (got.entities, got.n_refused),
                (all.entities, 0),
                "{what}: there is nothing to take apart"
            );
        }
    }

    /// Whether an entity has a source twice.
    pub fn is_violated(&self, entities: &[u32]) -> bool {
        let mut seen = BTreeSet::new();
        let of = entities.iter().zip(&self.sources).filter_map(|(entity, source)| Some((entity, (*source)?)));
        of.into_iter().any(|it| !seen.insert(it))
    }

    /// Pairs, each once with its highest score, from the most alike on.
    fn distinct(&self) -> Vec<(u32, u32, u32)> {
        let mut distinct = BTreeMap::new();
        for pair in self.pairs.iter().filter(|pair| pair.left != pair.right) {
            let score = distinct.entry((pair.left.min(pair.right), pair.left.max(pair.right))).or_insert(0);
            *score = pair.score.max(*score);
        }
        let mut all: Vec<_> = distinct.into_iter().map(|((l, r), score)| (l, r, score)).collect();
        all.sort_by_key(|&(l, r, score)| (Reverse(score), l, r));
        all
    }

    fn are_one(&self, a: u32, b: u32) -> bool {
        self.sources[a as usize].is_some() && self.sources[a as usize] == self.sources[b as usize]
    }

    /// The naive way, and how many pairs it did not follow; none for one-to-one, which is not naive.
    pub fn naive(&self, method: ClusterMethod) -> Option<Clustered> {
        let all = self.distinct();
        let pairs: Vec<_> = all.iter().copied().filter(|&(l, r, _)| !self.are_one(l, r)).collect();
        let n_of_one = (all.len() - pairs.len()) as u64;
        let n = self.sources.len() as u32;
        match method {
            ClusterMethod::Components | ClusterMethod::TiledFw => {
                let (entities, n_refused) = self.greedy(&pairs);
                // Of a component that stays whole no pair is refused, and of others none of one source is followed.
                Some(Clustered { entities, n_refused: n_refused + n_of_one })
            }
            ClusterMethod::Center => {
                let (entities, n_refused) = self.center(&pairs);
                Some(Clustered { entities, n_refused: n_refused + n_of_one })
            }
            ClusterMethod::Complete => {
                let left: Vec<ScoredPair> = pairs.iter().map(|&(l, r, score)| scored(l, r, score)).collect();
                let entities = ClusterCase::new("of several sources", n, left).naive(method);
                Some(Clustered { entities, n_refused: n_of_one })
            }
            ClusterMethod::ManyToOne | ClusterMethod::Best => {
                let is_first = |pair: &(u32, u32, u32), end: fn(&(u32, u32, u32)) -> u32| {
                    pairs.iter().find(|other| end(other) == end(pair)) == Some(pair)
                };
                let mut links = pairs.clone();
                links.retain(|pair| is_first(pair, |pair| pair.0));
                if method == ClusterMethod::Best {
                    links.retain(|pair| is_first(pair, |pair| pair.1));
                }
                let (entities, n_refused) = self.greedy(&links);
                Some(Clustered { entities, n_refused: n_refused + n_of_one })
            }
            ClusterMethod::OneToOne => None,
        }
    }

    /// From the most alike pair on, two entities become one unless a source is in both.
    fn greedy(&self, pairs: &[(u32, u32, u32)]) -> (Vec<u32>, u64) {
        let mut labels: Vec<u32> = (0..self.sources.len() as u32).collect();
        let mut n_refused = 0;
        for &(l, r, _) in pairs {
            let (a, b) = (labels[l as usize], labels[r as usize]);
            let of = |label: u32| -> BTreeSet<u32> {
                let members = (0..labels.len()).filter(|&record| labels[record] == label);
                members.filter_map(|record| self.sources[record]).collect()
            };
            if a != b && of(a).is_disjoint(&of(b)) {
                labels.iter_mut().filter(|label| **label == a.max(b)).for_each(|label| *label = a.min(b));
            } else if a != b {
                n_refused += 1;
            }
        }
        (labels, n_refused)
    }

    /// From the most alike pair on, who is new becomes a centre or joins one that has none of its source.
    fn center(&self, pairs: &[(u32, u32, u32)]) -> (Vec<u32>, u64) {
        let mut centres: Vec<Option<u32>> = vec![None; self.sources.len()];
        let mut n_refused = 0;
        for &(left, right, _) in pairs {
            for (own, other) in [(left, right), (right, left)] {
                if centres[own as usize].is_some() {
                    continue;
                }
                if centres[other as usize] != Some(other) {
                    centres[own as usize] = Some(own);
                    continue;
                }
                let mut members = (0..centres.len()).filter(|&record| centres[record] == Some(other));
                if members.any(|member| self.are_one(member as u32, own)) {
                    n_refused += 1;
                } else {
                    centres[own as usize] = Some(other);
                }
            }
        }
        let centre = |record: usize| centres[record].unwrap_or(record as u32);
        let first = |of: u32| (0..centres.len()).find(|&record| centre(record) == of).unwrap_or(0) as u32;
        ((0..centres.len()).map(|record| first(centre(record))).collect(), n_refused)
    }
}

/// What pairs connect, whatever the sources.
pub fn components(n_records: u32, pairs: &[ScoredPair]) -> Vec<u32> {
    cluster(&Cpu::new(), n_records, pairs, ClusterMethod::Components, &Control::default())
        .unwrap_or_else(|error| panic!("{error}"))
}
