//! Why a pair is a candidate, or is not: every rule, every predicate of it, both values, and what the measure says.
//!
//! `pair` finds the two records; their part of the tables is encoded as a job encodes all of it, and every predicate is
//! evaluated as every backend evaluates it: a verdict here is the engine's. What stands beside it is for people: `values`
//! are the operands after their transforms, `measured` what a measure comes to, and `ratio` a similarity in decimals
//! that never seem to contradict the verdict. Where the rule file has a score, the pair is scored too. `text` and `json`
//! show it all.

mod json;
mod measured;
mod pair;
mod ratio;
mod score;
#[cfg(test)]
mod tests;
mod text;
mod values;

pub(in crate::inspect) use values::Look;

pub use measured::{Common, Measured};
pub use ratio::{Exact, Ratio};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::encode::{Encoded, encode};
use crate::entities::score::{Scoring, Shares, probability};
use crate::job::{Bound, Job};
use crate::operators::neighbours::Orders;
use crate::read::table::Table;
use crate::rules::{
    AllPairs, Condition, Neighbourhood, Predicate, Rule, RuleSet, Score, ScoreAttribute, Test,
};
use hyperblock_shared::path::{ArchivedPath, Path};
use hyperblock_shared::text::scratch_words;
use rkyv::util::AlignedVec;
use std::collections::BTreeSet;

/// Tables and rules, ready to be asked about pairs.
#[derive(Debug)]
pub struct Inquiry {
    left: Table,
    right: Option<Table>,
    rules: Vec<Rule>,
    score: Option<Score>,
    /// The predicates of all rules, each once.
    predicates: Vec<Predicate>,
    neighbourhoods: Vec<Neighbourhood>,
    all: Option<AllPairs>,
}

impl Inquiry {
    /// Reads what a job reads. Nothing is encoded before a pair is named.
    pub fn new(job: &Job, control: &Control) -> Result<Self> {
        let read = control.guard(|| job.read(control))?;
        let bound = read.bind()?;
        bound.warn()?;
        let Bound { left, right, rules, score, neighbourhoods, all, .. } = bound;
        Ok(Self { score, neighbourhoods, all, ..Self::of(left, right, rules) })
    }

    /// Rules that were bound to these tables.
    fn of(left: Table, right: Option<Table>, rules: Vec<Rule>) -> Self {
        let RuleSet { rules, predicates, .. } = RuleSet::new(rules);
        Self { left, right, rules, score: None, predicates, neighbourhoods: Vec::new(), all: None }
    }

    /// What the rules say about the pair of these ids. Within one table their order does not matter.
    pub fn why(&self, left: &str, right: &str, control: &Control) -> Result<Why> {
        let (left, right) = self.locate(left, right)?;
        let pair = match &self.right {
            None => Part { left: self.left.part(&[left, right]), right: None },
            Some(table) => Part { left: self.left.part(&[left]), right: Some(table.part(&[right])) },
        };
        let source = |table: &Table, record| table.ids.source(record).map(str::to_owned);
        let pair = Pair(pair);
        let [own, other] = pair.records();
        Ok(Why {
            left: pair.0.left.ids.text(own),
            right: pair.0.right().ids.text(other),
            sources: source(&pair.0.left, own).zip(source(pair.0.right(), other)),
            findings: pair.findings(&self.predicates)?,
            rules: self.rules.iter().map(|rule| self.rule(rule)).collect(),
            neighbourhoods: control.guard(|| self.near(left, right, control))?,
            all: self.all.clone(),
            score: self
                .score
                .as_ref()
                .map(|score| control.guard(|| self.scored(score, &pair, [left, right], control)))
                .transpose()?,
        })
    }

    /// How a pair is scored, which two records are enough for; unless frequencies count, which all records have.
    fn scored(&self, score: &Score, pair: &Pair, records: [u32; 2], control: &Control) -> Result<PairScore> {
        let needs_all = score.attributes.iter().any(|attribute| attribute.term_frequency.is_some());
        let ((left, right), [l, r]) = match needs_all {
            true => ((&self.left, self.right.as_ref()), records),
            false => ((&pair.0.left, pair.0.right.as_ref()), pair.records()),
        };
        let scoring = Scoring::new(score.clone(), left, right, control)?;
        Ok(PairScore {
            shares: scoring.shares(l, r)?,
            threshold: scoring.threshold(),
            attributes: score.attributes.clone(),
        })
    }

