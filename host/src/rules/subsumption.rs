//! Rules that add nothing: every pair they allow is allowed by another rule.

use super::{Consequences, General};
use hashbrown::HashMap;

/// A rule that holds only where another does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subsumed {
    /// The rule, by its place in the file.
    pub rule: usize,
    /// The first rule that holds wherever it does, and is not itself subsumed.
    pub by: usize,
}

/// The rules that are subsumed, given the numbers of conjunctions of each, the conjunctions of all in order, and which
/// predicates follow from which.
pub(super) fn subsumed(
    counts: &[usize],
    conjunctions: &[Vec<usize>],
    consequences: &Consequences,
) -> Vec<Subsumed> {
    let within = within(counts, General::new(consequences, conjunctions.iter().map(Vec::as_slice)));
    // What lies in a rule that lies in another lies in the other, whether or not that was seen. So rules that lie in each
    // other say the same: the first of them stands for all, and stays if they lie in nothing else.
    const NOT_KNOWN: usize = usize::MAX;
    let mut stays = vec![NOT_KNOWN; counts.len()];
    for same in circles(&within) {
        let first = same.iter().min().copied().unwrap_or_default();
        // What they lie in and is no part of the circle came before it.
        let beyond = same.iter().flat_map(|&rule| &within[rule]).map(|&other| stays[other]);
        let by = beyond.filter(|&by| by != NOT_KNOWN).min().unwrap_or(first);
        same.iter().for_each(|&rule| stays[rule] = by);
    }
    let subsumed = stays.into_iter().enumerate().map(|(rule, by)| Subsumed { rule, by });
    subsumed.filter(|it| it.rule != it.by).collect()
}

/// By rule: the others that are seen to hold wherever it does.
fn within(counts: &[usize], mut general: General<'_>) -> Vec<Vec<usize>> {
    let owners: Vec<usize> =
        counts.iter().enumerate().flat_map(|(rule, &n)| std::iter::repeat_n(rule, n)).collect();
    let mut from = 0;
    let mut of = |(rule, n): (usize, usize)| {
        // By rule: in how many of the conjunctions all that it allows is allowed by it.
        let mut covered: HashMap<usize, usize> = HashMap::new();
        for special in from..from + n {
            let mut by: Vec<usize> = general.than(special).into_iter().map(|ix| owners[ix]).collect();
            by.dedup();
            by.into_iter().for_each(|other| *covered.entry(other).or_default() += 1);
        }
        from += n;
        let mut others: Vec<usize> = covered
            .into_iter()
            .filter(|&(other, times)| other != rule && times == n)
            .map(|it| it.0)
            .collect();
        others.sort_unstable();
        others
    };
    counts.iter().copied().enumerate().map(&mut of).collect()
}

/// The circles of a graph: nodes that are reached from each other, and each other node alone, after all that it leads to
/// (Tarjan, *Depth-first search and linear graph algorithms*, 1972).
fn circles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    const DONE: usize = usize::MAX - 1;
    // By node: the number of the earliest that it is known to reach, among those that are on the way.
    let mut earliest = vec![NEW; edges.len()];
    let mut circles = Vec::new();
    let (mut way, mut open): (Vec<(usize, usize, usize)>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut n_seen = 0;
    for root in 0..edges.len() {
        if earliest[root] != NEW {
            continue;
        }
        way.push((root, n_seen, 0));
        while let Some((node, number, nth)) = way.pop() {
            if nth == 0 {
                earliest[node] = number;
                n_seen += 1;
                open.push(node);
            } else {
                // Back from the edge before.
                let reached = earliest[edges[node][nth - 1]];
                earliest[node] = earliest[node].min(if reached == DONE { NEW } else { reached });
            }
            match edges[node].get(nth) {
                Some(&next) => {
                    way.push((node, number, nth + 1));
                    if earliest[next] == NEW {
                        way.push((next, n_seen, 0));
                    }
                }
                None if earliest[node] == number => {
                    let first = open.iter().rposition(|&other| other == node).unwrap_or_default();
                    let circle = open.split_off(first);
                    circle.iter().for_each(|&member| earliest[member] = DONE);
                    circles.push(circle);
                }
                None => {}
            }
        }
    }
    circles
}
