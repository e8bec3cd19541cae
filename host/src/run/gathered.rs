//! Runs that are gathered until all are there: in memory while they fit, then in a file; and handed on as one.

use crate::base::budget::{Budget, Reserved};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::spill::Spill;
use crate::base::timeline::Lane;
use crate::operators::runs::{merge, sort};
use crate::operators::scan::HandOn;
use hyperblock_shared::layout::Candidate;

/// What a candidate takes while it is found: with the thread that found it, in the run, in that before, and as it is dealt
/// to be sorted; lists that grow have room for more, and runs of several places wait to be taken.
const EACH: u64 = 96;

/// The share of a budget that goes to finding candidates. Others score and write them meanwhile.
const HUNDREDTHS: u64 = 75;

/// Of what may be held at once, how many are handed on at once: one part of so many, but no more than this (100 MB).
const WINDOWS: usize = 4;
const MOST_AT_ONCE: usize = 1 << 23;

/// How many candidates may be held at once, and the memory for that.
pub(super) fn granted(budget: &Budget) -> Result<(usize, Reserved<'_>)> {
    budget.grant(HUNDREDTHS, EACH, usize::MAX, "candidates")
}

/// Runs that have no pair in common.
pub(super) struct Gathered<'a> {
    control: &'a Control,
    /// Candidates that may be held in memory.
    most: usize,
    held: Vec<Vec<Candidate>>,
    n_held: usize,
    spill: Option<Spill<Candidate>>,
}

impl<'a> Gathered<'a> {
    /// None yet.
    pub(super) fn new(most: usize, control: &'a Control) -> Self {
        Self { control, most, held: Vec::new(), n_held: 0, spill: None }
    }

    /// One more, sorted.
    pub(super) fn add(&mut self, mut run: Vec<Candidate>) -> Result<()> {
        if self.n_held + run.len() > self.most {
            self.spill()?;
        }
        run.shrink_to_fit();
        self.n_held += run.len();
        self.held.push(run);
        Ok(())
    }

    /// Has what is held go to a file, as one run.
    fn spill(&mut self) -> Result<()> {
        let run = self.merged()?;
        if run.is_empty() {
            return Ok(());
        }
        let window = self.window();
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(Spill::new(self.control.budget().folder(), window)?),
        };
        self.control.note(Lane::Scan, "spill", || spill.add(&run))
    }

    fn merged(&mut self) -> Result<Vec<Candidate>> {
        self.n_held = 0;
        merge(std::mem::take(&mut self.held), &mut Vec::new(), self.control)
    }

    fn window(&self) -> usize {
        (self.most / WINDOWS).clamp(1, MOST_AT_ONCE)
    }

    /// Hands on all of them, in order.
    pub(super) fn hand_on(mut self, hand_on: HandOn<'_>) -> Result<()> {
        if self.spill.is_none() {
            hand_on(self.merged()?);
            return Ok(());
        }
        self.spill()?;
        let Some(spill) = &self.spill else { return Ok(()) };
        let (n, n_bytes) = (spill.n_rows(), spill.n_bytes());
        tracing::info!("{n} candidates did not fit into memory: {n_bytes} bytes of a file");
        let mut room = Vec::new();
        for keys in spill.ranges(self.window()) {
            let mut found = spill.range(keys)?;
            self.control.note(Lane::Scan, "sort", || sort(&mut found, &mut room, self.control))?;
            if hand_on(found).is_none() {
                break;
            }
        }
        Ok(())
    }
}
