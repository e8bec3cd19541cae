//! Redundancy: conjunctions that hold only where another one does.
//!
//! If one conjunction implies another of the same or of an earlier rule, nothing is lost without it. If the other is of a
//! later rule, it still decides which rule is the witness, but only of pairs that the later rule lets through: it is asked
//! of those alone.

use super::Conjunction;
use crate::rules::{Consequences, General};

/// What is left of the conjunctions, given which predicates follow from which.
pub(super) fn reduce(conjunctions: Vec<Conjunction>, consequences: &Consequences) -> Vec<Conjunction> {
    let mut general = General::new(consequences, conjunctions.iter().map(|it| it.predicates.as_slice()));
    let general: Vec<Vec<usize>> = (0..conjunctions.len()).map(|ix| general.than(ix)).collect();
    // Of those that imply each other the first stays, and they are in the order of their rules.
    let is_dropped = |ix: usize| {
        general[ix].iter().any(|&other| {
            let (rule, of_other) = (conjunctions[ix].rule, conjunctions[other].rule);
            let goes_before = of_other < rule || (of_other == rule && other < ix);
            goes_before || (of_other == rule && general[other].binary_search(&ix).is_err())
        })
    };
    // What is left and implies another one implies one of a later rule. Go from the last rule to the first: what something
    // was put under is then in its final place.
    let mut done: Vec<Option<Conjunction>> = vec![None; conjunctions.len()];
    for (ix, one) in conjunctions.iter().enumerate().rev().filter(|&(ix, _)| !is_dropped(ix)) {
        let last = general[ix].iter().copied().rfind(|&other| done[other].is_some());
        match last.and_then(|general| done[general].as_mut()) {
            Some(general) => general.earlier.push(one.clone()),
            None => done[ix] = Some(one.clone()),
        }
    }
    done.into_iter().flatten().collect()
}
