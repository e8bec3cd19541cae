//! A path, archived: the form that backends walk, on the device too, where it lies.

use super::layout::PlannedStep;
use super::options::{PlanChoice, ScanOptions, WalkChoice, WitnessChoice};
use super::path::{AccessPath, SweepPath};
use crate::base::error::{Error, Result};
use crate::encode::Encoded;
use crate::plan::work::Taking;
use hyperblock_shared::counts::N_COUNTS;
use hyperblock_shared::measure::Measure;
use hyperblock_shared::path::{self, FORGOTTEN, Path, Walk};
use hyperblock_shared::predicate::{Predicate, Test};
use rkyv::util::AlignedVec;
use std::ops::Range;

/// The steps of a path, and the predicates of the encoding that it is walked over. What a plan calls a test of equality is a
/// shorter step here.
#[derive(Clone, Debug)]
pub struct Program {
    archive: AlignedVec,
    steps: Vec<PlannedStep>,
    branches: Vec<BranchSteps>,
    options: ScanOptions,
    paths: Vec<(Range<u32>, AccessPath)>,
    /// By path: what it is expected to take, if that is known.
    expected: Vec<Taking>,
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
    pub(super) fn new(encoded: &Encoded, planned: &[PlannedStep], options: ScanOptions) -> Result<Self> {
        Self::over_predicates(&encoded.predicates, planned, options)
    }

    fn over_predicates(
        predicates: &[Predicate],
        planned: &[PlannedStep],
        options: ScanOptions,
    ) -> Result<Self> {
        let n_steps = planned.len() as u32;
        let branches = match options.plan {
            PlanChoice::Cheapest => branches(planned, 0..n_steps),
            // One tree, of which nothing is asked by all rules.
            PlanChoice::Paper if n_steps > 0 => {
                vec![BranchSteps { steps: 0..n_steps, required: Vec::new(), children: Vec::new() }]
            }
            PlanChoice::Paper => Vec::new(),
        };
        let lowered = |step: &PlannedStep| match *step {
            PlannedStep::Test { predicate, otherwise, bit } => match predicates[predicate as usize] {
                Predicate {
                    test: Test::Compare { left, right, measure: Measure::Equal },
                    negated: false,
                } => path::Step::Equal { left, right, otherwise },
                _ => path::Step::Test { predicate, otherwise, bit },
            },
            PlannedStep::Witness { rule, then } => match options.witness {
                WitnessChoice::First => path::Step::Witness { rule, then },
                // One number for all, and nothing is gone on with.
                WitnessChoice::Any => path::Step::Witness { rule: 0, then: n_steps },
            },
        };
        let steps = &planned.iter().map(lowered).collect::<Vec<_>>();
        rkyv::to_bytes::<rkyv::rancor::Error>(&Path { predicates, steps })
            .map(|archive| {
                let (steps, paths, expected) = (planned.to_vec(), Vec::new(), Vec::new());
                Self { archive, steps, branches, options, paths, expected }
            })
            .map_err(|error| Error::Internal(format!("the path cannot be archived: {error}")))
    }

    /// One predicate, to see what it costs: what a candidate costs is no cost of the predicate's, so there is none. Its
    /// negation stands between it and the witness. Without a witness, kernels would see at a glance that there is nothing to
    /// find, and compute nothing.
    pub fn of_one(encoded: &Encoded, predicate: u32) -> Result<Self> {
        // Nothing leads the scan, and nothing is screened before it: that would be cheaper than the predicate.
        let options = ScanOptions { filter: false, ..ScanOptions::default() };
        let own = encoded.predicates[predicate as usize];
        let negation = Predicate { negated: !own.negated, ..own };
        let predicates: Vec<Predicate> = encoded.predicates.iter().copied().chain([negation]).collect();
        let test = |predicate| PlannedStep::Test { predicate, otherwise: 3, bit: FORGOTTEN };
        let last = encoded.predicates.len() as u32;
        let steps = [test(predicate), test(last), PlannedStep::Witness { rule: 0, then: 3 }];
        let program = Self::over_predicates(&predicates, &steps, options)?;
        let branches = vec![BranchSteps { steps: 0..3, required: Vec::new(), children: Vec::new() }];
        Ok(Self { branches, ..program }.with_paths(vec![(0..3, AccessPath::Sweep(SweepPath::default()))]))
    }

    /// Under other options. What it is made of stays: the tree, and which rule is named.
    pub(super) fn with_options(self, options: ScanOptions) -> Self {
        Self { options, ..self }
    }

    /// With the access paths of its branches, or of their parts: each by the steps it is of.
    pub(crate) fn with_paths(self, paths: Vec<(Range<u32>, AccessPath)>) -> Self {
        Self { paths, expected: Vec::new(), ..self }
    }

    /// With what each of them is expected to take.
    pub(super) fn expecting(self, expected: Vec<Taking>) -> Self {
        Self { expected, ..self }
    }

    /// What a path is expected to take; where that is not known, all take the same.
    pub(crate) fn expected(&self, path: usize) -> Taking {
        self.expected.get(path).copied().unwrap_or(Taking::UNKNOWN)
    }

    /// One more than the greatest rule that a witness names.
    pub fn n_rules(&self) -> u32 {
        let rule = |step: &PlannedStep| match step {
            PlannedStep::Witness { rule, .. } => rule + 1,
            PlannedStep::Test { .. } => 0,
        };
        self.steps.iter().map(rule).max().unwrap_or(0)
    }

    /// The same over a part of the encoding that it is over.
    pub fn over(&self, part: &Encoded) -> Result<Self> {
        let program = Self::new(part, &self.steps, self.options)?.with_paths(self.paths.clone());
        Ok(program.expecting(self.expected.clone()))
    }

    /// The same with one of its access paths alone: it finds the candidates of that path, which no other path finds.
    pub fn by_path(&self, nth: usize) -> Self {
        let paths = self.paths.get(nth).cloned().into_iter().collect();
        self.clone().with_paths(paths)
    }

    /// The same, with its steps counted as it is walked.
    pub fn counted(&self) -> Self {
        Self { options: ScanOptions { walk: WalkChoice::Counted, ..self.options }, ..self.clone() }
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

    /// How many counts its steps have, if they are counted.
    pub fn n_counts(&self) -> usize {
        if self.options.walk == WalkChoice::Counted { self.steps.len() * N_COUNTS } else { 0 }
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
