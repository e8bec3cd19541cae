//! Passing: how many pairs each step of a path lets through, and how many name each rule. Pairs are drawn from everywhere and from
//! where each predicate holds, and the path is walked for them.

use super::strata::{Drawn, Stratum};
use super::{Pairs, Shortened};
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::base::random::Random;
use crate::plan::layout::PlannedStep;
use crate::plan::path::AccessPath;
use crate::plan::program::{BranchSteps, Program};
use hyperblock_shared::path::{Branch, Observer, UNKNOWN, Walk};
use hyperblock_shared::predicate::Test;
use rayon::prelude::*;

/// What becomes of pairs, by step of a path: expected numbers.
#[derive(Clone, Debug, Default)]
pub struct Passing {
    /// Whether all pairs were looked at.
    pub is_counted: bool,
    /// Those that pass it, of all that its branch is walked for.
    pub passed: Vec<f64>,
    /// The same of those that the branch's access path brings: what that rejects comes to no step.
    pub brought: Vec<f64>,
    /// Of the first step of a branch: candidates of the branch, which no branch before it finds.
    pub found: Vec<f64>,
    /// Of a witness: candidates that name its rule by it. Where a rule stands in several places, each is of the first that holds.
    pub named: Vec<f64>,
}

impl Passing {
    /// All candidates: each names one rule by one witness, and of a witness more is known than of a branch.
    pub fn n_candidates(&self) -> f64 {
        self.named.iter().sum()
    }
}

impl Pairs<'_> {
    /// What becomes of pairs at each step of a path. `prefixes` gives for each step the predicates that hold on every pair that
    /// passes it.
    pub fn passing(
        &mut self,
        program: &Program,
        steps: &[PlannedStep],
        prefixes: &[Vec<u32>],
    ) -> Result<Passing> {
        let path = Branches::new(program, steps, prefixes)?;
        if self.population.n_pairs() <= self.spending.n_walks as f64 {
            let mut all = vec![[0.0; KINDS]; steps.len()];
            let mut noted = Noted::default();
            for Drawn { left, right, .. } in self.population.every() {
                path.walk(&self.values, (left, right), self.scratch.as_mut_slice(), &mut noted);
                noted.each(|step, kind| all[step as usize][kind] += 1.0);
            }
            return Ok(Passing { is_counted: true, ..by_kind(all) });
        }
        self.population.prepare();
        let encoded = self.population.encoded;
        let drives = |predicate: u32| {
            let predicate = encoded.predicates[predicate as usize];
            !predicate.negated && matches!(predicate.test, Test::Compare { .. })
        };
        let mut best: Vec<[Option<Estimate>; KINDS]> = vec![[None; KINDS]; steps.len()];
        // From everywhere first; then from where each predicate holds, for the steps behind it.
        let mut drivers: Vec<u32> =
            prefixes.iter().flatten().copied().filter(|&predicate| drives(predicate)).collect();
        drivers.sort_unstable();
        drivers.dedup();
        let drivers: Vec<Option<u32>> = std::iter::once(None).chain(drivers.into_iter().map(Some)).collect();
        let estimates = |driver: &Option<u32>| {
            let strata = match driver {
                None => vec![Stratum::All],
                Some(driver) => self.population.strata(&encoded.predicates[*driver as usize].test),
            };
            self.walked(&path, steps.len(), &strata, *driver)
        };
        let estimates: Vec<_> = drivers.par_iter().map(estimates).gather();
        for (driver, estimates) in drivers.into_iter().zip(estimates) {
            for (ix, estimates) in estimates.into_iter().enumerate() {
                for (kind, estimate) in estimates.into_iter().enumerate() {
                    let holds = |driver: u32| match kind {
                        BROUGHT => prefixes[ix].contains(&driver) || path.asked[ix].contains(&driver),
                        FOUND => path.required[ix].contains(&driver),
                        _ => prefixes[ix].contains(&driver),
                    };
                    let best = &mut best[ix][kind];
                    if driver.is_none_or(holds) && best.is_none_or(|best| estimate.error() < best.error()) {
                        *best = Some(estimate);
                    }
                }
            }
        }
        // Of large tables some records are looked at.
        let scale = self.population.all_pairs() / self.population.n_pairs().max(1.0);
        let pairs = |estimate: Option<Estimate>| estimate.map_or(0.0, |estimate| scale * estimate.pairs);
        Ok(by_kind(best.into_iter().map(|kinds| kinds.map(pairs))))
    }

    fn walked(
        &self,
        path: &Branches<'_>,
        n_steps: usize,
        strata: &[Stratum],
        driver: Option<u32>,
    ) -> Vec<[Estimate; KINDS]> {
        let mut estimates = vec![[Estimate::default(); KINDS]; n_steps];
        let mut random = Random::new(super::SEED ^ 0xffff ^ u64::from(driver.unwrap_or(u32::MAX)));
        let n_draws = self.spending.n_walks;
        let (mut noted, mut scratch) = (Noted::default(), vec![0; self.scratch.len()]);
        for stratum in strata {
            let mut sums = vec![[(0.0, 0.0); KINDS]; n_steps];
            for _ in 0..n_draws {
                let Some(drawn) = self.population.draw(stratum, &mut random) else { continue };
                path.walk(&self.values, (drawn.left, drawn.right), &mut scratch, &mut noted);
                noted.each(|step, kind| {
                    let (sum, squares) = &mut sums[step as usize][kind];
                    *sum += drawn.weight;
                    *squares += drawn.weight * drawn.weight;
                });
            }
            let (total, n) = (self.population.total(stratum), n_draws as f64);
            for (estimate, (sum, squares)) in estimates.iter_mut().flatten().zip(sums.into_iter().flatten()) {
                let mean = sum / n;
                estimate.pairs += total * mean;
                // A stratum in which nothing was met may still hold about as much as one draw stands for.
                let variance = if sum > 0.0 { squares / n - mean * mean } else { 1.0 / n };
                estimate.variance += total * total * variance / n;
            }
        }
        estimates
    }
}

