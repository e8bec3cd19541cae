//! Disjunctive normal form: a rule as a list of conjunctions, none of which could be left out.
//!
//! Negation moves inwards by De Morgan's laws until it stands on predicates. A predicate over a missing value has no
//! outcome, and neither has its negation; the laws hold in that logic too (Kleene, *Introduction to Metamathematics*,
//! section 64), so the form holds on exactly the pairs on which the formula does. Then what says nothing goes, as far as
//! [`implication`](super::implication) sees it: conjunctions in which two predicates exclude each other, predicates that
//! follow from another of the same conjunction, and conjunctions that are more special than another. A rule of which
//! nothing is left never holds; if nothing is left of its opposite, it says nothing.

use super::implication::{Said, share_a_column};
use super::syntax::Formula;
use super::{Limit, Measure, Predicate, Test};
use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use std::hash::BuildHasher as _;

/// The most conjunctions that a rule may come to.
pub(super) const MOST_CONJUNCTIONS: usize = 1024;

/// The most pairs of predicates of a rule that are compared with each other. What is not compared is not known to follow.
const MOST_COMPARED: usize = 1 << 17;

/// Why a formula makes no rule.
#[derive(Debug)]
pub(super) enum NoRule {
    /// It comes to more than [`MOST_CONJUNCTIONS`].
    TooMany,
    /// It never holds; if that is for two predicates alone, these.
    Never(Option<Box<(Predicate, Predicate)>>),
    /// Its opposite never holds.
    Always,
}

/// The conjunctions of a formula, each with its predicates in file order; with `dedupe` those of either way round.
pub(super) fn conjunctions(
    formula: &Formula<Predicate>,
    dedupe: bool,
) -> Result<Vec<Vec<Predicate>>, NoRule> {
    let mut form = Form::default();
    let all = form.normal(formula, false)?;
    if all.is_empty() {
        return Err(NoRule::Never(form.only_clash()));
    }
    let conjunctions = form.most_general(all, dedupe);
    if is_always(&conjunctions) { Err(NoRule::Always) } else { Ok(conjunctions) }
}

/// Whether the opposite of a list of conjunctions never holds, as far as can be seen cheaply.
fn is_always(conjunctions: &[Vec<Predicate>]) -> bool {
    // Where what all of them ask for fails, none of them holds.
    let [first, others @ ..] = conjunctions else { return false };
    if first.iter().any(|predicate| others.iter().all(|other| other.contains(predicate))) {
        return false;
    }
    let leaf = |predicate: &Predicate| Formula::Leaf(predicate.clone());
    let and = |conjunction: &Vec<Predicate>| Formula::And(conjunction.iter().map(leaf).collect());
    let opposite = Formula::Or(conjunctions.iter().map(and).collect()).not();
    matches!(Form::default().normal(&opposite, false), Ok(none) if none.is_empty())
}

/// A conjunction, its predicates by their numbers: products of long conjunctions copy a great many.
type Conjunction = Vec<usize>;

/// The making of a normal form.
#[derive(Default)]
struct Form {
    /// Each predicate once, as it stands in conjunctions.
    list: Vec<Predicate>,
    /// Their numbers, found by what they say.
    numbers: HashTable<usize>,
    hasher: DefaultHashBuilder,
    /// By predicate, for those before it: what is between the two. None, if too many were compared already.
    relations: Vec<Vec<Relation>>,
    n_compared: usize,
    first_clash: Option<(usize, usize)>,
    n_clashes: usize,
}

/// What is known of two predicates.
#[derive(Clone, Copy, Default)]
struct Relation {
    excludes: bool,
    implies: bool,
    is_implied: bool,
}

impl Form {
    fn normal(&mut self, formula: &Formula<Predicate>, negated: bool) -> Result<Vec<Conjunction>, NoRule> {
        match formula {
            Formula::Leaf(predicate) => {
                let predicate = if negated { predicate.opposite() } else { predicate.clone() };
                Ok(vec![vec![self.number(settled(predicate))]])
            }
            Formula::Not(inner) => self.normal(inner, !negated),
            Formula::And(parts) if !negated => self.all(parts, negated),
            Formula::Or(parts) if negated => self.all(parts, negated),
            Formula::And(parts) | Formula::Or(parts) => self.any(parts, negated),
        }
    }

