//! Scoring: how alike the records of each candidate are, in billionths.
//!
//! A [`Scoring`] is the `[score]` section of a rule file over the job's tables: its attributes encoded as predicates are,
//! for all records, since candidates name records of whole tables. A device takes its columns once ([`Scores`]), and then
//! lists of pairs. It computes weighted means; or patterns of levels, of which there are few, and whose scores follow
//! from Fellegi and Sunter's [`Model`] here. `weights` is the file that holds one. Attributes of several predicates are
//! looked at by `compound`.

mod compound;
mod frequencies;
mod keeping;
mod model;
#[cfg(test)]
mod tests;
mod weights;

pub use keeping::{Keeping, Kept, Tally};
pub use model::Model;
pub use weights::{AttributeWeights, Evidence, LevelWeights, Weights};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::device::always_there;
use crate::encode::{Encoded, encode};
use crate::operators::Backend;
use crate::operators::scores::PairScores;
use crate::read::table::Table;
use crate::rules::{Predicate, Score, ScoreAttribute, ScoreMethod};
use compound::{Compound, CompoundScores};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::{Attribute, Kind, MOST_LEVELS};
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;
use std::path::Path;
use std::sync::OnceLock;

/// Pairs that a device is given at once: with their results, some tens of megabytes; and some tenths of a second at most.
const PAIRS_AT_ONCE: usize = 1 << 22;

/// How candidates of two tables are scored.
#[derive(Debug)]
pub struct Scoring {
    score: Score,
    encoded: Encoded,
    /// In the order of the file.
    attributes: Vec<Compound>,
    /// The same in the order in which devices look at them, if each is of one predicate.
    on_devices: Option<Vec<Attribute>>,
    model: OnceLock<Model>,
}

impl Scoring {
    /// Encodes what a score needs of the tables. `right` is `None` when one table is deduplicated.
    pub fn new(score: Score, left: &Table, right: Option<&Table>, control: &Control) -> Result<Self> {
        let predicates: Vec<Predicate> =
            score.attributes.iter().flat_map(|attribute| attribute.conjunctions.concat()).collect();
        let encoded = encode(left, right, &predicates, control)?;
        let mut rest = encoded.predicates.iter();
        let lowered = |(nth, attribute)| {
            let ScoreAttribute { weight, threshold, levels, name, .. }: &ScoreAttribute = attribute;
            let of_one = || Error::Internal(format!("attribute `{name}` compares nothing"));
            let mut padded = [0; MOST_LEVELS];
            let n_levels = padded.iter_mut().zip(levels).map(|(place, level)| *place = *level).count() as u32;
            let (weight, threshold) = (*weight, *threshold);
            let mut next = || {
                let lowered = rest.next().and_then(Attribute::of).ok_or_else(of_one)?;
                Ok(Attribute { nth, weight, threshold, n_levels, levels: padded, ..lowered })
            };
            let conjunctions = attribute.conjunctions.iter();
            let conjunctions = conjunctions.map(|conjunction| conjunction.iter().map(|_| next()).collect());
            Compound::new(conjunctions.collect::<Result<_>>()?).ok_or_else(of_one)
        };
        let attributes: Vec<Compound> = (0..).zip(&score.attributes).map(lowered).collect::<Result<_>>()?;
        let mut on_devices: Option<Vec<Attribute>> = attributes.iter().map(Compound::alone).collect();
        // What is soon looked at first: it may tell that the rest is not worth a look.
        if let Some(attributes) = &mut on_devices {
            attributes.sort_by_key(|attribute| mean_length(&encoded, attribute));
        }
        Ok(Self { score, encoded, attributes, on_devices, model: OnceLock::new() })
    }

    /// Billionths below which a pair is to be dropped.
    pub fn threshold(&self) -> u32 {
        self.score.threshold
    }

    /// How attributes come together.
    pub fn method(&self) -> ScoreMethod {
        self.score.method
    }

    /// What the rule file says.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// The attributes: the first one has the lowest bits of a pattern.
    pub fn attributes(&self) -> &[ScoreAttribute] {
        &self.score.attributes
    }

    /// The file that the rule file names for the model's weights.
    pub fn weights_file(&self) -> Option<&Path> {
        self.score.weights.as_deref()
    }

    /// An error, if pairs cannot be scored for want of weights. Patterns can be had without.
    pub fn check(&self) -> Result<()> {
        if self.score.method == ScoreMethod::FellegiSunter { self.model().map(drop) } else { Ok(()) }
    }

