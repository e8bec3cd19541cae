//! Sorted neighbourhoods: records are sorted by a key, and each is paired with those near it.
//!
//! After Hernández and Stolfo (*The merge/purge problem for large databases*, SIGMOD 1995), as in 'Duplicate
//! Detection on GPUs' (Forchhammer and others, BTW 2013). Pairs outside the windows are not looked at: this
//! is the one way to find candidates that is approximate.
//!
//! Keys become ranks here, and ranks an order: records with the same key stand by their numbers, and a left one before the
//! right one of the same number. A device may make orders by itself, of the ranks; who asks for one here has it made then, by
//! counting. A device has each left record look both ways in every order, sorts what it sees, and drops what an earlier
//! neighbourhood saw too. So pairs come out sorted, any number of left records at a time, and are never sorted as a whole.
//! `Stream` merges them with what the rules find.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::encode::{Ranks, ranks};
use crate::read::table::Table;
use crate::rules::Neighbourhood;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::neighbours::{MOST_COUNTED, NOWHERE, Order};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The records of one or two tables in the order of each neighbourhood's key.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    /// Left records.
    pub n_left: u32,
    /// Whether there is one table: then pairs are of its records, the lower number left.
    pub is_one_table: bool,
    orders: Vec<Arc<OneOrder>>,
    /// Where several tables are one, and pairs are of different ones alone: where the records of each end.
    ends: Vec<u32>,
}

/// What an order is made of, and the order, once somebody has asked for it.
#[derive(Debug)]
struct OneOrder {
    ranks: Ranks,
    /// Those that have a key.
    n_records: u32,
    window: u32,
    made: OnceLock<Made>,
}

/// What [`Order`] borrows.
#[derive(Debug)]
struct Made {
    records: Vec<u32>,
    places: Vec<u32>,
}

/// What an order is made of.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<'a> {
    /// By table and record: its key's place among all keys; not below `n_keys`, if it has none. Of one table, the second are
    /// none.
    pub by_table: [&'a [u32]; 2],
    /// Distinct keys.
    pub n_keys: u32,
}

impl Orders {
    /// Ranks the records of the tables by the keys of the neighbourhoods.
    pub fn new(
        left: &Table,
        right: Option<&Table>,
        neighbourhoods: &[Neighbourhood],
        control: &Control,
    ) -> Result<Self> {
        let make = |near: &Neighbourhood| ranks(left, right, &near.keys, near.domain, control);
        let ranks = neighbourhoods.par_iter().map(make).gather_all()?;
        Self::of(left, right, neighbourhoods, ranks)
    }

    /// The same with the ranks of each neighbourhood's keys.
    pub(crate) fn of(
        left: &Table,
        right: Option<&Table>,
        neighbourhoods: &[Neighbourhood],
        ranks: Vec<Ranks>,
    ) -> Result<Self> {
        let (n_left, n_right) = (left.n_records(), right.map_or(0, Table::n_records));
        if u64::from(n_left) + u64::from(n_right) >= u64::from(u32::MAX) {
            return Err(Error::Job(format!("{n_left} and {n_right} records are too many for one job")));
        }
        let ends = left.across().into_iter().flat_map(|_| left.ids.tables().map(|(_, records)| records.end));
        let ends: Vec<u32> = ends.collect();
        let in_turn = |ranks| if ends.is_empty() { ranks } else { in_turn(ranks, &ends) };
        let orders = neighbourhoods.par_iter().zip(ranks).map(|(near, ranks)| (near, in_turn(ranks)));
        let orders = orders.map(|(near, ranks)| Arc::new(OneOrder::new(ranks, near.window))).collect();
        Ok(Self { n_left, is_one_table: right.is_none(), orders, ends })
    }

    /// Whether a pair counts: of several tables that are one, its records may have to be of different ones.
    pub fn counts(&self, pair: &Candidate) -> bool {
        let end = self.ends.partition_point(|&end| end <= pair.left);
        self.ends.get(end).is_none_or(|&end| pair.right >= end)
    }

    /// Whether all pairs count.
    pub fn all_count(&self) -> bool {
        self.ends.is_empty()
    }

    /// One of the neighbourhoods alone.
    pub fn only(&self, neighbourhood: usize) -> Self {
        let orders = self.orders.get(neighbourhood).cloned().into_iter().collect();
        Self { orders, ends: self.ends.clone(), ..*self }
    }

