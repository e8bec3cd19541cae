//! Relations and graphs to try, and the naive operators that say what is right.

use hyperblock::Control;
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{Deduplicate, Rounds, Wanted};
use hyperblock::operators::relations::{ALL_BITS, LoadFactor, bits_below};
use hyperblock::read::edges::Graph;
use hyperblock_shared::relation::{Slots, first_of, mix, n_slots_for, second_of, tuple};
use std::collections::BTreeSet;
use std::ops::Range;

/// So many tuples of all kinds: random, of few values, equal, sorted both ways, of values as large as there are.
fn kinds(n: u64) -> Vec<(&'static str, Vec<u64>)> {
    let all = |kind: &dyn Fn(u64) -> u64| (0..n).map(kind).collect::<Vec<u64>>();
    vec![
        ("random", all(&mix)),
        ("few values", all(&|ix| tuple((mix(ix) % 5) as u32, (mix(ix + 9) % 7) as u32))),
        ("equal", all(&|_| tuple(3, 4))),
        ("ascending", all(&|ix| tuple(ix as u32 / 3, ix as u32))),
        ("descending", all(&|ix| tuple((n - ix) as u32, 1))),
        ("large", all(&|ix| u64::MAX - 1 - mix(ix) % 9)),
    ]
}

/// Holds all operators of a device to naive ones, with so many tuples. Joins make up to as many as their square.
pub fn assert_exact(device: &dyn Backend, n: u64) {
    for (kind, tuples) in kinds(n) {
        assert_sorts(device, kind, &tuples, &[&ALL_BITS, &[], &bits_below(5), &SOME_BITS]);
        assert_sets(device, kind, &tuples, &loads());
    }
    assert_joins(device, n.min(700), &loads());
}

/// Bits of three ranges.
pub const SOME_BITS: [Range<u32>; 3] = [3..4, 9..14, 33..41];

/// Holds a device's sort to a naive one, by some bits or others. Tuples that agree in them stay as they stand.
pub fn assert_sorts(device: &dyn Backend, kind: &str, tuples: &[u64], by: &[&[Range<u32>]]) {
    let what = format!("{} {kind} tuples on {}", tuples.len(), device.name());
    let relations = device.relations();
    for &bits in by {
        let key = |tuple: &u64| {
            let field = |range: &Range<u32>| u128::from(*tuple) >> range.start & ((1 << range.len()) - 1);
            bits.iter().rev().fold(0, |key, range| key << range.len() | field(range))
        };
        let mut expected = tuples.to_vec();
        expected.sort_by_key(key);
        assert!(relations.sort(tuples, bits).expect("tuples are sorted") == expected, "{what}: by {bits:?}");
    }
}

/// Holds what selects, merges and deduplicates to sets of the standard library.
pub fn assert_sets(device: &dyn Backend, kind: &str, tuples: &[u64], loads: &[LoadFactor]) {
    let what = format!("{} {kind} tuples on {}", tuples.len(), device.name());
    let relations = device.relations();
    let mut sorted = tuples.to_vec();
    sorted.sort_unstable();
    let distinct: BTreeSet<u64> = tuples.iter().copied().collect();
    let all = || distinct.iter().copied();
    assert!(all().eq(relations.unique(&sorted).expect("repetitions are dropped")), "{what}: unique");
    // Every third is known, and so are some that are not among them.
    let known: BTreeSet<u64> = all().step_by(3).chain(all().map(|tuple| tuple ^ 1 << 20)).collect();
    let others: Vec<u64> = known.iter().copied().collect();
    let new = relations.difference(&sorted, &others).expect("tuples are selected");
    assert!(distinct.difference(&known).eq(&new), "{what}: difference");
    for (left, right) in [(&sorted, &others), (&others, &sorted), (&sorted, &Vec::new()), (&sorted, &sorted)]
    {
        let union: BTreeSet<u64> = left.iter().chain(right).copied().collect();
        let merged = relations.merge(left, right).expect("relations are merged");
        assert!(union.into_iter().eq(merged), "{what}: merge");
    }
    for &load in loads {
        let mut found = relations.distinct(tuples, load).expect("tuples are deduplicated");
        found.sort_unstable();
        assert!(all().eq(found), "{what}: distinct at {load}");
    }
}