    /// How far apart two records stand in each neighbourhood. That takes the keys of all records.
    fn near(&self, left: u32, right: u32, control: &Control) -> Result<Vec<Near>> {
        let orders = Orders::new(&self.left, self.right.as_ref(), &self.neighbourhoods, control)?;
        let near = |(ix, neighbourhood): (usize, &Neighbourhood)| Near {
            neighbourhood: neighbourhood.clone(),
            distance: orders.distance(ix, left, right),
        };
        Ok(self.neighbourhoods.iter().enumerate().map(near).collect())
    }

    fn rule(&self, rule: &Rule) -> Asked {
        let set = |conjunction: &[Predicate]| conjunction.iter().cloned().collect::<BTreeSet<_>>();
        let sets: Vec<_> = rule.conjunctions.iter().map(|conjunction| set(conjunction)).collect();
        let mirrored =
            |conjunction: &BTreeSet<Predicate>| conjunction.iter().map(Predicate::mirrored).collect();
        let conjunctions = rule.conjunctions.iter().enumerate().map(|(ix, conjunction)| {
            let place = |predicate: &Predicate| self.predicates.iter().position(|other| other == predicate);
            // Two tables have a left and a right of their own: nothing was turned round there.
            let is_turned = self.right.is_none() && self.left.across().is_none();
            let turned: Option<BTreeSet<_>> = is_turned.then(|| mirrored(&sets[ix]));
            let mirrors = turned.and_then(|turned| sets[..ix].iter().position(|set| *set == turned));
            Conjunction { predicates: conjunction.iter().filter_map(place).collect(), mirrors }
        });
        Asked { name: rule.name.clone(), conjunctions: conjunctions.collect() }
    }
}

/// What the rules say about one pair.
#[derive(Debug)]
pub struct Why {
    /// The left id; within one table the smaller one.
    pub left: String,
    /// The right id.
    pub right: String,
    /// What the tables of both are called, if there are several that are compared as one.
    pub sources: Option<(String, String)>,
    /// What was found for each predicate of all rules, each once.
    #[doc(hidden)]
    pub findings: Vec<Finding>,
    /// The rules, in file order.
    #[doc(hidden)]
    pub rules: Vec<Asked>,
    /// The sorted neighbourhoods, in file order.
    #[doc(hidden)]
    pub neighbourhoods: Vec<Near>,
    /// That all pairs are candidates, if so.
    #[doc(hidden)]
    pub all: Option<AllPairs>,
    /// How the pair would be scored, candidate or not, if the rule file has a score.
    #[doc(hidden)]
    pub score: Option<PairScore>,
}

/// How a pair is scored.
#[derive(Debug)]
pub struct PairScore {
    /// What it comes to, and what each attribute brings.
    pub shares: Shares,
    /// What the mean, or the probability, must reach for the pair to be kept: billionths.
    pub threshold: u32,
    /// By attribute: how it is known.
    pub attributes: Vec<ScoreAttribute>,
}

impl PairScore {
    /// Billionths of the mean, or of the probability.
    pub fn reached(&self) -> u32 {
        self.shares.weight().map_or(self.shares.score, probability)
    }

    /// Whether a candidate with it is kept.
    pub fn is_kept(&self) -> bool {
        self.reached() >= self.threshold
    }
}

/// A sorted neighbourhood that a pair was asked about.
#[derive(Debug)]
pub struct Near {
    /// The neighbourhood, with its key and window.
    pub neighbourhood: Neighbourhood,
    /// How many places apart the records stand, if both have a key.
    pub distance: Option<u32>,
}

impl Near {
    /// Whether they are within the window.
    pub fn holds(&self) -> bool {
        self.distance.is_some_and(|distance| distance < self.neighbourhood.window)
    }
}

/// A rule that a pair was asked about.
#[derive(Debug)]
pub struct Asked {
    /// The rule's name.
    pub name: String,
    /// It holds if one of these does.
    pub conjunctions: Vec<Conjunction>,
}

/// A conjunction of predicates.
#[derive(Debug)]
pub struct Conjunction {
    /// By their places in [`Why::findings`].
    pub predicates: Vec<usize>,
    /// An earlier conjunction of the rule that is this one with left and right exchanged.
    pub mirrors: Option<usize>,
}

/// What was found for one predicate.
#[derive(Debug)]
pub struct Finding {
    /// What was asked.
    pub predicate: Predicate,
    /// The left value after its transforms, if the predicate looks at one: `Some(None)` is missing.
    pub left: Option<Option<String>>,
    /// The right value likewise.
    pub right: Option<Option<String>>,
    /// What the measure comes to, if both values are there and there is more to say than that they are equal or not.
    pub measured: Option<Measured>,
    /// The outcome.
    pub verdict: Verdict,
}

/// The outcome of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// It does not, and neither would its opposite: something is missing.
    Missing,
}