    /// By neighbourhood: the order, made now if nobody has asked for it before.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Order<'_>> {
        self.orders.par_iter().for_each(|order| {
            order.made();
        });
        self.orders.iter().map(|order| {
            let Made { records, places } = order.made();
            Order { records, places, window: order.window }
        })
    }

    /// By neighbourhood: what the order is made of.
    pub fn ranked(&self) -> impl ExactSizeIterator<Item = Ranked<'_>> {
        self.orders.iter().map(|order| {
            let Ranks { by_table: [left, right], n_keys } = &order.ranks;
            Ranked { by_table: [left, right], n_keys: *n_keys }
        })
    }

    /// By neighbourhood: how many records have a key.
    pub fn n_records(&self) -> impl ExactSizeIterator<Item = u32> {
        self.orders.iter().map(|order| order.n_records)
    }

    /// How many neighbourhoods there are.
    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    /// The most neighbours that a record has, of all neighbourhoods together.
    pub fn most_neighbours(&self) -> u64 {
        let most = |order: &Arc<OneOrder>| {
            let others = u64::from(order.n_records).saturating_sub(1);
            others.min(2 * (u64::from(order.window) - 1))
        };
        self.orders.iter().map(most).sum()
    }

    /// How far apart two records stand in a neighbourhood, if both have a key: `right` is the right record's
    /// number, or of one table the other record's.
    pub fn distance(&self, neighbourhood: usize, left: u32, right: u32) -> Option<u32> {
        let order = self.orders.get(neighbourhood)?.made();
        let place = *order.places.get(left as usize).filter(|&&place| place != NOWHERE)?;
        let right = if self.is_one_table { right } else { self.n_left + right };
        let other = order.records.iter().position(|&record| record == right)?;
        Some(place.abs_diff(other as u32))
    }
}

/// Ranks that tell all records apart: those with the same key take turns by table, as the records of two tables do, so that they
/// are near records of other tables rather than of their own. `ends` are where the tables end.
fn in_turn(ranks: Ranks, ends: &[u32]) -> Ranks {
    let Ranks { by_table: [mut ranks, none], n_keys } = ranks;
    let starts = [0].into_iter().chain(ends.iter().copied());
    let tables = starts.zip(ends).enumerate();
    let place = |(table, (start, &end)): (usize, (u32, &u32))| {
        (start..end).map(move |record| (record - start, table as u32, record))
    };
    let places = tables.flat_map(place).filter(|&(.., record)| ranks[record as usize] < n_keys);
    let mut order: Vec<(u32, u32, u32, u32)> =
        places.map(|(nth, table, record)| (ranks[record as usize], nth, table, record)).collect();
    order.par_sort_unstable();
    let n_keys = order.len() as u32;
    ranks.fill(n_keys);
    (0..).zip(order).for_each(|(rank, (.., record))| ranks[record as usize] = rank);
    Ranks { by_table: [ranks, none], n_keys }
}

/// Where all records stand in an order.
#[derive(Debug)]
pub struct Places<'a> {
    lefts: &'a [u32],
    /// Of two tables, the right records'.
    rights: Option<Vec<u32>>,
    window: u32,
}

impl Places<'_> {
    /// How far apart two records stand, if both have a key.
    pub fn distance(&self, left: u32, right: u32) -> Option<u32> {
        let place = |places: &[u32], record: u32| {
            places.get(record as usize).copied().filter(|place| *place != NOWHERE)
        };
        let rights = self.rights.as_deref().unwrap_or(self.lefts);
        Some(place(self.lefts, left)?.abs_diff(place(rights, right)?))
    }

    /// Whether they are neighbours.
    pub fn are_near(&self, left: u32, right: u32) -> bool {
        self.distance(left, right).is_some_and(|distance| distance < self.window)
    }
}

impl Orders {
    /// Where the records stand in each neighbourhood: for whoever asks that of many pairs.
    pub fn places(&self, n_right: u32) -> Vec<Places<'_>> {
        let of = |order: Order<'_>| {
            let mut rights = vec![NOWHERE; n_right as usize];
            for (place, record) in (0..).zip(order.records) {
                if let Some(right) = record.checked_sub(self.n_left) {
                    rights[right as usize] = place;
                }
            }
            rights
        };
        let rights = |order| (!self.is_one_table).then(|| of(order));
        self.iter()
            .map(|order| Places { lefts: order.places, rights: rights(order), window: order.window })
            .collect()
    }
}

impl OneOrder {
    fn new(ranks: Ranks, window: u32) -> Self {
        let has_key = |rank: &&u32| **rank < ranks.n_keys;
        let of_table = |ranks: &Vec<u32>| ranks.par_iter().filter(has_key).count() as u32;
        // There are fewer than 2^32 of both.
        let n_records = ranks.by_table.iter().map(of_table).sum();
        Self { ranks, n_records, window, made: OnceLock::new() }
    }

