//! Transitive closure against a naive search: on the CPU, and by the kernels on CPU threads.

use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::graph::closure;
use hyperblock::graph::closure::Options;
use hyperblock::operators::closure::{Method, Rounds, Wanted};
use hyperblock_tests::closures::{all_methods, assert_exact, condense, graph, graphs, shapes};
use hyperblock_tests::threads::KernelOnThreads;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn the_cpu_finds_what_is_reached(graph in graphs(120)) {
        assert_exact(&Cpu::new(), "random", &graph, &all_methods());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn kernels_find_what_is_reached(graph in graphs(150)) {
        assert_exact(&KernelOnThreads::new(64, 2, 1 << 20), "random", &graph, &condense());
    }
}

#[test]
fn the_cpu_on_shapes() {
    for (name, graph) in shapes() {
        assert_exact(&Cpu::new(), name, &graph, &all_methods());
    }
}

#[test]
fn kernels_on_shapes() {
    for (name, graph) in shapes() {
        assert_exact(&KernelOnThreads::new(64, 1, 1 << 20), name, &graph, &condense());
    }
}

/// A buffer that holds what a few sources reach: the driver asks for fewer until they fit.
#[test]
fn kernels_in_pieces() {
    let graph = graph(40, (0..40).flat_map(|node| [(node, (node + 1) % 40), (node, node / 3)]));
    let reports = assert_exact(&KernelOnThreads::new(32, 1, 420), "small", &graph, &condense());
    // What 10 sources reach fits, what 20 reach does not.
    assert_eq!(reports[0].n_pieces, 4);
}

/// Two columns of rows.
#[test]
fn kernels_with_more_sources_than_a_column() {
    let graph = graph(1100, (0..1099).step_by(3).flat_map(|node| [(node, node + 1), (node + 1, node)]));
    assert_exact(&KernelOnThreads::new(64, 2, 1 << 20), "pairs", &graph, &condense());
}

/// 5 × 10^9 tuples, one after the other.
#[test]
fn a_long_path_on_the_cpu() {
    let n = 100_000;
    let path = graph(n, (0..n - 1).map(|node| (node, node + 1)));
    let wanted = Wanted { tuples: false };
    let options = Options { method: Method::Condense, rounds: Rounds::default(), wanted };
    let report = closure::run(&Cpu::new(), &path, &options, &Control::default(), &mut |_| Ok(()));
    assert_eq!(report.expect("a path is closed").n_tuples, u64::from(n) * u64::from(n - 1) / 2);
}
