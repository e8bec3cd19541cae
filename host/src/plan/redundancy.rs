//! Redundancy: conjunctions that hold only where another one does.
//!
//! If one conjunction implies another of the same or of an earlier rule, nothing is lost without it. If the other is of a
//! later rule, it still decides which rule is the witness, but only of pairs that the later rule lets through: it is asked
//! of those alone.

use super::Conjunction;

/// What is left of the conjunctions, where `implies` tells of two predicates whether the second holds wherever the first
/// does.
pub(super) fn reduce(
    conjunctions: Vec<Conjunction>,
    implies: impl Fn(usize, usize) -> bool,
) -> Vec<Conjunction> {
    let special = |a: &Conjunction, b: &Conjunction| {
        b.predicates.iter().all(|&general| a.predicates.iter().any(|&special| implies(special, general)))
    };
    // Of those that imply each other the first stays, and they are in the order of their rules.
    let is_dropped = |ix: usize| {
        conjunctions.iter().enumerate().any(|(other_ix, other)| {
            let one = &conjunctions[ix];
            let goes_before = other.rule < one.rule || (other.rule == one.rule && other_ix < ix);
            let same_rule = other.rule == one.rule && other_ix != ix;
            (goes_before && special(one, other)) || (same_rule && special(one, other) && !special(other, one))
        })
    };
    let mut kept: Vec<Conjunction> =
        (0..conjunctions.len()).filter(|&ix| !is_dropped(ix)).map(|ix| conjunctions[ix].clone()).collect();
    // What is left and implies another one implies one of a later rule. Go from the last rule to the first: what something
    // was put under is then in its final place.
    let mut done: Vec<Conjunction> = Vec::new();
    while let Some(one) = kept.pop() {
        match done.iter_mut().find(|general| special(&one, general)) {
            Some(general) => general.earlier.push(one),
            None => done.push(one),
        }
    }
    done.reverse();
    done
}
