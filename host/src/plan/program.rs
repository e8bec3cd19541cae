//! A path, archived: the form that backends walk, on the device too, where it lies.

use super::ScanOptions;
use super::layout::PlannedStep;
use super::path::{AccessPath, SweepPath};
use crate::base::error::{Error, Result};
use crate::encode::Encoded;
use hyperblock_shared::measure::Measure;
use hyperblock_shared::path::{self, FORGOTTEN, Path, Walk};
use hyperblock_shared::predicate::{Predicate, Test};
use rkyv::util::AlignedVec;
use std::ops::Range;

/// The steps of a path, and the predicates of the encoding that it is walked over. What a plan calls a test of equality is a
/// shorter step here.
#[derive(Debug)]
pub struct Program {
    archive: AlignedVec,
    branches: Vec<BranchSteps>,
    options: ScanOptions,
    paths: Vec<(Range<u32>, AccessPath)>,
}

/// A branch of the tree as steps of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchSteps {
    /// The branch's own steps.
    pub steps: Range<u32>,
    /// Its steps that every rule of it asks for, with their predicates: any of them may lead its scan.
    pub required: Vec<(u32, u32)>,
    /// What stands below those, if it is several subtrees: branches too, of pairs on which the required predicates hold.
    pub children: Vec<Self>,
}

impl Program {
    pub(super) fn new(encoded: &Encoded, steps: &[PlannedStep], options: ScanOptions) -> Result<Self> {
        let branches = branches(steps, 0..steps.len() as u32);
        let lowered = |step: &PlannedStep| match *step {
            PlannedStep::Test { predicate, otherwise, bit } => match encoded.predicates[predicate as usize] {
                Predicate {
                    test: Test::Compare { left, right, measure: Measure::Equal },
                    negated: false,
                } => path::Step::Equal { left, right, otherwise },
                _ => path::Step::Test { predicate, otherwise, bit },
            },
            PlannedStep::Witness { rule, then } => path::Step::Witness { rule, then },
        };
        let steps = &steps.iter().map(lowered).collect::<Vec<_>>();
        rkyv::to_bytes::<rkyv::rancor::Error>(&Path { predicates: &encoded.predicates, steps })
            .map(|archive| Self { archive, branches, options, paths: Vec::new() })
            .map_err(|error| Error::Internal(format!("the path cannot be archived: {error}")))
    }

    /// One predicate and no witness, to see what it costs: what a candidate costs is no cost of the predicate's.
    pub fn of_one(encoded: &Encoded, predicate: u32) -> Result<Self> {
        // Nothing leads the scan, and nothing is screened before it: that would be cheaper than the predicate.
        let options = ScanOptions { filter: false, ..ScanOptions::default() };
        let program =
            Self::new(encoded, &[PlannedStep::Test { predicate, otherwise: 1, bit: FORGOTTEN }], options)?;
        Ok(program.with_paths(vec![(0..1, AccessPath::Sweep(SweepPath::default()))]))
    }

    /// With the access paths of its branches, or of their parts: each by the steps it is of.
    pub(super) fn with_paths(self, paths: Vec<(Range<u32>, AccessPath)>) -> Self {
        Self { paths, ..self }
    }

    /// By which path each branch, or part of one, comes by its pairs.
    pub fn paths(&self) -> &[(Range<u32>, AccessPath)] {
        &self.paths
    }

    /// Ready to be walked.
    pub fn walk(&self) -> Result<Walk<'_>> {
        rkyv::access::<rkyv::Archived<Path<'_>>, rkyv::rancor::Error>(&self.archive)
            .map(|path| path.walk())
            .map_err(|error| Error::Internal(format!("the path's archive is damaged: {error}")))
    }

    /// The bytes, for a device to read in place.
    pub fn bytes(&self) -> &[u8] {
        &self.archive
    }

    /// The branches, in order.
    pub fn branches(&self) -> &[BranchSteps] {
        &self.branches
    }

    /// How it is to be scanned.
    pub fn options(&self) -> ScanOptions {
        self.options
    }
}

/// Sibling subtrees, each with the tests that lead to all of its witnesses: from its first step down, as long as a step has
/// one child and no witness beside it.
fn branches(steps: &[PlannedStep], within: Range<u32>) -> Vec<BranchSteps> {
    let mut siblings = Vec::new();
    let mut from = within.start;
    while from < within.end {
        let upto = match steps[from as usize] {
            PlannedStep::Test { otherwise, .. } => otherwise,
            PlannedStep::Witness { .. } => from + 1,
        };
        let required: Vec<(u32, u32)> = (from..upto)
            .map_while(|ix| match steps[ix as usize] {
                PlannedStep::Test { predicate, otherwise, .. } if otherwise == upto => Some((ix, predicate)),
                _ => None,
            })
            .collect();
        let below = from + required.len() as u32;
        let children = if required.is_empty() { Vec::new() } else { branches(steps, below..upto) };
        let children = if children.len() > 1 { children } else { Vec::new() };
        siblings.push(BranchSteps { steps: from..upto, required, children });
        from = upto;
    }
    siblings
}
