//! Sweeps within groups: only records of the same group are compared, in the order of a lead.
//!
//! The lists of all groups stand one after the other, each in the lead's order. An item never has records of two groups, an
//! interval never leaves its group, and neither does its reach: backends see a sweep like any other.

use super::lead::Lead;
use super::list::{ListKey, place, sketched};
use super::reach::Meeting;
use super::{Block, ItemList, Sweep, settings};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::encode::Encoded;
use crate::plan::{BranchSteps, Program};
use hyperblock_shared::columns::Columns;
use hyperblock_shared::sweep::Order;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Records of one side, group by group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// By group: where its records start, and at the end, how many there are.
    pub(crate) starts: Vec<u32>,
    /// The records, by group.
    pub(crate) records: Vec<u32>,
}

impl Groups {
    /// How many groups there are.
    pub(crate) fn len(&self) -> u32 {
        self.starts.len().saturating_sub(1) as u32
    }
}

/// A list of items, and by group, which of them are its own.
struct Listed {
    list: Arc<ItemList>,
    ranges: Vec<Range<u32>>,
}

impl Sweep {
    /// The sweep of a branch over the pairs of records that are in the same group left and right. Groups of one side are
    /// those of both if pairs are unordered. Also, by group, its items left and right.
    pub(crate) fn within(
        encoded: &Encoded,
        program: &Program,
        (branch, lead): (&BranchSteps, &Lead),
        [left, right]: [&Groups; 2],
        block: &Block,
        order: Order,
    ) -> Result<(Self, Vec<[Range<u32>; 2]>)> {
        let (walk, options) = (program.walk()?, program.options());
        let [left_key, right_key] = lead.lists(block);
        let lefts = Listed::new(encoded, &left_key, left)?;
        let rights = match order {
            Order::Unordered => None,
            Order::AsTheyAre | Order::Ascending => Some(Listed::new(encoded, &right_key, right)?),
        };
        let rights = rights.as_ref().unwrap_or(&lefts);
        let lists = [lefts.list.clone(), rights.list.clone()];
        let ranges = lefts.ranges.iter().zip(&rights.ranges);
        let ranges: Vec<[Range<u32>; 2]> =
            ranges.map(|(left, right)| [left.clone(), right.clone()]).collect();
        let meeting = Meeting::new(lead, walk, order, options.interval);
        let intervals = ranges
            .par_iter()
            .with_min_len((ranges.len() / MOST_PARTS).clamp(1, GROUPS_AT_ONCE))
            .flat_map_iter(|ranges| meeting.intervals(&lists, ranges.clone()))
            .collect();
        let settings = settings(branch, lead, order, &options);
        Ok((Self::new(lists, intervals, settings, options.stretch)?, ranges))
    }
}

/// Groups that a thread takes at a time, at most; fewer, where there would not be so many parts.
const GROUPS_AT_ONCE: usize = 64;
const MOST_PARTS: usize = 256;

impl Listed {
    fn new(encoded: &Encoded, key: &ListKey, groups: &Groups) -> Result<Self> {
        let of = key.of.ok_or_else(|| Error::Internal("a sweep within groups has no lead".into()))?;
        let codes = encoded.codes(of.operand);
        // Groups are sorted apart: most of them are small, and none waits for another.
        let group = |ends: &[u32]| {
            let records = &groups.records[ends[0] as usize..ends[1] as usize];
            let keyed = |&record: &u32| Some((place(of, encoded, codes[record as usize])?, record));
            let mut keyed: Vec<(u64, u32)> = records.iter().filter_map(keyed).collect();
            keyed.sort_unstable();
            let n_items = if of.is_grouped { keyed.chunk_by(same).count() } else { keyed.len() };
            (keyed, n_items)
        };
        let sorted: Vec<(Vec<(u64, u32)>, usize)> = groups.starts.par_windows(2).map(group).gather();
        let mut records = vec![0; sorted.iter().map(|(keyed, _)| keyed.len()).sum()];
        let n_items = sorted.iter().map(|(_, n_items)| n_items).sum();
        let mut starts = vec![0; if of.is_grouped { n_items } else { 0 }];
        let (mut outputs, mut ranges) = (Vec::with_capacity(sorted.len()), Vec::with_capacity(sorted.len()));
        let (mut records_left, mut starts_left, mut n_records, mut n_items) =
            (&mut records[..], &mut starts[..], 0, 0);
        for (keyed, n_own) in &sorted {
            let (records, starts);
            (records, records_left) = records_left.split_at_mut(keyed.len());
            (starts, starts_left) = starts_left.split_at_mut(if of.is_grouped { *n_own } else { 0 });
            outputs.push((keyed, records, starts, n_records));
            ranges.push(n_items..n_items + *n_own as u32);
            n_records += keyed.len() as u32;
            n_items += *n_own as u32;
        }
        outputs.into_par_iter().for_each(|(keyed, records, starts, first)| {
            records.iter_mut().zip(keyed).for_each(|(place, &(_, record))| *place = record);
            let mut next = first;
            for (start, items) in starts.iter_mut().zip(keyed.chunk_by(same)) {
                *start = next;
                next += items.len() as u32;
            }
        });
        Ok(Self { list: Arc::new(sketched(of, encoded, records, starts)), ranges })
    }
}

/// Whether two records have the same place, and so the same value.
fn same(a: &(u64, u32), b: &(u64, u32)) -> bool {
    a.0 == b.0
}
