//! How candidates are to be scored: the `[score]` section of a rule file, bound to tables.

use super::display::Formula;
use super::{Asked, Bound, Measure, Predicate, Rule, Test};
use crate::base::billionths::Billionths;
use crate::base::decimal::Decimal;
use crate::base::error::{Error, RuleError};
use crate::base::names::expected;
use hyperblock_shared::score::ONE;
use std::fmt;
use std::path::PathBuf;
use strum::{Display, EnumString, VariantNames};

/// What a score is made of.
#[derive(Clone, Debug)]
pub struct Score {
    /// How the attributes come together.
    pub method: ScoreMethod,
    /// Pairs below it are dropped: billionths, of the mean or of the probability.
    pub threshold: u32,
    /// What an attribute that is missing means in a mean.
    pub missing: Missing,
    /// At least one, and at most [`hyperblock_shared::score::MOST_ATTRIBUTES`].
    pub attributes: Vec<ScoreAttribute>,
    /// The file with the weights of Fellegi and Sunter's model, if one is named; relative paths start at the rule file.
    pub weights: Option<PathBuf>,
    /// What only matches meet.
    pub sure: Vec<Rule>,
    /// The share of matches that meet one of those: billionths, above 0.
    pub recall: u32,
    /// The place in the rule file that names it, or asks for it.
    pub(super) place: RuleError,
}

/// How attributes come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreMethod {
    /// The weighted mean of the similarities of the attributes.
    WeightedMean,
    /// The weight of the levels of all attributes, by Fellegi and Sunter's model.
    FellegiSunter,
}

/// What an attribute that one of two records lacks means in a mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum Missing {
    /// It does not count.
    #[default]
    Skip,
    /// It counts, with all of its weight, as not alike.
    Zero,
}

/// One attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreAttribute {
    /// As the file names it, or its measure.
    pub name: String,
    /// What compares two records: at least one conjunction, of at least one predicate; one of one for most. A similarity is
    /// one predicate, and its bound is 0, and means nothing. None, if all levels are conditions.
    pub conjunctions: Vec<Vec<Predicate>>,
    /// Whether it is a similarity; else a condition, which is 1 where it holds.
    pub is_similarity: bool,
    /// What it counts in the mean, in units that all attributes share; below 2^32 together.
    pub weight: u32,
    /// Billionths below which a similarity counts as 0.
    pub threshold: u32,
    /// The levels of the model but the last, from the best on, of which the first that is reached counts: at least one.
    pub levels: Vec<Level>,
    /// Whether a better level weighs at least as much.
    pub monotone: bool,
    /// Whether a rare value that both records have weighs more than a common one: then the least frequency that a value is
    /// taken to have, in billionths.
    pub term_frequency: Option<u32>,
}

/// What reaches a level of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// A similarity of so many billionths; of a condition 1, which is that it holds.
    AtLeast(u32),
    /// A condition: one of these conjunctions holds.
    When(Vec<Vec<Predicate>>),
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, ">= {}", Billionths(*least)),
            Self::When(conjunctions) => Formula(conjunctions).fmt(f),
        }
    }
}

impl ScoreAttribute {
    /// What is measured, as SQL.
    pub fn measure(&self) -> String {
        let shown = Formula(&self.conjunctions).to_string();
        match shown.strip_suffix(" >= 0") {
            // A bound that means nothing.
            Some(similarity) if self.is_similarity => similarity.to_owned(),
            _ => shown,
        }
    }

    /// A level as people know it; the last one has the number after all others.
    pub fn level_name(&self, nth: usize) -> String {
        match (self.levels.get(nth), self.levels.last()) {
            (Some(Level::AtLeast(_)), _) if !self.is_similarity => "holds".to_owned(),
            (Some(level), _) => level.to_string(),
            (None, Some(Level::AtLeast(least))) if self.is_similarity => format!("< {}", Billionths(*least)),
            (None, Some(Level::AtLeast(_))) => "does not hold".to_owned(),
            (None, _) => "otherwise".to_owned(),
        }
    }

    /// What agrees on the best level, if that is that two values are the same.
    pub fn agreeing(&self) -> Option<&Predicate> {
        let conjunctions = match self.levels.first()? {
            Level::AtLeast(ONE) => &self.conjunctions,
            Level::AtLeast(_) => return None,
            Level::When(conjunctions) => conjunctions,
        };
        let [conjunction] = &conjunctions[..] else { return None };
        let [predicate] = &conjunction[..] else { return None };
        let is_of_values = match &predicate.test {
            Test::Value { .. } => false,
            Test::Compare { measure: Measure::Equal, .. } => true,
            Test::Compare { measure, .. } => self.is_similarity && matches!(measure, Measure::Texts(..)),
        };
        (is_of_values && !predicate.negated).then_some(predicate)
    }

    /// All predicates that it looks at two records by.
    pub fn predicates(&self) -> impl Iterator<Item = &Predicate> {
        let conditions = self.levels.iter().flat_map(|level| match level {
            Level::AtLeast(_) => &[],
            Level::When(conjunctions) => &conjunctions[..],
        });
        self.conjunctions.iter().chain(conditions).flatten()
    }

    /// What a pair must meet to reach a level, whatever better ones it reaches: some of these conjunctions.
    pub fn reaching(&self, level: &Level) -> Result<Vec<Vec<Predicate>>, Error> {
        let least = match level {
            Level::When(conjunctions) => return Ok(conjunctions.clone()),
            Level::AtLeast(_) if !self.is_similarity => return Ok(self.conjunctions.clone()),
            Level::AtLeast(least) => Billionths(*(least.max(&self.threshold))).to_string(),
        };
        let wrong = || Error::Internal(format!("`{}` has a level that is no decimal: {least}", self.name));
        let bound = Bound { least: Decimal::parse(&least).ok_or_else(wrong)?, strict: false };
        let mut conjunctions = self.conjunctions.clone();
        for predicate in conjunctions.iter_mut().flatten() {
            if let Test::Compare { measure: Measure::Texts(_, asked) | Measure::Sets(_, _, asked), .. } =
                &mut predicate.test
            {
                *asked = Asked::Similarity(bound);
            }
        }
        Ok(conjunctions)
    }
}

impl Score {
    /// A complaint about the weights that the rule file asks for.
    pub(crate) fn complain(&self, message: String, help: &str) -> Error {
        Error::Rule(Box::new(RuleError { message, help: Some(help.to_owned()), ..self.place.clone() }))
    }
}
