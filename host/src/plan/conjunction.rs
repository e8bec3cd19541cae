//! Conjunctions as the planner handles them: numbers of predicates, in an order that it may change.

use crate::base::error::{Error, Result};
use crate::rules::{Predicate, Rule};
use hashbrown::HashMap;

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
pub(super) fn conjunctions(rules: &[Rule], predicates: &[Predicate]) -> Result<Vec<Conjunction>> {
    let places: HashMap<&Predicate, usize> = predicates.iter().zip(0..).collect();
    let place = |predicate: &Predicate| {
        let ix = places.get(predicate).copied();
        ix.ok_or_else(|| Error::Internal(format!("`{predicate}` was not encoded")))
    };
    let mut all = Vec::new();
    for (rule, conjunction) in
        (0..).zip(rules).flat_map(|(ix, rule)| rule.conjunctions.iter().map(move |c| (ix, c)))
    {
        let predicates = conjunction.iter().map(place).collect::<Result<_>>()?;
        all.push(Conjunction { rule, predicates, earlier: Vec::new() });
    }
    Ok(all)
}
