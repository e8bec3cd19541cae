//! Points: places of a domain, numbered so that those near each other have numbers near each other, and the vectors and cells
//! that distances are decided by.
//!
//! Two records are at the same place if their latitudes and longitudes are the same numbers. Places are numbered along a curve
//! that fills the plane (Morton, *A computer oriented geodetic data base*, 1966), so whoever goes through the places of a cell
//! goes through memory that lies together, and no dictionary is needed to find those that are the same: they stand side by
//! side.

use super::grid::{CELLS, Grid};
use super::{PointColumn, SetColumn};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::ranges;
use crate::base::sphere::{MOST_LATITUDE, Place, vector};
use hyperblock_shared::columns::{Head, MISSING, Point};
use hyperblock_shared::measure::Square;
use hyperblock_shared::signature::token_bit;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Places whose cells can be numbered in 32 bits.
const MOST_PLACES: usize = u32::MAX as usize / CELLS;

/// Places that a thread numbers at a time.
const PLACES_AT_ONCE: usize = 1 << 14;

/// A record's place on the curve, and on the sphere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    on_curve: u64,
    /// The bits of both numbers.
    place: [u64; 2],
    record: u32,
}

/// The distinct places of some columns, and by column and record the code of its place.
pub(super) fn number(
    columns: &[Vec<Option<Place>>],
    control: &Control,
) -> Result<(Vec<Place>, Vec<Vec<u32>>)> {
    let mut firsts = vec![0];
    firsts.extend(columns.iter().scan(0, |sum, column| {
        *sum += column.len();
        Some(*sum)
    }));
    let standing = |(record, place): (usize, &Option<Place>)| {
        let place = (*place)?;
        let bits = [place.latitude.to_bits(), place.longitude.to_bits()];
        Some(Standing { on_curve: on_curve(place), place: bits, record: record as u32 })
    };
    let mut all: Vec<Standing> = Vec::new();
    for (column, &first) in columns.iter().zip(&firsts) {
        let of_column = column.par_iter().enumerate().map(|(record, place)| (first + record, place));
        all.par_extend(of_column.filter_map(standing));
    }
    ranges::sort(&mut all, &mut Vec::new(), |it| it.on_curve, Ord::cmp, control)?;
    let is_new = |ix: &usize| *ix == 0 || all[*ix].place != all[ix - 1].place;
    let place = |ix: usize| {
        let [latitude, longitude] = all[ix].place.map(f64::from_bits);
        Place { latitude, longitude }
    };
    let each = (0..all.len()).into_par_iter().with_min_len(PLACES_AT_ONCE);
    let places = each.filter(is_new).map(place).collect();
    // Each part goes on counting where those before it end.
    let part = |from: usize| from..all.len().min(from + PLACES_AT_ONCE);
    let parts = (0..all.len()).into_par_iter().step_by(PLACES_AT_ONCE);
    let n_new = parts.clone().map(|from| part(from).filter(is_new).count() as u32);
    let mut n_before: Vec<u32> = n_new.collect();
    n_before.iter_mut().fold(0, |sum, n| sum + std::mem::replace(n, sum));
    let codes: Vec<AtomicU32> = (0..firsts[columns.len()]).map(|_| AtomicU32::new(MISSING)).collect();
    parts.zip(&n_before).for_each(|(from, &n_before)| {
        part(from).fold(n_before, |n, ix| {
            let n = n + u32::from(is_new(&ix));
            codes[all[ix].record as usize].store(n - 1, Relaxed);
            n
        });
    });
    let mut codes: Vec<u32> = codes.into_iter().map(AtomicU32::into_inner).collect();
    let mut codes: Vec<Vec<u32>> =
        firsts[..columns.len()].iter().rev().map(|&first| codes.split_off(first)).collect();
    codes.reverse();
    Ok((places, codes))
}

/// Where a place is along the curve: the bits of latitude and longitude in turns.
fn on_curve(Place { latitude, longitude }: Place) -> u64 {
    let scaled = |share: f64| u64::from((share * f64::from(u32::MAX)) as u32);
    let spread = |number: u64| {
        [(16, 0x0000_ffff_0000_ffff), (8, 0x00ff_00ff_00ff_00ff), (4, 0x0f0f_0f0f_0f0f_0f0f)]
            .into_iter()
            .chain([(2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)])
            .fold(number, |bits, (by, mask): (u32, u64)| (bits | bits << by) & mask)
    };
    let share = (latitude + MOST_LATITUDE) / (2.0 * MOST_LATITUDE);
    spread(scaled(share)) << 1 | spread(scaled(longitude.rem_euclid(360.0) / 360.0))
}

