//! Keeping: candidates that come by are scored, and those that are alike enough go on.

use super::{Scores, Scoring};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::stopwatch::Stopwatch;
use crate::encode::Selection;
use crate::operators::Backend;
use crate::operators::scan::{Keep, Told};
use crate::operators::scores::Kept;
use hyperblock_shared::layout::Candidate;

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

    /// What a scan needs to keep the same by itself, of records that are numbered by a selection.
    pub fn by_scan<'b>(&self, selection: &'b Selection) -> Result<Keep<'b>>
    where
        'a: 'b,
    {
        self.scoring.keep(self.tally.threshold, selection, self.watch)
    }

    /// Counts what a scan kept by itself.
    pub fn note(&mut self, told: &Told<'_>) {
        match told {
            Told::Counted(by_rule) => self.tally.n_scored += by_rule.iter().sum::<u64>(),
            Told::Kept(kept) => self.tally.n_kept += kept.len() as u64,
        }
    }

    /// What became of all candidates so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }
}
