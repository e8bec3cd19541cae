//! A grid on the sphere: the cells that a point lies in, so that points which are near each other have one in common.
//!
//! The sphere is cut into bands of latitude, each at least twice as high as the greatest angle θ between near points, and
//! each band into columns. Two points within θ are less than half a band apart. So if one edge of the bands lies between
//! them, they are in one band of those that are cut half a band further, and the sphere is cut both ways.
//!
//! Within a band no latitude is beyond some φ. For points with latitudes a and b, and longitudes that differ by Δ,
//!
//! ```text
//!   hav θ  =  hav(a − b) + cos a · cos b · hav Δ  ≥  cos² φ · hav Δ,   so   sin(Δ / 2)  ≤  sin(θ / 2) / cos φ
//! ```
//!
//! That bounds Δ by some Λ, and the columns of the band are at least 2 Λ wide, all equally. Around the band the same holds as
//! from pole to pole: of the columns, and those half a column further, one of either has both points. Where two columns have
//! no room, as at a pole, the band is one. That makes four cells for each point.
//!
//! What is computed here is rounded, and so were the vectors that decide. [`SLACK`] is more than a thousand times all of that
//! together, so rounding loses no pair.

use crate::base::sphere::{Place, angle, radians};
use hyperblock_shared::measure::Square;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Radians that points may be further apart than they should: six millimetres on the Earth. Vectors are off by some 10^-12,
/// and doubles by less than 10^-14.
const SLACK: f64 = 1e-9;

/// Radians between points beyond which the sphere is one cell. Up to there what is rounded stays as small as that.
const MOST_ANGLE: f64 = 1.0;

/// Bands at most: five metres high. Lower ones would have few points less.
const MOST_BANDS: f64 = (1 << 22) as f64;

/// Cells of a point.
pub(crate) const CELLS: usize = 4;

/// How the sphere is cut for points that are near each other.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// The greatest angle between them.
    angle: f64,
    /// From pole to pole; 0, if all of the sphere is one cell.
    n_bands: f64,
    /// The most columns of a band, and perhaps some more: an odd number.
    width: u64,
    /// By cut, and by band of it: its columns. None, if they are not worked out beforehand.
    columns: [Vec<u32>; 2],
}

impl Grid {
    /// For points whose chord has at most this square, and as many of them.
    pub(crate) fn new(most: Square, n_points: usize) -> Self {
        let angle = angle(most) + SLACK;
        let n_bands =
            if angle > MOST_ANGLE { 0.0 } else { (PI / (2.0 * angle)).floor().clamp(1.0, MOST_BANDS) };
        let mut grid = Self { angle, n_bands, width: 1, columns: [Vec::new(), Vec::new()] };
        // The widest band lies about the equator, and no other one has more.
        grid.width = (grid.n_columns_within(0.0) as u64) | 1;
        if n_bands > 0.0 && n_bands < n_points as f64 {
            let of = |cut: usize| (0..n_bands as u64 + 2).map(|band| grid.worked_out(cut, band)).collect();
            grid.columns = [of(0), of(1)];
        }
        grid
    }

    /// How high a band is, in radians, if there are any.
    pub(crate) fn height(&self) -> Option<f64> {
        (self.n_bands > 0.0).then_some(PI / self.n_bands)
    }

    /// The cells of a place, each by a number of its own; numbers of cells beside each other are, too. They are taken as they
    /// come: `most` is a power of two, and those that differ by a multiple of it are not told apart.
    pub(crate) fn cells(&self, place: Place, most: u32) -> [u32; CELLS] {
        let mut cells = [0; CELLS];
        let Some(height) = self.height() else { return cells };
        let from_pole = (radians(place.latitude) + FRAC_PI_2) / height;
        let around = radians(place.longitude.rem_euclid(360.0)) / TAU;
        for (nth, cell) in cells.iter_mut().enumerate() {
            let (cut_of_bands, cut_of_columns) = (nth / 2, nth % 2);
            let band = (from_pole + 0.5 * cut_of_bands as f64).floor() as u64;
            let n_columns = self.n_columns(cut_of_bands, band);
            // Around the band, the last column is followed by the first one.
            let column =
                (around * f64::from(n_columns) + 0.5 * cut_of_columns as f64) as u64 % u64::from(n_columns);
            let of_cut = (2 * band + cut_of_bands as u64).wrapping_mul(self.width).wrapping_add(column);
            *cell = (2 * of_cut + cut_of_columns as u64) as u32 & (most - 1);
        }
        cells
    }

    fn n_columns(&self, cut: usize, band: u64) -> u32 {
        self.columns[cut].get(band as usize).copied().unwrap_or_else(|| self.worked_out(cut, band))
    }

    fn worked_out(&self, cut: usize, band: u64) -> u32 {
        let height = PI / self.n_bands;
        let south = (band as f64 - 0.5 * cut as f64) * height - FRAC_PI_2;
        // Both edges are where they are but for rounding.
        let furthest = south.abs().max((south + height).abs()) + SLACK;
        self.n_columns_within(furthest.min(FRAC_PI_2))
    }

