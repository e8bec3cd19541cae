//! How the kernels that decide pairs walk a pair's path: step by step; or, to see what that is worth, by recursion; or step by
//! step with each step counted, for who wants to know what a job does. Each way is a file of kernels of its own.

use hyperblock_shared::columns::Columns;
use hyperblock_shared::counts::Counts;
use hyperblock_shared::path::{Branch, Walk};
use hyperblock_shared::text::Scratch;

/// A way to walk.
pub trait Way: Copy {
    /// Whether pairs are looked at by the heads of their values first, and only walked if they may hold.
    const GLANCES: bool = true;

    /// As `Walk::witness`.
    fn witness(
        self,
        path: Walk<'_>,
        branch: Branch,
        columns: &impl Columns,
        pair: (u32, u32),
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32>;
}

/// Step by step.
#[derive(Clone, Copy, Debug)]
pub struct StepByStep;

impl Way for StepByStep {
    #[inline(always)]
    fn witness(
        self,
        path: Walk<'_>,
        branch: Branch,
        columns: &impl Columns,
        (left, right): (u32, u32),
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        path.witness(branch, columns, left, right, scratch, &mut ())
    }
}

/// By recursion.
#[derive(Clone, Copy, Debug)]
pub struct ByDescent;

impl Way for ByDescent {
    #[inline(always)]
    fn witness(
        self,
        path: Walk<'_>,
        branch: Branch,
        columns: &impl Columns,
        (left, right): (u32, u32),
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        path.witness_by_descent(branch, columns, left, right, scratch)
    }
}

/// Step by step, and counted: without a glance, so that each pair is counted by the step that decides it.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a>(pub Counts<'a>);

impl Way for Counted<'_> {
    const GLANCES: bool = false;

    #[inline(always)]
    fn witness(
        self,
        path: Walk<'_>,
        branch: Branch,
        columns: &impl Columns,
        (left, right): (u32, u32),
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<u32> {
        let mut counts = self.0;
        path.witness(branch, columns, left, right, scratch, &mut counts)
    }
}
