//! Consequences: which of many predicates follow from which, and which conjunctions hold wherever others do.
//!
//! Comparing all with all takes too long where there are thousands of rules. But a predicate says something of another one
//! only if both have a *topic* in common, the columns that they are about; and nothing but a constant itself says that a
//! value is that constant. So predicates are looked up by their topic, and conjunctions by the one of their predicates that
//! the fewest of them have. Where very many predicates have the same topic, each is compared with those that ask for the
//! least and the most, since what takes others in asks for little. As everything about implication this is safe, not
//! complete: what is not seen costs time, no more.

use super::constant::{Point, point};
use super::implication::Said;
use super::{Column, Condition, Measure, Predicate, Side, Test};
use crate::base::gather::Gather;
use hashbrown::HashMap;
use rayon::prelude::*;
use std::mem::discriminant;

/// Comparisons for all predicates of a topic, about, and for each of them at least.
const COMPARED: usize = 1 << 15;
const LEAST_COMPARED: usize = 8;
/// Predicates that a thread takes at a time.
const PER_THREAD: usize = 256;

/// By predicate: those that hold wherever it does, itself among them.
#[derive(Debug)]
pub(crate) struct Consequences(Vec<Vec<usize>>);

/// What a predicate is about.
#[derive(PartialEq, Eq, Hash)]
enum Topic<'a> {
    Value(Side, &'a [Column]),
    Pair(&'a [Column], &'a [Column]),
    /// A constant itself.
    Constant(Side, &'a [Column], Option<Point<'a>>),
    /// Whether a value is there: that follows from all that is said of it.
    There(Side, &'a [Column]),
}

impl<'a> Topic<'a> {
    fn of(predicate: &'a Predicate) -> Self {
        match &predicate.test {
            Test::Value { side, operand, .. } => Self::Value(*side, &operand.columns),
            Test::Compare { left, right, .. } => Self::Pair(&left.columns, &right.columns),
        }
    }

    fn of_constant(predicate: &'a Predicate) -> Option<Self> {
        match &predicate.test {
            Test::Value { side, operand, domain, condition: Condition::Is(constant) } => {
                let point = point(constant, *domain);
                (!predicate.negated).then_some(Self::Constant(*side, &operand.columns, point))
            }
            _ => None,
        }
    }

    fn of_being_there(predicate: &'a Predicate) -> Option<Self> {
        match &predicate.test {
            Test::Value { side, operand, condition: Condition::Missing, .. } => {
                predicate.negated.then_some(Self::There(*side, &operand.columns))
            }
            _ => None,
        }
    }
}

impl Consequences {
    /// Of predicates, each of which stands once in the list.
    pub(crate) fn of(predicates: &[Predicate]) -> Self {
        let mut topics: HashMap<Topic<'_>, Vec<usize>> = HashMap::new();
        for (ix, predicate) in predicates.iter().enumerate() {
            let topic = Topic::of_constant(predicate).unwrap_or_else(|| Topic::of(predicate));
            let topics_of = [Some(topic), Topic::of_being_there(predicate)];
            topics_of.into_iter().flatten().for_each(|topic| topics.entry(topic).or_default().push(ix));
        }
        topics.values_mut().for_each(|list| *list = extremes(std::mem::take(list), predicates));
        let said: Vec<Said<'_>> = predicates.iter().map(Said::by).collect();
        let of = |(ix, predicate): (usize, &Predicate)| {
            let there = match &predicate.test {
                Test::Value { .. } => [None, None],
                Test::Compare { left, right, .. } => [
                    Some(Topic::There(Side::Left, &left.columns)),
                    Some(Topic::There(Side::Right, &right.columns)),
                ],
            };
            let own = [Topic::of_constant(predicate), Some(Topic::of(predicate))];
            let others = own.iter().chain(&there).flatten().filter_map(|topic| topics.get(topic)).flatten();
            let follows = |&&other: &&usize| other != ix && said[ix].implies(&said[other]);
            others.filter(follows).copied().chain([ix]).collect()
        };
        Self(predicates.par_iter().with_min_len(PER_THREAD).enumerate().map(of).gather())
    }

    /// Adds a predicate that holds on some of the pairs on which another one does, and follows from nothing. Its number.
    pub(super) fn narrower(&mut self, than: usize) -> usize {
        let own = self.0.len();
        self.0.push(self.0[than].iter().copied().chain([own]).collect());
        own
    }

    /// Of so many predicates, of any two of which it is known whether the second follows from the first.
    #[cfg(test)]
    pub(crate) fn known(n: usize, implies: impl Fn(usize, usize) -> bool) -> Self {
        Self((0..n).map(|p| (0..n).filter(|&q| q == p || implies(p, q)).collect()).collect())
    }
}

/// Of the predicates of a topic those that others are compared with: all, unless there are very many.
fn extremes(mut list: Vec<usize>, predicates: &[Predicate]) -> Vec<usize> {
    let most = (COMPARED / list.len()).max(LEAST_COMPARED);
    if list.len() <= most {
        return list;
    }
    // What differs in a number alone stands together, in its order: the least and the most are at the ends.
    list.sort_by_key(|&ix| (predicates[ix].negated, &predicates[ix].test));
    let mut from_the_end: Vec<(usize, usize)> = Vec::with_capacity(list.len());
    for alike in list.chunk_by(|&a, &b| differ_in_a_number(&predicates[a], &predicates[b])) {
        from_the_end.extend(alike.iter().enumerate().map(|(nth, &ix)| (nth.min(alike.len() - 1 - nth), ix)));
    }
    from_the_end.sort_unstable();
    from_the_end.into_iter().take(most).map(|(_, ix)| ix).collect()
}

/// Whether predicates ask for the same, but for a number or a constant.
fn differ_in_a_number(p: &Predicate, q: &Predicate) -> bool {
    let is_same_test = match (&p.test, &q.test) {
        (
            Test::Value { operand, domain, condition, .. },
            Test::Value { operand: of_q, domain: domain_q, condition: asked_by_q, .. },
        ) => (operand, domain, discriminant(condition)) == (of_q, domain_q, discriminant(asked_by_q)),
        (
            Test::Compare { left, right, measure, .. },
            Test::Compare { left: left_q, right: right_q, measure: measure_q, .. },
        ) => {
            let is_same_measure = match (measure, measure_q) {
                (Measure::Texts(a, asked), Measure::Texts(b, asked_by_q)) => {
                    a == b && discriminant(asked) == discriminant(asked_by_q)
                }
                (Measure::Sets(tokens, a, asked), Measure::Sets(tokens_q, b, asked_by_q)) => {
                    (tokens, a) == (tokens_q, b) && discriminant(asked) == discriminant(asked_by_q)
                }
                (a, b) => discriminant(a) == discriminant(b),
            };
            is_same_measure && left == left_q && right == right_q
        }
        _ => false,
    };
    is_same_test && p.negated == q.negated
}

/// Conjunctions, of which those are looked for that hold wherever another does.
pub(crate) struct General<'a> {
    consequences: &'a Consequences,
    conjunctions: Vec<&'a [usize]>,
    /// By predicate: the conjunctions that it is the rarest of.
    by_rarest: Vec<Vec<usize>>,
    /// By predicate: the last question in which it was seen to hold.
    seen: Vec<usize>,
    n_questions: usize,
}

