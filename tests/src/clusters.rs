//! Pairs to cluster, and naive ways to do it that say what is right.

use hyperblock::Control;
use hyperblock::entities::cluster::{ClusterMethod, cluster};
use hyperblock::operators::Backend;
use hyperblock_shared::join::hash;
use hyperblock_shared::layout::ScoredPair;
use std::collections::BTreeMap;

/// Pairs of so many records.
#[derive(Clone, Debug)]
pub struct ClusterCase {
    name: String,
    n_records: u32,
    pairs: Vec<ScoredPair>,
}

/// A pair.
pub fn scored(left: u32, right: u32, score: u32) -> ScoredPair {
    ScoredPair { left, right, score }
}

/// Pairs of all shapes over about so many records: chains, stars, cliques, random ones with many ties, few
/// and many.
pub fn cases(n: u32) -> Vec<ClusterCase> {
    let random = |seed: u32, below: u32| hash(seed.wrapping_mul(2_654_435_761)) % below.max(1);
    let case = |name: &str, pairs: Vec<(u32, u32)>| {
        // Few different scores, so that there are ties.
        let scores = (0..).zip(pairs).map(|(ix, (l, r))| scored(l, r, 500_000_000 + random(ix + 9, 4)));
        ClusterCase { name: format!("{name} of {n}"), n_records: n, pairs: scores.collect() }
    };
    let links = || (1..n).map(|ix| (ix - 1, ix));
    let drawn = |n_pairs: u32, seed: u32| {
        (0..n_pairs).map(move |ix| (random(seed + 2 * ix, n), random(seed + 2 * ix + 1, n)))
    };
    let clique = |first: u32, last: u32| {
        (first..last).flat_map(move |left| (left + 1..last).map(move |right| (right, left)))
    };
    let some = |n_pairs: u32| if n == 0 { 0 } else { n_pairs };
    vec![
        case("no pairs", Vec::new()),
        case("records with themselves", (0..n).map(|ix| (ix, ix)).collect()),
        case("a chain", links().collect()),
        case("a chain from its end", links().rev().map(|(l, r)| (r, l)).collect()),
        case("a star", (1..n).map(|ix| (ix, n - 1)).collect()),
        case("every pair twice", links().chain(links().map(|(l, r)| (r, l))).step_by(3).collect()),
        case(
            "two cliques and a bridge",
            clique(0, n.min(12) / 2)
                .chain(clique(n.min(12) / 2, n.min(12)))
                .chain(links().skip(n.min(12) as usize / 2).take(1))
                .collect(),
        ),
        case("few random pairs", drawn(some(n / 3), 5).collect()),
        case("random pairs", drawn(some(n), 77).collect()),
        case("many random pairs", drawn(some(8 * n), 991).collect()),
    ]
}

impl ClusterCase {
    /// Some pairs.
    pub fn new(name: &str, n_records: u32, pairs: Vec<ScoredPair>) -> Self {
        Self { name: name.into(), n_records, pairs }
    }

    /// Clusters by some methods, and compares with the naive way.
    pub fn assert_exact(&self, methods: &[ClusterMethod], device: &dyn Backend) {
        for &method in methods {
            let got = cluster(device, self.n_records, &self.pairs, method, &Control::default());
            let what = format!("{} by {method} on {}", self.name, device.name());
            let got = got.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(
                got == self.naive(method),
                "{what}: {:?}\ngot {got:?}, not {:?}",
                self.pairs,
                self.naive(method)
            );
        }
    }

    /// The entities of the naive way.
    pub fn naive(&self, method: ClusterMethod) -> Vec<u32> {
        match method {
            ClusterMethod::Components | ClusterMethod::TiledFw => self.closure(),
            ClusterMethod::Center => self.center(),
            ClusterMethod::Complete => self.complete(),
            ClusterMethod::OneToOne | ClusterMethod::ManyToOne | ClusterMethod::Best => {
                panic!("{method} is for two tables")
            }
        }
    }

