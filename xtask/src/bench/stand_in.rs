//! Tables and graphs in the shape of data sets that are not there: made from a seed, and named `generated_…` in all results.

use crate::cargo::target;
use crate::r#gen::{self, Command};
use anyhow::Result;
use hyperblock::read::edges::Graph;
use std::path::PathBuf;

const SEED: u64 = 1;
/// About as many papers as DBLP and ACM have in theirs, and as many CDs as freedb's sample.
const PAPERS: u32 = 2_500;
const CDS: u32 = 9_763;

/// The name of the papers.
pub(super) const GENERATED_PAPERS: &str = "generated_papers";

/// Two tables of papers, and which of them are the same.
pub(super) fn papers() -> Result<[PathBuf; 3]> {
    let output = target().join("bench").join(GENERATED_PAPERS);
    r#gen::run(&Command::Papers { rows: PAPERS, seed: SEED, duplicates: 0.9, output: output.clone() })?;
    Ok(["tableA.csv", "tableB.csv", "truth.csv"].map(|name| output.join(name)))
}

/// A table of CDs, and which of them are the same.
pub(super) fn cds() -> Result<[PathBuf; 2]> {
    let output = target().join("bench").join("generated_cds");
    r#gen::run(&Command::Cds { rows: CDS, seed: SEED, duplicates: 0.05, output: output.clone() })?;
    Ok(["cds.csv", "truth.csv"].map(|name| output.join(name)))
}

/// Graphs whose closures are known without looking for them.
pub(super) const GRAPHS: [(&str, u64, Option<f64>); 2] =
    [("generated_string", LINKS * (LINKS + 1) / 2, None), ("generated_layers", N_LAYERED, None)];
/// A string of so many edges: each node reaches all after it.
const LINKS: u64 = 1_000;
/// Layers of so many nodes, each with edges to all of the next.
const LAYERS: u64 = 30;
const WIDTH: u64 = 40;
const N_LAYERED: u64 = WIDTH * WIDTH * LAYERS * (LAYERS - 1) / 2;

/// One of them by its name.
pub(super) fn graph(name: &str) -> Option<Graph> {
    let (n_nodes, edges): (u64, Vec<u64>) = match name {
        "generated_string" => (LINKS + 1, (0..LINKS).map(|node| node << 32 | (node + 1)).collect()),
        "generated_layers" => {
            let next = |node: u64| (node / WIDTH + 1) * WIDTH..(node / WIDTH + 2) * WIDTH;
            let from = |node: u64| next(node).map(move |to| node << 32 | to);
            (LAYERS * WIDTH, (0..(LAYERS - 1) * WIDTH).flat_map(from).collect())
        }
        _ => return None,
    };
    Some(Graph { n_nodes: n_nodes as u32, edges })
}

#[cfg(test)]
mod tests {
    use super::{GRAPHS, graph};

    /// By a search from each node, the last ones first.
    #[test]
    fn closures_are_as_large_as_they_are_said_to_be() {
        for (name, n_tuples, _) in GRAPHS {
            let graph = graph(name).unwrap();
            assert!(
                graph.edges.is_sorted() && graph.edges.iter().all(|edge| *edge as u32 > (*edge >> 32) as u32)
            );
            let mut reached = vec![std::collections::BTreeSet::new(); graph.n_nodes as usize];
            for edge in graph.edges.iter().rev() {
                let (from, to) = ((*edge >> 32) as usize, *edge as u32);
                let more: Vec<u32> = reached[to as usize].iter().copied().chain([to]).collect();
                reached[from].extend(more);
            }
            assert_eq!(reached.iter().map(|nodes| nodes.len() as u64).sum::<u64>(), n_tuples, "{name}");
        }
        assert!(graph("wing").is_none());
    }
}
