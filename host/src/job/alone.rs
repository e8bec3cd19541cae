//! One rule alone: the plan that it would have if it were the only one, over what is encoded already.

use super::Prepared;
use crate::base::error::Result;
use crate::plan::{Evidence, Plan, ScanOptions};
use crate::rules::{Rule, RuleSet};

impl Prepared {
    /// The plan of a rule, by its place in the file.
    pub(crate) fn alone(&self, rule: usize) -> Result<Plan> {
        let Plan { rules, predicates, statistics, costs, rates, beside, .. } = &self.plan;
        let own = |(nth, one): (usize, &Rule)| {
            let conjunctions = if nth == rule { one.conjunctions.clone() } else { Vec::new() };
            Rule { name: one.name.clone(), conjunctions }
        };
        // Predicates keep the numbers that they have beside those of the other rules.
        let numbered = self.conjunctions.iter().filter(|(owner, _)| *owner == rule);
        let set = RuleSet::of_encoded(
            rules.iter().enumerate().map(own).collect(),
            predicates.clone(),
            numbered.map(|(_, conjunction)| conjunction.clone()).collect(),
        );
        let evidence = Evidence {
            statistics: statistics.clone(),
            costs: costs.clone(),
            rates: *rates,
            beside: *beside,
            is_one_table: self.right.is_none(),
        };
        Plan::new(set, &self.encoded, evidence, &[], ScanOptions::default())
    }
}
