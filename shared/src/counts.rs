//! Counts of what the steps of a path did, taken as pairs are walked: for who wants to know where a job spends its time.
//!
//! A count for each step and each of [`TESTED`], [`COMPUTED`] and [`PASSED`], side by side. Whoever walks adds to them, so
//! all threads of a device may share one array.

use crate::path::Observer;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts of a step.
pub const N_COUNTS: usize = 3;
/// Pairs of records that came to it.
pub const TESTED: usize = 0;
/// How often its predicate was computed: not where it was known or remembered, and for two values once.
pub const COMPUTED: usize = 1;
/// Pairs of records that passed it.
pub const PASSED: usize = 2;

/// The counts of a path, [`N_COUNTS`] a step.
#[derive(Clone, Copy, Debug)]
pub struct Counts<'a>(pub &'a [AtomicU64]);

impl Counts<'_> {
    #[inline]
    fn add(self, step: u32, count: usize) {
        self.0[step as usize * N_COUNTS + count].fetch_add(1, Relaxed);
    }
}

impl Observer for Counts<'_> {
    #[inline]
    fn probed(&mut self, step: u32) {
        self.add(step, COMPUTED);
    }

    #[inline]
    fn tested(&mut self, step: u32, holds: bool, computed: bool) {
        self.add(step, TESTED);
        if computed {
            self.add(step, COMPUTED);
        }
        if holds {
            self.add(step, PASSED);
        }
    }

    #[inline]
    fn reached(&mut self, step: u32) {
        self.add(step, TESTED);
        self.add(step, PASSED);
    }
}
