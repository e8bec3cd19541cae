//! The execution tree: rules that begin with the same predicates share them.
//!
//! A node is a predicate; a pair that passes it goes on to its children. A rule is a way from the root to a witness. An
//! edge's score is the greatest Π sp among the rules below it: children stand by falling score, so that what is likeliest
//! to hold is tried first.

use super::Conjunction;
use super::order::Weights;
use crate::base::random::Random;

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
    let mut roots = Vec::new();
    for conjunction in conjunctions {
        let score = weights.score(&conjunction.predicates);
        let witness = Witness { rule: conjunction.rule, earlier: conjunction.earlier };
        insert(&mut roots, &conjunction.predicates, score, witness, sharing);
    }
    roots
}

fn insert(nodes: &mut Vec<Node>, predicates: &[usize], score: f64, witness: Witness, sharing: bool) {
    let [first, rest @ ..] = predicates else { return };
    let known = nodes.iter().position(|node| sharing && node.predicate == *first);
    let ix = known.unwrap_or_else(|| {
        nodes.push(Node { predicate: *first, score, witness: None, children: Vec::new() });
        nodes.len() - 1
    });
    let node = &mut nodes[ix];
    node.score = node.score.max(score);
    if rest.is_empty() {
        node.witness = Some(witness);
    } else {
        insert(&mut node.children, rest, score, witness, sharing);
    }
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
