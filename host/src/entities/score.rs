//! Scoring: how alike the records of each candidate are.
//!
//! A [`Scoring`] is the `[score]` section of a rule file over the job's tables: its attributes encoded as predicates are,
//! for all records, since candidates name records of whole tables. A device takes its columns once ([`Scores`]), and then
//! lists of pairs, and hands back those whose score is enough. A score is a weighted mean, in billionths; or a weight by
//! Fellegi and Sunter's [`Model`], in millionths of a bit, from which a probability follows. `weights` is the file that
//! holds one.

mod frequencies;
mod keeping;
mod lowered;
mod model;
mod shares;
#[cfg(test)]
mod tests;
mod weights;

pub use crate::operators::scores::Kept;
pub use keeping::{Keeping, Tally};
pub(crate) use model::chance;
pub use model::{Model, least_weight, probability};
pub use shares::{AttributeShare, LevelShare, Shares};
pub use weights::{AttributeWeights, Evidence, LevelName, LevelWeights, Weights};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::stopwatch::Stopwatch;
use crate::base::timeline::Lane;
use crate::device::always_there;
use crate::encode::{Encoded, Selection, encode};
use crate::operators::Backend;
use crate::operators::scan::Keep;
use crate::operators::scores::{PairScores, Tests};
use crate::read::table::Table;
use crate::rules::{Missing, Predicate, Score, ScoreAttribute, ScoreMethod};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::{Attribute, Wanted, rank};
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
    /// By attribute, in the order of the file.
    lowered: Vec<Vec<Attribute>>,
    model: OnceLock<(Weights, Model)>,
    /// By attribute and code, how frequent values are in tables of which these are a part; nothing, if these are all.
    shares: Vec<Vec<f64>>,
}

impl Scoring {
    /// Encodes what a score needs of the tables. `right` is `None` when one table is deduplicated.
    pub fn new(score: Score, left: &Table, right: Option<&Table>, control: &Control) -> Result<Self> {
        Self::of(score, |predicates| encode(left, right, predicates, control))
    }

    /// The same, with what its predicates need encoded in some way.
    pub(crate) fn of(score: Score, encode: impl FnOnce(&[Predicate]) -> Result<Encoded>) -> Result<Self> {
        let predicates: Vec<Vec<Predicate>> =
            score.attributes.iter().map(lowered::predicates).collect::<Result<_>>()?;
        let encoded = encode(&predicates.concat())?;
        let mut rest = encoded.predicates.iter().copied();
        let attributes = (0..).zip(&score.attributes);
        let lowered =
            attributes.map(|(nth, it)| lowered::tests(nth, it, &mut rest)).collect::<Result<_>>()?;
        Ok(Self { score, encoded, lowered, model: OnceLock::new(), shares: Vec::new() })
    }

    /// Billionths of the mean, or of the probability, below which a pair is to be dropped.
    pub fn threshold(&self) -> u32 {
        self.score.threshold
    }

    /// The least score of a pair that is kept, as scores are handed on: billionths of a mean, or the rank of a weight.
    pub fn enough(&self) -> u32 {
        match self.score.method {
            ScoreMethod::WeightedMean => self.score.threshold,
            ScoreMethod::FellegiSunter => rank(least_weight(self.score.threshold)),
        }
    }

    /// How attributes come together.
    pub fn method(&self) -> ScoreMethod {
        self.score.method
    }

