//! Sweeps: for each branch of the tree, what its scan compares with what.
//!
//! A branch is led by one of the predicates that all its rules ask for ([`lead`]). Records without a value there cannot be
//! in a candidate of the branch, and the others are listed in the order of what the lead looks at first: codes for an
//! equality or a number, lengths for a similarity ([`list`]). In that order what can meet a run of items is a range
//! ([`reach`]), so most pairs are never looked at; the rest goes through the lead's screen
//! (`hyperblock_shared::screen`). Similarity is led by distinct values: two of them are compared once, however many
//! records have them. A sweep may also stay within groups of records that have a key in common ([`within`]).

mod codes;
mod lead;
mod list;
mod reach;
mod within;

pub(crate) use lead::{Estimate, Lead, drawn};
pub(crate) use within::Groups;

use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::encode::Encoded;
use crate::plan::{BranchSteps, Program, ScanOptions};
use hashbrown::{HashMap, HashSet};
use hyperblock_shared::layout::WARP;
use hyperblock_shared::path::UNKNOWN;
use hyperblock_shared::screen::{Screen, Sketch};
use hyperblock_shared::sweep::{Items, Order, Settings};
use hyperblock_shared::window::{Interval, STRETCH};
use list::ListKey;
use rayon::prelude::*;
use reach::Meeting;
use std::ops::Range;
use std::sync::Arc;

/// A list of items, by value. See [`Items`].
#[derive(Debug, Default)]
pub struct ItemList {
    /// By item.
    pub sketches: Vec<Sketch>,
    /// By item, if signatures are wide.
    pub uppers: Vec<u64>,
    /// By item, if the screen looks at lengths.
    pub lens: Vec<u32>,
    /// By item, and one past the last, if items are values.
    pub starts: Vec<u32>,
    /// By item.
    pub records: Vec<u32>,
}

impl ItemList {
    /// As both sides see it.
    pub fn items(&self) -> Items<'_> {
        let Self { sketches, uppers, lens, starts, records } = self;
        Items { sketches, uppers, lens, starts, records }
    }

    /// The bytes that a device needs to hold it.
    pub fn n_bytes(&self) -> u64 {
        let Self { sketches, uppers, lens, starts, records } = self;
        let words = lens.len() + starts.len() + records.len();
        (size_of_val(&sketches[..]) + size_of_val(&uppers[..]) + words * size_of::<u32>()) as u64
    }

    /// How many items there are.
    pub fn len(&self) -> u32 {
        (if self.starts.is_empty() { self.records.len() } else { self.starts.len() - 1 }) as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A branch's scan, ready for a backend.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The left list.
    pub left: Arc<ItemList>,
    /// The right list; the very same one if pairs are unordered.
    pub right: Arc<ItemList>,
    /// What can meet.
    pub intervals: Vec<Interval>,
    /// By interval: the number of its first stretch; and at the end, how many there are.
    pub firsts: Vec<u32>,
    /// Everything else.
    pub settings: Settings,
    /// The keys that it stays within, if it does.
    pub within: Option<Within>,
}

/// Keys that a sweep stays within: only records with the same one are compared.
#[derive(Clone, Debug)]
pub struct Within {
    /// The equalities that make the key, by their places among the path's predicates.
    pub predicates: Vec<u32>,
    /// How many keys there are.
    pub n_keys: u32,
}

/// Records whose pairs a sweep is over: all of two ranges, or of one range each pair once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Left records.
    pub left: Range<u32>,
    /// Right records; with `half`, the same.
    pub right: Range<u32>,
    /// Whether only pairs whose left record is before the right one count.
    pub half: bool,
}

impl Block {
    /// Whether it has no pairs at all.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty() || self.right.is_empty()
    }

    /// Whether its records are listed in less time than it takes to wake a thread.
    pub(crate) fn is_small(&self) -> bool {
        self.left.len() + self.right.len() < MANY_RECORDS
    }

    /// How its pairs count under what looks at both sides alike, or not.
    pub(crate) fn order(&self, is_symmetric: bool) -> Order {
        match (self.half, is_symmetric) {
            (false, _) => Order::AsTheyAre,
            (true, false) => Order::Ascending,
            (true, true) => Order::Unordered,
        }
    }
}

/// The most bytes of lists that a record adds to a sweep: its place, and if it alone has its value, an item.
pub const LIST_BYTES_PER_RECORD: u64 = 4 + 4 + 4 + 8 + size_of::<Sketch>() as u64;