/// The vectors of places.
pub(super) fn vectors(domain: usize, places: &[Place], odd: &[String]) -> PointColumn {
    let point = |place: &Place| Point::new(vector(*place));
    PointColumn { domain, points: Arc::new(places.par_iter().map(point).gather()), odd: odd.to_vec() }
}

impl PointColumn {
    /// Tells of the values that are no places.
    pub(super) fn warn(&self) {
        self.odd.iter().for_each(|odd| tracing::warn!("{odd}"));
    }
}

/// The cells that places lie in, as sets, of which two have one in common if their chord has at most this square.
pub(super) fn cells(domain: usize, places: &[Place], most: Square) -> Result<SetColumn> {
    if places.len() > MOST_PLACES {
        return Err(Error::Job(format!("{} places are too many for one job; split the table", places.len())));
    }
    let grid = Grid::new(most, places.len());
    // Cells are not numbered through: of so many numbers some stand for several cells, which is as good as a larger cell.
    let n_cells = (CELLS * places.len()).max(1) as u32;
    let n_numbers = 1 << n_cells.ilog2();
    let mut tokens = vec![0; CELLS * places.len()];
    let mut heads = vec![Head::default(); places.len()];
    let of_places = places.par_iter().zip(tokens.par_chunks_mut(CELLS)).zip(&mut heads);
    of_places.enumerate().with_min_len(1 << 10).for_each(|(code, ((place, tokens), head))| {
        let mut cells = grid.cells(*place, n_numbers);
        cells.sort_unstable();
        let mut len = 0;
        for (nth, &cell) in cells.iter().enumerate() {
            if nth == 0 || cell != cells[nth - 1] {
                tokens[len] = cell;
                len += 1;
            }
        }
        let signature = tokens[..len].iter().fold(0, |bits, &cell| bits | token_bit(cell));
        *head = Head { start: (CELLS * code) as u32, len: len as u32, beginning: 0, signature };
    });
    Ok(SetColumn::new(domain, heads, tokens))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_numbered_once_and_in_the_order_of_the_curve(
            columns in prop::collection::vec(
                prop::collection::vec(prop::option::of((-2i32..=2, -4i32..=4)), 0..40), 1..3,
            ),
        ) {
            let place = |&(latitude, longitude): &(i32, i32)| Place {
                latitude: f64::from(latitude) * 45.0, longitude: f64::from(longitude) * 90.0,
            };
            let columns: Vec<Vec<Option<Place>>> =
                columns.iter().map(|column| column.iter().map(|at| at.as_ref().map(place)).collect()).collect();
            assert_numbered(&columns);
        }
    }

    fn assert_numbered(columns: &[Vec<Option<Place>>]) {
        let (places, codes) = number(columns, &Control::default()).unwrap();
        assert_eq!(columns.len(), codes.len());
        for (column, codes) in columns.iter().zip(&codes) {
            let back: Vec<Option<Place>> =
                codes.iter().map(|&code| places.get(code as usize).copied()).collect();
            assert_eq!(column, &back);
        }
        assert!(places.windows(2).all(|two| on_curve(two[0]) <= on_curve(two[1]) && two[0] != two[1]));
    }

    /// More than a thread numbers at a time, of which most stand several times.
    #[test]
    fn many_places_are_numbered_in_parts() {
        let place = |nth: usize| Place {
            latitude: (nth * 7919 % 181) as f64 - 90.0,
            longitude: (nth * 104_729 % 72_000) as f64 / 100.0 - 360.0,
        };
        let column = |n: usize| (0..n).map(|nth| (!nth.is_multiple_of(97)).then(|| place(nth))).collect();
        assert_numbered(&[column(3 * PLACES_AT_ONCE + 5), column(0), column(PLACES_AT_ONCE)]);
        assert_numbered(&[vec![None; 5]]);
    }
}
