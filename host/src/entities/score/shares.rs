//! Shares: what each attribute brings to the score of one pair. For people.

use super::{Model, Scoring, Weights};
use crate::base::error::{Error, Result};
use crate::operators::scores::Tests;
use crate::rules::{Missing, ScoreMethod};
use hyperblock_shared::columns::Columns;
use hyperblock_shared::score::{Attribute, NO_TERMS, ONE, Wanted, level, rank, result};
use hyperblock_shared::text::scratch_words;

/// The score of a pair, and what it is made of.
#[derive(Clone, Debug)]
pub struct Shares {
    /// Billionths of a mean, or the rank of a weight.
    pub score: u32,
    /// What any two records weigh, if it is a weight: millionths of a bit.
    pub prior: Option<i32>,
    /// In the order of the file.
    pub attributes: Vec<AttributeShare>,
}

/// What an attribute brings.
#[derive(Clone, Debug)]
pub struct AttributeShare {
    /// How alike the records are in it, in billionths; `None` where one of them lacks it, or where it has levels alone.
    pub similarity: Option<u32>,
    /// Whether it is missing.
    pub is_missing: bool,
    /// Of a mean: its weight among those of all attributes that count. All of them come to 1.
    pub weight: Option<f64>,
    /// Of a weight: its level.
    pub level: Option<LevelShare>,
}

/// What a level brings.
#[derive(Clone, Debug)]
pub struct LevelShare {
    /// Its number, from 0 for the best.
    pub nth: usize,
    /// How probable it is where records match.
    pub m: f64,
    /// How probable it is where they do not.
    pub u: f64,
    /// What it weighs, in millionths of a bit.
    pub bits: i32,
    /// What the value that both records have weighs more.
    pub more: i32,
}

impl Scoring {
    /// What the attributes of two records bring to their score.
    pub fn shares(&self, left: u32, right: u32) -> Result<Shares> {
        let lost = || Error::Internal("a pair has no shares".into());
        self.shares_of(&[[left, right]])?.pop().ok_or_else(lost)
    }

    /// The same of several pairs.
    pub(crate) fn shares_of(&self, pairs: &[[u32; 2]]) -> Result<Vec<Shares>> {
        self.check_pairs(pairs)?;
        let known = match self.score.method {
            ScoreMethod::WeightedMean => None,
            ScoreMethod::FellegiSunter => Some(self.weights()?),
        };
        let tests = self.tests(known.map(|(_, model)| model))?;
        pairs.iter().map(|pair| self.shares_by(known, &tests, *pair)).collect()
    }

    fn shares_by(&self, known: Option<&(Weights, Model)>, tests: &Tests, pair: [u32; 2]) -> Result<Shares> {
        let mut scratch = vec![0u64; scratch_words(self.encoded.longest()) as usize];
        let mut of = |wanted| {
            result(&tests.attributes, &tests.terms, &self.encoded, pair, wanted, scratch.as_mut_slice())
        };
        let pattern = of(Wanted::Pattern);
        let missing_is_zero = self.score.missing == Missing::Zero;
        let score = match known {
            Some((_, model)) => of(Wanted::Weight { prior: model.prior(), least: i32::MIN }),
            None => of(Wanted::Mean { least: 0, missing_is_zero }),
        };
        let mut attributes = Vec::with_capacity(self.score.attributes.len());
        for (nth, attribute) in self.score.attributes.iter().enumerate() {
            let place = level(pattern, nth as u32);
            let test = &self.lowered[nth][0];
            let similarity = match attribute.is_similarity && !test.is_condition() {
                true => test.of_records(&self.encoded, pair, scratch.as_mut_slice()),
                false => (place != 0).then_some(if place == 1 { ONE } else { 0 }),
            };
            attributes.push(AttributeShare {
                similarity: similarity.filter(|_| !attribute.conjunctions.is_empty()),
                is_missing: place == 0,
                weight: None,
                level: known
                    .map(|known| self.level(known, nth, place, pair, &tests.attributes, &tests.terms))
                    .transpose()?
                    .flatten(),
            });
        }
        let prior = known.map(|(_, model)| model.prior());
        let mut shares = Shares { score: score as u32, prior, attributes };
        if known.is_none() {
            let counts = |share: &AttributeShare| missing_is_zero || !share.is_missing;
            let weights = self.score.attributes.iter().map(|attribute| f64::from(attribute.weight));
            let all = shares.attributes.iter_mut().zip(weights);
            let counted: Vec<_> = all.filter(|(share, _)| counts(share)).collect();
            let sum: f64 = counted.iter().map(|(_, weight)| weight).sum();
            counted.into_iter().for_each(|(share, weight)| share.weight = Some(weight / sum));
        }
        debug_assert!(known.is_none() || shares.weight().is_some_and(|weight| rank(weight) == shares.score));
        Ok(shares)
    }

    /// What a level brings, if the attribute is not missing.
    fn level(
        &self,
        (weights, model): &(Weights, Model),
        nth: usize,
        place: u32,
        pair: [u32; 2],
        tests: &[Attribute],
        terms: &[i32],
    ) -> Result<Option<LevelShare>> {
        let Some(at) = (place as usize).checked_sub(1) else { return Ok(None) };
        let name = &self.score.attributes[nth].name;
        let own = weights.attributes.iter().find(|own| own.name == *name);
        let lost = || Error::Internal(format!("`{name}` has no weights"));
        let own = own.and_then(|own| own.levels.get(at)).ok_or_else(lost)?;
        let valued = tests.iter().find(|test| test.nth == nth as u32 && test.terms != NO_TERMS);
        let more = valued.filter(|_| at == 0).map_or(0, |test| {
            let [l, r] = [(test.left, pair[0]), (test.right, pair[1])]
                .map(|(operand, record)| self.encoded.codes(operand)[record as usize]);
            if l == r { terms.get((test.terms + l) as usize).copied().unwrap_or(0) } else { 0 }
        });
        let bits = model.levels(nth)[place as usize];
        Ok(Some(LevelShare { nth: at, m: own.m, u: own.u, bits, more }))
    }
}

impl Shares {
    /// What the attributes and the prior come to together, if it is a weight.
    pub fn weight(&self) -> Option<i32> {
        let levels = self.attributes.iter().filter_map(|attribute| attribute.level.as_ref());
        Some(self.prior? + levels.map(|level| level.bits + level.more).sum::<i32>())
    }
}
