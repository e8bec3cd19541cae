//! Covers: for a branch of the plan, in which units a record is, and on which side. It is a function of the record alone, and two
//! records that the branch may admit are compared by some unit.
//!
//! - By *key*: records on which the equalities that all rules of the branch ask for hold have the same key, and so are together.
//! - By *elements*: of a similarity, those among the first elements of two values, rare ones first, that both have. Values that may
//!   need nothing in common are in a grid beside.
//! - By a *grid*: each block with each other one that is within reach.
//!
//! Where two records may be together in several units, or in one by something else than what they have in common, the pair is the
//! unit's that [`Ready::meeting`] says: the least of those that compare them.

use super::alike::{Alike, Needs};
use super::grid::{GridCover, GridOver, ReadyGrid, compared, operands};
use super::hash;
use super::placed::{Placed, Standing};
use super::values::{Value, Values};
use crate::base::error::{Error, Result};
use crate::read::table::Table;
use crate::rules::Predicate;
use rkyv::{Archive, Deserialize, Serialize};

/// How records that a branch may admit come together.
#[derive(Clone, Debug, PartialEq, Archive, Serialize, Deserialize)]
pub(super) enum Cover {
    Key(KeyCover),
    Elements(ElementsCover),
    Grid(GridCover),
}

/// By what is equal.
#[derive(Clone, Debug, PartialEq, Archive, Serialize, Deserialize)]
pub(super) struct KeyCover {
    /// The equalities, by predicate.
    pub(super) equalities: Vec<u32>,
    pub(super) placed: Placed,
}

/// By what similar values have in common.
#[derive(Clone, Debug, PartialEq, Archive, Serialize, Deserialize)]
pub(super) struct ElementsCover {
    /// The similarity.
    pub(super) predicate: u32,
    /// Symbols of an element, if it is made of them.
    pub(super) q: u32,
    /// The one order of elements: those that samples have, by hash, with how frequent they are. Others come before them, by hash.
    pub(super) ranks: Vec<(u64, u32)>,
    pub(super) placed: Placed,
    /// Of values that may need nothing in common.
    pub(super) free: Option<GridCover>,
}

impl Cover {
    /// What it goes by.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Key(_) => "key",
            Self::Elements(_) => "elements",
            Self::Grid(_) => "grid",
        }
    }

    /// Whether a unit compares one block with itself.
    pub(super) fn is_one_sided(&self, unit: u64) -> bool {
        match self {
            Self::Key(cover) => cover.placed.is_one_sided(unit),
            Self::Elements(cover) => match &cover.free {
                Some(free) if unit >= free.first => free.is_one_sided(unit),
                _ => cover.placed.is_one_sided(unit),
            },
            Self::Grid(cover) => cover.is_one_sided(unit),
        }
    }
}

/// A cover, ready to place the records of tables on which the rules are bound.
pub(super) struct Ready<'p> {
    how: How<'p>,
    /// Whether both records of a pair are looked at alike: by the same operands.
    pub(super) is_same: bool,
}

enum How<'p> {
    Key(&'p KeyCover, [Vec<Value>; 2]),
    Elements(&'p ElementsCover, Box<Alike>, Box<[Value; 2]>, Option<Box<ReadyGrid<'p>>>),
    Grid(Box<ReadyGrid<'p>>),
}

/// A cover over a table, whose records are on one side of the predicates.
pub(super) struct Over<'a> {
    ready: &'a Ready<'a>,
    values: Vec<Values<'a>>,
    grid: Option<GridOver<'a>>,
}

impl<'p> Ready<'p> {
    pub(super) fn new(cover: &'p Cover, predicates: &[Predicate], is_one_table: bool) -> Result<Self> {
        let of = |ix: &u32| {
            let lost = || Error::Job("the plan is damaged: a cover by no predicate".into());
            predicates.get(*ix as usize).ok_or_else(lost)
        };
        let is_same = |ix: &u32| operands(of(ix)?).map(|(left, right, _)| is_one_table && left == right);
        let (how, is_same) = match cover {
            Cover::Key(key) => {
                let mut values = [Vec::new(), Vec::new()];
                let mut are_same = true;
                for ix in &key.equalities {
                    let [left, right] = compared(of(ix)?)?;
                    values[0].push(left);
                    values[1].push(right);
                    are_same &= is_same(ix)?;
                }
                (How::Key(key, values), are_same)
            }
            Cover::Elements(elements) => {
                let predicate = of(&elements.predicate)?;
                let alike = Box::new(Alike::new(predicate, elements.q)?);
                let grid = |free| ReadyGrid::new(free, predicates).map(Box::new);
                let free = elements.free.as_ref().map(grid).transpose()?;
                let how = How::Elements(elements, alike, Box::new(compared(predicate)?), free);
                (how, is_same(&elements.predicate)?)
            }
            // One table is ordered by what is the same on both sides alone.
            Cover::Grid(grid) => (How::Grid(Box::new(ReadyGrid::new(grid, predicates)?)), is_one_table),
        };
        Ok(Self { how, is_same })
    }

