//! The execution tree: rules that begin with the same predicates share them.
//!
//! A node is a predicate; a pair that passes it goes on to its children. A rule is a way from the root to a witness. An
//! edge's score is the greatest Π sp among the rules below it: children stand by falling score, so that what is likeliest
//! to hold is tried first.

use super::Conjunction;
use super::order::Weights;
use crate::base::random::Random;
use hashbrown::HashMap;

/// A predicate in its place in the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// By its place among the plan's predicates.
    pub predicate: usize,
    /// The greatest Π sp among the rules from here on.
    pub score: f64,
    /// If all of a rule's predicates are passed here: the rule.
    pub witness: Option<Witness>,
    /// Where a pair that passes goes on, in this order.
    pub children: Vec<Node>,
}

/// The end of a rule.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The rule, by its place in the file.
    pub rule: u32,
    /// Conjunctions of earlier rules that hold on some of the pairs that come here, and on no others: they are asked here
    /// alone, to name the first rule that holds.
    pub earlier: Vec<Conjunction>,
}

/// Builds the tree, rule by rule, sharing beginnings; without `sharing`, a branch for every conjunction.
pub(super) fn build(conjunctions: Vec<Conjunction>, weights: &Weights<'_>, sharing: bool) -> Vec<Node> {
    let ends = conjunctions.into_iter().map(|Conjunction { rule, predicates, earlier }| End {
        score: weights.score(&predicates),
        predicates,
        witness: Witness { rule, earlier },
    });
    siblings(ends.collect(), 0, sharing)
}

/// A conjunction on its way into the tree.
struct End {
    predicates: Vec<usize>,
    score: f64,
    witness: Witness,
}

/// The nodes of conjunctions that agree before `depth`, in the order in which their predicates there first come up.
fn siblings(ends: Vec<End>, depth: usize, sharing: bool) -> Vec<Node> {
    let mut nodes: Vec<(Node, Vec<End>)> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for end in ends {
        let Some(&predicate) = end.predicates.get(depth) else { continue };
        let known = places.get(&predicate).copied().filter(|_| sharing);
        let place = known.unwrap_or(nodes.len());
        if known.is_none() {
            places.insert(predicate, place);
            let node = Node { predicate, score: end.score, witness: None, children: Vec::new() };
            nodes.push((node, Vec::new()));
        }
        let (node, below) = &mut nodes[place];
        node.score = node.score.max(end.score);
        match end.predicates.len() == depth + 1 {
            true => node.witness = Some(end.witness),
            false => below.push(end),
        }
    }
    let finished =
        |(node, below): (Node, Vec<End>)| Node { children: siblings(below, depth + 1, sharing), ..node };
    nodes.into_iter().map(finished).collect()
}

/// Puts siblings in order: by falling score.
pub(super) fn by_score(nodes: &mut [Node]) {
    nodes.sort_by(|a, b| b.score.total_cmp(&a.score));
    nodes.iter_mut().for_each(|node| by_score(&mut node.children));
}

/// Puts siblings in the opposite order.
pub(super) fn by_rising_score(nodes: &mut [Node]) {
    nodes.sort_by(|a, b| a.score.total_cmp(&b.score));
    nodes.iter_mut().for_each(|node| by_rising_score(&mut node.children));
}

/// Puts siblings in random order.
pub(super) fn at_random(nodes: &mut [Node], random: &mut Random) {
    random.shuffle(nodes);
    nodes.iter_mut().for_each(|node| at_random(&mut node.children, random));
}
