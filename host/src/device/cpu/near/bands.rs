//! Bands of the sphere, and how far around it points of two bands may be from each other, if they are near.
//!
//! The sphere is cut into bands of latitude, each at least as high as the greatest angle θ between near points: so these are in
//! one band, or in two beside each other. Within two bands no latitude is beyond some φ, and for points with latitudes a and b,
//! and longitudes that differ by Δ,
//!
//! ```text
//!   hav θ  =  hav(a − b) + cos a · cos b · hav Δ  ≥  cos² φ · hav Δ,   so   sin(Δ / 2)  ≤  sin(θ / 2) / cos φ
//! ```
//!
//! That bounds Δ. At a pole it does not, and points of its bands may be anywhere around. Neither latitudes nor longitudes need be
//! known for that: an angle that is off by some hundredths and rises with the true one will do, if bands are higher and bounds wider
//! by as much ([`rough`]). It is made of the vectors that decide.

use crate::base::sphere::angle;
use hyperblock_shared::columns::Point;
use hyperblock_shared::measure::Square;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// Radians that points may be further apart than they should: six millimetres on the Earth. Vectors are off by some 10^-12,
/// and doubles by less than 10^-14.
const SLACK: f64 = 1e-9;

/// Bands at most: five metres high. Lower ones would have few points less.
const MOST_BANDS: f64 = (1 << 22) as f64;

/// The bands, for points that are near each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bands {
    /// The greatest angle between them.
    angle: f64,
    n: u32,
    height: f64,
}

/// Where a point is: a band, and how far around it, in shares of 2^-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) band: u32,
    pub(super) around: u32,
}

impl Bands {
    /// For points whose chord has at most this square, and about as many of them.
    pub(super) fn new(most: Square, n_points: usize) -> Self {
        let angle = angle(most) + SLACK;
        let n = (PI / (ROUGHEST * angle)).floor().min(MOST_BANDS).clamp(1.0, n_points.max(1) as f64);
        Self { angle, n: n as u32, height: PI / n }
    }

    /// How many there are.
    pub(super) fn n(&self) -> u32 {
        self.n
    }

    pub(super) fn standing(&self, &Point { x, y, z, .. }: &Point) -> Standing {
        let [x, y, z] = [x, y, z].map(|coordinate| coordinate as f64);
        let latitude = rough((x * x + y * y).sqrt(), z);
        let band = ((latitude + FRAC_PI_2) / self.height) as u32;
        Standing { band: band.min(self.n - 1), around: ((rough(x, y) + PI) / TAU * SHARES) as u32 }
    }

    /// How far around points of these bands, which are one or beside each other, may be from each other; nothing, if that is
    /// anywhere.
    pub(super) fn reach(&self, band: u32, other: u32) -> Option<u32> {
        let south = f64::from(band.min(other)) * self.height - FRAC_PI_2;
        let north = f64::from(band.max(other) + 1) * self.height - FRAC_PI_2;
        let furthest = (south.abs().max(north.abs()) + ROUGH + SLACK).min(FRAC_PI_2);
        let sine = libm::sin(self.angle / 2.0) / libm::cos(furthest);
        // Where that is more than half of the way around, it is any.
        let shares = if sine < 1.0 { ROUGHEST * 2.0 * libm::asin(sine) / TAU * SHARES } else { SHARES };
        // Both ends are rounded.
        (shares < SHARES / 2.0 - 3.0).then(|| shares as u32 + 3)
    }
}

/// All the way around.
const SHARES: f64 = (1u64 << 32) as f64;

/// Radians that a rough angle is off by, at most.
const ROUGH: f64 = 0.004;
/// How much longer than it is an angle may be, as the difference of two rough ones.
const ROUGHEST: f64 = 1.06;

