//! Strongly connected components, and the graph of components, which has no cycles.
//!
//! After Tarjan, 'Depth-first search and linear graph algorithms' (1972), in the form of Pearce, 'A
//! space-efficient algorithm for finding strongly connected components' (2016), with a stack of its own:
//! paths may be millions of nodes long. Components come out with all that they reach before them, and are
//! numbered from the last on: an edge leads to a component with a greater number. Neighbours in that order
//! reach much the same.

use std::ops::Range;

/// A graph's components, and which have an edge to which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condensed {
    /// By node: its component.
    pub components: Vec<u32>,
    /// By component: where its nodes begin among `members`; and one more.
    pub member_starts: Vec<u32>,
    /// Nodes by component, ascending in each.
    pub members: Vec<u32>,
    /// By component: where its successors begin; and one more.
    pub successor_starts: Vec<u32>,
    /// Other components that an edge leads to, with greater numbers, each once.
    pub successors: Vec<u32>,
    /// By component: whether its nodes reach themselves.
    pub is_cyclic: Vec<bool>,
}

/// The components by level: none has a predecessor in its own level, or in one after it. What is told of a
/// component is by its place in that order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// By level: the first place; and one more.
    pub starts: Vec<u32>,
    /// By place: where its predecessors begin; and one more.
    pub predecessor_starts: Vec<u32>,
    /// Places of predecessors.
    pub predecessors: Vec<u32>,
    /// By node: the place of its component.
    pub places: Vec<u32>,
}

impl Condensed {
    /// Of so many nodes and these edges, which ascend, each once.
    pub fn new(n_nodes: u32, edges: &[u64]) -> Self {
        let (components, n_components) = components(n_nodes, edges);
        let (member_starts, members) = grouped(&components, n_components);
        let starts = starts(n_nodes, edges);
        let mut is_cyclic = vec![false; n_components as usize];
        let mut successor_starts = Vec::with_capacity(n_components as usize + 1);
        let mut successors = Vec::with_capacity(edges.len());
        // By component: the last one that an edge to it was seen of, and one more.
        let mut seen_from = vec![0; n_components as usize];
        successor_starts.push(0);
        for component in 0..n_components {
            let own = &members[range(&member_starts, component)];
            is_cyclic[component as usize] = own.len() > 1;
            for &node in own {
                for &edge in &edges[range(&starts, node)] {
                    let target = components[edge as u32 as usize];
                    if target == component {
                        is_cyclic[component as usize] = true;
                    } else if seen_from[target as usize] != component + 1 {
                        seen_from[target as usize] = component + 1;
                        successors.push(target);
                    }
                }
            }
            successor_starts.push(successors.len() as u32);
        }
        Self { components, member_starts, members, successor_starts, successors, is_cyclic }
    }

    /// How many there are.
    pub fn n_components(&self) -> u32 {
        self.is_cyclic.len() as u32
    }

    /// A component's nodes, ascending.
    pub fn members(&self, component: u32) -> &[u32] {
        &self.members[range(&self.member_starts, component)]
    }

    /// The other components that an edge leads to.
    pub fn successors(&self, component: u32) -> &[u32] {
        &self.successors[range(&self.successor_starts, component)]
    }

    /// The components by level, which is the longest path that leads to one.
    pub fn levels(&self) -> Levels {
        let n_components = self.n_components();
        let mut levels = vec![0u32; n_components as usize];
        for component in 0..n_components {
            let next = levels[component as usize] + 1;
            for &successor in self.successors(component) {
                let level = &mut levels[successor as usize];
                *level = next.max(*level);
            }
        }
        let n_levels = levels.iter().max().map_or(0, |most| most + 1);
        let (starts, order) = grouped(&levels, n_levels);
        let mut places = vec![0; n_components as usize];
        (0..).zip(&order).for_each(|(place, &component)| places[component as usize] = place);
        // The successors turned round: first how many each has before it, then who.
        let mut predecessor_starts = vec![0u32; n_components as usize + 1];
        for &successor in &self.successors {
            predecessor_starts[places[successor as usize] as usize + 1] += 1;
        }
        accumulate(&mut predecessor_starts);
        let mut ends = predecessor_starts.clone();
        let mut predecessors = vec![0; self.successors.len()];
        for component in 0..n_components {
            for &successor in self.successors(component) {
                let end = &mut ends[places[successor as usize] as usize];
                predecessors[*end as usize] = places[component as usize];
                *end += 1;
            }
        }
        let places = self.components.iter().map(|&component| places[component as usize]).collect();
        Levels { starts, predecessor_starts, predecessors, places }
    }
}

/// What belongs to one, in an array where each begins somewhere.
fn range(starts: &[u32], ix: u32) -> Range<usize> {
    starts[ix as usize] as usize..starts[ix as usize + 1] as usize
}

/// By node: where its edges begin; and one more.
pub(crate) fn starts(n_nodes: u32, edges: &[u64]) -> Vec<u32> {
    let mut starts = vec![0u32; n_nodes as usize + 1];
    edges.iter().for_each(|edge| starts[(edge >> 32) as usize + 1] += 1);
    accumulate(&mut starts);
    starts
}