    /// Pairs by records, the smaller one left, with the highest of their scores.
    fn distinct(&self) -> BTreeMap<(u32, u32), u32> {
        let mut distinct = BTreeMap::new();
        for pair in self.pairs.iter().filter(|pair| pair.left != pair.right) {
            let key = (pair.left.min(pair.right), pair.left.max(pair.right));
            let score = distinct.entry(key).or_insert(0);
            *score = pair.score.max(*score);
        }
        distinct
    }

    /// Both records of a pair get the smaller label, until nothing changes.
    fn closure(&self) -> Vec<u32> {
        let mut labels: Vec<u32> = (0..self.n_records).collect();
        loop {
            let before = labels.clone();
            for pair in &self.pairs {
                let least = labels[pair.left as usize].min(labels[pair.right as usize]);
                (labels[pair.left as usize], labels[pair.right as usize]) = (least, least);
            }
            if labels == before {
                return labels;
            }
        }
    }

    /// From the most alike pair on: who is new becomes a centre or joins one.
    fn center(&self) -> Vec<u32> {
        let mut pairs: Vec<_> = self.distinct().into_iter().map(|((l, r), score)| (score, l, r)).collect();
        pairs.sort_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut centres: BTreeMap<u32, u32> = BTreeMap::new();
        for (_, left, right) in pairs {
            for (own, other) in [(left, right), (right, left)] {
                if !centres.contains_key(&own) {
                    let is_centre = centres.get(&other) == Some(&other);
                    centres.insert(own, if is_centre { other } else { own });
                }
            }
        }
        let centre = |record: u32| centres.get(&record).copied().unwrap_or(record);
        let smallest = |of: u32| (0..self.n_records).find(|&record| centre(record) == of);
        (0..self.n_records).map(|record| smallest(centre(record)).expect("it has itself")).collect()
    }

    /// All pairs of entities are looked at before any two are made one.
    fn complete(&self) -> Vec<u32> {
        let scores = self.distinct();
        let mut entities: Vec<Vec<u32>> = (0..self.n_records).map(|record| vec![record]).collect();
        let likeness = |a: &[u32], b: &[u32]| {
            let across = a.iter().flat_map(|x| b.iter().map(move |y| (*x.min(y), *x.max(y))));
            across.map(|pair| scores.get(&pair).copied()).min().flatten()
        };
        loop {
            let mut best: Option<(u32, usize, usize)> = None;
            // Entities are in the order of their smallest members, so the first of equals is the one.
            for a in 0..entities.len() {
                for b in a + 1..entities.len() {
                    if let Some(score) = likeness(&entities[a], &entities[b])
                        && best.is_none_or(|best| score > best.0)
                    {
                        best = Some((score, a, b));
                    }
                }
            }
            let Some((_, a, b)) = best else { break };
            let more = entities.remove(b);
            entities[a].extend(more);
        }
        let mut labels = vec![0; self.n_records as usize];
        for entity in &entities {
            let name = entity.iter().min().expect("an entity has a record");
            entity.iter().for_each(|&record| labels[record as usize] = *name);
        }
        labels
    }
}

/// The entities of the naive way, which takes too long for many records at once, one component after the
/// other.
pub fn naive_by_component(n_records: u32, pairs: &[ScoredPair], method: ClusterMethod) -> Vec<u32> {
    let whole = ClusterCase::new("all", n_records, pairs.to_vec());
    let components = whole.closure();
    let mut labels = components.clone();
    let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (record, &component) in (0..).zip(&components) {
        parts.entry(component).or_default().push(record);
    }
    for (component, records) in parts {
        let place = |record: u32| records.partition_point(|&other| other < record) as u32;
        let own = pairs.iter().filter(|pair| components[pair.left as usize] == component);
        let own = own.map(|pair| scored(place(pair.left), place(pair.right), pair.score)).collect();
        let part = ClusterCase::new("one component", records.len() as u32, own).naive(method);
        for (&record, entity) in records.iter().zip(part) {
            labels[record as usize] = records[entity as usize];
        }
    }
    labels
}