/// From roomy to nearly full.
pub fn loads() -> Vec<LoadFactor> {
    [30, 50, 95].into_iter().filter_map(LoadFactor::from_percent).collect()
}

/// Holds a device's join to a naive one, with so many tuples a side; it makes up to six tenths of their square.
pub fn assert_joins(device: &dyn Backend, n: u64, loads: &[LoadFactor]) {
    let relations = device.relations();
    assert_joins_by(&device.name(), n, loads, |outer, inner, load| {
        relations.join(outer, inner, load).expect("relations are joined")
    });
}

/// The same of any join.
pub fn assert_joins_by(
    by: &str,
    n: u64,
    loads: &[LoadFactor],
    join: impl Fn(&[u64], &[u64], LoadFactor) -> Vec<u64>,
) {
    let random = |ix: u64, below: u64| (mix(ix) % below) as u32;
    let all = |tuple: &dyn Fn(u64) -> u64| (0..n).map(tuple).collect::<Vec<u64>>();
    let colliding = colliding_keys(n);
    let colliding = |ix: u64| colliding[ix as usize % colliding.len()];
    let cases = [
        ("random", all(&|ix| tuple(random(ix, 40), random(ix + n, 40))), all(&|ix| mix(ix) & 0x3f_0000_003f)),
        // One value that most rows have, and many tuples meet.
        (
            "heavy",
            all(&|ix| tuple(ix as u32, if ix % 5 > 0 { 7 } else { random(ix, 90) })),
            all(&|ix| tuple(if ix % 4 > 0 { 7 } else { ix as u32 }, ix as u32)),
        ),
        ("colliding", all(&|ix| tuple(1, colliding(ix))), all(&|ix| tuple(colliding(2 * ix), ix as u32))),
        ("nothing in common", all(&|ix| tuple(1, 2 * ix as u32)), all(&|ix| tuple(2 * ix as u32 + 1, 1))),
        (
            "large",
            all(&|ix| tuple(u32::MAX, u32::MAX - random(ix, 3))),
            all(&|ix| tuple(u32::MAX, ix as u32)),
        ),
        ("an empty inner side", all(&|ix| ix), Vec::new()),
        ("an empty outer side", Vec::new(), all(&|ix| ix)),
    ];
    for (name, outer, mut inner) in cases {
        inner.sort_unstable();
        inner.dedup();
        let mut expected = Vec::new();
        for &outer in &outer {
            let from = inner.partition_point(|&row| first_of(row) < second_of(outer));
            let rows = inner[from..].iter().take_while(|&&row| first_of(row) == second_of(outer));
            expected.extend(rows.map(|&row| tuple(first_of(outer), second_of(row))));
        }
        expected.sort_unstable();
        for &load in loads {
            let mut joined = join(&outer, &inner, load);
            joined.sort_unstable();
            assert!(joined == expected, "{name}, {n} tuples a side at {load} on {by}");
        }
    }
}

/// Keys that are looked for from the same slot on, in a table for so many.
fn colliding_keys(n: u64) -> Vec<u32> {
    let slots = Slots::new(n_slots_for(n.max(1), 30));
    let collides = |key: &u32| slots.of_key(*key) == slots.of_key(0);
    (0..u32::MAX).filter(collides).take(n.clamp(1, 40) as usize).collect()
}

