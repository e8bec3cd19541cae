//! The sphere that distances are measured on: where its points are, and how far is near.
//!
//! A point is a unit vector whose coordinates are rounded to whole steps, and a distance is asked for by the square of a
//! chord in such steps (`hyperblock_shared::measure::near`). Both are made here, each rounded once, by libm's functions and
//! not by those of the machine, which differ in the last digit. So the same tables and rules come to the same integers
//! wherever they are read, and those decide.

use super::decimal::Decimal;
use hyperblock_shared::measure::Square;
use hyperblock_shared::measure::near::UNIT;
use std::f64::consts::PI;

/// The mean radius of the Earth (IUGG), in kilometres.
pub(crate) const RADIUS_KM: f64 = 6371.0088;

/// Degrees from the equator, at most.
pub(crate) const MOST_LATITUDE: f64 = 90.0;
/// Degrees from the first meridian, at most: from -180 to 180 and from 0 to 360 are both in use.
pub(crate) const MOST_LONGITUDE: f64 = 360.0;

/// A place, in degrees that are neither too many nor too few.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
}

/// How far apart points may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// No two of them are so near.
    Nothing,
    /// The square of their chord is at most this.
    Chord(Square),
    /// As far as there is room on the sphere.
    Everything,
}

pub(crate) fn radians(degrees: f64) -> f64 {
    degrees * (PI / 180.0)
}

/// The unit vector of a place, in steps.
pub(crate) fn vector(Place { latitude, longitude }: Place) -> [i64; 3] {
    let (sin_latitude, cos_latitude) = libm::sincos(radians(latitude));
    let (sin_longitude, cos_longitude) = libm::sincos(radians(longitude));
    let steps = |length: f64| (length * UNIT as f64).round() as i64;
    [steps(cos_latitude * cos_longitude), steps(cos_latitude * sin_longitude), steps(sin_latitude)]
}

/// What it means that two points are at most so many kilometres apart; nearer, if `strict`.
pub(crate) fn within(km: Decimal, strict: bool) -> Within {
    let is_zero = km == Decimal::ZERO;
    if km.is_negative() || (is_zero && strict) {
        return Within::Nothing;
    }
    let km: f64 = km.to_string().parse().unwrap_or(f64::INFINITY);
    if km >= PI * RADIUS_KM {
        return Within::Everything;
    }
    let chord = 2.0 * UNIT as f64 * libm::sin(km / (2.0 * RADIUS_KM));
    let square = chord * chord;
    // Squares of chords are whole: those below a number are at most the whole one before it.
    let most = if strict { (square.ceil() as u128).saturating_sub(1) } else { square as u128 };
    Within::Chord(Square::new(most))
}

/// The angle between points whose chord has this square, in radians.
pub(crate) fn angle(square: Square) -> f64 {
    let half = (square.get() as f64).sqrt() / (2.0 * UNIT as f64);
    2.0 * libm::asin(half.min(1.0))
}