    /// Fellegi and Sunter's model, from the file that the rule file names, which is read when it is first needed.
    pub fn model(&self) -> Result<&Model> {
        if let Some(model) = self.model.get() {
            return Ok(model);
        }
        let model = Weights::of(&self.score)?.model(&self.score)?;
        Ok(self.model.get_or_init(|| model))
    }

    /// Brings the columns to a device, ready to score. What does not fit there is scored on the CPU, and so are attributes
    /// of several predicates.
    pub fn load<'a>(&'a self, device: &'a dyn Backend) -> Result<Scores<'a>> {
        let Some(attributes) = &self.on_devices else {
            let loaded = Box::new(CompoundScores { encoded: &self.encoded, attributes: &self.attributes });
            return Ok(Scores { scoring: self, loaded });
        };
        let (needed, there) = (self.encoded.n_bytes(), device.memory_for_columns()?);
        let loaded = if needed <= there {
            device.load_scores(&self.encoded, attributes)?
        } else {
            tracing::warn!(
                "{}: the columns of the score take {needed} bytes, and {there} are free: the CPU scores instead",
                device.name()
            );
            always_there().load_scores(&self.encoded, attributes)?
        };
        Ok(Scores { scoring: self, loaded })
    }

    /// How alike two records are in each attribute, in billionths; `None` where one of them lacks it. For people.
    pub fn similarities(&self, left: u32, right: u32) -> Vec<Option<u32>> {
        let mut scratch = vec![0u64; scratch_words(self.encoded.longest()) as usize];
        let of = |attribute: &Compound| attribute.similarity(&self.encoded, [left, right], &mut scratch);
        self.attributes.iter().map(of).collect()
    }

    /// Lists of pairs come from outside: records that are not there would be looked up past the end.
    fn check_pairs(&self, pairs: &[[u32; 2]]) -> Result<()> {
        let (n_left, n_right) = (self.encoded.n_left, self.encoded.n_right);
        match pairs.par_iter().find_any(|[left, right]| *left >= n_left || *right >= n_right) {
            None => Ok(()),
            Some([left, right]) => Err(Error::Job(format!(
                "there is no pair of records {left} and {right}: there are {n_left} and {n_right}"
            ))),
        }
    }
}

/// How long the values are that an attribute looks at, on average: symbols or tokens. Codes have no length.
fn mean_length(encoded: &Encoded, attribute: &Attribute) -> u64 {
    let column = attribute.column as usize;
    let heads = match Kind::from_number(attribute.kind) {
        Kind::Equal | Kind::Within => None,
        Kind::TextCount | Kind::Texts => encoded.texts.get(column).map(|it| &it.heads),
        Kind::SetCount | Kind::Sets => encoded.sets.get(column).map(|it| &it.heads),
    };
    let heads = heads.map(Vec::as_slice).unwrap_or_default();
    heads.iter().map(|head| u64::from(head.len)).sum::<u64>() / heads.len().max(1) as u64
}

/// A scoring on a device.
pub struct Scores<'a> {
    scoring: &'a Scoring,
    loaded: Box<dyn PairScores + 'a>,
}

impl Scores<'_> {
    /// The score of each pair, in billionths.
    pub fn score(&mut self, pairs: &[Candidate], control: &Control) -> Result<Vec<u32>> {
        self.score_from(pairs, 0, control)
    }

    /// The same, where a score below `least` is only told to be below it: most pairs are soon known to be that.
    pub fn score_from(&mut self, pairs: &[Candidate], least: u32, control: &Control) -> Result<Vec<u32>> {
        let mut scores = Vec::with_capacity(pairs.len());
        for part in pairs.chunks(PAIRS_AT_ONCE) {
            let part: Vec<[u32; 2]> = part.par_iter().map(|pair| [pair.left, pair.right]).collect();
            self.scoring.check_pairs(&part)?;
            match self.scoring.score.method {
                ScoreMethod::WeightedMean => scores.extend(self.loaded.means(&part, least, control)?),
                ScoreMethod::FellegiSunter => {
                    let model = self.scoring.model()?;
                    let patterns = self.loaded.patterns(&part, control)?;
                    scores.par_extend(patterns.par_iter().map(|&pattern| model.score(pattern)));
                }
            }
        }
        Ok(scores)
    }

    /// The levels of each pair's attributes: see [`hyperblock_shared::score::level`].
    pub fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>> {
        let mut patterns = Vec::with_capacity(pairs.len());
        for part in pairs.chunks(PAIRS_AT_ONCE) {
            self.scoring.check_pairs(part)?;
            patterns.extend(self.loaded.patterns(part, control)?);
        }
        Ok(patterns)
    }
}
