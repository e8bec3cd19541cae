//! Lowering: the attributes of a score as the tests that devices look at.
//!
//! A similarity is one test, whose levels are thresholds. An attribute with conditions among its levels is a test for each
//! predicate of each conjunction of each level, from the best level on.

use super::{Model, Scoring};
use crate::base::error::{Error, Result};
use crate::encode::Encoded;
use crate::operators::scores::Tests;
use crate::rules::{Level, Predicate, ScoreAttribute};
use hyperblock_shared::predicate as lowered;
use hyperblock_shared::score::{Attribute, ENDS_ATTRIBUTE, ENDS_CONJUNCTION, Kind, MOST_LEVELS, ONE};

/// The predicates that an attribute is encoded by, in the order in which [`tests`] asks for them.
pub(super) fn predicates(attribute: &ScoreAttribute) -> Result<Vec<Predicate>> {
    if let Some([similarity]) = by_thresholds(attribute) {
        return Ok(vec![similarity.clone()]);
    }
    let levels = attribute.levels.iter().map(|level| Ok(attribute.reaching(level)?.concat()));
    Ok(levels.collect::<Result<Vec<_>>>()?.concat())
}

/// The predicate of an attribute whose levels are thresholds of one similarity.
fn by_thresholds(attribute: &ScoreAttribute) -> Option<&[Predicate; 1]> {
    let is_threshold = |level: &Level| matches!(level, Level::AtLeast(_));
    let [conjunction] = &attribute.conjunctions[..] else { return None };
    let is = attribute.is_similarity && attribute.levels.iter().all(is_threshold);
    is.then(|| conjunction.first_chunk::<1>()).flatten()
}

/// The tests of the `nth` attribute, of which `lowered` has the predicates.
pub(super) fn tests(
    nth: u32,
    attribute: &ScoreAttribute,
    lowered: &mut impl Iterator<Item = lowered::Predicate>,
) -> Result<Vec<Attribute>> {
    let ScoreAttribute { name, weight, threshold, levels, .. } = attribute;
    let mut next = || lowered.next().ok_or_else(|| Error::Internal(format!("`{name}` was not encoded")));
    let with = |test: Attribute| Attribute { nth, weight: *weight, n_levels: levels.len() as u32, ..test };
    if by_thresholds(attribute).is_some() {
        let mut padded = [0; MOST_LEVELS];
        for (place, level) in padded.iter_mut().zip(levels) {
            *place = if let Level::AtLeast(least) = level { *least } else { ONE };
        }
        return Ok(vec![Attribute {
            threshold: *threshold,
            levels: padded,
            ..with(Attribute::of(&next()?))
        }]);
    }
    let mut tests = Vec::new();
    for (place, level) in (1..).zip(levels) {
        for conjunction in attribute.reaching(level)? {
            for _ in &conjunction {
                tests.push(Attribute { ends: 0, ..with(Attribute::of_condition(&next()?, place)) });
            }
            tests.last_mut().into_iter().for_each(|last| last.ends = ENDS_CONJUNCTION);
        }
    }
    let last = tests.last_mut().ok_or_else(|| Error::Internal(format!("`{name}` compares nothing")))?;
    last.ends |= ENDS_ATTRIBUTE;
    Ok(tests)
}

impl Scoring {
    /// What devices look at: with weights, if there is a model. What is soon looked at comes first: it may tell that the
    /// rest is not worth a look.
    pub(super) fn tests(&self, model: Option<&Model>) -> Result<Tests> {
        let mut attributes = self.lowered.clone();
        let mut terms = Vec::new();
        if let Some(model) = model {
            for (nth, (tests, attribute)) in attributes.iter_mut().zip(&self.score.attributes).enumerate() {
                let levels = model.levels(nth);
                let mut best = levels.iter().copied().max().unwrap_or(0);
                if let Some(least) = attribute.term_frequency {
                    let floor = f64::from(least) / f64::from(ONE);
                    let of = self.frequencies(nth, &tests[0]);
                    let more: Vec<i32> = of.iter().map(|&share| model.more(nth, share.max(floor))).collect();
                    best += more.iter().copied().max().unwrap_or(0).max(0);
                    let too_many = || Error::Job("there are more than 2^32 values with a frequency".into());
                    tests[0].terms = u32::try_from(terms.len()).map_err(|_| too_many())?;
                    terms.extend(more);
                }
                tests.iter_mut().for_each(|test| (test.bits, test.best) = (*levels, best));
            }
        }
        attributes.sort_by_key(|tests| {
            tests.iter().map(|test| mean_length(&self.encoded, test)).max().unwrap_or(0)
        });
        Ok(Tests { attributes: attributes.concat(), terms })
    }
}

/// How long the values are that a test looks at, on average: symbols or tokens. Codes have no length.
fn mean_length(encoded: &Encoded, test: &Attribute) -> u64 {
    let column = test.column as usize;
    let heads = match Kind::from_number(test.kind) {
        Kind::Equal | Kind::Within | Kind::Near | Kind::Left | Kind::Right => None,
        Kind::TextCount | Kind::Texts => encoded.texts.get(column).map(|it| &it.heads),
        Kind::SetCount | Kind::Sets => encoded.sets.get(column).map(|it| &it.heads),
    };
    let heads = heads.map(|heads| heads.as_slice()).unwrap_or_default();
    heads.iter().map(|head| u64::from(head.len)).sum::<u64>() / heads.len().max(1) as u64
}