fn accumulate(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

/// Numbers by what they have, ascending in each group; and where groups begin.
fn grouped(groups: &[u32], n_groups: u32) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; n_groups as usize + 1];
    groups.iter().for_each(|&group| starts[group as usize + 1] += 1);
    accumulate(&mut starts);
    let (mut ends, mut members) = (starts.clone(), vec![0; groups.len()]);
    for (member, &group) in (0..).zip(groups) {
        let end = &mut ends[group as usize];
        members[*end as usize] = member;
        *end += 1;
    }
    (starts, members)
}

/// A node that is being searched.
struct Frame {
    node: u32,
    /// When it was met.
    met: u32,
    /// The next of its edges.
    edge: u32,
}

/// By node: its component; and how many there are.
fn components(n_nodes: u32, edges: &[u64]) -> (Vec<u32>, u32) {
    const UNMET: u32 = 0;
    let starts = starts(n_nodes, edges);
    // By node: the earliest meeting that is known to be reached from it; once its component is known, that
    // one, counted from the greatest number down. Those are far above all meetings.
    let mut lows = vec![UNMET; n_nodes as usize];
    let (mut next_meeting, mut component) = (1, u32::MAX);
    let (mut frames, mut waiting) = (Vec::<Frame>::new(), Vec::<u32>::new());
    for root in 0..n_nodes {
        if lows[root as usize] != UNMET {
            continue;
        }
        lows[root as usize] = next_meeting;
        frames.push(Frame { node: root, met: next_meeting, edge: starts[root as usize] });
        next_meeting += 1;
        while let Some(frame) = frames.last_mut() {
            let node = frame.node as usize;
            if frame.edge < starts[node + 1] {
                let target = edges[frame.edge as usize] as u32;
                match lows[target as usize] {
                    UNMET => {
                        // The edge is looked at once more when its target is done.
                        lows[target as usize] = next_meeting;
                        frames.push(Frame { node: target, met: next_meeting, edge: starts[target as usize] });
                        next_meeting += 1;
                    }
                    low => {
                        lows[node] = lows[node].min(low);
                        frame.edge += 1;
                    }
                }
                continue;
            }
            let met = frame.met;
            frames.pop();
            if lows[node] < met {
                waiting.push(node as u32);
                continue;
            }
            // It reaches nothing that was met before it: with what waits since then, it is a component.
            while let Some(member) = waiting.pop_if(|member| lows[*member as usize] >= met) {
                lows[member as usize] = component;
            }
            lows[node] = component;
            component -= 1;
        }
    }
    let n_components = u32::MAX - component;
    lows.iter_mut().for_each(|low| *low -= component.wrapping_add(1));
    (lows, n_components)
}

#[cfg(test)]
mod tests {
    use super::Condensed;
    use crate::operators::closure::tuple;

    fn condensed(n_nodes: u32, edges: &[(u32, u32)]) -> Condensed {
        let mut edges: Vec<u64> = edges.iter().map(|&(source, target)| tuple(source, target)).collect();
        edges.sort_unstable();
        let condensed = Condensed::new(n_nodes, &edges);
        for component in 0..condensed.n_components() {
            assert!(condensed.successors(component).iter().all(|&successor| successor > component));
            for &member in condensed.members(component) {
                assert_eq!(condensed.components[member as usize], component);
            }
        }
        condensed
    }

    #[test]
    fn no_nodes() {
        let none = condensed(0, &[]);
        assert_eq!(none.n_components(), 0);
        assert_eq!(none.levels().starts, [0]);
    }

    #[test]
    fn cycles_become_one() {
        // Two cycles that share a node, a tail with a self-loop, and a node apart.
        let all = condensed(7, &[(0, 1), (1, 0), (1, 2), (2, 1), (2, 4), (2, 5), (4, 5), (5, 5), (1, 4)]);
        assert_eq!(all.n_components(), 5);
        let of = |node: u32| all.components[node as usize];
        assert_eq!([of(0), of(1)], [of(2); 2]);
        assert_eq!(all.members(of(0)), [0, 1, 2]);
        assert_eq!([0, 3, 4, 5].map(|node| all.is_cyclic[of(node) as usize]), [true, false, false, true]);
        // Two edges lead from the cycles to 4, and make one successor.
        let mut after = all.successors(of(0)).to_vec();
        after.sort_unstable();
        assert_eq!(after, [of(4), of(5)]);
        let levels = all.levels();
        assert_eq!(levels.starts.len(), 3 + 1);
        let place = |node: u32| levels.places[node as usize];
        assert_eq!([place(4), place(5)], [3, 4]);
        let range = levels.predecessor_starts[4] as usize..levels.predecessor_starts[5] as usize;
        let mut before = levels.predecessors[range].to_vec();
        before.sort_unstable();
        assert_eq!(before, [place(0), place(4)]);
    }

    #[test]
    fn long_paths_and_cycles() {
        let n = 1_000_000;
        let mut path: Vec<(u32, u32)> = (0..n - 1).map(|node| (node, node + 1)).collect();
        let open = condensed(n, &path);
        assert_eq!((open.n_components(), open.levels().starts.len() as u32), (n, n + 1));
        path.push((n - 1, 0));
        let closed = condensed(n, &path);
        assert_eq!((closed.n_components(), closed.is_cyclic[0]), (1, true));
    }
}
