//! How good candidates are, counted as they come: none of them has to be held for it.

use super::StepQuality;
use crate::base::budget::Reserved;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::entities::cluster::Records;
use crate::operators::components::Forest;
use crate::tell::evaluate::Truth;
use hyperblock_shared::layout::Candidate;

/// Candidates so far.
pub(super) struct Measured<'a> {
    truth: &'a Truth,
    control: &'a Control,
    first_right: u32,
    /// The entities that they make by closure.
    forest: Forest,
    n_pairs: u64,
    n_matching: u64,
    _held: Reserved<'a>,
}

impl<'a> Measured<'a> {
    /// None yet.
    pub(super) fn new(truth: &'a Truth, records: Records, control: &'a Control) -> Result<Self> {
        let n_bytes = Forest::EACH * u64::from(records.n);
        let held = control.budget().reserve(n_bytes, "the entities of candidates")?;
        Ok(Self {
            truth,
            control,
            first_right: records.first_right.unwrap_or(0),
            forest: Forest::new(records.n),
            n_pairs: 0,
            n_matching: 0,
            _held: held,
        })
    }

    /// Some more.
    pub(super) fn add(&mut self, candidates: &[Candidate]) -> Result<()> {
        let first_right = self.first_right;
        self.n_pairs += candidates.len() as u64;
        self.n_matching += self.truth.n_matching(candidates, |pair| (pair.left, pair.right));
        self.forest.hook(candidates, |pair| [pair.left, first_right + pair.right], self.control)
    }

    /// How good all of them are.
    pub(super) fn step(self, name: &'static str) -> StepQuality {
        let quality = self.truth.of_step(&self.forest.labels(), self.n_pairs, self.n_matching);
        StepQuality { name, n_pairs: self.n_pairs, quality }
    }
}
