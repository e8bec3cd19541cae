//! Grids: records in an order, cut into blocks, and the units that compare two of them or one with itself. By their length or by a
//! number, most blocks are too far from each other to have pairs, and are not compared. Where nothing says more, the order is that of
//! the hashes of ids.

use super::alike::Alike;
use super::placed::Standing;
use super::values::{Value, Values};
use crate::base::error::{Error, Result};
use crate::read::table::Table;
use crate::rules::{Domain, Operand, Predicate, Test};
use rkyv::{Archive, Deserialize, Serialize};

/// What records are ordered by, and then by the hashes of their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub(super) enum By {
    /// By that alone.
    Ids,
    /// By the lengths of what a similarity compares.
    Lengths(u32),
    /// By the numbers or dates of which a predicate bounds the difference.
    Numbers(u32),
}

/// Where a record is in such an order.
pub(super) type Place = (f64, u64);

/// Blocks and cells.
#[derive(Clone, Debug, PartialEq, Archive, Serialize, Deserialize)]
pub(super) struct GridCover {
    pub(super) by: By,
    pub(super) is_one_table: bool,
    /// The first unit: there is one for each cell.
    pub(super) first: u64,
    /// Of the left and the right table: where each block but the first begins. Of one table, the same twice.
    pub(super) bounds: [Vec<Place>; 2],
    /// Blocks that are compared, ascending; of one table, the first of the two is not behind the other.
    pub(super) cells: Vec<[u32; 2]>,
}

/// Which block a place is in, where they begin at these.
pub(super) fn block(bounds: &[Place], place: Place) -> usize {
    bounds.partition_point(|bound| bound.0.total_cmp(&place.0).then(bound.1.cmp(&place.1)).is_le())
}

impl GridCover {
    pub(super) fn is_one_sided(&self, unit: u64) -> bool {
        let cell = unit.checked_sub(self.first).and_then(|nth| self.cells.get(nth as usize));
        self.is_one_table && cell.is_some_and(|[left, right]| left == right)
    }
}

/// A grid, ready to place records.
pub(super) struct ReadyGrid<'p> {
    pub(super) cover: &'p GridCover,
    order: Order,
    /// By table and block: where its records stand.
    stand: [Vec<Vec<Standing>>; 2],
}

/// How a record's place is told.
pub(super) enum Order {
    Ids,
    /// By what stands on either side of a predicate.
    Lengths(Box<Alike>, [Value; 2]),
    Numbers([Value; 2]),
}

/// A grid over a table.
pub(super) struct GridOver<'a> {
    order: &'a Order,
    values: Option<Values<'a>>,
}

impl Order {
    pub(super) fn new(by: By, predicates: &[Predicate]) -> Result<Self> {
        let of = |ix: u32| {
            let lost = || Error::Job("the plan is damaged: a grid by no predicate".into());
            predicates.get(ix as usize).ok_or_else(lost)
        };
        Ok(match by {
            By::Ids => Self::Ids,
            By::Lengths(ix) => Self::Lengths(Box::new(Alike::new(of(ix)?, 1)?), compared(of(ix)?)?),
            By::Numbers(ix) => Self::Numbers(compared(of(ix)?)?),
        })
    }

    /// By what stands on one side of the predicate.
    pub(super) fn over<'a>(&'a self, table: &'a Table, role: usize) -> Result<GridOver<'a>> {
        let values = match self {
            Self::Ids => None,
            Self::Lengths(_, values) | Self::Numbers(values) => Some(values[role].over(table)?),
        };
        Ok(GridOver { order: self, values })
    }
}

impl GridOver<'_> {
    /// A record's place, if it can be in a pair.
    pub(super) fn place(&self, row: usize, id: u64) -> Option<Place> {
        let at = match (self.order, &self.values) {
            (Order::Ids, _) => 0.0,
            (Order::Lengths(alike, _), Some(values)) => f64::from(alike.length(values, row)?),
            (Order::Numbers(_), Some(values)) => values.number(row)?,
            (_, None) => return None,
        };
        Some((at, id))
    }
}

impl<'p> ReadyGrid<'p> {
    pub(super) fn new(cover: &'p GridCover, predicates: &[Predicate]) -> Result<Self> {
        let n_blocks = |side: usize| cover.bounds[side].len() + 1;
        let mut stand = [vec![Vec::new(); n_blocks(0)], vec![Vec::new(); n_blocks(1)]];
        for (unit, &[left, right]) in (cover.first..).zip(&cover.cells) {
            let of = [(0, left, 0), (usize::from(!cover.is_one_table), right, 1)];
            let is_one_sided = cover.is_one_table && left == right;
            for (table, block, side) in of.into_iter().take(if is_one_sided { 1 } else { 2 }) {
                let lost = || Error::Job("the plan is damaged: a cell of no blocks".into());
                stand[table].get_mut(block as usize).ok_or_else(lost)?.push(Standing { unit, side });
            }
        }
        Ok(Self { cover, order: Order::new(cover.by, predicates)?, stand })
    }

    pub(super) fn over<'a>(&'a self, table: &'a Table, role: usize) -> Result<GridOver<'a>> {
        self.order.over(table, role)
    }

    /// Where a record of a table stands.
    pub(super) fn each(&self, place: Place, table: usize, take: impl FnMut(Standing)) {
        let block = block(&self.cover.bounds[table], place);
        self.stand[table][block].iter().copied().for_each(take);
    }

    /// The unit that compares records at these places, if they are within reach of each other.
    pub(super) fn meeting(&self, places: [Place; 2]) -> Option<u64> {
        let GridCover { is_one_table, first, bounds, cells, .. } = self.cover;
        let [left, right] = [0, 1].map(|side| block(&bounds[side], places[side]) as u32);
        let cell = if *is_one_table { [left.min(right), left.max(right)] } else { [left, right] };
        cells.binary_search(&cell).ok().map(|nth| first + nth as u64)
    }
}

/// What a predicate compares, on both sides.
pub(super) fn compared(predicate: &Predicate) -> Result<[Value; 2]> {
    let (left, right, domain) = operands(predicate)?;
    Ok([Value::new(left, domain)?, Value::new(right, domain)?])
}

/// The same as operands.
pub(super) fn operands(predicate: &Predicate) -> Result<(&Operand, &Operand, Domain)> {
    match &predicate.test {
        Test::Compare { left, right, domain, .. } => Ok((left, right, *domain)),
        Test::Value { .. } => {
            Err(Error::Job(format!("the plan is damaged: `{predicate}` compares no records")))
        }
    }
}
