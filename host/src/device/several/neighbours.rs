//! Sorted neighbourhoods at several places: stripes of left records, whose pairs come in order.

use super::Several;
use super::round::{Nth, share};
use super::stripe::Stripe;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::operators::neighbours::{Neighbours, NeighboursOperator, Orders};
use crate::operators::scan::Outcome;
use hyperblock_shared::layout::Candidate;
use rayon::prelude::*;
use std::ops::Range;

/// Neighbours that a place looks at in a millisecond, about.
const NEIGHBOURS_PER_MILLISECOND: f64 = 1e5;

impl NeighboursOperator for Several {
    fn load_neighbours<'a>(&'a self, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>> {
        let held = self.load_all(|place| place.device.load_neighbours(orders))?;
        let milliseconds = orders.most_neighbours() as f64 / NEIGHBOURS_PER_MILLISECOND;
        Ok(Box::new(SeveralNeighbours { several: self, held, milliseconds }))
    }
}

struct SeveralNeighbours<'a> {
    several: &'a Several,
    /// By place: the orders there; none, where it failed.
    held: Vec<Option<Box<dyn Neighbours + 'a>>>,
    /// What a left record takes.
    milliseconds: f64,
}

impl Neighbours for SeveralNeighbours<'_> {
    fn pairs(&mut self, lefts: Range<u32>, control: &Control, found: &mut Vec<Candidate>) -> Result<()> {
        let range = lefts.start as usize..lefts.end as usize;
        let whole = Stripe { range, milliseconds: self.milliseconds, kind: "neighbours" };
        let pairs = |stripe: &Stripe, _: Nth, neighbours: &mut Box<dyn Neighbours + '_>| {
            let mut found = Vec::new();
            // They were numbers of records before.
            let lefts = stripe.range.start as u32..stripe.range.end as u32;
            neighbours.pairs(lefts, control, &mut found)?;
            Ok((Outcome::Done, found))
        };
        let runs = share(self.several, whole, &mut self.held, usize::MAX, control, &pairs)?;
        let mut runs = runs.ok_or_else(|| Error::Internal("no number of pairs is too many".into()))?;
        runs.sort_by_key(|(stripe, _)| stripe.range.start);
        found.reserve(runs.iter().map(|(_, run)| run.len()).sum());
        runs.into_iter().for_each(|(_, run)| found.par_extend(run));
        Ok(())
    }
}