impl Why {
    /// The first rule in file order that holds, or else the first neighbourhood, or else all pairs: by its place among all of
    /// them, the rules first.
    pub fn witness(&self) -> Option<usize> {
        let rule = self.rules.iter().position(|rule| self.rule_holds(rule));
        let near = || self.neighbourhoods.iter().position(Near::holds);
        let all = || self.all.as_ref().map(|_| self.neighbourhoods.len());
        rule.or_else(|| Some(self.rules.len() + near().or_else(all)?))
    }

    /// Its name.
    fn witness_name(&self) -> Option<&str> {
        let rules = self.rules.iter().map(|rule| rule.name.as_str());
        rules
            .chain(self.neighbourhoods.iter().map(|near| near.neighbourhood.name.as_str()))
            .chain(self.all.iter().map(|all| all.name.as_str()))
            .nth(self.witness()?)
    }

    fn rule_holds(&self, rule: &Asked) -> bool {
        rule.conjunctions.iter().any(|conjunction| self.conjunction_holds(conjunction))
    }

    fn conjunction_holds(&self, conjunction: &Conjunction) -> bool {
        conjunction.predicates.iter().all(|&ix| self.findings[ix].verdict == Verdict::Holds)
    }
}

/// Some records and nothing else, of one table or of two, to be looked at closely.
pub(in crate::inspect) struct Part {
    pub(in crate::inspect) left: Table,
    /// None, if there is one table: then both records of a pair are in it.
    pub(in crate::inspect) right: Option<Table>,
}

impl Part {
    pub(in crate::inspect) fn right(&self) -> &Table {
        self.right.as_ref().unwrap_or(&self.left)
    }

    /// What is to be said of a predicate on two records, given whether it holds: it is the one at `ix` of those that were encoded.
    pub(in crate::inspect) fn finding(
        &self,
        look: &Look<'_>,
        holds: bool,
        (encoded, ix): (&Encoded, usize),
        pair: [u32; 2],
        scratch: &mut [u64],
    ) -> Result<Finding> {
        let predicate = look.predicate;
        let (left, right) = look.values(self, pair)?;
        let measured = match (&left, &right) {
            (Some(Some(left)), Some(Some(right))) => {
                let codes = values::codes(encoded, ix, pair);
                measured::measure(predicate, (left, right), encoded, ix, codes, scratch)
            }
            _ => None,
        };
        let is_empty = measured.as_ref().is_some_and(Measured::is_of_nothing);
        let is_missing = left == Some(None) || right == Some(None) || is_empty;
        let asks_for_missing = matches!(predicate.test, Test::Value { condition: Condition::Missing, .. });
        let verdict = match holds {
            true => Verdict::Holds,
            false if is_missing && !asks_for_missing => Verdict::Missing,
            false => Verdict::Fails,
        };
        let (left, right) = values::shown(&predicate.test, left, right);
        Ok(Finding { predicate: predicate.clone(), left, right, measured, verdict })
    }
}

/// The two records and nothing else: a table of two, or two tables of one.
struct Pair(Part);

impl Pair {
    /// The records' numbers.
    fn records(&self) -> [u32; 2] {
        [0, u32::from(self.0.right.is_none())]
    }

    fn findings(&self, predicates: &[Predicate]) -> Result<Vec<Finding>> {
        let Self(part) = self;
        let encoded = encode(&part.left, part.right.as_ref(), predicates, &Control::default())?;
        let archive = archived(&encoded)?;
        let path = accessed(&archive)?;
        let [left, right] = self.records();
        let mut scratch = vec![0u64; scratch_words(encoded.longest()) as usize];
        let all = predicates.iter().zip(path.predicates.get()).enumerate();
        all.map(|(ix, (predicate, lowered))| {
            let holds = lowered.holds(&encoded, left, right, scratch.as_mut_slice());
            part.finding(&Look::new(predicate)?, holds, (&encoded, ix), [left, right], &mut scratch)
        })
        .collect()
    }
}

/// The predicates of an encoding, as the engine evaluates them.
pub(in crate::inspect) fn archived(encoded: &Encoded) -> Result<AlignedVec> {
    rkyv::to_bytes::<rkyv::rancor::Error>(&Path { predicates: &encoded.predicates, steps: &[] })
        .map_err(|error| Error::Internal(format!("the predicates cannot be archived: {error}")))
}

/// The same where they lie.
pub(in crate::inspect) fn accessed(archive: &AlignedVec) -> Result<&ArchivedPath<'_>> {
    rkyv::access::<ArchivedPath<'_>, rkyv::rancor::Error>(archive)
        .map_err(|error| Error::Internal(format!("the predicates' archive is damaged: {error}")))
}
