//! Sorted neighbourhoods on the CPU: each thread has a part of the left records, and sorts what each of them
//! sees.

use super::Cpu;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::operators::neighbours::{Neighbours, NeighboursOperator, Orders};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::neighbours::Order;
use rayon::prelude::*;
use std::ops::Range;

/// Left records that a thread does at once.
const PART: u32 = 1 << 12;

impl NeighboursOperator for Cpu {
    fn load_neighbours<'a>(&'a self, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>> {
        Ok(Box::new(CpuNeighbours::new(orders)))
    }
}

/// The orders where they are.
struct CpuNeighbours<'a> {
    orders: Vec<Order<'a>>,
    n_left: u32,
    is_one_table: bool,
}

impl<'a> CpuNeighbours<'a> {
    fn new(orders: &'a Orders) -> Self {
        Self { orders: orders.iter().collect(), n_left: orders.n_left, is_one_table: orders.is_one_table }
    }

    fn part(&self, lefts: Range<u32>) -> Vec<Candidate> {
        let (mut found, mut seen) = (Vec::new(), Vec::new());
        for left in lefts {
            seen.clear();
            for (rule, order) in (0..).zip(&self.orders) {
                let neighbour = |place| order.neighbour(left, place, self.n_left, self.is_one_table);
                let near = order.near(left).filter_map(neighbour);
                seen.extend(near.map(|right| u64::from(right) << 32 | rule));
            }
            seen.sort_unstable();
            if self.orders.len() > 1 {
                seen.dedup_by_key(|seen| *seen >> 32);
            }
            let candidate = |seen: &u64| Candidate { left, right: (seen >> 32) as u32, rule: *seen as u32 };
            found.extend(seen.iter().map(candidate));
        }
        found
    }
}

impl Neighbours for CpuNeighbours<'_> {
    fn pairs(&mut self, lefts: Range<u32>, control: &Control, found: &mut Vec<Candidate>) -> Result<()> {
        control.check()?;
        let firsts: Vec<u32> = lefts.clone().step_by(PART as usize).collect();
        let part = |&first: &u32| self.part(first..first.saturating_add(PART).min(lefts.end));
        let parts: Vec<Vec<Candidate>> = firsts.par_iter().map(part).gather();
        found.reserve(parts.iter().map(Vec::len).sum());
        parts.iter().for_each(|part| found.extend_from_slice(part));
        Ok(())
    }
}
