//! Relational operators and semi-naive closure, against naive ones.

use crate::bench::{Bench, Device, EVERYWHERE, GPU, NOT_ON_THREADS, On, Registered, THREADS, trials};
use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{Deduplicate, Piece, Rounds, Wanted};
use hyperblock::operators::relations::{ALL_BITS, LoadFactor, bits_below};
use hyperblock::read::edges::Graph;
use hyperblock_shared::relation::{mix, tuple};
use hyperblock_tests::closures::graph;
use hyperblock_tests::generate::for_all;
use hyperblock_tests::relations::{
    SOME_BITS, assert_closure, assert_closure_from, assert_exact, assert_joins, assert_sets, assert_sorts,
    graphs, loads, reachable,
};
use proptest::collection::vec;
use std::ops::Range;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [some_tuples, random_tuples, a_tuple_that_no_set_holds_is_refused, closures],
    NOT_ON_THREADS => [sizes_at_edges, closures_of_random_graphs, closure_of_a_long_path],
    // How much memory sets take is a backend's own.
    THREADS => [closures_that_do_not_fit_on_threads],
    GPU => [closures_that_do_not_fit_on_the_gpu],
    // Too many tuples for the others.
    GPU => [many_tuples, closures_of_many_tuples],
];

/// At the edges of warps, tiles and powers of two.
fn sizes_at_edges(bench: Bench) {
    let device = bench.open();
    let gpu = [0, 1, 31, 32, 33, 1023, 1024, 1025, 1536, 2303, 2304, 2305, 65_535, 65_537, 300_000];
    for &n in bench.by(&[0, 1, 2, 31, 32, 33, 1000, 30_000][..], &[], &gpu) {
        assert_exact(&*device, n);
    }
}

fn some_tuples(bench: Bench) {
    // On threads a tile that is sorted has 288 words, one that is merged 192, one that is selected from 1,024.
    let device = bench.shape(32, 2, 1).open();
    let few = [LoadFactor::from_percent(95).unwrap()];
    for n in [0, 1, 300] {
        let tuples: Vec<u64> = (0..n).map(|ix| tuple(ix * 7 % 50, (ix * 31 % 90) << 8)).collect();
        assert_sorts(&*device, "some", &tuples, &[&SOME_BITS]);
        assert_sets(&*device, "some", &tuples, &few);
    }
    assert_joins(&*device, 40, &few);
    let wide = bench.shape(64, 1, 1).open();
    let many: Vec<u64> = (0..1100).map(mix).collect();
    assert_sorts(&*wide, "many", &many, &[&ALL_BITS]);
    assert_sets(&*wide, "many", &many, &[]);
}

fn random_tuples(bench: Bench) {
    let device = bench.shape(32, 2, 1).open();
    let (n_cases, most) = bench.by((40, 400), (2, 60), (40, 400));
    for_all(n_cases, &vec(0u64..3000, 0..most), |tuples| {
        assert_sorts(&*device, "random", &tuples, &[&ALL_BITS, &SOME_BITS]);
        assert_sets(&*device, "random", &tuples, &loads());
    });
}

fn many_tuples(bench: Bench) {
    let device = bench.open();
    const N: u64 = 10_000_000;
    // Tuples of small numbers, many of them several times; and of any numbers.
    let small: Vec<u64> = (0..N).map(|ix| mix(ix) & 0xfff_0000_0fff).collect();
    assert_sorts(&*device, "small", &small, &[&ALL_BITS, &bits_below(1 << 12)]);
    assert_sets(&*device, "small", &small, &loads());
    let any: Vec<u64> = (0..N).map(mix).collect();
    assert_sorts(&*device, "any", &any, &[&ALL_BITS]);
    assert_sets(&*device, "any", &any, &loads());
    // Some 36 million tuples, most of them of one key.
    assert_joins(&*device, 8_000, &[LoadFactor::default()]);
}

fn a_tuple_that_no_set_holds_is_refused(bench: Bench) {
    let device = bench.shape(32, 1, 1).open();
    let error = device.relations().distinct(&[5, u64::MAX], LoadFactor::default()).unwrap_err();
    assert!(error.to_string().contains("4294967295 twice"), "{error}");
}

fn closures(bench: Bench) {
    let device = bench.shape(32, 2, 1).open();
    for &n in bench.by(&[2, 40, 300][..], &[7], &[1, 2, 33, 300]) {
        for (name, graph) in graphs(n) {
            if bench.on == On::Threads {
                let n = graph.n_nodes;
                let sources = if name == "dense" { n / 3..n } else { 0..n };
                assert_closure_from(&*device, name, &graph, sources, Wanted { tuples: true });
            } else {
                assert_closure(&*device, name, &graph);
            }
        }
    }
}

