//! Transitive closure, against a search from every node.

use crate::bench::{Bench, CPU, Device, EVERYWHERE, GPU, Registered, trials};
use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::graph::closure;
use hyperblock::graph::closure::Options;
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{ClosureMethod, Rounds, Wanted};
use hyperblock::read::edges::Graph;
use hyperblock_shared::join::hash;
use hyperblock_tests::closures::{all_methods, assert_exact, condense, graph, graphs, shapes};
use hyperblock_tests::generate::for_all;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [random_graphs, shapes_that_chance_does_not_make, pieces, more_sources_than_a_column],
    // A level of the path after the other, and each a launch.
    CPU => [a_long_path],
    // Too many nodes for the others.
    GPU => [many_nodes, little_memory],
];

/// All methods; on threads the default one.
fn methods(bench: Bench) -> Vec<Options> {
    bench.by(all_methods(), condense().to_vec(), all_methods())
}

fn random_graphs(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 20).open();
    let (n_cases, most_nodes) = bench.by((100, 120), (6, 150), (60, 700));
    for_all(n_cases, &graphs(most_nodes), |graph| {
        assert_exact(&*device, "random", &graph, &methods(bench));
    });
}

fn shapes_that_chance_does_not_make(bench: Bench) {
    let device = bench.shape(64, 1, 1 << 20).open();
    for (name, graph) in shapes() {
        assert_exact(&*device, name, &graph, &methods(bench));
    }
}

/// On threads in a buffer that holds what a few sources reach: the driver asks for fewer until they fit.
fn pieces(bench: Bench) {
    let graph = graph(40, (0..40).flat_map(|node| [(node, (node + 1) % 40), (node, node / 3)]));
    let device = bench.shape(32, 1, 420).open();
    let reports = assert_exact(&*device, "small", &graph, &condense());
    if device.threads().is_some() {
        // What 10 sources reach fits, what 20 reach does not.
        assert_eq!(reports[0].n_pieces, 4);
    }
}

/// Two columns of rows.
fn more_sources_than_a_column(bench: Bench) {
    let graph = graph(1100, (0..1099).step_by(3).flat_map(|node| [(node, node + 1), (node + 1, node)]));
    assert_exact(&*bench.shape(64, 2, 1 << 20).open(), "pairs", &graph, &condense());
}

/// 5 × 10^9 tuples, one after the other.
fn a_long_path(bench: Bench) {
    let n = 100_000;
    let path = graph(n, (0..n - 1).map(|node| (node, node + 1)));
    let wanted = Wanted { tuples: false };
    let options = Options { method: ClosureMethod::Condense, rounds: Rounds::default(), wanted };
    let report = closure::run(&*bench.open(), &path, &options, &Control::default(), &mut |_| Ok(()));
    assert_eq!(report.expect("a path is closed").n_tuples, u64::from(n) * u64::from(n - 1) / 2);
}

/// A graph of so many nodes that lead on, some of them back a little.
fn road(n_nodes: u32) -> Graph {
    let back = |node: u32| hash(node).is_multiple_of(5).then(|| (node, node.saturating_sub(hash(node) % 40)));
    let on = |node: u32| (node, (node + 1 + hash(node + 7) % 90).min(n_nodes - 1));
    // Stretches of 3,000 nodes have nothing to do with each other.
    let is_within = |edge: &(u32, u32)| edge.0 / 3000 == edge.1 / 3000;
    graph(n_nodes, (0..n_nodes).flat_map(|node| back(node).into_iter().chain([on(node)])).filter(is_within))
}

/// As the CPU finds it: several columns, many levels, large components.
fn many_nodes(bench: Bench) {
    let device = bench.open();
    let dense = graph(3000, (0..9000).map(|ix| (hash(ix) % 3000, hash(ix + 100_000) % 3000)));
    let path = graph(5000, (0..4999).map(|node| (node, node + 1)));
    for (name, graph) in [("road", road(30_000)), ("dense", dense), ("path", path)] {
        assert_as_on_the_cpu(name, &graph, &device);
    }
}

/// Pieces, and tuples that are written a part at a time.
fn little_memory(bench: Bench) {
    let graph = road(30_000);
    for mebibytes in [600, 60, 16] {
        let device = bench.memory(mebibytes << 20).open();
        assert_as_on_the_cpu(&format!("road in {mebibytes} MiB"), &graph, &device);
    }
}

fn assert_as_on_the_cpu(name: &str, graph: &Graph, device: &Device) {
    let run = |device: &dyn Backend, options: &Options| {
        let mut tuples = Vec::new();
        let report = closure::run(device, graph, options, &Control::default(), &mut |piece| {
            tuples.extend_from_slice(piece);
            Ok(())
        });
        let report = report.unwrap_or_else(|error| panic!("{name} by {options:?}: {error}"));
        (report.n_tuples, report.n_pieces, tuples)
    };
    let [by_components] = condense();
    let (wanted, _, tuples) = run(&Cpu::new(), &by_components);
    for options in all_methods() {
        let (n_tuples, n_pieces, found) = run(&**device, &options);
        assert_eq!(n_tuples, wanted, "{name} by {options:?}: other tuples, in {n_pieces} pieces");
        assert!(!options.wanted.tuples || found == tuples, "{name} by {options:?}: other tuples");
    }
}