/// Graphs of all kinds of about so many nodes: loops, cycles, paths, trees, repeated and no edges, nodes without any.
pub fn graphs(n: u32) -> Vec<(&'static str, Graph)> {
    let graph = |n_nodes: u32, edges: Vec<(u32, u32)>| {
        let edges: BTreeSet<u64> = edges.into_iter().map(|(from, to)| tuple(from, to)).collect();
        Graph { n_nodes, edges: edges.into_iter().collect() }
    };
    let random = |ix: u32, below: u32| (mix(u64::from(ix)) % u64::from(below.max(1))) as u32;
    let pairs = |n_edges: u32, below: u32| {
        (0..n_edges).map(|ix| (random(2 * ix, below), random(2 * ix + 1, below))).collect::<Vec<_>>()
    };
    let ascending = |(a, b): (u32, u32)| (a.min(b), a.max(b));
    let star = (1..n).flat_map(|node| [(0, node), (node, n)]);
    vec![
        ("no nodes", graph(0, Vec::new())),
        ("no edges", graph(n, Vec::new())),
        ("a loop", graph(1, vec![(0, 0)])),
        ("a path", graph(n, (1..n).map(|node| (node - 1, node)).collect())),
        ("a path backwards", graph(n, (1..n).map(|node| (node, node - 1)).collect())),
        ("a cycle", graph(n, (0..n).map(|node| (node, (node + 1) % n)).collect())),
        ("a star", graph(n + 1, star.collect())),
        ("sparse", graph(n, pairs(n, n))),
        ("dense", graph(n, pairs(4 * n, n))),
        ("without cycles", graph(n, pairs(3 * n, n).into_iter().map(ascending).collect())),
        (
            "nodes without edges",
            graph(3 * n, pairs(n / 2, n).into_iter().map(|(a, b)| (a + n, b + n)).collect()),
        ),
    ]
}

/// What every node of some reaches, by a search from each.
pub fn reachable(graph: &Graph, sources: Range<u32>) -> Vec<u64> {
    let targets = |node: u32| {
        let from = graph.edges.partition_point(|&edge| first_of(edge) < node);
        graph.edges[from..]
            .iter()
            .take_while(move |&&edge| first_of(edge) == node)
            .map(|&edge| second_of(edge))
    };
    let mut tuples = Vec::new();
    for source in sources {
        let mut seen = BTreeSet::new();
        let mut open: Vec<u32> = targets(source).collect();
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                open.extend(targets(node));
            }
        }
        tuples.extend(seen.into_iter().map(|target| tuple(source, target)));
    }
    tuples
}

/// Holds a device's semi-naive closure to [`reachable`]: of all sources, and of some at a time.
pub fn assert_closure(device: &dyn Backend, name: &str, graph: &Graph) {
    let n = graph.n_nodes;
    for sources in [0..n, 0..n / 3, n / 3..n, n..n] {
        for tuples in [true, false] {
            assert_closure_from(device, name, graph, sources.clone(), Wanted { tuples });
        }
    }
}

/// The same for some sources.
pub fn assert_closure_from(
    device: &dyn Backend,
    name: &str,
    graph: &Graph,
    sources: Range<u32>,
    wanted: Wanted,
) {
    let expected = reachable(graph, sources.clone());
    let n_edges = graph.edges.iter().filter(|&&edge| sources.contains(&first_of(edge))).count() as u64;
    let loaded = device.load_graph(graph).expect("a graph loads");
    let fuller = LoadFactor::from_percent(80).unwrap_or_default();
    for (deduplicate, load) in [
        (Deduplicate::Table, fuller),
        (Deduplicate::Table, LoadFactor::default()),
        (Deduplicate::Sort, fuller),
    ] {
        let what =
            format!("{name} of {} nodes, {sources:?} by {deduplicate} on {}", graph.n_nodes, device.name());
        let piece = loaded
            .semi_naive(sources.clone(), Rounds { deduplicate, load }, wanted, &Control::default())
            .expect("a closure is found")
            .expect("it fits");
        assert_eq!(piece.n_tuples, expected.len() as u64, "{what}");
        assert!(piece.tuples == if wanted.tuples { &expected[..] } else { &[] }, "{what}: other tuples");
        let n_new: u64 = piece.iterations.iter().map(|round| round.n_new).sum();
        assert_eq!(n_edges + n_new, piece.n_tuples, "{what}: what rounds found");
        assert!(piece.iterations.iter().all(|round| round.n_new <= round.n_joined), "{what}");
        if let Some((last, others)) = piece.iterations.split_last() {
            assert!(last.n_new == 0 && others.iter().all(|round| round.n_new > 0), "{what}: rounds");
        }
    }
}
