//! The pairs of sorted neighbourhoods, merged with what the rules find.
//!
//! Both come sorted, so one pass over the two puts them together, and no more is held than a device makes at once, twice.

use crate::base::compared::Compared;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::stopwatch::Stopwatch;
use crate::base::timeline::Lane;
use crate::operators::Backend;
use crate::operators::neighbours::{Neighbours, Orders};
use crate::operators::runs::pair;
use crate::operators::scan::HandOn;
use crate::run::piped::piped;
use hyperblock_shared::layout::Candidate;
use rayon::prelude::*;
use std::ops::Range;

/// Pairs that are made at once, at most, unless one record has more (100 MB).
const AT_ONCE: usize = 1 << 23;

/// Pairs that are handed on at once where they are merged.
const MERGED: usize = 1 << 20;

/// All pairs of the neighbourhoods, in order, as many at a time as memory allows, merged with candidates of
/// the rules.
pub struct Stream<'a> {
    neighbours: Option<Box<dyn Neighbours + 'a>>,
    orders: &'a Orders,
    control: &'a Control,
    n_left: u32,
    /// Left records whose neighbours are found at once.
    step: u32,
    next: u32,
    /// What was found, and how much of it was handed on.
    found: Vec<Candidate>,
    n_taken: usize,
    /// What `rule` is for the first neighbourhood.
    first_rule: u32,
    watch: &'a Stopwatch,
}

impl<'a> Stream<'a> {
    /// Brings the orders to `device`, if there are any. The neighbourhoods come after so many rules.
    pub fn load(
        device: &'a dyn Backend,
        orders: &'a Orders,
        first_rule: u32,
        control: &'a Control,
        watch: &'a Stopwatch,
    ) -> Result<Self> {
        let at_once = control.budget().at_once(AT_ONCE);
        Self::with_room(device, orders, first_rule, control, watch, at_once)
    }

    /// The same with so many pairs made at once.
    fn with_room(
        device: &'a dyn Backend,
        orders: &'a Orders,
        first_rule: u32,
        control: &'a Control,
        watch: &'a Stopwatch,
        at_once: usize,
    ) -> Result<Self> {
        let neighbours = if orders.is_empty() { None } else { Some(device.load_neighbours(orders)?) };
        let step = (at_once as u64 / orders.most_neighbours().max(1)).clamp(1, u64::from(u32::MAX)) as u32;
        Ok(Self {
            neighbours,
            orders,
            control,
            n_left: orders.n_left,
            step,
            next: 0,
            found: Vec::new(),
            n_taken: 0,
            first_rule,
            watch,
        })
    }

    /// Hands on `candidates`, sorted and all after those before, and between them the pairs that come before
    /// the last one. Where both have a pair, the candidate stays.
    pub fn merge(
        &mut self,
        candidates: &[Candidate],
        sink: &mut dyn FnMut(&[Candidate]) -> Result<()>,
    ) -> Result<()> {
        if self.neighbours.is_none() {
            return sink(candidates);
        }
        let mut merged = Vec::with_capacity(MERGED + 1);
        for candidate in candidates {
            let place = pair(candidate);
            while let Some(near) = self.peek()?.filter(|near| pair(near) <= place) {
                self.n_taken += 1;
                if pair(&near) < place {
                    hand_on(&mut merged, near, sink)?;
                }
            }
            hand_on(&mut merged, *candidate, sink)?;
        }
        sink(&merged)
    }

    /// Hands on the pairs that are left. While some are taken, a thread of its own finds the next.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&[Candidate]) -> Result<()>) -> Result<()> {
        if let Some(rest @ [_, ..]) = self.found.get(self.n_taken..) {
            sink(rest)?;
        }
        self.n_taken = self.found.len();
        let lefts = std::mem::replace(&mut self.next, self.n_left)..self.n_left;
        let Some(neighbours) = self.neighbours.as_mut().filter(|_| !lefts.is_empty()) else { return Ok(()) };
        let (control, step, first_rule, watch) = (self.control, self.step, self.first_rule, self.watch);
        let orders = self.orders;
        let find = |hand_on: HandOn<'_>| {
            let (mut next, mut found) = (lefts.start, Vec::new());
            while next < lefts.end {
                let upto = next.saturating_add(step).min(lefts.end);
                pairs((&mut **neighbours, orders), next..upto, first_rule, control, &mut found)?;
                next = upto;
                let Some(buffer) = hand_on(found) else { break };
                found = buffer;
            }
            Ok(())
        };
        piped(find, &mut |found| sink(found), &|wait| watch.time("neighbours", wait))
    }

    /// The next pair, if there is one.
    fn peek(&mut self) -> Result<Option<Candidate>> {
        while self.n_taken >= self.found.len() && self.next < self.n_left {
            let Some(neighbours) = &mut self.neighbours else { return Ok(None) };
            let _pairing = self.watch.enter("neighbours");
            (self.n_taken, self.found) = (0, std::mem::take(&mut self.found));
            self.found.clear();
            let upto = self.next.saturating_add(self.step).min(self.n_left);
            let near = (&mut **neighbours, self.orders);
            pairs(near, self.next..upto, self.first_rule, self.control, &mut self.found)?;
            self.next = upto;
        }
        Ok(self.found.get(self.n_taken).copied())
    }
}

/// Appends the pairs of some left records, by the numbers that neighbourhoods have behind so many rules.
fn pairs(
    (neighbours, orders): (&mut (dyn Neighbours + '_), &Orders),
    lefts: Range<u32>,
    first_rule: u32,
    control: &Control,
    found: &mut Vec<Candidate>,
) -> Result<()> {
    control.check()?;
    let n_before = found.len();
    control.note(Lane::here(), "neighbours", || neighbours.pairs(lefts, control, found))?;
    if !orders.all_count() {
        found.retain(|near| orders.counts(near));
    }
    control.compare(Compared::exactly((found.len() - n_before) as u64));
    if first_rule > 0 {
        found.par_iter_mut().for_each(|near| near.rule += first_rule);
    }
    Ok(())
}

fn hand_on(
    merged: &mut Vec<Candidate>,
    candidate: Candidate,
    sink: &mut dyn FnMut(&[Candidate]) -> Result<()>,
) -> Result<()> {
    merged.push(candidate);
    if merged.len() > MERGED {
        sink(merged)?;
        merged.clear();
    }
    Ok(())
}
