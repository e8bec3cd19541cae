//! What a join leaves to decide: the rest of the branch, for each pair of records with the same key.

use super::join::Consumer;
use super::verify::Walker;
use crate::base::control::{Control, Steps};
use crate::base::latency::Latency;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::path::Branch;
use hyperblock_shared::sweep::Order;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// Pairs that are one step of a job's progress.
const PAIRS_PER_STEP: u64 = 1 << 16;

/// The steps of a join of so many pairs.
pub(super) fn n_steps(n_pairs: u64) -> u64 {
    n_pairs / PAIRS_PER_STEP
}

/// What all threads of a join share.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) order: Order,
    pub(super) branch: Branch,
    /// How many candidates are wanted at most, and how many there are.
    pub(super) most: usize,
    pub(super) n_found: &'a AtomicUsize,
    pub(super) control: &'a Control,
    pub(super) steps: Option<&'a Steps<'a>>,
}

/// A thread's part.
pub(super) struct Residual<'a> {
    shared: Shared<'a>,
    walker: Walker<'a>,
    n_pairs: u64,
    n_reported: usize,
    /// Nobody wants more: a partition that is under way may still have very many pairs.
    is_over: bool,
    /// Candidates.
    pub(super) found: Vec<Candidate>,
    /// If the job is watched: how long partitions and pieces of heavy keys took.
    pub(super) took: Option<Latency>,
    since: Instant,
}

impl<'a> Residual<'a> {
    pub(super) fn new(shared: Shared<'a>, walker: Walker<'a>) -> Self {
        Self {
            shared,
            walker,
            n_pairs: 0,
            n_reported: 0,
            is_over: false,
            found: Vec::new(),
            took: shared.control.is_watched().then(Latency::default),
            since: Instant::now(),
        }
    }

    fn pairs(&mut self, lefts: &[u32], right: u32) {
        if self.is_over {
            return;
        }
        let Shared { order, branch, .. } = self.shared;
        for &left in lefts {
            if let Some((left, right)) = order.pair(left, right)
                && let Some(rule) = self.walker.witness(branch, left, right)
            {
                self.found.push(Candidate { left, right, rule });
            }
        }
        self.n_pairs += lefts.len() as u64;
        if self.n_pairs >= PAIRS_PER_STEP {
            self.report();
        }
    }

    /// Tells the others what was done since.
    fn report(&mut self) {
        let Shared { n_found, steps, .. } = self.shared;
        n_found.fetch_add(self.found.len() - self.n_reported, Relaxed);
        self.n_reported = self.found.len();
        steps.iter().for_each(|steps| steps.done(self.n_pairs / PAIRS_PER_STEP));
        self.n_pairs %= PAIRS_PER_STEP;
        self.is_over = self.is_done();
    }
}

impl Consumer for Residual<'_> {
    fn light(&mut self, lefts: &[u32], right: u32) {
        self.pairs(lefts, right);
    }

    fn heavy(&mut self, lefts: &[u32], rights: &[u32]) {
        for &right in rights {
            if self.is_done() {
                return;
            }
            self.pairs(lefts, right);
        }
    }

    fn within(&mut self, rows: &[u32]) {
        for (place, &row) in rows.iter().enumerate() {
            if self.is_done() {
                return;
            }
            self.pairs(&rows[..place], row);
        }
    }

    fn end(&mut self) {
        if let Some(took) = &mut self.took {
            let now = Instant::now();
            took.record(now - std::mem::replace(&mut self.since, now));
        }
    }

    fn is_done(&self) -> bool {
        let Shared { most, n_found, control, .. } = self.shared;
        n_found.load(Relaxed) > most || control.is_cancelled()
    }
}
