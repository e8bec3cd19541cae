//! Disjunctive normal form: a rule as a list of conjunctions.
//!
//! Negation moves inwards by De Morgan's laws until it stands on predicates. A predicate over a missing value has no
//! outcome, and neither has its negation; the laws hold in that logic too (Kleene, *Introduction to Metamathematics*,
//! section 64), so the form holds on exactly the pairs on which the formula does. What can never hold is dropped: a
//! predicate beside its own negation is false or without outcome, and in a list of conjunctions neither counts.

use super::syntax::Formula;
use super::{Predicate, Test};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The most conjunctions that a rule may come to.
pub(super) const MOST_CONJUNCTIONS: usize = 1024;

/// The rule comes to more than [`MOST_CONJUNCTIONS`].
#[derive(Debug)]
pub(super) struct TooMany;

/// The conjunctions of a formula, no two alike, each with its predicates in file order, no two alike. None if it can
/// never hold.
pub(super) fn conjunctions(formula: &Formula<Predicate>) -> Result<Vec<Vec<Predicate>>, TooMany> {
    let mut tests = Tests::default();
    let normal = tests.normal(formula, false)?;
    let predicate =
        |literal: &Literal| Predicate { test: tests.list[literal.test].clone(), negated: literal.negated };
    Ok(normal.iter().map(|conjunction| conjunction.iter().map(predicate).collect()).collect())
}

/// A predicate by the number of its test: products of long conjunctions copy a great many.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Literal {
    test: usize,
    negated: bool,
}

/// The tests of a formula, each once.
#[derive(Default)]
struct Tests<'a> {
    list: Vec<&'a Test>,
    numbers: HashMap<&'a Test, usize>,
}

impl<'a> Tests<'a> {
    fn normal(
        &mut self,
        formula: &'a Formula<Predicate>,
        negated: bool,
    ) -> Result<Vec<Vec<Literal>>, TooMany> {
        match formula {
            Formula::Leaf(predicate) => {
                let test = *self.numbers.entry(&predicate.test).or_insert_with(|| {
                    self.list.push(&predicate.test);
                    self.list.len() - 1
                });
                Ok(vec![vec![Literal { test, negated: predicate.negated != negated }]])
            }
            Formula::Not(inner) => self.normal(inner, !negated),
            Formula::And(parts) if !negated => self.all(parts, negated),
            Formula::Or(parts) if negated => self.all(parts, negated),
            Formula::And(parts) | Formula::Or(parts) => self.any(parts, negated),
        }
    }

    fn any(&mut self, parts: &'a [Formula<Predicate>], negated: bool) -> Result<Vec<Vec<Literal>>, TooMany> {
        let mut distinct = Distinct::default();
        for part in parts {
            for conjunction in self.normal(part, negated)? {
                distinct.push(conjunction)?;
            }
        }
        Ok(distinct.list)
    }

    fn all(&mut self, parts: &'a [Formula<Predicate>], negated: bool) -> Result<Vec<Vec<Literal>>, TooMany> {
        let mut product = vec![Vec::new()];
        for part in parts {
            let part = self.normal(part, negated)?;
            let mut distinct = Distinct::default();
            for head in &product {
                for tail in &part {
                    if let Some(conjunction) = joined(head, tail) {
                        distinct.push(conjunction)?;
                    }
                }
            }
            product = distinct.list;
        }
        Ok(product)
    }
}

/// Both conjunctions in one, or `None` if it can never hold.
fn joined(head: &[Literal], tail: &[Literal]) -> Option<Vec<Literal>> {
    let mut conjunction = head.to_vec();
    for literal in tail {
        match head.iter().find(|other| other.test == literal.test) {
            Some(other) if other.negated != literal.negated => return None,
            Some(_) => {}
            None => conjunction.push(*literal),
        }
    }
    Some(conjunction)
}

/// Conjunctions, each once, whatever the order of its predicates.
#[derive(Default)]
struct Distinct {
    list: Vec<Vec<Literal>>,
    seen: HashSet<Vec<Literal>>,
}

impl Distinct {
    fn push(&mut self, conjunction: Vec<Literal>) -> Result<(), TooMany> {
        let mut sorted = conjunction.clone();
        sorted.sort_unstable();
        if self.seen.insert(sorted) {
            self.list.push(conjunction);
        }
        if self.list.len() > MOST_CONJUNCTIONS { Err(TooMany) } else { Ok(()) }
    }
}

