//! Sweeps within groups: only records of the same group are compared, in the order of a lead.
//!
//! The lists of all groups stand one after the other, each in the lead's order. An item never has records of two groups, an
//! interval never leaves its group, and neither does its reach: backends see a sweep like any other.

use super::lead::Lead;
use super::list::ListKey;
use super::reach::Meeting;
use super::{Block, ItemList, Sweep, settings};
use crate::base::error::{Error, Result};
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
            .with_min_len(GROUPS_AT_ONCE)
            .flat_map_iter(|ranges| meeting.intervals(&lists, ranges.clone()))
            .collect();
        let settings = settings(branch, lead, order, &options);
        Ok((Self::new(lists, intervals, settings, options.stretch)?, ranges))
    }
}

/// Groups that a thread takes at a time.
const GROUPS_AT_ONCE: usize = 64;

impl Listed {
    fn new(encoded: &Encoded, key: &ListKey, groups: &Groups) -> Result<Self> {
        let operand =
            key.operand.ok_or_else(|| Error::Internal("a sweep within groups has no lead".into()))?;
        let codes = encoded.codes(operand);
        // Groups are sorted apart: most of them are small, and none waits for another.
        let group = |ends: &[u32]| {
            let records = &groups.records[ends[0] as usize..ends[1] as usize];
            let keyed = |&record: &u32| Some((key.place(encoded, codes[record as usize])?, record));
            let mut keyed: Vec<(u64, u32)> = records.iter().filter_map(keyed).collect();
            keyed.sort_unstable();
            keyed
        };
        let sorted: Vec<Vec<(u64, u32)>> = groups.starts.par_windows(2).map(group).collect();
        let n_records = sorted.iter().map(Vec::len).sum();
        let (mut records, mut starts) = (Vec::with_capacity(n_records), Vec::new());
        let mut ranges = Vec::with_capacity(sorted.len());
        let mut n_items = 0;
        for group in sorted {
            let from = n_items;
            let mut last = None;
            for (place, record) in group {
                if !key.is_grouped {
                    n_items += 1;
                } else if last.replace(place) != Some(place) {
                    n_items += 1;
                    starts.push(records.len() as u32);
                }
                records.push(record);
            }
            ranges.push(from..n_items);
        }
        Ok(Self { list: Arc::new(key.sketched(encoded, codes, records, starts)), ranges })
    }
}
