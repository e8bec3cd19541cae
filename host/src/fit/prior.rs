//! The prior: how probable it is that any two records match.

use super::{FitOptions, Seen};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::entities::em::Counted;
use crate::entities::score::{Model, Scoring, chance};
use crate::job::Prepared;
use crate::operators::Backend;
use crate::tell::evaluate::Truth;
use hyperblock_shared::score::ONE;

/// Rounds, and a change that is none.
const ROUNDS: usize = 200;
const SETTLED: f64 = 1e-6;

/// What a prior is from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PriorSource {
    /// Somebody gave it.
    Given,
    /// Rules that hold on matches alone find so many pairs, which are taken to be this share of all matches.
    Sure {
        /// Pairs.
        n_found: u64,
        /// The share, in billionths.
        recall: u32,
    },
    /// So many labelled pairs match.
    Labels {
        /// Pairs.
        n_matches: u64,
    },
    /// So many pairs of labelled records match, of so many that there are.
    Part {
        /// Those that match.
        n_matches: u64,
        /// All pairs of labelled records.
        n_pairs: u64,
    },
    /// So many of the candidates are expected to match, by the weights themselves; what no rule finds is taken not to.
    Candidates {
        /// Pairs that the rules and neighbourhoods find.
        n_candidates: u64,
        /// Of them, those that are expected to match.
        n_matches: f64,
    },
}

/// Who is asked for a prior.
pub(super) struct Asking<'a> {
    pub(super) job: &'a Prepared,
    pub(super) scoring: &'a Scoring,
    pub(super) device: &'a dyn Backend,
    pub(super) control: &'a Control,
}

impl Asking<'_> {
    /// The prior by what is best known: given, counted in labels or by sure rules, or expected of the candidates, whose
    /// levels have these m and u. Labels of some pairs do not say how many match.
    pub(super) fn prior(
        &self,
        options: FitOptions,
        truth: Option<&Truth>,
        levels: &[Vec<(f64, f64)>],
    ) -> Result<(f64, PriorSource)> {
        let n_pairs = self.job.n_pairs() as f64;
        let score = self.scoring.score();
        let (n_matches, source) = if let Some(prior) = options.prior {
            (prior * n_pairs, PriorSource::Given)
        } else if let Some((truth, share)) = truth.and_then(|truth| Some((truth, truth.share_of_matches()?)))
        {
            let (n_matches, coverage) = (truth.n_matches(), truth.coverage());
            match coverage.is_complete {
                true => (n_matches as f64, PriorSource::Labels { n_matches }),
                false => (share * n_pairs, PriorSource::Part { n_matches, n_pairs: coverage.n_decided }),
            }
        } else if !score.sure.is_empty() {
            let n_found = self.job.count(score.sure.clone(), self.device, self.control)?;
            let recall = f64::from(score.recall) / f64::from(ONE);
            (n_found as f64 / recall, PriorSource::Sure { n_found, recall: score.recall })
        } else {
            let candidates = self.candidates()?;
            let n_candidates = candidates.iter().map(|(_, n)| n).sum();
            let n_matches = expected(&candidates, levels, n_pairs);
            (n_matches, PriorSource::Candidates { n_candidates, n_matches })
        };
        let prior = n_matches / n_pairs.max(1.0);
        if prior > 0.0 && prior < 1.0 {
            return Ok((prior, source));
        }
        let found = match source {
            PriorSource::Given => "the prior that was given is".to_owned(),
            PriorSource::Sure { n_found, .. } => {
                format!("`sure` in [score] finds {n_found} pairs: the prior is")
            }
            PriorSource::Labels { n_matches } => format!("{n_matches} pairs are labelled: the prior is"),
            PriorSource::Part { n_matches, n_pairs } => {
                format!("of {n_pairs} pairs of labelled records {n_matches} match: the prior is")
            }
            PriorSource::Candidates { .. } => {
                "of the candidates nothing or everything seems to match: the prior is".to_owned()
            }
        };
        let help = "give it (--prior), or rules that hold on matches alone (`sure` in [score])";
        Err(Error::Job(format!("{found} {prior}, and must lie between 0 and 1; {help}")))
    }

    /// What all candidates look like.
    fn candidates(&self) -> Result<Vec<Counted>> {
        let mut seen = Seen::new(self.scoring, self.device, self.control);
        self.job.run(self.device, self.control, &mut |found| seen.take(found, u64::MAX))?;
        Ok(seen.counted())
    }
}

/// How many of the candidates are expected to match, where that number is itself what makes the prior.
fn expected(candidates: &[Counted], levels: &[Vec<(f64, f64)>], n_pairs: f64) -> f64 {
    let n_candidates: f64 = candidates.iter().map(|(_, n)| *n as f64).sum();
    let mut n_matches = n_candidates / 2.0;
    for _ in 0..ROUNDS {
        let prior = n_matches / n_pairs.max(1.0);
        if !(prior > 0.0 && prior < 1.0) {
            break;
        }
        let model = Model::new(prior, levels.iter().map(Vec::as_slice));
        let of = |&(pattern, n): &Counted| n as f64 * chance(model.weight(pattern));
        let next: f64 = candidates.iter().map(of).sum();
        let change = (next - n_matches).abs() / next.max(1.0);
        n_matches = next;
        if change < SETTLED {
            break;
        }
    }
    n_matches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_that_agree_are_expected_to_match() {
        let levels = [vec![(0.9, 0.001), (0.1, 0.999)], vec![(0.9, 0.001), (0.1, 0.999)]];
        // A hundred agree in both, and ten thousand in nothing or little.
        let candidates = [(0x11, 100), (0x12, 500), (0x22, 9_500)];
        let n_matches = expected(&candidates, &levels, 1e6);
        assert!((100.0..150.0).contains(&n_matches), "{n_matches}");
    }
}
