//! Points that are near each other on a sphere: their great-circle distance is within a bound.
//!
//! A point is a unit vector in steps of 2^-40, some six micrometres on the Earth ([`Point`]). The chord between two points
//! that an angle θ lies between is 2 sin(θ/2), which rises with θ up to the other side of the sphere. So a bound of the
//! distance is one of the chord, and one of its square: the sum of the squared differences of the coordinates, in whole
//! steps. The host makes the vectors and the bound, and rounds each of them once; from there on all is exact.
//!
//! A difference has up to 42 bits, its square 83. Taken apart as h · 2^21 + l, with 21 bits each,
//! `d² = h² · 2^42 + 2hl · 2^21 + l²`, and each of the three sums has room in a word of 64 bits.

use crate::columns::Point;
use rkyv::{Archive, Serialize};

/// Bits of a half of a difference.
const HALF: u32 = 21;
const MASK: u64 = (1 << HALF) - 1;

/// Steps of a vector's length: a power of two.
pub const UNIT: u64 = 1 << 40;

/// The square of a chord, in squared steps. Its words, the lowest first: an archive is made of such.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub [u32; 3]);

impl Square {
    /// Of a number; the largest there is, if it is more than that.
    pub fn new(square: u128) -> Self {
        match square >> 96 {
            0 => Self([square as u32, (square >> 32) as u32, (square >> 64) as u32]),
            _ => Self([u32::MAX; 3]),
        }
    }

    /// As a number.
    pub fn get(self) -> u128 {
        let Self([low, middle, high]) = self;
        u128::from(low) | u128::from(middle) << 32 | u128::from(high) << 64
    }

    /// What is above the lowest half of a difference, and that.
    #[inline(always)]
    fn halves(self) -> (u64, u64) {
        let Self([low, middle, high]) = self;
        let words = u64::from(low) | u64::from(middle) << 32;
        (words >> HALF | u64::from(high) << (u64::BITS - HALF), words & MASK)
    }
}

impl ArchivedSquare {
    /// The square.
    #[inline(always)]
    pub fn get(&self) -> Square {
        Square([self.0[0].to_native(), self.0[1].to_native(), self.0[2].to_native()])
    }
}

/// Whether the square of the chord between two points is at most `most`.
#[inline(always)]
pub fn holds(a: &Point, b: &Point, most: Square) -> bool {
    let (mut high, mut middle, mut low) = (0, 0, 0);
    // All halves have 21 bits: their products fit into a word, and so does the sum of three.
    let mut add = |a: i64, b: i64| {
        let difference = a.abs_diff(b);
        let (h, l) = ((difference >> HALF) as u32, (difference & MASK) as u32);
        high += u64::from(h) * u64::from(h);
        middle += u64::from(h) * u64::from(l);
        low += u64::from(l) * u64::from(l);
    };
    add(a.x, b.x);
    add(a.y, b.y);
    add(a.z, b.z);
    // No chord is longer than twice the unit, so what is above the lowest half has 62 bits.
    let upper = (high << HALF) + 2 * middle + (low >> HALF);
    let (most_upper, most_lower) = most.halves();
    upper < most_upper || (upper == most_upper && low & MASK <= most_lower)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A coordinate, often an extreme one.
    fn coordinate() -> impl Strategy<Value = i64> {
        let unit = UNIT as i64;
        prop_oneof![
            -unit..=unit,
            prop::sample::select(std::vec::Vec::from([-unit, unit, 0, 1, -1, 1 << 21, (1 << 21) - 1])),
            -100i64..100,
        ]
    }

    fn point() -> impl Strategy<Value = Point> {
        (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Point::new([x, y, z]))
    }

    fn square(a: &Point, b: &Point) -> u128 {
        [(a.x, b.x), (a.y, b.y), (a.z, b.z)].iter().map(|(a, b)| u128::from(a.abs_diff(*b)).pow(2)).sum()
    }

    proptest! {
        #[test]
        fn is_the_square_in_128_bits(a in point(), b in point(), beside in -3i128..=3, other in 0u128..1 << 84) {
            let is = square(&a, &b);
            // Points of no sphere may be too far apart: the sum of halves has 62 bits, and one to spare.
            prop_assume!(is < 1 << 84);
            for most in [(is as i128 + beside).max(0) as u128, other] {
                prop_assert_eq!(holds(&a, &b, Square::new(most)), is <= most, "{} {}", is, most);
                prop_assert_eq!(holds(&b, &a, Square::new(most)), is <= most);
            }
        }

        #[test]
        fn a_square_is_kept(number in 0u128..1 << 96) {
            prop_assert_eq!(Square::new(number).get(), number);
            let (upper, lower) = Square::new(number & ((1 << 85) - 1)).halves();
            prop_assert_eq!(u128::from(upper) << HALF | u128::from(lower), number & ((1 << 85) - 1));
        }
    }

    #[test]
    fn what_is_too_large_is_the_largest() {
        assert_eq!(Square::new(u128::MAX).get(), (1 << 96) - 1);
    }
}
