//! Places on the sphere and how far apart they are, as the definition says: unit vectors in steps of 2^-40, each coordinate
//! rounded once, and a bound that is rounded once. Everything between is whole numbers of 128 bits.

use super::numbers;
use hyperblock::rules::Limit;
use regex::Regex;
use std::cell::LazyCell;
use std::f64::consts::PI;

/// Between a latitude and a longitude; no number has it.
pub(super) const BETWEEN: char = ';';
/// Kilometres.
const RADIUS: f64 = 6371.0088;
const UNIT: f64 = (1u64 << 40) as f64;

thread_local! {
    static NUMBER: LazyCell<Regex> = LazyCell::new(|| {
        Regex::new("^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$").expect("a pattern")
    });
}

/// The two numbers of a place, if they are degrees.
fn degrees(text: &str) -> Option<(f64, f64)> {
    let number = |text: &str, most: f64| {
        let is_number = NUMBER.with(|number| number.is_match(text)) && numbers::is_number(text);
        is_number.then(|| text.parse::<f64>().expect("a number")).filter(|degrees| degrees.abs() <= most)
    };
    let (latitude, longitude) = text.split_once(BETWEEN)?;
    Some((number(latitude, 90.0)?, number(longitude, 360.0)?))
}

pub(super) fn is_place(text: &str) -> bool {
    degrees(text).is_some()
}

/// Whether two places are within a limit of kilometres.
pub(super) fn are_within(a: &str, b: &str, Limit { at, strict }: Limit) -> bool {
    let [a, b] = [a, b].map(|text| {
        let (latitude, longitude) = degrees(text).expect("a place");
        let (phi, lambda) = (latitude * (PI / 180.0), longitude * (PI / 180.0));
        let (x, y) = (libm::cos(phi) * libm::cos(lambda), libm::cos(phi) * libm::sin(lambda));
        [x, y, libm::sin(phi)].map(|coordinate| libm::round(coordinate * UNIT) as i128)
    });
    let square: i128 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    let kilometres: f64 = at.to_string().parse().expect("a number");
    let chord = 2.0 * UNIT * libm::sin(kilometres / (2.0 * RADIUS));
    let bound = chord * chord;
    // All squares are whole.
    if strict { square < libm::ceil(bound) as i128 } else { square <= libm::floor(bound) as i128 }
}

/// How far two places are apart by the haversine formula, in whole millimetres.
pub(super) fn millimetres(a: &str, b: &str) -> i128 {
    let [(from, east), (to, further)] = [a, b].map(|text| degrees(text).expect("a place"));
    let square = |half: f64| libm::pow(libm::sin(half / 2.0), 2.0);
    let radians = |degrees: f64| degrees * (PI / 180.0);
    let haversine = square(radians(to) - radians(from))
        + libm::cos(radians(from)) * libm::cos(radians(to)) * square(radians(further - east));
    libm::rint(2.0 * RADIUS * 1e6 * libm::asin(libm::sqrt(haversine).min(1.0))) as i128
}
