//! Rule sets: the rules of a job, their predicates counted off.
//!
//! Everything behind the rules speaks of predicates by their numbers: a predicate that many rules share is encoded, asked
//! and planned once. What follows from what is found here too, once for all who ask.

use super::{Consequences, Predicate, Rule, Subsumed, subsumption};
use hashbrown::HashMap;

/// Rules, with what they have in common.
#[derive(Debug)]
pub struct RuleSet {
    /// In file order.
    pub rules: Vec<Rule>,
    /// The predicates of all rules, each once, in the order they first appear.
    pub predicates: Vec<Predicate>,
    /// The conjunctions of all rules, in order, their predicates by their places in `predicates`.
    pub conjunctions: Vec<Vec<usize>>,
    pub(crate) consequences: Consequences,
}

impl RuleSet {
    /// Of rules that are bound to the same tables.
    pub fn new(rules: Vec<Rule>) -> Self {
        let (predicates, conjunctions) = numbered(&rules);
        let consequences = Consequences::of(&predicates);
        Self { rules, predicates, conjunctions, consequences }
    }

    /// Of conjunctions over predicates that are numbered already.
    pub(crate) fn of_encoded(
        rules: Vec<Rule>,
        predicates: Vec<Predicate>,
        conjunctions: Vec<Vec<usize>>,
    ) -> Self {
        let consequences = Consequences::of(&predicates);
        Self { rules, predicates, conjunctions, consequences }
    }

    /// Adds a predicate that holds on fewer pairs than another one, which it is written like. Its number.
    pub(crate) fn narrower(&mut self, than: usize) -> usize {
        self.predicates.push(self.predicates[than].clone());
        self.consequences.narrower(than)
    }

    /// Has a conjunction ask for another predicate instead.
    pub(crate) fn replace(&mut self, conjunction: usize, predicate: usize, by: usize) {
        let asked = &mut self.conjunctions[conjunction];
        asked.iter_mut().filter(|asked| **asked == predicate).for_each(|asked| *asked = by);
    }

    /// By conjunction: its rule, by its place in the file.
    pub fn owners(&self) -> impl Iterator<Item = usize> {
        self.counts().enumerate().flat_map(|(rule, n)| std::iter::repeat_n(rule, n))
    }

    /// The rules that add no pairs to those of the others. Of rules that say the same, the first is not subsumed.
    ///
    /// A rule that is seen to be subsumed is; one that is not may be, in a way that is not seen.
    pub fn subsumed(&self) -> Vec<Subsumed> {
        subsumption::subsumed(&self.counts().collect::<Vec<_>>(), &self.conjunctions, &self.consequences)
    }

    /// By rule: the number of its conjunctions.
    fn counts(&self) -> impl Iterator<Item = usize> {
        self.rules.iter().map(|rule| rule.conjunctions.len())
    }
}

fn numbered(rules: &[Rule]) -> (Vec<Predicate>, Vec<Vec<usize>>) {
    let mut places: HashMap<&Predicate, usize> = HashMap::new();
    let mut predicates = Vec::new();
    let mut place = |predicate| {
        *places.entry(predicate).or_insert_with(|| {
            predicates.push(Predicate::clone(predicate));
            predicates.len() - 1
        })
    };
    let all = rules.iter().flat_map(|rule| &rule.conjunctions);
    let conjunctions = all.map(|conjunction| conjunction.iter().map(&mut place).collect()).collect();
    (predicates, conjunctions)
}
