//! Fitting: the weights of a score by Fellegi and Sunter's model, from the tables alone, without labels.
//!
//! What the candidates look like is a mixture of matches and others, and [`em`] takes it apart: that gives m,
//! u, and the share of matches. All of it is among the candidates, as the rules and neighbourhoods find them,
//! since those are scored: the prior is that of a pair that is a candidate, not of any pair. Nearly all pairs
//! are of different things, so what random pairs look like is where u begins. It may stay that, as is usual
//! elsewhere; but candidates were chosen for being alike in something, and those that do not match are more
//! alike than random pairs. Then all candidates seem to match.

use crate::base::billionths::Billionths;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::random::Random;
use crate::base::shown::shown;
use crate::entities::em::{self, Counted, Estimate, Probabilities};
use crate::entities::score::{LevelWeights, Scores, Scoring, Weights};
use crate::job::Prepared;
use crate::operators::Backend;
use crate::plan::partition::whole;
use indicatif::HumanCount;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;

/// Random pairs that are looked at at once.
const AT_ONCE: usize = 1 << 20;

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitOptions {
    /// The same seed draws the same pairs.
    pub seed: u64,
    /// Random pairs to draw; where there are fewer pairs, all are taken.
    pub sample: u64,
    /// Rounds of estimation at most.
    pub rounds: u32,
    /// Whether u stays what random pairs say. Else it is estimated with the rest, of the candidates that do
    /// not match. For candidates that were chosen by something else than what is compared.
    pub fixes_u: bool,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { seed: 1, sample: 1_000_000, rounds: 1000, fixes_u: false }
    }
}

/// What was fitted, and to what.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The weights.
    pub weights: Weights,
    /// Pairs that the rules and neighbourhoods found.
    pub n_candidates: u64,
    /// Different patterns among them.
    pub n_patterns: usize,
    /// Random pairs.
    pub n_sampled: u64,
    /// Rounds that it took.
    pub n_rounds: usize,
    /// Whether the probabilities had settled by then.
    pub has_settled: bool,
}

impl Prepared {
    /// Fits the weights of the rule file's `[score]` to the tables. An error if it has none, or if the rules
    /// find nothing.
    pub fn fit(&self, device: &dyn Backend, control: &Control, options: FitOptions) -> Result<Fit> {
        let none = || {
            let help = "write one with attributes and their levels, and `score = \"fellegi-sunter\"`";
            Error::Job(format!("the rule file has no [score] section to fit weights for; {help}"))
        };
        let scoring = self.scoring().ok_or_else(none)?;
        let mut candidates = BTreeMap::new();
        {
            // Brought to the device when there is something to look at: until then the scan has all of it.
            let mut scores: Option<Scores<'_>> = None;
            self.run(device, control, &mut |found| {
                let scores = match &mut scores {
                    Some(scores) => scores,
                    none => none.insert(scoring.load(device)?),
                };
                let pairs: Vec<[u32; 2]> = found.par_iter().map(|pair| [pair.left, pair.right]).collect();
                count(scores.patterns(&pairs, control)?, &mut candidates);
                Ok(())
            })?;
        }
        let candidates: Vec<Counted> = candidates.into_iter().collect();
        let n_candidates = candidates.iter().map(|(_, n)| n).sum();
        if candidates.len() < 2 {
            return Err(Error::Job(match n_candidates {
                0 => "the rules find no candidates: there is nothing to fit weights to".to_owned(),
                n => format!(
                    "all {n} candidates look alike: nothing tells matches from others. Ask for less in the rules, or \
                     for other attributes or levels in the score"
                ),
            }));
        }
        let (sampled, n_sampled) = self.sample(scoring, device, control, options)?;
        let n_levels: Vec<usize> =
            scoring.attributes().iter().map(|attribute| attribute.levels.len() + 1).collect();
        let u = em::shares(&sampled, &n_levels);
        let Estimate { mut probabilities, log_likelihoods, has_settled } =
            em::estimate(&candidates, &n_levels, u, options.fixes_u, options.rounds.max(1));
        if probabilities.is_turned() && !options.fixes_u {
            // Nothing says which class is which but that records that match agree.
            let Probabilities { prior, m, u } = probabilities;
            probabilities = Probabilities { prior: 1.0 - prior, m: u, u: m };
        }
        if probabilities.is_turned() {
            tracing::warn!(
                "pairs that match seem to agree less than random ones: do not trust these weights"
            );
        }
        let Probabilities { prior, m, u } = probabilities;
        let pairs: Vec<Vec<(f64, f64)>> =
            m.into_iter().zip(u).map(|(m, u)| m.into_iter().zip(u).collect()).collect();
        Ok(Fit {
            weights: Weights::new(prior, scoring.attributes(), &pairs),
            n_candidates,
            n_patterns: candidates.len(),
            n_sampled,
            n_rounds: log_likelihoods.len(),
            has_settled,
        })
    }