impl<'a> General<'a> {
    /// Of conjunctions of predicates, by their places, at least one each.
    pub(crate) fn new(
        consequences: &'a Consequences,
        conjunctions: impl Iterator<Item = &'a [usize]>,
    ) -> Self {
        let n_predicates = consequences.0.len();
        let conjunctions: Vec<&[usize]> = conjunctions.collect();
        let mut n_uses = vec![0u32; n_predicates];
        conjunctions.iter().copied().flatten().for_each(|&predicate| n_uses[predicate] += 1);
        let mut by_rarest = vec![Vec::new(); n_predicates];
        for (ix, conjunction) in conjunctions.iter().enumerate() {
            if let Some(&rarest) = conjunction.iter().min_by_key(|&&predicate| n_uses[predicate]) {
                by_rarest[rarest].push(ix);
            }
        }
        Self { consequences, conjunctions, by_rarest, seen: vec![0; n_predicates], n_questions: 0 }
    }

    /// The conjunctions that hold wherever the one at `special` does, ascending, without itself.
    pub(crate) fn than(&mut self, special: usize) -> Vec<usize> {
        self.n_questions += 1;
        let now = self.n_questions;
        let mut holding: Vec<usize> = Vec::new();
        for &predicate in self.conjunctions[special] {
            for &follows in &self.consequences.0[predicate] {
                if self.seen[follows] != now {
                    self.seen[follows] = now;
                    holding.push(follows);
                }
            }
        }
        let found = holding.into_iter().flat_map(|predicate| &self.by_rarest[predicate]).copied();
        let holds = |ix: &usize| self.conjunctions[*ix].iter().all(|&predicate| self.seen[predicate] == now);
        let mut found: Vec<usize> = found.filter(|&ix| ix != special).filter(holds).collect();
        found.sort_unstable();
        found
    }
}