    /// The bytes of its columns.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.encoded.n_bytes()
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
        self.weights().map(|(_, model)| model)
    }

    /// The same, and what it was made from.
    pub fn weights(&self) -> Result<&(Weights, Model)> {
        if let Some(model) = self.model.get() {
            return Ok(model);
        }
        let weights = Weights::of(&self.score)?;
        let model = weights.model(&self.score)?;
        Ok(self.model.get_or_init(|| (weights, model)))
    }

    /// With weights from elsewhere, in the place of those in the file that the rule file names.
    pub(crate) fn weighted(self, weights: &str) -> Result<Self> {
        let weights = Weights::parse(weights)?;
        let model = weights.model(&self.score)?;
        Ok(Self { model: OnceLock::from((weights, model)), ..self })
    }

    /// What pairs are scored by, and all scores of its kind.
    fn tests_and_wanted(&self) -> Result<(Tests, Wanted)> {
        let model = match self.score.method {
            ScoreMethod::WeightedMean => None,
            ScoreMethod::FellegiSunter => Some(self.model()?),
        };
        let wanted = match model {
            Some(model) => Wanted::Weight { prior: model.prior(), least: i32::MIN },
            None => Wanted::Mean { least: 0, missing_is_zero: self.score.missing == Missing::Zero },
        };
        Ok((self.tests(model)?, wanted))
    }

    /// Brings the columns to a device, ready to score. What does not fit there is scored on the CPU.
    pub fn load<'a>(&'a self, device: &'a dyn Backend) -> Result<Scores<'a>> {
        let (tests, wanted) = self.tests_and_wanted()?;
        Ok(Scores { wanted, ..self.load_by(device, tests)? })
    }

    /// What a scan needs to keep pairs whose mean or probability comes to so many billionths.
    pub fn keep<'a>(
        &'a self,
        threshold: u32,
        selection: &'a Selection,
        watch: &'a Stopwatch,
    ) -> Result<Keep<'a>> {
        let (tests, wanted) = self.tests_and_wanted()?;
        Ok(Keep { encoded: &self.encoded, tests, wanted: reaching(wanted, threshold)?, selection, watch })
    }

    /// The same, for patterns alone: they need no model.
    pub fn load_patterns<'a>(&'a self, device: &'a dyn Backend) -> Result<Scores<'a>> {
        self.load_by(device, self.tests(None)?)
    }

    fn load_by<'a>(&'a self, device: &'a dyn Backend, tests: Tests) -> Result<Scores<'a>> {
        let (needed, there) = (self.encoded.n_bytes(), device.memory_for_columns()?);
        let loaded = if needed <= there {
            device.load_scores(&self.encoded, tests)?
        } else {
            tracing::warn!(
                "{}: the columns of the score take {needed} bytes, and {there} are free: the CPU scores instead",
                device.name()
            );
            always_there().load_scores(&self.encoded, tests)?
        };
        Ok(Scores { scoring: self, loaded, wanted: Wanted::Pattern })
    }

    /// The records of candidates.
    fn records(&self, candidates: &[Candidate]) -> Result<Vec<[u32; 2]>> {
        let records: Vec<_> = candidates.par_iter().map(|pair| [pair.left, pair.right]).gather();
        self.check_pairs(&records)?;
        Ok(records)
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

/// Scores of this kind that come to so many billionths.
fn reaching(wanted: Wanted, threshold: u32) -> Result<Wanted> {
    match wanted {
        Wanted::Mean { missing_is_zero, .. } => Ok(Wanted::Mean { least: threshold, missing_is_zero }),
        Wanted::Weight { prior, .. } => Ok(Wanted::Weight { prior, least: least_weight(threshold) }),
        Wanted::Pattern => Err(Error::Internal("only patterns were loaded".into())),
    }
}

/// A scoring on a device.
pub struct Scores<'a> {
    scoring: &'a Scoring,
    loaded: Box<dyn PairScores + 'a>,
    /// All scores of its kind.
    wanted: Wanted,
}

impl Scores<'_> {
    /// The pairs whose mean or probability comes to so many billionths, by their places, with the score: billionths of a
    /// mean, or the rank of a weight ([`hyperblock_shared::score::rank`]).
    pub fn kept(
        &mut self,
        pairs: &[Candidate],
        threshold: u32,
        control: &Control,
    ) -> Result<Vec<(usize, u32)>> {
        self.reaching(pairs, reaching(self.wanted, threshold)?, control)
    }

    /// The pairs whose score is what is asked for, by their places, with the score.
    pub fn reaching(
        &mut self,
        pairs: &[Candidate],
        wanted: Wanted,
        control: &Control,
    ) -> Result<Vec<(usize, u32)>> {
        let mut kept = Vec::new();
        for (nth, part) in pairs.chunks(PAIRS_AT_ONCE).enumerate() {
            let records = self.scoring.records(part)?;
            let of_part =
                control.note(Lane::here(), "score", || self.loaded.kept(&records, wanted, control))?;
            let first = nth * PAIRS_AT_ONCE;
            kept.extend(of_part.into_iter().map(|(place, score)| (first + place as usize, score)));
        }
        Ok(kept)
    }

    /// The score of each pair.
    pub fn score(&mut self, pairs: &[Candidate], control: &Control) -> Result<Vec<u32>> {
        let mut scores = vec![0; pairs.len()];
        for (part, into) in pairs.chunks(PAIRS_AT_ONCE).zip(scores.chunks_mut(PAIRS_AT_ONCE)) {
            let records = self.scoring.records(part)?;
            control
                .note(Lane::here(), "score", || self.loaded.scores(&records, self.wanted, control, into))?;
        }
        Ok(scores)
    }

    /// The levels of each pair's attributes: see [`hyperblock_shared::score::level`].
    pub fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>> {
        let mut patterns = Vec::with_capacity(pairs.len());
        for part in pairs.chunks(PAIRS_AT_ONCE) {
            self.scoring.check_pairs(part)?;
            patterns.extend(control.note(Lane::here(), "score", || self.loaded.patterns(part, control))?);
        }
        Ok(patterns)
    }
}
