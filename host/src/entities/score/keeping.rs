//! Keeping: candidates that come by are scored, and those that are alike enough go on.

use super::{Scores, Scoring};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::stopwatch::Stopwatch;
use crate::operators::Backend;
use hyperblock_shared::layout::Candidate;

/// A candidate that is alike enough, and its score in billionths.
pub type Kept = (Candidate, u32);

/// What became of candidates that were scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub n_scored: u64,
    /// Those whose score reaches the threshold.
    pub n_kept: u64,
    /// The threshold, in billionths.
    pub threshold: u32,
}

/// The stage of a job that scores.
pub struct Keeping<'a> {
    scoring: &'a Scoring,
    device: &'a dyn Backend,
    control: &'a Control,
    watch: &'a Stopwatch,
    /// Brought to the device when there is something to score: until then the scan has all of it.
    scores: Option<Scores<'a>>,
    kept: Vec<Kept>,
    tally: Tally,
}

impl<'a> Keeping<'a> {
    /// Nothing is loaded yet.
    pub fn new(
        scoring: &'a Scoring,
        device: &'a dyn Backend,
        control: &'a Control,
        watch: &'a Stopwatch,
    ) -> Self {
        let tally = Tally { threshold: scoring.threshold(), ..Tally::default() };
        Self { scoring, device, control, watch, scores: None, kept: Vec::new(), tally }
    }

    /// Those of the candidates whose score reaches the threshold, with it.
    pub fn keep(&mut self, candidates: &[Candidate]) -> Result<&[Kept]> {
        let _scoring = self.watch.enter("score");
        let scores = match &mut self.scores {
            Some(scores) => scores,
            none => none.insert(self.scoring.load(self.device)?),
        };
        let least = self.tally.threshold;
        let all = candidates.iter().copied().zip(scores.score_from(candidates, least, self.control)?);
        self.kept.clear();
        self.kept.extend(all.filter(|(_, score)| *score >= least));
        self.tally.n_scored += candidates.len() as u64;
        self.tally.n_kept += self.kept.len() as u64;
        Ok(&self.kept)
    }

    /// What became of all candidates so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }
}