    /// Over a table, of which the records are left ones, or right ones, of the predicates.
    pub(super) fn over<'a>(&'a self, table: &'a Table, role: usize) -> Result<Over<'a>> {
        let (values, grid) = match &self.how {
            How::Key(_, values) => {
                (values[role].iter().map(|value| value.over(table)).collect::<Result<_>>()?, None)
            }
            How::Elements(_, _, values, free) => {
                let free = free.as_ref().map(|free| free.over(table, role)).transpose()?;
                (vec![values[role].over(table)?], free)
            }
            How::Grid(grid) => (Vec::new(), Some(grid.over(table, role)?)),
        };
        Ok(Over { ready: self, values, grid })
    }

    /// Whether two records that a unit has and its branch admits may be another unit's pair.
    pub(super) fn are_pairs_shared(&self, is_one_table: bool) -> bool {
        match &self.how {
            How::Key(..) => is_one_table && !self.is_same,
            How::Elements(..) => true,
            How::Grid(_) => false,
        }
    }
}

/// What says where a record is.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// The hashes that it shows: its key, or its first elements.
    pub(super) hashes: Vec<u64>,
    /// Its place in the grid, if it is in one.
    pub(super) place: Option<(f64, u64)>,
}

impl Over<'_> {
    /// What a row shows, given the hash of its id.
    pub(super) fn shown(&self, row: usize, id: u64, shown: &mut Shown) -> Result<()> {
        shown.hashes.clear();
        shown.place = None;
        match &self.ready.how {
            How::Key(..) => shown.hashes.extend(self.key(row)),
            How::Elements(cover, alike, ..) => {
                let Some(values) = self.values.first() else { return Ok(()) };
                let Some(Needs { prefix, is_free }) = alike.elements(values, row, &mut shown.hashes)? else {
                    shown.hashes.clear();
                    return Ok(());
                };
                let rank = |hash: &u64| {
                    let known = cover.ranks.binary_search_by_key(hash, |(known, _)| *known);
                    known.map_or(0, |place| cover.ranks[place].1)
                };
                shown.hashes.sort_by_cached_key(|hash| (rank(hash), *hash));
                shown.hashes.truncate(prefix as usize);
                if is_free {
                    shown.place = self.grid.as_ref().and_then(|grid| grid.place(row, id));
                }
            }
            How::Grid(_) => shown.place = self.grid.as_ref().and_then(|grid| grid.place(row, id)),
        }
        Ok(())
    }

    /// A row's key, if no part of it is missing.
    fn key(&self, row: usize) -> Option<u64> {
        self.values.iter().try_fold(0, |key, values| Some(hash::mixed(key, values.equal(row)?)))
    }
}

impl Ready<'_> {
    fn placed(&self) -> Option<&Placed> {
        match &self.how {
            How::Key(cover, _) => Some(&cover.placed),
            How::Elements(cover, ..) => Some(&cover.placed),
            How::Grid(_) => None,
        }
    }

    fn grid(&self) -> Option<&ReadyGrid<'_>> {
        match &self.how {
            How::Key(..) => None,
            How::Elements(_, _, _, free) => free.as_deref(),
            How::Grid(grid) => Some(grid),
        }
    }

    /// Where a record of a table stands that shows this, whose id has that hash. It may come twice.
    pub(super) fn each(&self, shown: &Shown, id: u64, table: u8, mut take: impl FnMut(Standing)) {
        if let Some(placed) = self.placed() {
            shown.hashes.iter().for_each(|&hash| placed.each(hash, id, table, &mut take));
        }
        if let (Some(grid), Some(place)) = (self.grid(), shown.place) {
            grid.each(place, usize::from(table), take);
        }
    }

    /// The least unit that compares a left record with a right one, which show this and whose ids have these hashes.
    pub(super) fn meeting(&self, shown: [&Shown; 2], ids: [u64; 2]) -> Option<u64> {
        let placed = self.placed().and_then(|placed| {
            let both = shown[0].hashes.iter().filter(|hash| shown[1].hashes.contains(hash));
            both.map(|&hash| placed.meeting(hash, ids)).min()
        });
        let in_grid = match (self.grid(), shown[0].place, shown[1].place) {
            (Some(grid), Some(left), Some(right)) => grid.meeting([left, right]),
            _ => None,
        };
        [placed, in_grid].into_iter().flatten().min()
    }
}
