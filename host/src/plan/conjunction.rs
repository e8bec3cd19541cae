//! Conjunctions as the planner handles them: numbers of predicates, in an order that it may change.

use crate::rules::RuleSet;

/// A conjunction as the planner handles it.
#[derive(Clone, Debug, PartialEq)]
pub struct Conjunction {
    /// Its rule, by its place in the file.
    pub rule: u32,
    /// By their places among the plan's predicates.
    pub predicates: Vec<usize>,
    /// See [`Witness::earlier`](super::Witness::earlier).
    pub earlier: Vec<Conjunction>,
}

/// The conjunctions of all rules, in file order.
pub(super) fn conjunctions(set: &RuleSet) -> Vec<Conjunction> {
    let all = set.owners().zip(&set.conjunctions);
    all.map(|(rule, predicates)| Conjunction {
        rule: rule as u32,
        predicates: predicates.clone(),
        earlier: Vec::new(),
    })
    .collect()
}