    /// The columns of a band no latitude of which is beyond this one.
    fn n_columns_within(&self, latitude: f64) -> u32 {
        let sine = libm::sin(self.angle / 2.0) / libm::cos(latitude);
        // Of two columns each is half of the band.
        let longitude = if sine < 1.0 { 2.0 * libm::asin(sine) } else { PI };
        (PI / (longitude + SLACK)).floor().max(1.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::decimal::Decimal;
    use crate::base::sphere::{RADIUS_KM, Within, vector, within};
    use proptest::prelude::*;

    fn latitude() -> impl Strategy<Value = f64> {
        prop_oneof![-90.0..=90.0f64, prop::sample::select(vec![-90.0, 90.0, 0.0, 89.9999, -89.99])]
    }

    fn longitude() -> impl Strategy<Value = f64> {
        prop_oneof![
            -360.0..=360.0f64,
            prop::sample::select(vec![-180.0, 180.0, 0.0, 360.0, 179.9999, -1e-20])
        ]
    }

    /// As many kilometres as one may ask for, the few as often as the many.
    fn threshold() -> impl Strategy<Value = f64> {
        (-6.0..4.3f64).prop_map(|scale| 10f64.powf(scale))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// By the integers that decide: a pair without a cell in common is not near.
        #[test]
        fn near_points_have_a_cell_in_common(
            km in threshold(), latitude in latitude(), longitude in longitude(), bearing in 0.0..TAU, far in 0.0..1.01f64,
            is_worked_out: bool,
        ) {
            let a = Place { latitude, longitude };
            // So far in this direction.
            let angle = far * km / RADIUS_KM;
            let (from, sine) = (radians(latitude), libm::sin(angle));
            let to = libm::asin((from.sin() * angle.cos() + from.cos() * sine * bearing.cos()).clamp(-1.0, 1.0));
            let by = libm::atan2(bearing.sin() * sine * from.cos(), angle.cos() - from.sin() * to.sin());
            let longitude = (longitude + by.to_degrees()).clamp(-360.0, 360.0);
            let b = Place { latitude: to.to_degrees().clamp(-90.0, 90.0), longitude };
            let written = Decimal::parse(&format!("{km:.9}")).unwrap();
            let Within::Chord(most) = within(written, false) else { return Ok(()) };
            let square: u128 =
                vector(a).iter().zip(vector(b)).map(|(a, b)| u128::from(a.abs_diff(b)).pow(2)).sum();
            // What is a little too far need not be found.
            if square > most.get() {
                return Ok(());
            }
            let grid = Grid::new(most, if is_worked_out { 100_000 } else { 0 });
            let [of_a, of_b] = [a, b].map(|place| grid.cells(place, 1 << 31));
            let in_common = of_a.iter().filter(|cell| of_b.contains(cell)).count();
            prop_assert!(in_common > 0, "{:?} {:?} {} km: {:?} {:?} {:?}", a, b, km, of_a, of_b, grid);
        }

        /// Else it would be of no use.
        #[test]
        fn far_points_have_no_cell_in_common(km in -3.0..2.0f64, a in (-80.0..80.0f64, -180.0..180.0f64), by in 4.0..50.0f64) {
            let km = 10f64.powf(km);
            let (latitude, longitude) = a;
            let degrees = (by * km / RADIUS_KM).to_degrees();
            let written = Decimal::parse(&format!("{km:.9}")).unwrap();
            let Within::Chord(most) = within(written, false) else { return Ok(()) };
            let grid = Grid::new(most, 0);
            // Bands of the lowest height are higher than what is asked for.
            let Some(height) = grid.height() else { return Ok(()) };
            prop_assume!(degrees.to_radians() > 2.0 * height);
            let far = [
                Place { latitude: latitude + if latitude > 0.0 { -degrees } else { degrees }, longitude },
                Place { latitude, longitude: longitude + 2.0 * degrees / radians(latitude).cos() },
            ];
            prop_assume!(degrees < 30.0 && radians(latitude).cos() > 0.2);
            let cells = grid.cells(Place { latitude, longitude }, 1 << 31);
            for place in far {
                let of_other = grid.cells(place, 1 << 31);
                prop_assert!(cells.iter().all(|cell| !of_other.contains(cell)), "{:?} {:?} {} km", a, place, km);
            }
        }
    }

    #[test]
    fn where_nearly_all_is_near_there_is_one_cell() {
        let Within::Chord(most) = within(Decimal::parse("12000").unwrap(), false) else { panic!() };
        let grid = Grid::new(most, 10);
        let cells = |latitude, longitude| {
            let mut cells = grid.cells(Place { latitude, longitude }, 1 << 20);
            cells.sort_unstable();
            cells
        };
        assert!(cells(12.0, 77.0).iter().any(|cell| cells(-89.0, -300.0).contains(cell)));
        assert!(cells(90.0, 0.0).iter().any(|cell| cells(-90.0, 0.0).contains(cell)));
    }
}
