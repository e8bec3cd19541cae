//! Rules that add nothing: every pair they allow is allowed by another rule.

use super::implication::implies;
use super::{Predicate, Rule};

/// A rule that holds only where another does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subsumed {
    /// The rule, by its place in the file.
    pub rule: usize,
    /// The first rule that holds wherever it does, and is not itself subsumed.
    pub by: usize,
}

/// The rules that add no pairs to those of the others. Of rules that say the same, the first is not subsumed.
///
/// A rule that is seen to be subsumed is; one that is not may be, in a way that is not seen.
pub fn subsumed(rules: &[Rule]) -> Vec<Subsumed> {
    let mut within: Vec<Vec<bool>> =
        rules.iter().map(|rule| rules.iter().map(|other| is_within(rule, other)).collect()).collect();
    // What lies in a rule that lies in another lies in the other, whether or not that was seen.
    for middle in 0..rules.len() {
        let beyond = within[middle].clone();
        for row in within.iter_mut().filter(|row| row[middle]) {
            row.iter_mut().zip(&beyond).for_each(|(is_within, beyond)| *is_within |= beyond);
        }
    }
    let adds_nothing = |&rule: &usize| {
        (0..rules.len())
            .any(|other| other != rule && within[rule][other] && (other < rule || !within[other][rule]))
    };
    let by = |rule: usize| {
        let by = (0..rules.len()).find(|other| within[rule][*other] && !adds_nothing(other))?;
        Some(Subsumed { rule, by })
    };
    (0..rules.len()).filter(adds_nothing).filter_map(by).collect()
}

/// Whether one rule holds wherever the other does.
fn is_within(rule: &Rule, other: &Rule) -> bool {
    let follows = |special: &[Predicate], general: &[Predicate]| {
        general.iter().all(|q| special.iter().any(|p| implies(p, q)))
    };
    rule.conjunctions.iter().all(|special| other.conjunctions.iter().any(|general| follows(special, general)))
}