    fn any(&mut self, parts: &[Formula<Predicate>], negated: bool) -> Result<Vec<Conjunction>, NoRule> {
        let mut distinct = Distinct::default();
        for part in parts {
            for conjunction in self.normal(part, negated)? {
                distinct.push(conjunction)?;
            }
        }
        Ok(distinct.list)
    }

    fn all(&mut self, parts: &[Formula<Predicate>], negated: bool) -> Result<Vec<Conjunction>, NoRule> {
        let mut product = vec![Vec::new()];
        for part in parts {
            let part = self.normal(part, negated)?;
            let mut distinct = Distinct::default();
            for head in &product {
                for tail in &part {
                    if let Some(conjunction) = self.joined(head, tail) {
                        distinct.push(conjunction)?;
                    }
                }
            }
            product = distinct.list;
            if product.is_empty() {
                break;
            }
        }
        Ok(product)
    }

    /// Both conjunctions in one without what follows from the rest, or `None` if it can never hold.
    fn joined(&mut self, head: &[usize], tail: &[usize]) -> Option<Conjunction> {
        let mut conjunction = head.to_vec();
        for &predicate in tail {
            if let Some(&other) = head.iter().find(|&&other| self.relation(other, predicate).excludes) {
                self.first_clash.get_or_insert((other, predicate));
                self.n_clashes += 1;
                return None;
            }
            if conjunction.iter().all(|&other| !self.relation(other, predicate).implies) {
                conjunction.retain(|&other| !self.relation(other, predicate).is_implied);
                conjunction.push(predicate);
            }
        }
        Some(conjunction)
    }

    /// The two predicates for which nothing is left, if it is for two alone.
    fn only_clash(self) -> Option<Box<(Predicate, Predicate)>> {
        let (one, other) = self.first_clash.filter(|_| self.n_clashes == 1)?;
        Some(Box::new((self.list[one].clone(), self.list[other].clone())))
    }

    /// The conjunctions that are not more special than another; with `dedupe`, than another or its mirror image, and behind
    /// them the mirror images that are missing: in one table, a pair has no left and right of its own.
    fn most_general(&mut self, all: Vec<Conjunction>, dedupe: bool) -> Vec<Vec<Predicate>> {
        let mut kept: Vec<(Conjunction, Option<Conjunction>)> = Vec::new();
        for conjunction in all {
            let mirrored = dedupe.then(|| {
                conjunction.iter().map(|&predicate| self.number(self.list[predicate].mirrored())).collect()
            });
            let covers = |(one, mirrored): &(Conjunction, Option<Conjunction>), other: &Conjunction| {
                self.follows(other, one) || mirrored.as_ref().is_some_and(|one| self.follows(other, one))
            };
            if kept.iter().any(|general| covers(general, &conjunction)) {
                continue;
            }
            let general = (conjunction, mirrored);
            kept.retain(|(special, _)| !covers(&general, special));
            kept.push(general);
        }
        let mut distinct = Distinct::default();
        let (mut conjunctions, mirrored): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
        for conjunction in &conjunctions {
            distinct.insert(conjunction);
        }
        let mirrored = mirrored.into_iter().flatten();
        conjunctions.extend(mirrored.filter(|conjunction| distinct.insert(conjunction)));
        let predicates = |conjunction: Conjunction| {
            conjunction.into_iter().map(|number| self.list[number].clone()).collect()
        };
        conjunctions.into_iter().map(predicates).collect()
    }

    /// Whether the general one holds wherever the special one does.
    fn follows(&self, special: &[usize], general: &[usize]) -> bool {
        general.iter().all(|&q| special.iter().any(|&p| self.relation(p, q).implies))
    }