    /// The patterns of random pairs, or of all pairs if these are fewer; and how many pairs that is.
    fn sample(
        &self,
        scoring: &Scoring,
        device: &dyn Backend,
        control: &Control,
        options: FitOptions,
    ) -> Result<(Vec<Counted>, u64)> {
        let (n_left, n_right) = (self.left.n_records(), self.right().n_records());
        let is_one_table = self.second().is_none();
        let n_pairs = whole(n_left, n_right, is_one_table).n_pairs();
        let takes_all = n_pairs <= options.sample;
        let n_sampled = if takes_all { n_pairs } else { options.sample.max(1) };
        if n_pairs == 0 {
            return Ok((Vec::new(), 0));
        }
        let mut random = Random::new(options.seed);
        let mut drawn = || {
            let mut record = |n: u32| random.below(u64::from(n)) as u32;
            loop {
                let (left, right) = (record(n_left), record(n_right));
                match is_one_table {
                    false => return [left, right],
                    true if left != right => return [left.min(right), left.max(right)],
                    true => {}
                }
            }
        };
        let mut all = (0..n_left).flat_map(move |left| {
            let first = if is_one_table { left + 1 } else { 0 };
            (first..n_right).map(move |right| [left, right])
        });
        let (mut patterns, mut left) = (BTreeMap::new(), n_sampled);
        let mut scores = scoring.load(device)?;
        while left > 0 {
            control.check()?;
            let n = left.min(AT_ONCE as u64) as usize;
            let pairs: Vec<[u32; 2]> = match takes_all {
                true => all.by_ref().take(n).collect(),
                false => (0..n).map(|_| drawn()).collect(),
            };
            count(scores.patterns(&pairs, control)?, &mut patterns);
            left -= n as u64;
        }
        Ok((patterns.into_iter().collect(), n_sampled))
    }
}

/// Adds how often each pattern comes up. In order of the patterns, so that sums over them are the same in
/// every run.
fn count(mut patterns: Vec<u64>, counts: &mut BTreeMap<u64, u64>) {
    patterns.par_sort_unstable();
    for same in patterns.chunk_by(|a, b| a == b) {
        *counts.entry(same[0]).or_insert(0) += same.len() as u64;
    }
}

/// For people: m, u and the weight of every level, and where they come from.
impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { weights, n_candidates, n_patterns, n_sampled, n_rounds, has_settled } = self;
        let settled = if *has_settled { "" } else { ", and not settled yet: try more with --rounds" };
        writeln!(f, "candidates       {} in {n_patterns} patterns", HumanCount(*n_candidates))?;
        writeln!(f, "random pairs     {}", HumanCount(*n_sampled))?;
        writeln!(f, "rounds           {n_rounds}{settled}")?;
        writeln!(f, "prior            {:.6} (that a candidate matches)", weights.prior)?;
        let names = weights.attributes.iter().map(|attribute| shown(&attribute.name).chars().count());
        let width = names.max().unwrap_or(0).max("attribute".len());
        writeln!(f, "{:width$}  {:>12}  {:>10}  {:>10}  {:>8}", "attribute", "level", "m", "u", "weight")?;
        for attribute in &weights.attributes {
            let mut name = &*shown(&attribute.name);
            let mut lowest = Billionths(0);
            for LevelWeights { at_least, m, u } in &attribute.levels {
                lowest = at_least.map_or(lowest, Billionths);
                let level = format!("{} {lowest}", if at_least.is_some() { ">=" } else { "<" });
                let weight = (m / u).log2();
                writeln!(f, "{name:width$}  {level:>12}  {m:>10.6}  {u:>10.6}  {weight:>+8.2}")?;
                name = "";
            }
        }
        Ok(())
    }
}