/// Adds what is missing for a rule to hold either way round: in one table, a pair has no left and right of its own.
pub(super) fn symmetric(mut conjunctions: Vec<Vec<Predicate>>) -> Vec<Vec<Predicate>> {
    let set = |conjunction: &[Predicate]| conjunction.iter().cloned().collect::<BTreeSet<_>>();
    let known: HashSet<_> = conjunctions.iter().map(|conjunction| set(conjunction)).collect();
    let mirrored =
        |conjunction: &Vec<Predicate>| conjunction.iter().map(Predicate::mirrored).collect::<Vec<_>>();
    let missing: Vec<_> =
        conjunctions.iter().map(mirrored).filter(|conjunction| !known.contains(&set(conjunction))).collect();
    conjunctions.extend(missing);
    conjunctions
}

#[cfg(test)]
mod tests {
    use super::{MOST_CONJUNCTIONS, conjunctions};
    use crate::rules::syntax::Formula;
    use crate::rules::{Condition, Domain, Operand, Predicate, Side, Test};
    use proptest::prelude::*;

    const COLUMNS: usize = 4;

    fn predicate(column: usize, negated: bool) -> Predicate {
        let operand = Operand { column, name: column.to_string(), transforms: Vec::new() };
        let condition = Condition::Is("x".to_owned());
        let test = Test::Value { side: Side::Left, operand, domain: Domain::Text, condition };
        Predicate { test, negated }
    }

    fn column(predicate: &Predicate) -> usize {
        match &predicate.test {
            Test::Value { operand, .. } => operand.column,
            Test::Compare { .. } => unreachable!("the tests make none"),
        }
    }

    /// `None` has no outcome. AND is the least, OR the greatest, with no outcome between false and true.
    fn holds(formula: &Formula<Predicate>, outcomes: &[Option<bool>]) -> Option<bool> {
        let rank = |outcome| match outcome {
            Some(false) => 0,
            None => 1,
            Some(true) => 2,
        };
        let of = |part: &Formula<Predicate>| holds(part, outcomes);
        match formula {
            Formula::Leaf(predicate) => {
                outcomes[column(predicate)].map(|outcome| outcome != predicate.negated)
            }
            Formula::Not(inner) => of(inner).map(|outcome| !outcome),
            Formula::And(parts) => parts.iter().map(of).min_by_key(|&outcome| rank(outcome)).unwrap(),
            Formula::Or(parts) => parts.iter().map(of).max_by_key(|&outcome| rank(outcome)).unwrap(),
        }
    }

    fn formula() -> impl Strategy<Value = Formula<Predicate>> {
        let leaf = (0..COLUMNS, any::<bool>())
            .prop_map(|(column, negated)| Formula::Leaf(predicate(column, negated)));
        leaf.prop_recursive(4, 24, 3, |inner| {
            let parts = prop::collection::vec(inner.clone(), 1..4);
            prop_oneof![
                parts.clone().prop_map(Formula::And),
                parts.prop_map(Formula::Or),
                inner.prop_map(Formula::not)
            ]
        })
    }

    proptest! {
        #[test]
        fn holds_where_the_formula_does(formula in formula()) {
            let normal = conjunctions(&formula).unwrap();
            for case in 0..3usize.pow(COLUMNS as u32) {
                let outcome = |column| [None, Some(false), Some(true)][case / 3usize.pow(column) % 3];
                let outcomes: Vec<_> = (0..COLUMNS as u32).map(outcome).collect();
                let one = |predicate: &Predicate| holds(&Formula::Leaf(predicate.clone()), &outcomes) == Some(true);
                let some = normal.iter().any(|conjunction| conjunction.iter().all(one));
                prop_assert_eq!(holds(&formula, &outcomes) == Some(true), some);
            }
        }

        #[test]
        fn nothing_stands_twice(formula in formula()) {
            let normal = conjunctions(&formula).unwrap();
            let mut sets: Vec<Vec<_>> = normal.iter().map(|conjunction| {
                let mut columns: Vec<_> = conjunction.iter().map(|predicate| (column(predicate), predicate.negated)).collect();
                columns.sort_unstable();
                columns
            }).collect();
            for set in &sets {
                prop_assert!(!set.is_empty());
                // Neither a predicate twice nor beside its negation.
                prop_assert!(set.windows(2).all(|two| two[0].0 != two[1].0));
            }
            sets.sort();
            prop_assert!(sets.windows(2).all(|two| two[0] != two[1]));
        }
    }

    #[test]
    fn too_many() {
        let two = |n: usize| {
            Formula::Or(vec![
                Formula::Leaf(predicate(2 * n, false)),
                Formula::Leaf(predicate(2 * n + 1, false)),
            ])
        };
        assert_eq!(conjunctions(&Formula::And((0..10).map(two).collect())).unwrap().len(), MOST_CONJUNCTIONS);
        assert!(conjunctions(&Formula::And((0..11).map(two).collect())).is_err());
    }
}
