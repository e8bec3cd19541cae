//! Keeping: candidates that come by are scored, and those that are alike enough go on.

use super::{Scores, Scoring};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::stopwatch::Stopwatch;
use crate::operators::Backend;
use hyperblock_shared::layout::Candidate;

/// A candidate that is alike enough, and its score: billionths of a mean, or the rank of a weight
/// ([`hyperblock_shared::score::rank`]).
pub type Kept = (Candidate, u32);

/// What became of candidates that were scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub n_scored: u64,
    /// Those whose score reaches the threshold.
    pub n_kept: u64,
    /// The threshold, in billionths of a mean or of a probability.
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
    /// What reaches a threshold, in billionths of a mean or of a probability. Nothing is loaded yet.
    pub fn new(
        scoring: &'a Scoring,
        threshold: u32,
        device: &'a dyn Backend,
        control: &'a Control,
        watch: &'a Stopwatch,
    ) -> Self {
        let tally = Tally { threshold, ..Tally::default() };
        Self { scoring, device, control, watch, scores: None, kept: Vec::new(), tally }
    }

    /// Those of the candidates whose score reaches the threshold, with it.
    pub fn keep(&mut self, candidates: &[Candidate]) -> Result<&[Kept]> {
        let _scoring = self.watch.enter("score");
        let scores = match &mut self.scores {
            Some(scores) => scores,
            none => none.insert(self.scoring.load(self.device)?),
        };
        let kept = scores.kept(candidates, self.tally.threshold, self.control)?;
        self.kept.clear();
        self.kept.extend(kept.into_iter().map(|(place, score)| (candidates[place], score)));
        self.tally.n_scored += candidates.len() as u64;
        self.tally.n_kept += self.kept.len() as u64;
        Ok(&self.kept)
    }

    /// What became of all candidates so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }
}