/// The distance of two points in kilometres, for people: vectors of `vector` round it to some micrometres, unless they are
/// nearly opposite each other.
pub(crate) fn distance_km(a: Place, b: Place) -> f64 {
    let [from, to] = [a, b].map(|place| radians(place.latitude));
    let of = |half: f64| libm::sin(half / 2.0) * libm::sin(half / 2.0);
    let longitudes = radians(b.longitude - a.longitude);
    let haversine = of(to - from) + libm::cos(from) * libm::cos(to) * of(longitudes);
    2.0 * RADIUS_KM * libm::asin(haversine.sqrt().min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place() -> impl Strategy<Value = Place> {
        (-90.0..=90.0f64, -360.0..=360.0f64).prop_map(|(latitude, longitude)| Place { latitude, longitude })
    }

    /// Some place, and one that may be some way from it.
    fn places() -> impl Strategy<Value = (Place, Place)> {
        let near = (place(), -9.0..1.0f64, -1.0..=1.0f64, -1.0..=1.0f64).prop_map(|(a, scale, lat, lon)| {
            let by = 10f64.powf(scale);
            let latitude = (a.latitude + lat * by).clamp(-90.0, 90.0);
            let longitude = (a.longitude + lon * by).clamp(-360.0, 360.0);
            (a, Place { latitude, longitude })
        });
        prop_oneof![near, (place(), place())]
    }

    fn is_within(a: Place, b: Place, km: &str) -> bool {
        let Within::Chord(most) = within(Decimal::parse(km).unwrap(), false) else { panic!("{km}") };
        let (a, b) = (vector(a), vector(b));
        let square: u128 = a.iter().zip(b).map(|(a, b)| u128::from(a.abs_diff(b)).pow(2)).sum();
        square <= most.get()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// A millimetre from the threshold integers and doubles agree; only where nearly all of the Earth is within it, and
        /// two places nearly opposite each other, neither can tell that.
        #[test]
        fn what_is_within_is_what_the_haversine_says((a, b) in places(), beside in -9.0..4.0f64, above: bool) {
            let is = distance_km(a, b);
            let by = 10f64.powf(beside).max(1.01e-6);
            let written = format!("{:.9}", if above { is + by } else { is - by });
            let km: f64 = written.parse().unwrap();
            // Below nothing there is no distance, and beside half of the Earth neither side can tell.
            if km <= 0.0 || is.max(km) >= 19_800.0 {
                return Ok(());
            }
            prop_assert!((km - is).abs() > 1e-6);
            prop_assert_eq!(is_within(a, b, &written), is <= km, "{:?} {:?}: {} km", a, b, is);
        }

        #[test]
        fn a_place_is_as_far_from_another_one_however_its_longitude_is_written((a, b) in places()) {
            let turned = |place: Place| {
                let by = if place.longitude < 0.0 { 360.0 } else { -360.0 };
                Place { longitude: place.longitude + by, ..place }
            };
            prop_assume!(distance_km(a, b) > 2e-6);
            prop_assert!((distance_km(turned(a), b) - distance_km(a, b)).abs() < 1e-6);
            let vectors = [vector(a), vector(turned(a))];
            prop_assert!((0..3).all(|of| vectors[0][of].abs_diff(vectors[1][of]) <= 1));
        }

        #[test]
        fn more_kilometres_are_never_a_shorter_chord(km in 0u32..20_015_114, more in 0u32..1000) {
            let of = |metres: u32, strict| {
                match within(Decimal::new(metres.into(), 3).unwrap(), strict) {
                    Within::Nothing => -1,
                    Within::Chord(square) => square.get() as i128,
                    Within::Everything => i128::MAX,
                }
            };
            prop_assert!(of(km, true) <= of(km, false));
            prop_assert!(of(km, false) <= of(km + more, false));
            prop_assert!(of(km, true) <= of(km + more, true));
        }
    }

    #[test]
    fn known_distances() {
        let place = |latitude, longitude| Place { latitude, longitude };
        // A degree of a great circle, a quarter of one, and half of one.
        for (a, b, km) in [
            (place(0.0, 0.0), place(0.0, 1.0), 111.195_080_2),
            (place(0.0, 359.5), place(0.0, -359.5), 111.195_080_2),
            (place(90.0, 77.0), place(0.0, -12.0), 10_007.557_2),
            (place(0.0, 0.0), place(0.0, 180.0), 20_015.114_4),
            (place(-90.0, 10.0), place(-90.0, 190.0), 0.0),
        ] {
            assert!((distance_km(a, b) - km).abs() < 1e-3, "{} {km}", distance_km(a, b));
        }
        assert_eq!(vector(place(90.0, 77.0)), [0, 0, UNIT as i64]);
        assert_eq!(vector(place(0.0, 180.0)), vector(place(0.0, -180.0)));
        assert_eq!(vector(place(-90.0, 0.0)), vector(place(-90.0, 123.0)));
    }

    #[test]
    fn what_is_within_nothing_and_everything() {
        let km = |text| Decimal::parse(text).unwrap();
        assert_eq!(within(km("-0.5"), false), Within::Nothing);
        assert_eq!(within(km("0"), true), Within::Nothing);
        assert_eq!(within(km("0"), false), Within::Chord(Square::new(0)));
        assert_eq!(within(km("20015.2"), true), Within::Everything);
        assert!(matches!(within(km("20015.1"), false), Within::Chord(_)));
        assert_eq!(within(km("0.000000000001"), true), Within::Chord(Square::new(0)));
    }
}
