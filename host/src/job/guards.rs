//! Guards: what keeps a job from more than anybody wants.
//!
//! [`Guards::most_pairs`] ends a job that finds more. [`Guards::most_in_block`] leaves blocks out: for each conjunction of a
//! rule, the values of its own equalities that too many records share. That is said of rules and tables alone, so the answer
//! is the same whatever the plan, and it is told what was left out.

use super::texts::Texts;
use super::{Prepared, RuleSet};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::encode::{Block, Encoded, Fields, Pipeline};
use crate::rules::{Operand, Side, Test};
use crate::tell::left_out::LeftOut;
use hashbrown::HashMap;

/// What a job must not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// Candidates: of more, none is handed on any further, and the job ends in an error.
    pub most_pairs: Option<u64>,
    /// Records of a block: larger ones are left out.
    pub most_in_block: Option<u32>,
}

/// Values, with how many records share them.
type Blocks = Vec<(String, u64)>;

impl Prepared {
    /// How many records a block may have, if larger ones are left out.
    pub(crate) fn most_in_block(&self) -> Option<u32> {
        self.guards.most_in_block
    }
}

impl Guards {
    /// An error if so many candidates are too many.
    pub(super) fn check(&self, n_candidates: u64) -> Result<()> {
        match self.most_pairs {
            Some(most) if n_candidates > most => Err(Error::Job(format!(
                "there are more than {most} candidates, which is what --max-pairs allows; nothing was written: \
                 make the rules stricter, leave out large blocks with --max-block, or allow more"
            ))),
            _ => Ok(()),
        }
    }

    /// Leaves out the blocks that are too large, and says which.
    pub(super) fn leave_out(
        &self,
        rules: &mut RuleSet,
        encoded: &mut Encoded,
        texts: &mut Texts<'_>,
        control: &Control,
    ) -> Result<Vec<LeftOut>> {
        let sides = texts.sides();
        let Some(most) = self.most_in_block else { return Ok(Vec::new()) };
        // By the equalities of a conjunction: what stands in for the first of them, if anything is left out, and what.
        let mut known: HashMap<Vec<usize>, (Option<usize>, Blocks)> = HashMap::new();
        let mut all: Vec<(usize, LeftOut)> = Vec::new();
        for (conjunction, rule) in rules.owners().enumerate().collect::<Vec<_>>() {
            let mut asked = rules.conjunctions[conjunction].clone();
            asked.retain(|&predicate| encoded.equality(predicate).is_some());
            asked.sort_unstable();
            let Some(&first) = asked.first() else { continue };
            if !known.contains_key(&asked) {
                let columns: Vec<_> = asked.iter().filter_map(|&ix| encoded.equality(ix)).collect();
                let large = encoded.large_blocks(&columns, most, &sides, control);
                let told = told(&large.blocks, rules, &asked, texts, control)?;
                let narrower = (!told.is_empty()).then(|| {
                    encoded.without(columns[0], &large);
                    rules.narrower(first)
                });
                known.insert(asked.clone(), (narrower, told));
            }
            let (Some(narrower), blocks) = &known[&asked] else { continue };
            rules.replace(conjunction, first, *narrower);
            // In one table a conjunction has its mirror image beside it, and the same blocks.
            if !all.iter().any(|(other, left_out)| *other == rule && left_out.blocks == *blocks) {
                let equalities = asked.iter().map(|&ix| rules.predicates[ix].to_string()).collect::<Vec<_>>();
                let (name, blocks) = (rules.rules[rule].name.clone(), blocks.clone());
                all.push((rule, LeftOut { rule: name, equalities: equalities.join(" AND "), most, blocks }));
            }
        }
        Ok(all.into_iter().map(|(_, left_out)| left_out).collect())
    }
}

/// The values of blocks, and how many records share them.
fn told(
    blocks: &[Block],
    rules: &RuleSet,
    equalities: &[usize],
    texts: &mut Texts<'_>,
    control: &Control,
) -> Result<Blocks> {
    if blocks.is_empty() {
        return Ok(Vec::new());
    }
    let compared = |&equality: &usize| match &rules.predicates[equality].test {
        Test::Compare { left, right, .. } => Some((left, right)),
        Test::Value { .. } => None,
    };
    let compared: Vec<_> = equalities.iter().filter_map(compared).collect();
    let operands: Vec<&Operand> = compared.iter().flat_map(|(left, right)| [*left, *right]).collect();
    texts.with(&operands, control, |left, right| {
        let told = |block: &Block| {
            let (side, record) = block.example;
            let mut texts = Vec::new();
            for (of_left, of_right) in &compared {
                let is_left = side == Side::Left;
                let (table, operand) =
                    if is_left { (left, of_left) } else { (right.unwrap_or(left), of_right) };
                let fields = Fields::of(table, operand)?;
                let value = Pipeline::new(operand)?.apply(&fields.row(table.ids.row(record)));
                let value = operand.shown(value.unwrap_or_default().into_owned());
                texts.push(format!("\"{value}\""));
            }
            Ok((texts.join(" and "), block.n_records))
        };
        blocks.iter().map(told).collect()
    })
}
