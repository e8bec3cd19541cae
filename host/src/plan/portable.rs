//! A plan as bytes: what was decided, without anything of the tables that it was decided on.
//!
//! Predicates are numbered as the rules have them, and steps and access paths name them by these numbers. So whoever has
//! tables of the same columns and the same rules can bind the plan to them: another process, or another machine.

use super::layout::PlannedStep;
use super::path::AccessPath;
use super::{Plan, Program, ScanOptions, access, sound};
use crate::base::error::{Error, Result};
use crate::encode::Encoded;
use crate::rules::{Predicate, Rule, RuleSet};
use rkyv::{Archive, Deserialize, Serialize};
use std::ops::Range;

/// The layout of the bytes. One with another number is not ours to read.
const VERSION: u32 = 2;

/// What a plan decided.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct PortablePlan {
    version: u32,
    /// As SQL, to tell whether rules are the same.
    rules: Vec<String>,
    steps: Vec<PlannedStep>,
    /// By branch, or part of one: its steps, and the path.
    paths: Vec<(Range<u32>, AccessPath)>,
}

impl PortablePlan {
    /// What a plan decided.
    pub fn of(plan: &Plan) -> Self {
        Self {
            version: VERSION,
            rules: texts(&plan.rules),
            steps: plan.steps().to_vec(),
            paths: plan.program().paths().to_vec(),
        }
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        rkyv::to_bytes::<rkyv::rancor::Error>(self)
            .map(|bytes| bytes.into_vec())
            .map_err(|error| Error::Internal(format!("the plan cannot be written: {error}")))
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut aligned = rkyv::util::AlignedVec::<16>::with_capacity(bytes.len());
        aligned.extend_from_slice(bytes);
        let read = rkyv::from_bytes::<Self, rkyv::rancor::Error>(&aligned);
        let plan = read.map_err(|error| Error::Job(format!("not a plan: {error}")))?;
        match plan.version {
            VERSION => Ok(plan),
            other => Err(Error::Job(format!("a plan of version {other}, and this program reads {VERSION}"))),
        }
    }

    /// The plan over an encoding of the predicates of these rules, which it must have been made for. Whatever was read, what
    /// comes of it is a program that can be walked, or an error.
    pub fn bind(&self, rules: &[Rule], encoded: &Encoded, options: ScanOptions) -> Result<Program> {
        let program = self.program(rules, encoded, options)?.with_paths(self.paths.clone());
        access::check(encoded, &program, program.walk()?).map_err(unsound)?;
        Ok(program)
    }

    fn program(&self, rules: &[Rule], encoded: &Encoded, options: ScanOptions) -> Result<Program> {
        self.check_rules(rules)?;
        let sound = sound::check(&self.steps, encoded.predicates.len(), rules.len());
        sound.map_err(|complaint| unsound(&complaint))?;
        Program::new(encoded, &self.steps, options)
    }

    fn check_rules(&self, rules: &[Rule]) -> Result<()> {
        match self.rules == texts(rules) {
            true => Ok(()),
            false => Err(Error::Job("the plan was made for other rules".into())),
        }
    }

    /// Some of its branches that follow each other, by their steps, over predicates of these rules.
    pub(crate) fn part(&self, rules: &RuleSet, steps: Range<u32>) -> Result<PlanPart> {
        self.check_rules(&rules.rules)?;
        sound::check(&self.steps, rules.predicates.len(), rules.rules.len())
            .map_err(|complaint| unsound(&complaint))?;
        let own = self.steps.get(steps.start as usize..steps.end as usize);
        let own = own.ok_or_else(|| unsound("a branch beyond its last step"))?;
        let asks = |step: &PlannedStep| match step {
            PlannedStep::Test { predicate, .. } => Some(*predicate),
            PlannedStep::Witness { .. } => None,
        };
        let mut predicates: Vec<u32> = own.iter().filter_map(asks).collect();
        predicates.sort_unstable();
        predicates.dedup();
        let mut goes_on = false;
        let shifted = |step: &PlannedStep| match *step {
            PlannedStep::Test { predicate, otherwise, bit } => PlannedStep::Test {
                predicate: predicates.partition_point(|known| *known < predicate) as u32,
                otherwise: otherwise - steps.start,
                bit,
            },
            PlannedStep::Witness { rule, then } => {
                // What it goes on with below its own branch may lead out of it.
                goes_on |= then < self.n_steps();
                PlannedStep::Witness { rule, then: then.min(steps.end) - steps.start }
            }
        };
        let shifted: Vec<PlannedStep> = own.iter().map(shifted).collect();
        sound::check(&shifted, predicates.len(), rules.rules.len())
            .map_err(|complaint| unsound(&complaint))?;
        let predicates = predicates.into_iter().map(|ix| rules.predicates[ix as usize].clone()).collect();
        Ok(PlanPart { steps: shifted, predicates, goes_on })
    }

    /// One past the last step.
    pub(crate) fn n_steps(&self) -> u32 {
        self.steps.len() as u32
    }
}

/// Some branches of a plan by themselves.
pub(crate) struct PlanPart {
    steps: Vec<PlannedStep>,
    /// What they ask, in the order in which they are to be encoded.
    pub(crate) predicates: Vec<Predicate>,
    /// Whether a rule of a later branch may come before one of these.
    pub(crate) goes_on: bool,
}

impl PlanPart {
    /// Over an encoding of its predicates, without paths.
    pub(crate) fn program(&self, encoded: &Encoded, options: ScanOptions) -> Result<Program> {
        Program::new(encoded, &self.steps, options)
    }
}

fn unsound(complaint: &str) -> Error {
    Error::Job(format!("the plan is damaged: {complaint}"))
}

fn texts(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(ToString::to_string).collect()
}
