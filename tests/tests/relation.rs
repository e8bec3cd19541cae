//! Relational operators and semi-naive closure against naive ones: the CPU, and the kernels on CPU threads.

use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{ClosureOperator, Rounds, Wanted};
use hyperblock::operators::relations::{ALL_BITS, LoadFactor};
use hyperblock::read::edges::Graph;
use hyperblock_shared::relation::{mix, tuple};
use hyperblock_tests::relations::{self, assert_closure, assert_closure_from, graphs, reachable};
use hyperblock_tests::threads::KernelOnThreads;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn operators_on_the_cpu() {
    for n in [0, 1, 2, 31, 32, 33, 1000, 30_000] {
        relations::assert_exact(&Cpu::new(), n);
    }
}

#[test]
fn operators_by_kernels() {
    // A tile that is sorted has 288 words, one that is merged 192, one that is selected from 1,024.
    let device = KernelOnThreads::new(32, 2, 1);
    let few = [LoadFactor::from_percent(95).unwrap()];
    for n in [0, 1, 300] {
        let tuples: Vec<u64> = (0..n).map(|ix| tuple(ix * 7 % 50, (ix * 31 % 90) << 8)).collect();
        relations::assert_sorts(&device, "some", &tuples, &[&relations::SOME_BITS]);
        relations::assert_sets(&device, "some", &tuples, &few);
    }
    relations::assert_joins(&device, 40, &few);
    let wide = KernelOnThreads::new(64, 1, 1);
    let many: Vec<u64> = (0..1100).map(mix).collect();
    relations::assert_sorts(&wide, "many", &many, &[&ALL_BITS]);
    relations::assert_sets(&wide, "many", &many, &[]);
}

#[test]
fn closures_on_the_cpu() {
    for n in [2, 40, 300] {
        for (name, graph) in graphs(n) {
            assert_closure(&Cpu::new(), name, &graph);
        }
    }
}

#[test]
fn closures_by_kernels() {
    let device = KernelOnThreads::new(32, 2, 1);
    for (name, graph) in graphs(7) {
        let n = graph.n_nodes;
        let sources = if name == "dense" { n / 3..n } else { 0..n };
        assert_closure_from(&device, name, &graph, sources, Wanted { tuples: true });
    }
}

/// Many rounds, each of which finds little.
#[test]
fn a_long_path_on_the_cpu() {
    let edges = (1..400).map(|node| tuple(node - 1, node)).collect();
    let graph = Graph { n_nodes: 400, edges };
    assert_closure(&Cpu::new(), "a long path", &graph);
    let device = Cpu::new();
    let loaded = device.load_graph(&graph).unwrap();
    let wanted = Wanted { tuples: false };
    let piece = loaded.semi_naive(0..400, Rounds::default(), wanted, &Control::default()).unwrap().unwrap();
    assert_eq!(piece.iterations.len(), 399);
}

/// Sets that do not fit are said to, and fewer sources fit.
#[test]
fn pieces_by_kernels() {
    let (_, graph) = graphs(14).into_iter().find(|(name, _)| *name == "a cycle").unwrap();
    let small = KernelOnThreads::new(32, 1, 1).with_memory(8 * 128);
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

#[test]
fn a_tuple_that_no_set_holds_is_refused() {
    for device in [&Cpu::new() as &dyn Backend, &KernelOnThreads::new(32, 1, 1)] {
        let error = device.relations().distinct(&[5, u64::MAX], LoadFactor::default()).unwrap_err();
        assert!(error.to_string().contains("4294967295 twice"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn closures_of_random_graphs_on_the_cpu(
        n_nodes in 1u32..60,
        edges in prop::collection::vec((0u32..60, 0u32..60), 0..120),
    ) {
        let edges: BTreeSet<u64> =
            edges.into_iter().map(|(from, to)| tuple(from % n_nodes, to % n_nodes)).collect();
        let graph = Graph { n_nodes, edges: edges.into_iter().collect() };
        assert_closure(&Cpu::new(), "random", &graph);
    }

    #[test]
    fn operators_on_random_tuples_on_the_cpu(tuples in prop::collection::vec(0u64..3000, 0..400)) {
        relations::assert_sorts(&Cpu::new(), "random", &tuples, &[&ALL_BITS, &relations::SOME_BITS]);
        relations::assert_sets(&Cpu::new(), "random", &tuples, &relations::loads());
    }
}
