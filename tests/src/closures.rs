//! Graphs to try, and the naive search that says what their nodes reach.

use hyperblock::Control;
use hyperblock::graph::closure;
use hyperblock::graph::closure::Options;
use hyperblock::graph::report::Report;
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{ClosureMethod, Deduplicate, Rounds, Wanted, second_of, tuple};
use hyperblock::read::edges::Graph;
use proptest::prelude::*;

/// A graph of so many nodes; edges in any order, and more than once.
pub fn graph(n_nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Graph {
    let mut edges: Vec<u64> = edges.into_iter().map(|(source, target)| tuple(source, target)).collect();
    edges.sort_unstable();
    edges.dedup();
    Graph { n_nodes, edges }
}

/// All pairs of nodes of which the first reaches the second, by a search from every node.
pub fn naive(graph: &Graph) -> Vec<u64> {
    let mut tuples = Vec::new();
    for source in 0..graph.n_nodes {
        let mut reached = vec![false; graph.n_nodes as usize];
        let mut open = vec![source];
        while let Some(node) = open.pop() {
            let from = graph.edges.partition_point(|edge| *edge < tuple(node, 0));
            let upto = graph.edges.partition_point(|edge| *edge <= tuple(node, u32::MAX));
            for target in graph.edges[from..upto].iter().map(|edge| second_of(*edge)) {
                if !std::mem::replace(&mut reached[target as usize], true) {
                    open.push(target);
                }
            }
        }
        tuples.extend((0..graph.n_nodes).filter(|node| reached[*node as usize]).map(|it| tuple(source, it)));
    }
    tuples
}

/// Random graphs of up to so many nodes, from hardly connected to one large component; a third have no
/// cycles.
pub fn graphs(most_nodes: u32) -> impl Strategy<Value = Graph> {
    (1..=most_nodes, 0..4u32, 0..3u32).prop_flat_map(|(n_nodes, degree, kind)| {
        let most_edges = (n_nodes * degree / 2 + 1) as usize;
        prop::collection::vec((0..n_nodes, 0..n_nodes), 0..=most_edges).prop_map(move |edges| {
            let turned = |(a, b): (u32, u32)| if kind == 0 && a > b { (b, a) } else { (a, b) };
            // Without cycles is without self-loops.
            let is_wanted = |(a, b): &(u32, u32)| kind > 0 || a != b;
            graph(n_nodes, edges.into_iter().filter(is_wanted).map(turned))
        })
    })
}

/// Shapes that chance does not make.
pub fn shapes() -> Vec<(&'static str, Graph)> {
    vec![
        ("no nodes", graph(0, [])),
        ("a node", graph(1, [])),
        ("a self-loop", graph(1, [(0, 0)])),
        ("isolated nodes", graph(300, [])),
        ("a path", graph(150, (0..149).map(|node| (node, node + 1)))),
        ("a path backwards", graph(70, (1..70).map(|node| (node, node - 1)))),
        ("a cycle", graph(100, (0..100).map(|node| (node, (node + 1) % 100)))),
        (
            "two cycles and a bridge",
            graph(80, (0..80).map(|it| (it, it / 40 * 40 + (it + 1) % 40)).chain([(3, 77)])),
        ),
        ("a star", graph(90, (1..90).map(|leaf| (0, leaf)))),
        ("a star inwards, with a loop", graph(90, (0..90).map(|leaf| (leaf, 0)))),
        ("ladders", graph(120, (0..118).flat_map(|node| [(node, node + 1), (node, node + 2)]))),
    ]
}

/// Runs the driver, and checks what it hands on and what it reports.
pub fn assert_exact(device: &dyn Backend, name: &str, graph: &Graph, methods: &[Options]) -> Vec<Report> {
    let wanted = naive(graph);
    let run = |options: &Options| {
        let what = format!("{name} by {options:?} on {}", device.name());
        let mut tuples = Vec::new();
        let report = closure::run(device, graph, options, &Control::default(), &mut |piece| {
            tuples.extend_from_slice(piece);
            Ok(())
        });
        let report = report.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(report.n_tuples, wanted.len() as u64, "{what}");
        assert!(tuples == if options.wanted.tuples { &wanted[..] } else { &[] }, "{what}: other tuples");
        let is_condensed = options.method == ClosureMethod::Condense;
        assert_eq!(report.n_components.is_some(), is_condensed, "{what}");
        report
    };
    methods.iter().map(run).collect()
}

/// Both methods, with tuples and without.
pub fn all_methods() -> Vec<Options> {
    let mut all = Vec::new();
    for tuples in [false, true] {
        let wanted = Wanted { tuples };
        for (method, deduplicate) in [
            (ClosureMethod::Condense, Deduplicate::Table),
            (ClosureMethod::SemiNaive, Deduplicate::Table),
            (ClosureMethod::SemiNaive, Deduplicate::Sort),
        ] {
            all.push(Options { method, rounds: Rounds { deduplicate, ..Rounds::default() }, wanted });
        }
    }
    all
}

/// The default method alone, with tuples.
pub fn condense() -> [Options; 1] {
    let wanted = Wanted { tuples: true };
    [Options { method: ClosureMethod::Condense, rounds: Rounds::default(), wanted }]
}
