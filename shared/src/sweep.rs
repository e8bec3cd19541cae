//! A sweep: the scan of one branch of the tree, as both sides see it.
//!
//! Two lists of [`Items`], ordered and sketched by the branch's *lead*, one of the predicates that all its rules ask for;
//! the [`Interval`]s that say which items can meet; the [`Screen`] that tells most of those apart. What it passes is
//! verified: the lead once for a pair of items, the rest of the branch for each pair of their records.

use crate::path::{Branch, UNKNOWN};
use crate::screen::{Screen, Sketch};
use crate::stealing::Policy;
use crate::window::Interval;
use core::ops::Range;

/// A list of items: records, or distinct values with the records that have them.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    /// By item.
    pub sketches: &'a [Sketch],
    /// By item: the second 64 bits of its signature; empty where signatures have no more than 64.
    pub uppers: &'a [u64],
    /// By item: its value's length, ascending; empty where the screen does not look at it.
    pub lens: &'a [u32],
    /// By item: where its records start, and at the end, how many there are; empty if items are records.
    pub starts: &'a [u32],
    /// The records, by item.
    pub records: &'a [u32],
}

impl Items<'_> {
    /// The places of an item's records.
    #[inline]
    pub fn places(&self, item: u32) -> Range<u32> {
        if self.starts.is_empty() {
            return item..item + 1;
        }
        self.starts[item as usize]..self.starts[item as usize + 1]
    }
}

/// Which of the pairs of records that two items stand for count, and which way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Order {
    /// All, as they are.
    AsTheyAre = 0,
    /// Those whose left record is before the right one.
    Ascending = 1,
    /// Both lists are one: pairs of an item with later ones and, if it has several records, with itself. The smaller
    /// record goes left.
    Unordered = 2,
}

impl Order {
    /// From its number.
    #[inline]
    pub fn from_number(number: u32) -> Self {
        match number {
            1 => Self::Ascending,
            2 => Self::Unordered,
            _ => Self::AsTheyAre,
        }
    }

    /// A pair of records as it is compared, if it counts.
    #[inline]
    pub fn pair(self, left: u32, right: u32) -> Option<(u32, u32)> {
        match self {
            Self::AsTheyAre => Some((left, right)),
            Self::Ascending => (left < right).then_some((left, right)),
            Self::Unordered => (left != right).then_some((left.min(right), left.max(right))),
        }
    }
}

/// A branch's scan.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The left list.
    pub left: Items<'a>,
    /// The right list.
    pub right: Items<'a>,
    /// What can meet.
    pub intervals: &'a [Interval],
    /// By interval: the number of its first stretch; and at the end, how many there are.
    pub firsts: &'a [u32],
    /// Everything else.
    pub settings: Settings,
}

/// What of a sweep is no list.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The screen.
    pub screen: Screen,
    /// Which pairs of records count.
    pub order: Order,
    /// The lead, by its place among the path's predicates.
    pub lead: u32,
    /// The lead's step in the branch, or [`UNKNOWN`] if there is no lead.
    pub lead_step: u32,
    /// The first step of the branch.
    pub from: u32,
    /// One past its last.
    pub upto: u32,
    /// Right items in a stretch.
    pub stretch: u32,
    /// How the stretches are divided.
    pub policy: Policy,
    /// Whether what passes the screen waits until a whole warp can be verified.
    pub queue: bool,
    /// Whether the lead holds on all that passes the screen: equal codes are equal values, and of heavy pairs it is known.
    pub is_decided: bool,
}

impl Settings {
    /// The branch for pairs of records of which it is known that the lead holds, or not.
    #[inline]
    pub fn branch(&self, lead_holds: bool) -> Branch {
        let known = if lead_holds { self.lead_step } else { UNKNOWN };
        Branch { from: self.from, upto: self.upto, known }
    }

    /// The lead alone.
    #[inline]
    pub fn lead(&self) -> Branch {
        Branch::probe(self.lead_step)
    }
}

/// More pairs of records than this are not expanded where they are found, but handed on as a pair of items.
pub const HEAVY: u64 = 1 << 12;
