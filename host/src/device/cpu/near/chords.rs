//! Whether a chord is short enough: `hyperblock_shared::measure::near` once more, for chords whose square has 62 bits, some twelve
//! kilometres. A difference of more than 31 bits is too long by itself then, and the squares of others have room in a word, all three
//! together. Ranges are a few points long, so no vectors are filled with them.

use hyperblock_shared::columns::Point;
use hyperblock_shared::measure::{Square, near};

/// Bits of a short chord's square, and of a difference that may be one.
const BITS: u32 = 62;
const BITS_OF_ONE: u32 = BITS / 2;

/// The square of the longest chord that is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Farthest {
    Short(u64),
    Long(Square),
}

impl Farthest {
    pub(super) fn new(most: Square) -> Self {
        match most.get() {
            short if short >> BITS == 0 => Self::Short(short as u64),
            _ => Self::Long(most),
        }
    }

    /// Names the points of a range that are as near to `point`.
    #[inline(always)]
    pub(super) fn near(self, point: &Point, range: &[Point], names: &[u32], mut take: impl FnMut(u32)) {
        let all = range.iter().zip(names);
        match self {
            Self::Short(most) => {
                all.filter(|(other, _)| is_short(point, other, most)).for_each(|(_, &name)| take(name))
            }
            Self::Long(most) => {
                all.filter(|(other, _)| near::holds(point, other, most)).for_each(|(_, &name)| take(name))
            }
        }
    }
}

/// Whether the square of a chord is at most `most`, which has [`BITS`].
#[inline(always)]
fn is_short(a: &Point, b: &Point, most: u64) -> bool {
    let (x, y, z) = (a.x.abs_diff(b.x), a.y.abs_diff(b.y), a.z.abs_diff(b.z));
    let is_long = (x | y | z) >> BITS_OF_ONE != 0;
    // Of what is too long the sum says nothing.
    let square = |length: u64| length.wrapping_mul(length);
    let sum = square(x).wrapping_add(square(y)).wrapping_add(square(z));
    !is_long & (sum <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperblock_shared::measure::near::UNIT;
    use proptest::prelude::*;

    /// A coordinate beside one, often as far as makes a difference.
    fn length() -> impl Strategy<Value = i64> {
        let half = 1i64 << BITS_OF_ONE;
        let ends = vec![0, 1, half - 1, half, half + 1, 2 * half - 1, 2 * half, 2 * half + 1, UNIT as i64];
        let lengths = prop_oneof![-2 * half..=2 * half, prop::sample::select(ends), -1000i64..1000];
        (lengths, any::<bool>()).prop_map(|(length, is_back)| if is_back { -length } else { length })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50_000))]
        #[test]
        fn short_chords_are_those_that_are(
            one in [length(), length(), length()], by in [length(), length(), length()], beside in -2i128..=2,
        ) {
            let unit = UNIT as i64;
            let a = Point::new(one.map(|it| it.clamp(-unit, unit)));
            let b = Point::new([a.x + by[0], a.y + by[1], a.z + by[2]].map(|it| it.clamp(-unit, unit)));
            let axes = [(a.x, b.x), (a.y, b.y), (a.z, b.z)];
            let square: u128 = axes.iter().map(|(a, b)| u128::from(a.abs_diff(*b)).pow(2)).sum();
            for most in [(square as i128 + beside).max(0) as u128, 0, (1 << BITS) - 1, 1 << BITS] {
                let mut named = Vec::new();
                Farthest::new(Square::new(most)).near(&a, &[b, a], &[7, 8], |name| named.push(name));
                prop_assert_eq!(named, if square <= most { vec![7, 8] } else { vec![8] }, "{} {}", square, most);
            }
        }
    }
}
