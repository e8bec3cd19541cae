//! The largest a batch can be, weights, and nodes that do not reach themselves.

use super::CpuGraph;
use crate::base::control::Control;
use crate::operators::closure::{Condensed, LoadedGraph, Wanted, tuple};
use crate::read::edges::Graph;

/// All pairs, by a search from every source.
fn naive(graph: &Graph, sources: std::ops::Range<u32>) -> Vec<u64> {
    let mut tuples = Vec::new();
    for source in sources {
        let mut reached = vec![false; graph.n_nodes as usize];
        let mut open = vec![source];
        while let Some(node) = open.pop() {
            for edge in graph.edges.iter().filter(|edge| **edge >> 32 == u64::from(node)) {
                let target = *edge as u32;
                if !std::mem::replace(&mut reached[target as usize], true) {
                    open.push(target);
                }
            }
        }
        tuples.extend((0..graph.n_nodes).filter(|it| reached[*it as usize]).map(|it| tuple(source, it)));
    }
    tuples
}

fn check(n_nodes: u32, edges: impl Iterator<Item = (u32, u32)>) {
    let mut edges: Vec<u64> = edges.map(|(source, target)| tuple(source, target)).collect();
    edges.sort_unstable();
    edges.dedup();
    let graph = Graph { n_nodes, edges };
    let condensed = Condensed::new(n_nodes, &graph.edges);
    for sources in [0..n_nodes, n_nodes / 3..n_nodes / 2] {
        let wanted = naive(&graph, sources.clone());
        for tuples in [false, true] {
            let piece = CpuGraph { graph: &graph }
                .condensed(&condensed, sources.clone(), Wanted { tuples }, &Control::default())
                .expect("a closure is found")
                .expect("it is small");
            assert_eq!(piece.n_tuples, wanted.len() as u64);
            assert!(piece.tuples == if tuples { wanted.clone() } else { Vec::new() });
        }
    }
}

#[test]
fn paths_cycles_and_loops() {
    check(0, std::iter::empty());
    check(3, std::iter::empty());
    // More than a batch, backwards.
    check(1200, (1..1200).map(|node| (node, node - 1)));
    // Cycles of seven that lead to the next, a loop now and then.
    let next = |node: u32| if node % 7 == 6 { node - 6 } else { node + 1 };
    check(700, (0..700).flat_map(|node| [(node, next(node)), (node, (node / 7 * 7 + 10).min(699))]));
    check(600, (0..600).flat_map(|node| [(node, node / 2), (node, (node * 31) % 600)]));
    check(90, (0..90).map(|node| (node, node - node % 3)));
}