    /// The number of a predicate, which is compared with all others when it is new.
    fn number(&mut self, predicate: Predicate) -> usize {
        let hash = self.hasher.hash_one(&predicate);
        if let Some(&number) = self.numbers.find(hash, |&number| self.list[number] == predicate) {
            return number;
        }
        let relation = |other: &Predicate| {
            if !share_a_column(&predicate.test, &other.test) {
                return Relation::default();
            }
            let (said, other) = (Said::by(&predicate), Said::by(other));
            match said.excludes(&other) {
                true => Relation { excludes: true, ..Relation::default() },
                false => Relation {
                    excludes: false,
                    implies: said.implies(&other),
                    is_implied: other.implies(&said),
                },
            }
        };
        let compared = if self.n_compared < MOST_COMPARED { &self.list[..] } else { &[] };
        self.n_compared += compared.len();
        let relations = compared.iter().map(relation).collect();
        self.relations.push(relations);
        let (list, hasher) = (&self.list, &self.hasher);
        self.numbers.insert_unique(hash, list.len(), |&number| hasher.hash_one(&list[number]));
        self.list.push(predicate);
        self.list.len() - 1
    }

    /// What the first is to the second.
    fn relation(&self, first: usize, second: usize) -> Relation {
        if first == second {
            return Relation { excludes: false, implies: true, is_implied: true };
        }
        let known =
            |later: usize, earlier: usize| self.relations[later].get(earlier).copied().unwrap_or_default();
        if second < first {
            return known(first, second);
        }
        let Relation { excludes, implies, is_implied } = known(second, first);
        Relation { excludes, implies: is_implied, is_implied: implies }
    }
}

/// The opposite of a difference with one limit is a difference with one limit: each is written in one way only.
fn settled(predicate: Predicate) -> Predicate {
    let turned = |limit: Limit| Limit { strict: !limit.strict, ..limit };
    match predicate {
        Predicate {
            test: Test::Compare { left, right, domain, measure: Measure::Difference { least, most } },
            negated: true,
        } if least.is_none() || most.is_none() => {
            let measure = Measure::Difference { least: most.map(turned), most: least.map(turned) };
            Predicate { test: Test::Compare { left, right, domain, measure }, negated: false }
        }
        other => other,
    }
}

/// Conjunctions, each once, whatever the order of its predicates.
#[derive(Default)]
struct Distinct {
    list: Vec<Conjunction>,
    seen: HashSet<Conjunction>,
}

impl Distinct {
    fn push(&mut self, conjunction: Conjunction) -> Result<(), NoRule> {
        if self.insert(&conjunction) {
            self.list.push(conjunction);
        }
        if self.list.len() > MOST_CONJUNCTIONS { Err(NoRule::TooMany) } else { Ok(()) }
    }

    /// Whether it was not seen before.
    fn insert(&mut self, conjunction: &[usize]) -> bool {
        let mut sorted = conjunction.to_vec();
        sorted.sort_unstable();
        self.seen.insert(sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, MOST_CONJUNCTIONS, NoRule};
    use crate::rules::syntax::Formula;
    use crate::rules::{Column, Condition, Domain, Operand, Predicate, Side, Test};
    use proptest::prelude::*;

    const COLUMNS: usize = 4;

    fn conjunctions(formula: &Formula<Predicate>) -> Result<Vec<Vec<Predicate>>, NoRule> {
        let mut form = Form::default();
        form.normal(formula, false).map(|all| form.most_general(all, false))
    }

    fn predicate(column: usize, negated: bool) -> Predicate {
        let operand = Operand::column(Column { place: column, name: column.to_string() }, Vec::new());
        let condition = Condition::Is("x".to_owned());
        let test = Test::Value { side: Side::Left, operand, domain: Domain::Text, condition };
        Predicate { test, negated }
    }

    fn column(predicate: &Predicate) -> usize {
        match &predicate.test {
            Test::Value { operand, .. } => operand.columns[0].place,
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
        let more = conjunctions(&Formula::And((0..11).map(two).collect()));
        assert!(matches!(more, Err(NoRule::TooMany)));
    }
}
