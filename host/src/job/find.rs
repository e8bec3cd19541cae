//! Other rules over the same tables: what fitting counts, and learns from.

use super::Prepared;
use super::several::sides;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::encode;
use crate::operators::Backend;
use crate::plan::cost::{self, CostModel};
use crate::plan::partition::whole;
use crate::plan::statistics::{Effort, Pairs};
use crate::plan::{Evidence, Plan, ScanOptions};
use crate::rules::{Rule, RuleSet};
use crate::run::loaded::Loaded;
use crate::run::schedule;
use hyperblock_shared::layout::Candidate;

impl Prepared {
    /// Hands the pairs that some of these rules allow, in order, to `sink`.
    pub(crate) fn find(
        &self,
        rules: Vec<Rule>,
        device: &dyn Backend,
        control: &Control,
        sink: &mut dyn FnMut(&[Candidate]) -> Result<()>,
    ) -> Result<()> {
        let rules = RuleSet::new(self.rules_across(rules));
        let is_one_table = self.right.is_none();
        let encoded = encode(&self.left, self.right.as_ref(), &rules.predicates, control)?;
        let (encoded, selection) = encoded.select(&rules.conjunctions, sides(&self.left, self.second()));
        let model = CostModel::builtin(device.kind())?.on(device.figures());
        let costs = cost::costs(&model, &encoded);
        let statistics = Pairs::new(&encoded, is_one_table, Effort::Quick)?.statistics()?;
        control.check()?;
        let beside = device.has_cpu_beside().then(|| cost::beside(&encoded, &costs)).transpose()?;
        let evidence = Evidence { statistics, costs, rates: model.rates(), beside, is_one_table };
        let plan = Plan::new(rules, &encoded, evidence, &[], ScanOptions::default())?;
        let mut loaded = Loaded::new(device, &encoded, plan.program())?;
        let area = whole(encoded.n_left, encoded.n_right, is_one_table);
        let before = control.mark();
        schedule::run(&mut loaded, vec![area], schedule::MOST_CANDIDATES, control, &mut |candidates| {
            selection.name(candidates);
            sink(candidates)
        })?;
        // These pairs are compared beside those that progress is told of.
        control.back_to(before);
        Ok(())
    }

    /// How many pairs some of these rules allow.
    pub(crate) fn count(&self, rules: Vec<Rule>, device: &dyn Backend, control: &Control) -> Result<u64> {
        let mut n = 0;
        self.find(rules, device, control, &mut |found| {
            n += found.len() as u64;
            Ok(())
        })?;
        Ok(n)
    }
}
