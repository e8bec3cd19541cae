//! Transitive closure on the GPU, against a search from every node, and against the CPU.

use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda::Cuda;
use hyperblock::graph::closure;
use hyperblock::graph::closure::Options;
use hyperblock::operators::Backend;
use hyperblock::read::edges::Graph;
use hyperblock_shared::join::hash;
use hyperblock_tests::closures::{all_methods, assert_exact, condense, graph, graphs, shapes};
use libtest_mimic::Failed;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// Random graphs and shapes that chance does not make, against a search from every node.
pub(crate) fn closures() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    for (name, graph) in shapes() {
        assert_exact(&device, name, &graph, &all_methods());
    }
    let mut runner = TestRunner::deterministic();
    for _ in 0..60 {
        let tree = graphs(700).new_tree(&mut runner).map_err(|reason| reason.to_string())?;
        assert_exact(&device, "random", &tree.current(), &all_methods());
    }
    Ok(())
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
pub(crate) fn closures_of_many_nodes() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    let dense = graph(3000, (0..9000).map(|ix| (hash(ix) % 3000, hash(ix + 100_000) % 3000)));
    let path = graph(5000, (0..4999).map(|node| (node, node + 1)));
    for (name, graph) in [("road", road(30_000)), ("dense", dense), ("path", path)] {
        same_as_the_cpu(name, &graph, &device)?;
    }
    Ok(())
}

/// Little memory: pieces, and tuples that are written a part at a time.
pub(crate) fn closures_in_pieces() -> Result<(), Failed> {
    let graph = road(30_000);
    for mebibytes in [600, 60, 16] {
        let device = Cuda::open(0)?.with_memory(mebibytes << 20);
        same_as_the_cpu(&format!("road in {mebibytes} MiB"), &graph, &device)?;
    }
    Ok(())
}

fn same_as_the_cpu(name: &str, graph: &Graph, device: &dyn Backend) -> Result<(), Failed> {
    let run = |device: &dyn Backend, options: &Options| {
        let mut tuples = Vec::new();
        let report = closure::run(device, graph, options, &Control::default(), &mut |piece| {
            tuples.extend_from_slice(piece);
            Ok(())
        });
        report.map(|report| (report.n_tuples, report.n_pieces, tuples))
    };
    let [by_components] = condense();
    let (wanted, _, tuples) = run(&Cpu::new(), &by_components)?;
    for options in all_methods() {
        let (n_tuples, n_pieces, found) = run(device, &options)?;
        if n_tuples != wanted || options.wanted.tuples && found != tuples {
            return Err(format!("{name} by {options:?}: {n_tuples} tuples, not {wanted}").into());
        }
        eprintln!("{name} by {} in {n_pieces} pieces", options.method);
    }
    Ok(())
}
