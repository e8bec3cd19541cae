//! Witnesses: who may allow a candidate, by name, and how many candidates each is the witness of.

use super::Prepared;
use hyperblock_shared::layout::Candidate;
use rayon::prelude::*;

impl Prepared {
    /// What may be the `rule` of a candidate: the names of the rules, then of the neighbourhoods; or of all pairs. Empty, if
    /// nobody is to be named.
    pub fn witnesses(&self) -> Vec<String> {
        self.names().map(|name| if self.names_rules { name.to_owned() } else { String::new() }).collect()
    }

    /// The one of those names that a candidate is told by, unless nobody is to be named.
    pub(crate) fn named(&self, witness: u32) -> Option<u32> {
        self.names_rules.then_some(witness)
    }

    /// The names of the rules, then of the neighbourhoods; or of all pairs.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let rules = self.plan.rules.iter().map(|rule| &rule.name);
        let neighbourhoods = self.neighbourhoods.iter().map(|near| &near.name);
        rules.chain(neighbourhoods).chain(self.all.iter().map(|all| &all.name)).map(String::as_str)
    }
}

/// How many candidates name each of so many rules.
pub(super) fn counts_by_rule(candidates: &[Candidate], n_rules: usize) -> Vec<u64> {
    let count = |candidates: &[Candidate]| {
        let mut counts = vec![0; n_rules];
        candidates.iter().for_each(|candidate| counts[candidate.rule as usize] += 1);
        counts
    };
    let add = |mut sums: Vec<u64>, counts: Vec<u64>| {
        sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
        sums
    };
    candidates.par_chunks(1 << 16).map(count).reduce(|| vec![0; n_rules], add)
}