/// What is estimated of a step, as [`Passing`] has it.
const KINDS: usize = 4;
const PASSED: usize = 0;
const BROUGHT: usize = 1;
const FOUND: usize = 2;
const NAMED: usize = 3;

fn by_kind(all: impl IntoIterator<Item = [f64; KINDS]>) -> Passing {
    let mut passing = Passing::default();
    for [passed, brought, found, named] in all {
        passing.passed.push(passed);
        passing.brought.push(brought);
        passing.found.push(found);
        passing.named.push(named);
    }
    passing
}

/// A number of pairs, and how far off it may be.
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    pairs: f64,
    variance: f64,
}

impl Estimate {
    /// Relative to the number itself, so that something found beats nothing found.
    fn error(&self) -> f64 {
        self.variance.sqrt() / self.pairs.max(1e-9)
    }
}

/// A path, branch by branch, as it is scanned.
struct Branches<'a> {
    walk: Walk<'a>,
    branches: Vec<Branch>,
    prefixes: &'a [Vec<u32>],
    /// By step: the predicates beside its prefix that hold on what its access path brings.
    asked: Vec<Vec<u32>>,
    /// By step: of the first of a branch the predicates that hold on all candidates of the branch.
    required: Vec<Vec<u32>>,
    /// By rule: its witnesses, in order.
    witnesses: Vec<Vec<u32>>,
}

impl<'a> Branches<'a> {
    fn new(program: &'a Program, steps: &[PlannedStep], prefixes: &'a [Vec<u32>]) -> Result<Self> {
        let branch = |it: &BranchSteps| Branch { from: it.steps.start, upto: it.steps.end, known: UNKNOWN };
        let branches = program.branches().iter().map(branch).collect();
        let mut required = vec![Vec::new(); steps.len()];
        for branch in program.branches().iter().filter(|branch| !branch.steps.is_empty()) {
            let predicates = branch.required.iter().map(|(_, predicate)| *predicate);
            required[branch.steps.start as usize] = predicates.collect();
        }
        let mut asked = vec![Vec::new(); steps.len()];
        for (own, path) in program.paths() {
            let predicates = match path {
                // An inner lead is one of heavy keys alone.
                AccessPath::Join(path) => path.equalities.clone(),
                AccessPath::Sweep(_) | AccessPath::Overlap(_) => path.predicates(),
            };
            for step in own.clone() {
                let prefix = &prefixes[step as usize];
                asked[step as usize] =
                    predicates.iter().copied().filter(|predicate| !prefix.contains(predicate)).collect();
            }
        }
        let mut witnesses: Vec<Vec<u32>> = Vec::new();
        for (step, kind) in (0..).zip(steps) {
            if let PlannedStep::Witness { rule, .. } = kind {
                let rule = *rule as usize;
                witnesses.resize(witnesses.len().max(rule + 1), Vec::new());
                witnesses[rule].push(step);
            }
        }
        Ok(Self { walk: program.walk()?, branches, prefixes, asked, required, witnesses })
    }

    /// Notes what becomes of a pair.
    fn walk(&self, values: &Shortened<'_>, pair: (u32, u32), scratch: &mut [u64], noted: &mut Noted) {
        let (left, right) = pair;
        noted.passed.clear();
        (noted.found, noted.named) = (None, None);
        for &branch in &self.branches {
            let rule = self.walk.witness(branch, values, left, right, scratch, noted);
            let witnesses = rule.and_then(|rule| self.witnesses.get(rule as usize));
            if let Some(witnesses) = witnesses {
                noted.found = Some(branch.from);
                let mut holds = |predicates: &[u32]| {
                    predicates.iter().all(|&ix| values.holds(self.walk, ix, left, right, scratch))
                };
                noted.named = witnesses.iter().copied().find(|&step| holds(&self.prefixes[step as usize]));
            }
        }
        noted.brought.clear();
        for &step in &noted.passed {
            let asked = &self.asked[step as usize];
            if asked.iter().all(|&ix| values.holds(self.walk, ix, left, right, scratch)) {
                noted.brought.push(step);
            }
        }
    }
}

/// What became of a pair.
#[derive(Default)]
struct Noted {
    /// The steps that it passes.
    passed: Vec<u32>,
    /// Those of them that it is brought to.
    brought: Vec<u32>,
    /// Where the branch begins that it is a candidate of.
    found: Option<u32>,
    /// The witness that it is named by.
    named: Option<u32>,
}

impl Noted {
    fn each(&self, mut of: impl FnMut(u32, usize)) {
        self.passed.iter().for_each(|&step| of(step, PASSED));
        self.brought.iter().for_each(|&step| of(step, BROUGHT));
        self.found.iter().for_each(|&step| of(step, FOUND));
        self.named.iter().for_each(|&step| of(step, NAMED));
    }
}

impl Observer for Noted {
    fn probed(&mut self, _: u32) {}

    fn tested(&mut self, step: u32, holds: bool, _: bool) {
        if holds {
            self.passed.push(step);
        }
    }

    fn reached(&mut self, step: u32) {
        self.passed.push(step);
    }
}
