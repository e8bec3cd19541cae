//! The plan: how the rules are evaluated.
//!
//! For now one access path, the scan of all pairs, and one order, that of the file: conjunction after conjunction,
//! predicate after predicate, laid out as a path (`hyperblock_shared::path`). The path is archived once; backends walk
//! the archive where it lies, on the device too.

use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::grouped::grouped;
use crate::rules::{Predicate, Rule};
use hyperblock_shared::path::{ArchivedPath, FORGOTTEN, Path, Step};
use rkyv::util::AlignedVec;
use std::fmt;

/// A plan for one job.
#[derive(Debug)]
pub struct Plan {
    rules: Vec<Rule>,
    predicates: Vec<Predicate>,
    steps: Vec<Step>,
    archive: AlignedVec,
}

impl Plan {
    /// Plans the evaluation of `rules` over their `encoded` predicates, which are `predicates` in that order.
    pub fn new(rules: Vec<Rule>, predicates: Vec<Predicate>, encoded: &Encoded) -> Result<Self> {
        let steps = lay_out(&rules, &predicates)?;
        let archive = archive(encoded, &steps)?;
        Ok(Self { rules, predicates, steps, archive })
    }

    /// A plan that makes one test of every pair and keeps no candidate: for measuring what the test costs.
    pub fn of_one(encoded: &Encoded, predicate: usize) -> Result<Self> {
        // Without a witness: what a candidate costs is no cost of the predicate's.
        let steps = vec![Step::Test { predicate: predicate as u32, otherwise: u32::MAX, bit: FORGOTTEN }];
        let archive = archive(encoded, &steps)?;
        Ok(Self { rules: Vec::new(), predicates: Vec::new(), steps, archive })
    }

    /// The same plan over a part of the encoding it was made for.
    pub fn over(&self, part: &Encoded) -> Result<Self> {
        let Self { rules, predicates, steps, .. } = self;
        let archive = archive(part, steps)?;
        Ok(Self { rules: rules.clone(), predicates: predicates.clone(), steps: steps.clone(), archive })
    }

    /// The path in the form that backends walk.
    pub fn path(&self) -> Result<&ArchivedPath<'_>> {
        rkyv::access::<_, rkyv::rancor::Error>(&self.archive)
            .map_err(|error| Error::Internal(format!("the path's archive is damaged: {error}")))
    }

    /// The bytes of that form, for a device to read in place.
    pub fn archive(&self) -> &[u8] {
        &self.archive
    }

    /// The rules, in file order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

fn archive(encoded: &Encoded, steps: &[Step]) -> Result<AlignedVec> {
    rkyv::to_bytes::<rkyv::rancor::Error>(&Path { predicates: &encoded.predicates, steps })
        .map_err(|error| Error::Internal(format!("the path cannot be archived: {error}")))
}

/// One conjunction after the other; a predicate that fails sends the pair on to the next conjunction.
fn lay_out(rules: &[Rule], predicates: &[Predicate]) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    for (rule, conjunction) in
        (0..).zip(rules).flat_map(|(ix, rule)| rule.conjunctions.iter().map(move |c| (ix, c)))
    {
        let otherwise = (steps.len() + conjunction.len() + 1) as u32;
        for predicate in conjunction {
            let ix = predicates.iter().position(|other| other == predicate);
            let predicate =
                ix.ok_or_else(|| Error::Internal(format!("`{predicate}` was not encoded")))? as u32;
            steps.push(Step::Test { predicate, otherwise, bit: FORGOTTEN });
        }
        steps.push(Step::Witness { rule, then: u32::MAX });
    }
    Ok(steps)
}

/// A plan beside what it was made for, as `explain` shows it.
pub struct Explained<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// What it runs over.
    pub encoded: &'a Encoded,
    /// The number of pairs to compare.
    pub n_pairs: u64,
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, encoded, n_pairs } = self;
        let (left, right) = (grouped(encoded.n_left.into()), grouped(encoded.n_right.into()));
        writeln!(f, "Scan: all pairs, left={left}, right={right}, pairs={}", grouped(*n_pairs))?;
        let mut steps = plan.steps.iter().enumerate();
        for rule in &plan.rules {
            writeln!(f, "  Rule: {}", rule.name)?;
            for _ in
                rule.conjunctions.iter().flat_map(|conjunction| conjunction.iter().map(|_| ()).chain([()]))
            {
                match steps.next() {
                    Some((ix, Step::Test { predicate, otherwise, .. })) => {
                        writeln!(
                            f,
                            "    {ix:>3}  {}, else {otherwise}",
                            plan.predicates[*predicate as usize]
                        )?;
                    }
                    Some((ix, Step::Witness { .. })) => writeln!(f, "    {ix:>3}  witness")?,
                    None => {}
                }
            }
        }
        writeln!(f, "Domains: {}, device bytes={}", encoded.domains.len(), grouped(encoded.n_bytes()))?;
        for domain in &encoded.domains {
            write!(f, "  {}: values={}", domain.operands.join(", "), grouped(domain.n_values as u64))?;
            match domain.symbols {
                Some((bits, longest)) => writeln!(f, ", symbol bits={bits}, longest={longest}")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}
