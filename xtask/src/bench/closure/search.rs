//! What closures are measured against on the CPU: a breadth-first search from every node, counting only.

use hyperblock::operators::closure::{first_of, second_of};
use hyperblock::read::edges::Graph;

/// The tuples of the closure.
pub(super) fn count(graph: &Graph) -> u64 {
    let n_nodes = graph.n_nodes as usize;
    let mut starts = vec![0u32; n_nodes + 1];
    graph.edges.iter().for_each(|edge| starts[first_of(*edge) as usize + 1] += 1);
    for ix in 0..n_nodes {
        starts[ix + 1] += starts[ix];
    }
    let targets: Vec<u32> = graph.edges.iter().map(|edge| second_of(*edge)).collect();
    // By node: the last source that reached it, and one more, so that nothing is cleared between searches.
    let mut reached_from = vec![0u32; n_nodes];
    let mut queue: Vec<u32> = Vec::with_capacity(n_nodes);
    let mut n_tuples = 0;
    for source in 0..graph.n_nodes {
        queue.clear();
        let mut node = source;
        let mut next = 0;
        loop {
            for &target in &targets[starts[node as usize] as usize..starts[node as usize + 1] as usize] {
                if reached_from[target as usize] != source + 1 {
                    reached_from[target as usize] = source + 1;
                    queue.push(target);
                }
            }
            let Some(&first) = queue.get(next) else { break };
            node = first;
            next += 1;
        }
        n_tuples += queue.len() as u64;
    }
    n_tuples
}

#[cfg(test)]
mod tests {
    use super::count;
    use hyperblock::operators::closure::tuple;
    use hyperblock::read::edges::Graph;

    #[test]
    fn paths_and_cycles() {
        let graph = |n_nodes, edges: &[(u32, u32)]| Graph {
            n_nodes,
            edges: edges.iter().map(|&(source, target)| tuple(source, target)).collect(),
        };
        assert_eq!(count(&graph(4, &[(0, 1), (1, 2), (2, 3)])), 6);
        assert_eq!(count(&graph(4, &[(0, 1), (1, 0), (1, 2), (3, 3)])), 7);
        assert_eq!(count(&graph(0, &[])), 0);
    }
}
