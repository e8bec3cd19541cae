//! How good candidates are, counted as they come: none of them has to be held for it.

use super::StepQuality;
use crate::base::budget::Reserved;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::entities::cluster::Records;
use crate::operators::components::Forest;
use crate::tell::evaluate::{Counts, Truth};
use hyperblock_shared::layout::Candidate;

/// Candidates so far.
pub(super) struct Measured<'a> {
    truth: &'a Truth,
    control: &'a Control,
    first_right: u32,
    /// The entities that they make by closure.
    forest: Forest,
    counts: Counts,
    _held: Reserved<'a>,
}

impl<'a> Measured<'a> {
    /// None yet.
    pub(super) fn new(truth: &'a Truth, records: Records<'_>, control: &'a Control) -> Result<Self> {
        let n_bytes = Forest::EACH * u64::from(records.n);
        let held = control.budget().reserve(n_bytes, "the entities of candidates")?;
        Ok(Self {
            truth,
            control,
            first_right: records.first_right.unwrap_or(0),
            forest: Forest::new(records.n),
            counts: Counts::default(),
            _held: held,
        })
    }

    /// Some more.
    pub(super) fn add(&mut self, candidates: &[Candidate]) -> Result<()> {
        let first_right = self.first_right;
        self.truth.add(&mut self.counts, candidates, |pair| (pair.left, pair.right));
        self.forest.hook(candidates, |pair| [pair.left, first_right + pair.right], self.control)
    }

    /// How good all of them are.
    pub(super) fn step(self, name: &'static str) -> StepQuality {
        let quality = self.truth.of_step(&self.forest.labels(), &self.counts);
        StepQuality { name, n_pairs: quality.n_pairs, quality }
    }
}
