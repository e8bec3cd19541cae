//! How candidates are to be scored: the `[score]` section of a rule file, bound to tables.

use super::display::Formula;
use super::{Predicate, Rule};
use crate::base::error::{Error, RuleError};
use std::path::PathBuf;

/// What a score is made of.
#[derive(Clone, Debug)]
pub struct Score {
    /// How the attributes come together.
    pub method: ScoreMethod,
    /// Pairs below it are dropped: billionths.
    pub threshold: u32,
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
    /// The weighted mean of the similarities of the attributes that both records have.
    WeightedMean,
    /// The probability that the records match, by Fellegi and Sunter's model.
    FellegiSunter,
}

/// One attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreAttribute {
    /// As the file names it, or its measure.
    pub name: String,
    /// What compares two records: at least one conjunction, of at least one predicate; one of one for most. A similarity is
    /// one predicate, and its bound is 0, and means nothing.
    pub conjunctions: Vec<Vec<Predicate>>,
    /// Whether it is a similarity; else a condition, which is 1 where it holds.
    pub is_similarity: bool,
    /// What it counts in the mean, in units that all attributes share; below 2^32 together.
    pub weight: u32,
    /// Billionths below which a similarity counts as 0.
    pub threshold: u32,
    /// Billionths that each level of the model but the last must reach, falling: at least one.
    pub levels: Vec<u32>,
    /// Whether a better level weighs at least as much.
    pub monotone: bool,
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
}

impl Score {
    /// A complaint about the weights that the rule file asks for.
    pub(crate) fn complain(&self, message: String, help: &str) -> Error {
        Error::Rule(Box::new(RuleError { message, help: Some(help.to_owned()), ..self.place.clone() }))
    }
}
