//! The largest blocks: values that many records share, by the equalities of a rule.

use super::asked::{Asked, ShownValues};
use super::cut::shortened;
use super::records::Records;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::encode::{Fields, LargestBlock, Pipeline, TableOf};
use crate::job::Prepared;
use crate::rules::{Side, Test};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Blocks that are told of.
const MOST: usize = 20;
/// Keys of which blocks are counted, and characters of a value or a key.
const MOST_KEYS: usize = 30;
const MOST_TEXT: usize = 200;

/// A block, and whose it is.
#[derive(Clone, Debug)]
pub(super) struct Block {
    rule: usize,
    /// The equalities, by their places among the predicates.
    equalities: Vec<usize>,
    /// Its example is a record of the table.
    block: LargestBlock,
}

/// A rule, its equalities, and the columns that they compare.
type Key = (usize, Vec<usize>, Vec<(u32, u32)>);

/// The largest blocks of all rules, each key once.
pub(super) fn largest(job: &Prepared, control: &Control) -> Result<Vec<Block>> {
    let mut keys: Vec<Key> = Vec::new();
    for (rule, conjunction) in job.conjunctions() {
        let asked = conjunction.iter().filter_map(|&ix| Some((ix, job.encoded.equality(ix)?)));
        let (predicates, mut columns): (Vec<usize>, Vec<(u32, u32)>) = asked.unzip();
        columns.sort_unstable();
        let turned: Vec<(u32, u32)> = columns.iter().map(|&(left, right)| (right, left)).collect();
        let is_known = keys.iter().any(|(.., known)| *known == columns || *known == turned);
        if !columns.is_empty() && !is_known {
            keys.push((*rule, predicates, columns));
        }
    }
    keys.truncate(MOST_KEYS);
    let is_one_table = job.second().is_none();
    let tables = job.tables_across();
    let table_of = |record: u32| {
        let record = job.record(Side::Left, record);
        tables.iter().flatten().position(|records| records.contains(&record)).unwrap_or(0)
    };
    let table_of: Option<&TableOf<'_>> = tables.is_some().then_some(&table_of);
    let of = |(rule, equalities, columns): &Key| {
        control.check()?;
        let blocks = job.encoded.largest_blocks(columns, is_one_table, table_of, MOST, control);
        let named = blocks.into_iter().map(|block| {
            let (side, record) = block.example;
            let block = LargestBlock { example: (side, job.record(side, record)), ..block };
            Block { rule: *rule, equalities: equalities.clone(), block }
        });
        Ok(named.collect::<Vec<_>>())
    };
    let mut all = control.guard(|| keys.par_iter().map(of).gather_all())?.concat();
    all.sort_by_key(|it| (Reverse(it.block.n_pairs), it.rule, it.block.example));
    all.truncate(MOST);
    Ok(all)
}

/// A record of each.
pub(super) fn examples(blocks: &[Block]) -> Vec<(Side, u32)> {
    blocks.iter().map(|it| it.block.example).collect()
}

pub(super) fn section(blocks: &[Block], records: &Records, job: &Prepared, asked: &Asked) -> Result<Value> {
    let of = |Block { rule, equalities, block }: &Block| {
        let key = equalities.iter().filter_map(|&ix| job.plan.predicates.get(ix));
        let key: Vec<String> = key.map(ToString::to_string).collect();
        let value = match asked.values {
            ShownValues::None => None,
            ShownValues::Sample => Some(shortened(&value(equalities, block, records, job)?, MOST_TEXT)),
        };
        Ok(json!({
            "rule": job.plan.rules.get(*rule).map(|rule| shortened(&rule.name, MOST_TEXT)),
            "key": shortened(&key.join(" AND "), MOST_TEXT),
            "value": value,
            "records": block.n_records,
            "pairs": block.n_pairs,
        }))
    };
    blocks.iter().map(of).collect()
}

/// What the records of a block have in common.
fn value(equalities: &[usize], block: &LargestBlock, records: &Records, job: &Prepared) -> Result<String> {
    let (side, record) = block.example;
    let place = if side == Side::Left || job.second().is_none() { 0 } else { 1 };
    let (table, row) = (records.table(place), records.row(place, record)?);
    let mut values = Vec::new();
    for predicate in equalities.iter().filter_map(|&ix| job.plan.predicates.get(ix)) {
        let Test::Compare { left, right, .. } = &predicate.test else { continue };
        let operand = if side == Side::Left { left } else { right };
        let value = Pipeline::new(operand)?.apply(&Fields::of(table, operand)?.row(row)).map(String::from);
        values.push(operand.shown(value.unwrap_or_default()));
    }
    Ok(values.join(" and "))
}
