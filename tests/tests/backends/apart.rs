//! Records of one source, which stay apart: against naive ways, by each method.

use crate::bench::{Bench, EVERYWHERE, Registered, trials};
use hyperblock::entities::cluster::{ClusterMethod, Records, cluster};
use hyperblock::read::sources::Sources;
use hyperblock::{Control, ScoredPair};
use hyperblock_shared::join::hash;
use hyperblock_tests::apart::ApartCase;
use hyperblock_tests::clusters::scored;
use hyperblock_tests::generate::for_all;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;

pub(crate) const TRIALS: &[Registered] = trials![EVERYWHERE => [random_sources, more_sources_than_bits, one_to_one_is_of_two_sources, sources_of_others]];

/// Two tables of six records, or one of twelve.
const N: u32 = 12;

fn cases(of_two: bool) -> impl Strategy<Value = ApartCase> {
    let sources = prop::collection::vec(prop::option::weighted(0.8, 0..4u32), N as usize);
    let lefts = if of_two { 0..N / 2 } else { 0..N };
    let rights = if of_two { N / 2..N } else { 0..N };
    let pair = (lefts, rights, 1..5u32).prop_map(|(l, r, score)| scored(l, r, score * 200_000_000));
    let pairs = prop::collection::vec(pair, 0..20);
    let first_right = of_two.then_some(N / 2);
    (sources, pairs).prop_map(move |(sources, pairs)| ApartCase { sources, first_right, pairs })
}

fn random_sources(bench: Bench) {
    let device = bench.shape(32, 2, 1).open();
    let n_cases = bench.by(400, 8, 100);
    let (n_torn, n_whole) = (Cell::new(0), Cell::new(0));
    for_all(n_cases, &cases(false), |case| {
        for method in ClusterMethod::ALL {
            case.assert_apart(method, &*device);
        }
        let is_torn = case.is_violated(&hyperblock_tests::apart::components(N, &case.pairs));
        let counted = if is_torn { &n_torn } else { &n_whole };
        counted.set(counted.get() + 1);
    });
    // A few may all be of one kind.
    let are_many = n_torn.get() + n_whole.get() >= 100;
    assert!(
        !are_many || n_torn.get() > 0 && n_whole.get() > 0,
        "{n_torn:?} cases were torn, {n_whole:?} were not"
    );
    for_all(n_cases, &cases(true), |case| {
        for method in ClusterMethod::ALL.into_iter().chain(ClusterMethod::LINKS) {
            case.assert_apart(method, &*device);
        }
    });
}

/// Several sources share a bit, and entities have many records.
fn more_sources_than_bits(bench: Bench) {
    let device = bench.shape(32, 2, 1).open();
    let n_records = bench.by(400, 150, 400);
    for seed in 0..bench.by(12, 1, 4) {
        let random = |nth: u32, below: u32| hash(nth ^ hash(seed + 5)) % below;
        let source = |record| (random(record, 9) > 0).then(|| random(record + 70_000, 90 + 40 * seed));
        let pair = |nth: u32| {
            let ends = [0, 1].map(|end| random(100_000 + 2 * nth + end, n_records));
            scored(ends[0], ends[1], random(nth, 50) * 20_000_000)
        };
        let case = ApartCase {
            sources: (0..n_records).map(source).collect(),
            first_right: None,
            pairs: (0..3 * n_records).map(pair).collect(),
        };
        assert!(case.sources.iter().flatten().max() > Some(&64));
        for method in [ClusterMethod::Components, ClusterMethod::Center] {
            case.assert_apart(method, &*device);
        }
    }
}

/// A matching, whatever the sources: so it weighs as much as the one of all pairs but those of one source. Of several that weigh
/// the same it may be another one, since more records may be in a component.
fn one_to_one_is_of_two_sources(bench: Bench) {
    let device = bench.shape(32, 2, 1).open();
    for_all(bench.by(200, 4, 50), &cases(true), |case| {
        let sources = case.told();
        let free = Records { first_right: case.first_right, ..Records::from(N) };
        let records = Records { sources: Some(&sources), ..free };
        let run = |records, pairs: &[ScoredPair]| {
            let found = cluster(&*device, records, pairs, ClusterMethod::OneToOne, &Control::default());
            found.unwrap_or_else(|error| panic!("{error}"))
        };
        let is_one = |a: u32, b: u32| {
            case.sources[a as usize].is_some() && case.sources[a as usize] == case.sources[b as usize]
        };
        let left = case.pairs.iter().copied().filter(|pair| !is_one(pair.left, pair.right));
        let left: Vec<ScoredPair> = left.collect();
        let found = run(records, &case.pairs);
        assert_eq!(weight(&found, &left), weight(&run(free, &left), &left), "{case:?}");
        let n_in = |entity: u32| found.iter().filter(|other| **other == entity).count();
        assert!((0..N).all(|entity| n_in(entity) <= 2), "{case:?}: {found:?}");
    });
}

/// What the pairs within entities weigh together.
fn weight(entities: &[u32], pairs: &[ScoredPair]) -> u64 {
    let within = pairs.iter().filter(|pair| entities[pair.left as usize] == entities[pair.right as usize]);
    let mut best: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for pair in within {
        let score = best.entry((pair.left, pair.right)).or_insert(0);
        *score = pair.score.max(*score);
    }
    best.into_values().map(u64::from).sum()
}

fn sources_of_others(bench: Bench) {
    let device = bench.shape(32, 2, 1).open();
    let sources = Sources::new("shop", [Some("a"), Some("b")]);
    let records = Records { sources: Some(&sources), ..Records::from(3) };
    let pairs = [scored(0, 1, 5)];
    let error = cluster(&*device, records, &pairs, ClusterMethod::Components, &Control::default());
    assert_eq!(error.expect_err("one is missing").to_string(), "there are 3 records, and sources of 2");
}