    /// The order. One thread makes it: several would take up other work meanwhile, which may wait for this very order.
    fn made(&self) -> &Made {
        self.made.get_or_init(|| Made::new(&self.ranks, self.n_records))
    }
}

impl Made {
    /// Sorts by counting how many have which rank.
    fn new(ranks: &Ranks, n_records: u32) -> Self {
        let [left, right] = &ranks.by_table;
        let n_left = left.len() as u32;
        // By number, and a left record before the right one.
        let records = || {
            (0..left.len().max(right.len())).flat_map(|nth| {
                let of_left = left.get(nth).map(|&rank| (rank, nth as u32));
                let of_right = right.get(nth).map(|&rank| (rank, n_left + nth as u32));
                of_left.into_iter().chain(of_right).filter(|&(rank, _)| rank < ranks.n_keys)
            })
        };
        let mut next = vec![0u32; ranks.n_keys as usize];
        records().for_each(|(rank, _)| next[rank as usize] += 1);
        next.iter_mut().fold(0, |start, n| {
            let end = start + *n;
            *n = start;
            end
        });
        let mut order = Self { records: vec![0; n_records as usize], places: vec![NOWHERE; left.len()] };
        for (rank, record) in records() {
            let place = next[rank as usize];
            next[rank as usize] += 1;
            order.records[place as usize] = record;
            if record < n_left {
                order.places[record as usize] = place;
            }
        }
        order
    }
}

/// How all orders stand one after the other: what kernels read beside records and places.
#[derive(Clone, Debug)]
pub struct Shape {
    /// By order, where its records begin; and one more.
    pub starts: Vec<u32>,
    /// By order.
    pub windows: Vec<u32>,
    /// The most neighbours that a record has, rounded up to a multiple of four.
    pub room: u32,
}

impl Orders {
    /// How they stand for kernels, unless they are too many records for them, or records have too many neighbours.
    pub fn shape(&self) -> Option<Shape> {
        let room = u32::try_from(self.most_neighbours()).ok()?.next_multiple_of(4);
        let mut starts = vec![0u32];
        for n_records in self.n_records() {
            starts.push(starts.last()?.checked_add(n_records)?);
        }
        let windows = self.orders.iter().map(|order| order.window).collect();
        (room <= MOST_COUNTED).then_some(Shape { starts, windows, room })
    }

    /// The records of all orders, one after the other, and by order the places of all left records.
    pub fn together(&self) -> [Vec<u32>; 2] {
        let orders: Vec<Order<'_>> = self.iter().collect();
        let records: Vec<&[u32]> = orders.iter().map(|order| order.records).collect();
        let places: Vec<&[u32]> = orders.iter().map(|order| order.places).collect();
        [records.concat(), places.concat()]
    }
}

/// What kernels found, as candidates: by left record from `first` on, how many pairs it has; and the right
/// records of all, with the orders that they are of, unless there is one.
pub fn append(first: u32, counts: &[u32], rights: &[u32], witnesses: &[u32], found: &mut Vec<Candidate>) {
    const PART: usize = 1 << 12;
    let before = found.len();
    found.resize(before + rights.len(), Candidate { left: 0, right: 0, rule: 0 });
    let mut rest = found.get_mut(before..).unwrap_or_default();
    let mut parts = Vec::new();
    for (left, counts) in (first..).step_by(PART).zip(counts.chunks(PART)) {
        let n_pairs = counts.iter().map(|&n| n as usize).sum::<usize>().min(rest.len());
        let at = rights.len() - rest.len();
        let (part, others) = std::mem::take(&mut rest).split_at_mut(n_pairs);
        parts.push((left, counts, at, part));
        rest = others;
    }
    parts.into_par_iter().for_each(|(left, counts, at, part)| {
        let lefts = (left..).zip(counts).flat_map(|(left, &n)| std::iter::repeat_n(left, n as usize));
        let rules = witnesses.get(at..).unwrap_or_default().iter().copied().chain(std::iter::repeat(0));
        for (((candidate, left), &right), rule) in part.iter_mut().zip(lefts).zip(&rights[at..]).zip(rules) {
            *candidate = Candidate { left, right, rule };
        }
    });
}

/// A backend that pairs neighbours.
pub trait NeighboursOperator {
    /// Brings records in the order of their keys to the device, ready to be paired with those near them.
    fn load_neighbours<'a>(&'a self, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>>;
}

/// Orders that are loaded on a device.
pub trait Neighbours: Send {
    /// Appends the pairs of these left records, sorted, each once; `rule` is the place of the first
    /// neighbourhood that has it.
    fn pairs(&mut self, lefts: Range<u32>, control: &Control, found: &mut Vec<Candidate>) -> Result<()>;
}