/// A branch and its lead.
#[derive(Clone, Debug)]
pub(crate) struct Led<'a> {
    /// The branch.
    pub(crate) steps: &'a BranchSteps,
    /// Its lead.
    pub(crate) lead: Lead,
    /// If only values of so many symbols or tokens, or fewer, are to meet: so many. The lists have all of them.
    pub(crate) most: Option<u32>,
}

/// The sweeps of branches over a block, each by its lead.
pub(crate) fn sweeps(
    encoded: &Encoded,
    program: &Program,
    block: &Block,
    led: &[Led<'_>],
) -> Result<Vec<Sweep>> {
    let walk = program.walk()?;
    let options = program.options();
    let is_small = block.is_small();
    // Branches often share a list.
    let keys: HashSet<ListKey> = led.iter().flat_map(|led| led.lead.lists(block)).collect();
    let keys: Vec<ListKey> = keys.into_iter().collect();
    let lists = map(&keys, is_small, |key| Arc::new(key.build(encoded)));
    let lists: HashMap<&ListKey, Arc<ItemList>> = keys.iter().zip(lists).collect();
    let list =
        |key: &ListKey| lists.get(key).cloned().ok_or_else(|| Error::Internal("a list was not built".into()));
    let sweeps = map(led, is_small, |Led { steps, lead, most }| {
        let [left, right] = lead.lists(block);
        let lists = [list(&left)?, list(&right)?];
        let order = block.order(lead.is_symmetric);
        let upto = |list: &ItemList| match *most {
            Some(most) => list.lens.partition_point(|&len| len <= most) as u32,
            None => list.len(),
        };
        let ranges = lists.each_ref().map(|list| 0..upto(list));
        let intervals = Meeting::new(lead, walk, order, options.interval).intervals(&lists, ranges);
        let settings = settings(steps, lead, order, &options);
        Sweep::new(lists, intervals, settings, options.stretch)
    });
    sweeps.into_iter().collect()
}

/// Results in order, by all threads unless there is little to do: then waking them takes longer.
pub(crate) fn map<T: Sync, U: Send>(
    items: &[T],
    is_small: bool,
    result: impl Fn(&T) -> U + Send + Sync,
) -> Vec<U> {
    if is_small { items.iter().map(result).collect() } else { items.par_iter().map(result).gather() }
}

/// What a branch's scan is told beside lists and intervals, before it is known how long stretches are.
pub(crate) fn settings(branch: &BranchSteps, lead: &Lead, order: Order, options: &ScanOptions) -> Settings {
    Settings {
        screen: lead.screen,
        order,
        lead: lead.predicate,
        lead_step: lead.step,
        from: branch.steps.start,
        upto: branch.steps.end,
        stretch: options.stretch,
        policy: options.policy,
        queue: options.queue,
        is_decided: matches!(lead.screen, Screen::Codes | Screen::Reaches),
    }
}

/// Stretches that a sweep should have: many for each block, so that the last ones end together.
const N_STRETCHES: u64 = 1 << 14;

/// And at most, so that they can be numbered through in 32 bits.
const MOST_STRETCHES: u64 = 1 << 31;

/// The length of stretches: whole warps, and no longer than `most` unless there would be too many.
fn stretch(intervals: &[Interval], most: u32) -> u32 {
    let n_rights: u64 = intervals.iter().map(|it| u64::from(it.right_upto - it.right_from)).sum();
    let whole_warps = |n: u64| n.next_multiple_of(u64::from(WARP));
    let wanted = whole_warps(n_rights / N_STRETCHES).clamp(WARP.into(), most.max(WARP).into());
    wanted.max(whole_warps(n_rights / MOST_STRETCHES)).min(1 << 30) as u32
}

impl Sweep {
    /// Over lists, with stretches of at most so many items.
    pub fn new(
        lists: [Arc<ItemList>; 2],
        intervals: Vec<Interval>,
        settings: Settings,
        most: u32,
    ) -> Result<Self> {
        let settings = Settings { stretch: stretch(&intervals, most), ..settings };
        Self::with_stretches(lists, intervals, settings)
    }

    fn with_stretches(
        [left, right]: [Arc<ItemList>; 2],
        intervals: Vec<Interval>,
        settings: Settings,
    ) -> Result<Self> {
        let mut firsts = vec![0u32];
        for interval in &intervals {
            let sum = firsts[firsts.len() - 1].checked_add(interval.n_stretches(settings.stretch));
            firsts
                .push(sum.ok_or_else(|| Error::Job("too many pairs for one scan; split the table".into()))?);
        }
        Ok(Self { left, right, intervals, firsts, settings, within: None })
    }

    /// The same with intervals and stretches of other sizes: for devices whose blocks are not as the options have them.
    pub fn resized(&self, interval: u32, stretch: u32) -> Result<Self> {
        let mut intervals = Vec::new();
        for whole in &self.intervals {
            for left_from in (whole.left_from..whole.left_upto).step_by(interval as usize) {
                let left_upto = whole.left_upto.min(left_from.saturating_add(interval));
                intervals.push(Interval { left_from, left_upto, ..*whole });
            }
        }
        let lists = [self.left.clone(), self.right.clone()];
        Self::with_stretches(lists, intervals, Settings { stretch, ..self.settings })
    }

    /// Over the same lists, with nothing to sweep.
    pub(crate) fn without_intervals(&self) -> Self {
        Self { intervals: Vec::new(), firsts: vec![0], ..self.clone() }
    }

    /// As both sides see it.
    pub fn borrow(&self) -> hyperblock_shared::sweep::Sweep<'_> {
        hyperblock_shared::sweep::Sweep {
            left: self.left.items(),
            right: self.right.items(),
            intervals: &self.intervals,
            firsts: &self.firsts,
            settings: self.settings,
        }
    }

    /// How many stretches there are to do.
    pub fn n_stretches(&self) -> u32 {
        self.firsts[self.firsts.len() - 1]
    }

    /// How many pairs of items the screen looks at, about: some of an unordered sweep are left out on the way.
    pub fn n_pairs(&self) -> u64 {
        self.intervals.iter().map(Interval::n_pairs).sum()
    }

    /// The sweep in parts of about `most_pairs`, but no less than an interval each.
    pub fn parts(&self, most_pairs: u64) -> Vec<Self> {
        if self.n_pairs() <= most_pairs {
            return vec![self.clone()];
        }
        let mut parts = Vec::new();
        let mut from = 0;
        while from < self.intervals.len() {
            let mut n_pairs = 0;
            let is_within = |interval: &&Interval| {
                n_pairs += interval.n_pairs();
                n_pairs <= most_pairs
            };
            let n = self.intervals[from..].iter().take_while(is_within).count().max(1);
            let first = self.firsts[from];
            parts.push(Self {
                intervals: self.intervals[from..from + n].to_vec(),
                firsts: self.firsts[from..=from + n].iter().map(|stretch| stretch - first).collect(),
                ..self.clone()
            });
            from += n;
        }
        parts
    }

    /// The pairs of records behind pairs of items that were found to satisfy the lead and to stand for very many: a sweep
    /// over records, with nothing left to screen.
    pub fn of_heavy(&self, pairs: &[(u32, u32)], interval: u32) -> Result<Self> {
        let records =
            |list: &ItemList| Arc::new(ItemList { records: list.records.clone(), ..ItemList::default() });
        let left = records(&self.left);
        let right = if Arc::ptr_eq(&self.left, &self.right) { left.clone() } else { records(&self.right) };
        let (lefts, rights) = (self.left.items(), self.right.items());
        let mut intervals = Vec::new();
        for &(item_l, item_r) in pairs {
            let (places_l, places_r) = (lefts.places(item_l), rights.places(item_r));
            for left_from in places_l.clone().step_by(interval as usize) {
                let left_upto = places_l.end.min(left_from + interval);
                // Of an item with itself, each pair of records once.
                let is_same = self.settings.order == Order::Unordered && item_l == item_r;
                let right_from = if is_same { left_from } else { places_r.start };
                intervals.push(Interval { left_from, left_upto, right_from, right_upto: places_r.end });
            }
        }
        let settings = Settings { screen: Screen::None, is_decided: true, ..self.settings };
        Self::new([left, right], intervals, settings, STRETCH)
    }
}

/// Fewer records than this are listed in less time than it takes to wake a thread.
const MANY_RECORDS: usize = 1000;

/// What a sweep without a lead has instead.
const NO_LEAD: (u32, u32) = (UNKNOWN, 0);
