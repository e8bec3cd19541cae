//! Several tables as one, of which records of different ones alone make pairs.
//!
//! Pairs within a table are no pairs then: nothing decides them, nobody has to find them, and no entity says them. A truth that says
//! that such records match still tells what an entity is. Whatever is counted of pairs within entities is what there is of all records
//! less what there is within each table, which parts of entities say that are of one table each.

use super::counts::{Sum, plain};
use super::{Known, Matches, NONE, Truth};
use crate::read::table::Ids;
use hashbrown::{HashMap, HashSet};
use std::ops::Range;

impl Truth {
    /// Itself, of the tables that ids are of, where pairs are of different ones alone.
    pub(super) fn across(mut self, ids: &Ids) -> Self {
        self.ends = ids.tables().map(|(_, records)| records.end).collect();
        let tables = self.tables();
        let mut matches = std::mem::replace(&mut self.matches, Matches::Labels(HashMap::new()));
        match &mut matches {
            Matches::Pairs(pairs) => {
                let n_apart = pairs.iter().filter(|(a, b)| self.is_apart(*a, *b)).count();
                self.to_find = Sum::of(n_apart as u64);
                self.coverage.n_decided -= tables.iter().map(|it| n_pairs(it.len() as u64)).sum::<u64>();
            }
            Matches::Entities(named) => {
                for table in tables {
                    let mut n_named = 0;
                    for (entity, n) in sizes(&named.left[to_usize(&table)]) {
                        named.of[entity as usize].size.within += n_pairs(n);
                        n_named += n;
                    }
                    self.coverage.n_decided -= n_pairs(n_named);
                }
                self.to_find = Sum::of(named.of.iter().map(|known| known.size.n_pairs(true)).sum());
            }
            Matches::Labels(labels) => {
                labels.retain(|&(left, right), _| self.is_apart(left, right));
                self.to_find = Sum::default();
                labels.values().filter(|it| it.is_match).for_each(|it| self.to_find.add(it.weight));
                let named: HashSet<u32> = labels.keys().flat_map(|&(left, right)| [left, right]).collect();
                self.coverage.n_decided = labels.len() as u64;
                self.coverage.n_named = named.len() as u64;
            }
        }
        self.matches = matches;
        self
    }

    /// Whether two records may make a pair: of different tables, where that counts.
    pub(super) fn is_apart(&self, one: u32, other: u32) -> bool {
        self.ends.is_empty() || self.table_of(one) != self.table_of(other)
    }

    fn table_of(&self, record: u32) -> usize {
        self.ends.partition_point(|&end| end <= record)
    }

    /// The records of each table, where pairs within one do not count.
    fn tables(&self) -> Vec<Range<u32>> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start..end).collect()
    }

    /// Of each record the part of its entity that is of its table, where pairs within one do not count.
    pub(super) fn parts(&self, entities: &[u32]) -> Option<Vec<u32>> {
        if self.ends.is_empty() {
            return None;
        }
        let mut numbers = HashMap::new();
        let number = |(record, &entity): (u32, &u32)| {
            let next = numbers.len() as u32;
            *numbers.entry((self.table_of(record), entity)).or_insert(next)
        };
        Some((0..).zip(entities).map(number).collect())
    }

    /// How many pairs of records of different entities there are, if each entity stands for so many.
    pub(super) fn between(&self, known: &[Known], left: &[u32]) -> f64 {
        let all = known.iter().map(|it| (it.weight, [it.size.left, it.size.right]));
        let of_table = |table: &Range<u32>| {
            let sizes = sizes(&left[to_usize(table)]);
            between(sizes.into_iter().map(|(entity, n)| (known[entity as usize].weight, [n, 0])), true)
        };
        between(all, self.n_right.is_none()) - self.tables().iter().map(of_table).sum::<f64>()
    }
}

/// The same of entities with so many left and right records.
fn between(entities: impl Iterator<Item = (u64, [u64; 2])>, is_one_table: bool) -> f64 {
    let pairs = |[left, right]: [f64; 2]| if is_one_table { left * left / 2.0 } else { left * right };
    let (mut own, mut all) = (0.0, [0.0; 2]);
    for (weight, sizes) in entities {
        let sizes = sizes.map(|n| plain(weight.into()) * n as f64);
        own += pairs(sizes);
        all = [all[0] + sizes[0], all[1] + sizes[1]];
    }
    pairs(all) - own
}

/// How many records each entity has that is there, in order.
fn sizes(entities: &[u32]) -> Vec<(u32, u64)> {
    let mut there: Vec<u32> = entities.iter().copied().filter(|entity| *entity != NONE).collect();
    there.sort_unstable();
    there.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
}

fn n_pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

fn to_usize(records: &Range<u32>) -> Range<usize> {
    records.start as usize..records.end as usize
}