/// The angle of (x, y) from (1, 0), from -π to π, but for some thousandths. It rises with the true one, by no more than
/// [`ROUGHEST`] of that, and goes all the way around without a step.
fn rough(x: f64, y: f64) -> f64 {
    let (across, along) = (x.abs(), y.abs());
    let (less, more) = if across < along { (across, along) } else { (along, across) };
    let tangent = if more > 0.0 { less / more } else { 0.0 };
    let within_octant = tangent * (FRAC_PI_4 + 0.273 * (1.0 - tangent));
    let within_quadrant = if across < along { FRAC_PI_2 - within_octant } else { within_octant };
    let within_half = if x < 0.0 { PI - within_quadrant } else { within_quadrant };
    within_half.copysign(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::decimal::Decimal;
    use crate::base::sphere::{Place, RADIUS_KM, Within, radians, vector, within};
    use hyperblock_shared::measure::near;
    use proptest::prelude::*;

    fn point(latitude: f64, longitude: f64) -> Point {
        Point::new(vector(Place { latitude, longitude }))
    }

    fn latitude() -> impl Strategy<Value = f64> {
        prop_oneof![-90.0..=90.0f64, prop::sample::select(vec![-90.0, 90.0, 0.0, 89.9999, -89.99, 89.0])]
    }

    fn longitude() -> impl Strategy<Value = f64> {
        prop_oneof![
            -360.0..=360.0f64,
            prop::sample::select(vec![-180.0, 180.0, 0.0, 360.0, 179.9999, -1e-20, 45.0, 90.0])
        ]
    }

    /// As many kilometres as one may ask for, the few as often as the many.
    fn threshold() -> impl Strategy<Value = f64> {
        (-6.0..4.3f64).prop_map(|scale| 10f64.powf(scale))
    }

    fn chord(km: f64) -> Option<Square> {
        match within(Decimal::parse(&format!("{km:.9}")).unwrap(), false) {
            Within::Chord(most) => Some(most),
            Within::Nothing | Within::Everything => None,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// By the integers that decide: points that are not within reach are not near.
        #[test]
        fn near_points_are_within_reach(
            km in threshold(), latitude in latitude(), longitude in longitude(), bearing in 0.0..TAU, far in 0.0..1.01f64,
            n_points in prop::sample::select(vec![1usize, 100, 1_000_000, 1 << 31]),
        ) {
            // So far in this direction.
            let angle = far * km / RADIUS_KM;
            let (from, sine) = (radians(latitude), libm::sin(angle));
            let to = libm::asin((from.sin() * angle.cos() + from.cos() * sine * bearing.cos()).clamp(-1.0, 1.0));
            let by = libm::atan2(bearing.sin() * sine * from.cos(), angle.cos() - from.sin() * to.sin());
            let longitude_of_other = (longitude + by.to_degrees()).clamp(-360.0, 360.0);
            let a = point(latitude, longitude);
            let b = point(to.to_degrees().clamp(-90.0, 90.0), longitude_of_other);
            let Some(most) = chord(km) else { return Ok(()) };
            // What is a little too far need not be found.
            if !near::holds(&a, &b, most) {
                return Ok(());
            }
            let bands = Bands::new(most, n_points);
            let [of_a, of_b] = [a, b].map(|point| bands.standing(&point));
            prop_assert!(of_a.band.abs_diff(of_b.band) <= 1, "{:?} {:?} {} km: {:?} {:?}", a, b, km, of_a, of_b);
            let difference = of_a.around.wrapping_sub(of_b.around);
            let apart = difference.min(difference.wrapping_neg());
            let reach = bands.reach(of_a.band, of_b.band);
            prop_assert_eq!(reach, bands.reach(of_b.band, of_a.band));
            prop_assert!(reach.is_none_or(|reach| apart <= reach), "{:?} {:?} {} km: {} {:?}", a, b, km, apart, reach);
        }

        /// Else it would be of no use: what is within reach is not much further than what is near.
        #[test]
        fn far_points_are_not_within_reach(km in -2.0..2.0f64, latitude in -70.0..70.0f64, longitude in longitude()) {
            let km = 10f64.powf(km);
            let Some(most) = chord(km) else { return Ok(()) };
            let bands = Bands::new(most, 1 << 31);
            let degrees = (km / RADIUS_KM).to_degrees();
            prop_assume!(f64::from(bands.n()) < MOST_BANDS);
            let standing = |latitude, longitude| bands.standing(&point(latitude, longitude));
            let own = standing(latitude, longitude);
            let north = standing(latitude + 2.4 * degrees, longitude);
            prop_assert!(own.band.abs_diff(north.band) >= 2);
            let east = standing(latitude, longitude + 1.3 * degrees / radians(latitude).cos());
            let reach = bands.reach(own.band, east.band).unwrap();
            prop_assert!(own.around.abs_diff(east.around) > reach, "{} km at {}", km, latitude);
        }

        #[test]
        fn rough_angles_rise_as_true_ones(a in -PI..PI, by in -9.0..0.5f64, length in 0.1..10.0f64) {
            let b = (a + 10f64.powf(by)).min(PI);
            let [of_a, of_b] = [a, b].map(|angle| rough(length * angle.cos(), length * angle.sin()));
            prop_assert!((of_a - a).abs() < ROUGH);
            prop_assert!(of_b - of_a <= ROUGHEST * (b - a) + 1e-14 && of_b - of_a >= 0.9 * (b - a) - 1e-14);
        }
    }

    #[test]
    fn the_ends_of_the_sphere_have_a_place() {
        for n_points in [0, 1, 5, 1 << 20] {
            let bands = Bands::new(chord(0.001).unwrap(), n_points);
            for (latitude, longitude) in [(90.0, 0.0), (-90.0, 77.0), (0.0, 180.0), (0.0, -180.0), (0.0, 0.0)]
            {
                assert!(bands.standing(&point(latitude, longitude)).band < bands.n());
            }
            assert_eq!(bands.reach(0, 0), None);
            assert_eq!(bands.standing(&Point::new([0; 3])).around, 1 << 31, "no point of the sphere has one");
        }
    }
}
