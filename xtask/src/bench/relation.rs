//! A single join of two relations: the table is built, and what it meets is counted and written.
//!
//! As figure 3 of 'Towards Iterative Relational Algebra on the GPU' (USENIX ATC 2023): a graph joined with itself, a *random*
//! one, whose nodes are 32,768 numbers, so that every edge meets very many; and a *string* of edges from each number to the
//! next, where each meets one. What is timed begins with both relations where the device has them, and ends with all tuples
//! there. Every run must make as many as the nodes' edges say.

use super::graph_args::RelationArgs;
use super::measure::Times;
use super::scan::open;
use crate::record;
use anyhow::{Context, Result, ensure};
use hyperblock::operators::Backend;
use hyperblock::operators::relations::{LoadFactor, TimedJoin};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::time::Duration;

const SEED: u64 = 1;
/// Nodes of a random graph.
const NODES: u32 = 1 << 15;
/// Runs that count, after one that does not.
const RUNS: usize = 5;

/// How edges are made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Random,
    String,
}

impl Shape {
    const ALL: [(Self, &str); 2] = [(Self::Random, "random"), (Self::String, "string")];

    /// Edges, sorted: from the upper half of a word to the lower.
    fn edges(self, n_edges: u32) -> Vec<u64> {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let edge = |from: u32, to: u32| u64::from(from) << 32 | u64::from(to);
        let mut edges: Vec<u64> = match self {
            Self::Random => {
                (0..n_edges).map(|_| edge(rng.random_range(0..NODES), rng.random_range(0..NODES))).collect()
            }
            Self::String => (0..n_edges).map(|node| edge(node, node + 1)).collect(),
        };
        edges.sort_unstable();
        edges
    }
}

/// How many tuples the join of a graph with itself makes.
fn n_joined(edges: &[u64]) -> u64 {
    let n_nodes =
        edges.iter().flat_map(|edge| [edge >> 32, edge & 0xffff_ffff]).max().map_or(0, |max| max + 1);
    let mut degrees = vec![[0u64; 2]; n_nodes as usize];
    for edge in edges {
        degrees[(edge >> 32) as usize][0] += 1;
        degrees[(edge & 0xffff_ffff) as usize][1] += 1;
    }
    degrees.iter().map(|[from, to]| from * to).sum()
}

pub(super) fn run(args: &RelationArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let mut lines =
        vec!["graph,edges,load_factor,device,tuples,build_s,keys_per_s,join_s,tuples_per_s".to_owned()];
    for (shape, name) in Shape::ALL {
        for &n_edges in &args.edges {
            let edges = shape.edges(n_edges);
            let known = n_joined(&edges);
            for device in &devices {
                for &load in &args.load_factor {
                    let load = load_factor(load)?;
                    let [build, join] = measure(&**device, &edges, load, known)?;
                    let rates = [f64::from(n_edges) / build, known as f64 / join];
                    println!(
                        "{name:6} {n_edges:9} edges, load {load}  {:24} built in {:9.4} ms ({:7.1} million keys/s), \
                         joined in {:9.3} ms ({:7.2} billion tuples/s, {known} tuples)",
                        device.name(),
                        build * 1e3,
                        rates[0] / 1e6,
                        join * 1e3,
                        rates[1] / 1e9,
                    );
                    lines.push(format!(
                        "{name},{n_edges},{load},{},{known},{build:.9},{:.0},{join:.9},{:.0}",
                        device.name(),
                        rates[0],
                        rates[1]
                    ));
                }
            }
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "relation", &lines),
        None => Ok(()),
    }
}

/// How full a table may be, from its share.
pub(super) fn load_factor(share: f64) -> Result<LoadFactor> {
    LoadFactor::from_percent((share * 100.0).round() as u32).context("a load factor is from 0.01 to 0.99")
}

/// Joins a random graph with itself once: what a profiler looks at.
pub(super) fn once(n_edges: u32, device: &dyn Backend) -> Result<()> {
    let edges = Shape::Random.edges(n_edges);
    let joined = device.relations().time_join(&edges, &edges, LoadFactor::default())?.n_joined;
    let known = n_joined(&edges);
    ensure!(joined == known, "{joined} tuples, but {known} are right");
    Ok(())
}

/// The medians of building and of joining, in seconds.
fn measure(device: &dyn Backend, edges: &[u64], load: LoadFactor, known: u64) -> Result<[f64; 2]> {
    let relations = device.relations();
    let mut took: [Vec<Duration>; 2] = Default::default();
    for run in 0..=RUNS {
        let TimedJoin { n_joined, build, join } = relations.time_join(edges, edges, load)?;
        ensure!(n_joined == known, "{n_joined} tuples on {}, but {known} are right", device.name());
        if run > 0 {
            took[0].push(build);
            took[1].push(join);
        }
    }
    Ok(took.map(|times| Times::new(times).median()))
}

#[cfg(test)]
mod tests {
    use super::{Shape, measure, n_joined};
    use hyperblock::device::cpu::Cpu;
    use hyperblock::operators::relations::LoadFactor;

    #[test]
    fn joins_make_what_degrees_say() {
        assert_eq!(n_joined(&Shape::String.edges(1000)), 999);
        let edges = Shape::Random.edges(2000);
        let known = n_joined(&edges);
        let load = LoadFactor::default();
        assert!(measure(&Cpu::new(), &edges, load, known).is_ok());
        assert!(measure(&Cpu::new(), &edges, load, known + 1).is_err());
    }
}