fn closures_of_random_graphs(bench: Bench) {
    let device = bench.open();
    let edges = (1u32..60, vec((0u32..60, 0u32..60), 0..120));
    for_all(40, &edges, |(n_nodes, edges)| {
        let edges = edges.into_iter().map(|(from, to)| (from % n_nodes, to % n_nodes));
        assert_closure(&*device, "random", &graph(n_nodes, edges));
    });
}

/// Many rounds, each of which finds little.
fn closure_of_a_long_path(bench: Bench) {
    let device = bench.open();
    let graph = graph(400, (1..400).map(|node| (node - 1, node)));
    assert_closure(&*device, "a long path", &graph);
    let loaded = device.load_graph(&graph).unwrap();
    let wanted = Wanted { tuples: false };
    let piece = loaded.semi_naive(0..400, Rounds::default(), wanted, &Control::default()).unwrap().unwrap();
    assert_eq!(piece.iterations.len(), 399);
}

/// Sets that do not fit are said to, and fewer sources fit.
fn closures_that_do_not_fit_on_threads(bench: Bench) {
    let (_, graph) = graphs(14).into_iter().find(|(name, _)| *name == "a cycle").unwrap();
    let small = bench.shape(32, 1, 1).memory(8 * 128).open();
    let loaded = small.load_graph(&graph).unwrap();
    // So that 128 slots are room for 102 tuples.
    let rounds = Rounds { load: LoadFactor::from_percent(80).unwrap(), ..Rounds::default() };
    let ask = |sources| {
        let wanted = Wanted { tuples: true };
        loaded.semi_naive(sources, rounds, wanted, &Control::default()).unwrap()
    };
    assert!(ask(0..14).is_none());
    assert_eq!(ask(3..8).unwrap().tuples, reachable(&graph, 3..8));
}

/// A graph of so many nodes with three random edges each.
fn random_graph(n_nodes: u32) -> Graph {
    let node = |ix: u64| (mix(ix) % u64::from(n_nodes)) as u32;
    graph(n_nodes, (0..3 * u64::from(n_nodes)).map(|ix| (node(2 * ix), node(2 * ix + 1))))
}

/// As on the CPU, which other trials hold to a naive search: nearly all of 36 million tuples, and many rounds of few.
fn closures_of_many_tuples(bench: Bench) {
    let device = bench.open();
    let path = graph(3_000, (1..3000).map(|node| (node - 1, node)));
    for graph in [random_graph(6_000), path] {
        assert_closure_as_on_the_cpu(&device, &graph, 0..graph.n_nodes);
    }
}

fn assert_closure_as_on_the_cpu(device: &Device, graph: &Graph, sources: Range<u32>) {
    let closure = |device: &dyn Backend, deduplicate| {
        let (wanted, control) = (Wanted { tuples: true }, Control::default());
        let loaded = device.load_graph(graph).expect("a graph loads");
        let piece = loaded.semi_naive(sources.clone(), rounds(deduplicate), wanted, &control);
        piece.expect("a closure is found").unwrap_or_else(|| panic!("{sources:?} do not fit"))
    };
    let wanted = closure(&Cpu::new(), Deduplicate::Table);
    let rounds = |piece: &Piece| {
        piece.iterations.iter().map(|round| (round.n_joined, round.n_new)).collect::<Vec<_>>()
    };
    for deduplicate in [Deduplicate::Table, Deduplicate::Sort] {
        let got = closure(&**device, deduplicate);
        assert!(
            got.tuples == wanted.tuples && rounds(&got) == rounds(&wanted),
            "{deduplicate}: {} tuples in {} rounds, not {} in {}",
            got.n_tuples,
            got.iterations.len(),
            wanted.n_tuples,
            wanted.iterations.len()
        );
    }
}

/// All sources do not fit, and some of them do, with buffers that are filled many times.
fn closures_that_do_not_fit_on_the_gpu(bench: Bench) {
    let graph = random_graph(2_000);
    let device = bench.memory(24 << 20).open();
    let loaded = device.load_graph(&graph).expect("a graph loads");
    for deduplicate in [Deduplicate::Table, Deduplicate::Sort] {
        let wanted = Wanted { tuples: true };
        let piece = loaded.semi_naive(0..2_000, rounds(deduplicate), wanted, &Control::default());
        assert!(piece.expect("it is tried").is_none(), "by {deduplicate} 28 MB of tuples fit into 24 MB");
    }
    for sources in [0..100, 100..300, 1_990..2_000] {
        assert_closure_as_on_the_cpu(&device, &graph, sources);
    }
}

fn rounds(deduplicate: Deduplicate) -> Rounds {
    Rounds { deduplicate, ..Rounds::default() }
}
