//! Relational operators and semi-naive closure on the GPU.

use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda::Cuda;
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{ClosureOperator, Deduplicate, Piece, Rounds, Wanted};
use hyperblock::operators::relations::{ALL_BITS, LoadFactor, bits_below};
use hyperblock::read::edges::Graph;
use hyperblock_shared::relation::{mix, tuple};
use hyperblock_tests::relations;
use libtest_mimic::Failed;
use std::ops::Range;

/// Against naive ones, at the edges of warps, tiles and powers of two.
pub(super) fn relational_operators() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    for n in [0, 1, 31, 32, 33, 1023, 1024, 1025, 1536, 2303, 2304, 2305, 65_535, 65_537, 300_000] {
        relations::assert_exact(&device, n);
    }
    Ok(())
}

pub(super) fn relational_operators_on_many_tuples() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    const N: u64 = 10_000_000;
    let loads = relations::loads();
    // Tuples of small numbers, many of them several times; and of any numbers.
    let small: Vec<u64> = (0..N).map(|ix| mix(ix) & 0xfff_0000_0fff).collect();
    relations::assert_sorts(&device, "small", &small, &[&ALL_BITS, &bits_below(1 << 12)]);
    relations::assert_sets(&device, "small", &small, &loads);
    let any: Vec<u64> = (0..N).map(mix).collect();
    relations::assert_sorts(&device, "any", &any, &[&ALL_BITS]);
    relations::assert_sets(&device, "any", &any, &loads);
    // Some 36 million tuples, most of them of one key.
    relations::assert_joins(&device, 8_000, &[LoadFactor::default()]);
    Ok(())
}

pub(super) fn semi_naive_closures() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    for n in [1, 2, 33, 300] {
        for (name, graph) in relations::graphs(n) {
            relations::assert_closure(&device, name, &graph);
        }
    }
    Ok(())
}

/// A graph of so many nodes with three random edges each.
fn random_graph(n_nodes: u32) -> Graph {
    let node = |ix: u64| (mix(ix) % u64::from(n_nodes)) as u32;
    let mut edges: Vec<u64> =
        (0..3 * u64::from(n_nodes)).map(|ix| tuple(node(2 * ix), node(2 * ix + 1))).collect();
    edges.sort_unstable();
    edges.dedup();
    Graph { n_nodes, edges }
}

/// As on the CPU, which other tests hold to a naive search: nearly all of 36 million tuples, and many rounds of few.
pub(super) fn semi_naive_closures_of_many_tuples() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    let path = (1..3000).map(|node| tuple(node - 1, node)).collect();
    for graph in [random_graph(6_000), Graph { n_nodes: 3_000, edges: path }] {
        assert_closure_as_on_the_cpu(&device, &graph, 0..graph.n_nodes)?;
    }
    Ok(())
}

fn assert_closure_as_on_the_cpu(device: &Cuda, graph: &Graph, sources: Range<u32>) -> Result<(), Failed> {
    let cpu = Cpu::new();
    let closure = |device: &dyn Backend, deduplicate| {
        let (wanted, control) = (Wanted { tuples: true }, Control::default());
        let piece =
            device.load_graph(graph)?.semi_naive(sources.clone(), rounds(deduplicate), wanted, &control)?;
        piece.ok_or_else(|| Failed::from(format!("{sources:?} do not fit")))
    };
    let wanted = closure(&cpu, Deduplicate::Table)?;
    let rounds = |piece: &Piece| {
        piece.iterations.iter().map(|round| (round.n_joined, round.n_new)).collect::<Vec<_>>()
    };
    for deduplicate in [Deduplicate::Table, Deduplicate::Sort] {
        let got = closure(device, deduplicate)?;
        if got.tuples != wanted.tuples || rounds(&got) != rounds(&wanted) {
            return Err(format!(
                "{deduplicate}: {} tuples in {} rounds, not {} in {}",
                got.n_tuples,
                got.iterations.len(),
                wanted.n_tuples,
                wanted.iterations.len()
            )
            .into());
        }
    }
    Ok(())
}

/// All sources do not fit, and some of them do, with buffers that are filled many times.
pub(super) fn semi_naive_closures_in_little_memory() -> Result<(), Failed> {
    let graph = random_graph(2_000);
    let device = Cuda::open(0)?.with_memory(24 << 20);
    let loaded = device.load_graph(&graph)?;
    for deduplicate in [Deduplicate::Table, Deduplicate::Sort] {
        let wanted = Wanted { tuples: true };
        if loaded.semi_naive(0..2_000, rounds(deduplicate), wanted, &Control::default())?.is_some() {
            return Err(format!("by {deduplicate} 28 MB of tuples fit into 24 MB").into());
        }
    }
    for sources in [0..100, 100..300, 1_990..2_000] {
        assert_closure_as_on_the_cpu(&device, &graph, sources)?;
    }
    Ok(())
}

fn rounds(deduplicate: Deduplicate) -> Rounds {
    Rounds { deduplicate, ..Rounds::default() }
}
