//! Relations of two columns, and the operators that queries over them are made of, whoever does them.
//!
//! After 'Towards Iterative Relational Algebra on the GPU' (USENIX ATC 2023): tuples are sorted by radix, repeated ones
//! dropped where they stand side by side, sorted relations merged; a join looks up an open-addressing table, counts what it
//! makes, and writes it where sums of the counts say, projected at once. `cpu::relation` and `cuda::relation` do it. A tuple
//! is a word, its first column in the upper half.

mod taking;

pub use taking::{Taking, Turn};

use crate::base::error::{Error, Result};
use hyperblock_shared::relation::{DIGIT_BITS, Digit, EMPTY};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// How much of a table may be filled, in percent. Fuller tables are smaller, and looks into them longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadFactor(u32);

impl LoadFactor {
    /// From 1 to 99 percent.
    pub fn from_percent(percent: u32) -> Option<Self> {
        (1..100).contains(&percent).then_some(Self(percent))
    }

    /// In percent.
    pub fn percent(self) -> u32 {
        self.0
    }
}

impl Default for LoadFactor {
    /// Half: a look for what is not there then takes two or three slots, mostly within a sector of memory.
    fn default() -> Self {
        Self(50)
    }
}

impl fmt::Display for LoadFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0.{:02}", self.0)
    }
}

impl FromStr for LoadFactor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let percent = text.parse::<f64>().ok().map(|share| (share * 100.0).round());
        let within = percent.filter(|percent| (1.0..100.0).contains(percent));
        within.map(|percent| Self(percent as u32)).ok_or_else(|| "expected 0.01 to 0.99".into())
    }
}

/// A backend with relational operators.
pub trait RelationsOperator {
    /// Operators on relations.
    fn relations(&self) -> Box<dyn Relations + '_>;
}

/// Operators on relations that are on the host, done on a device. A tuple of two greatest values, 2^32 − 1 both, is no
/// tuple to those that use a set.
pub trait Relations {
    /// Tuples in ascending order of some of their bits, the least significant range first; those that agree in them stay as
    /// they stand.
    fn sort(&self, tuples: &[u64], bits: &[Range<u32>]) -> Result<Vec<u64>>;

    /// Sorted tuples without repetitions.
    fn unique(&self, sorted: &[u64]) -> Result<Vec<u64>> {
        self.difference(sorted, &[])
    }

    /// Sorted tuples that are not among others, likewise sorted; each once.
    fn difference(&self, sorted: &[u64], others: &[u64]) -> Result<Vec<u64>>;

    /// Two sorted relations as one; equal tuples once.
    fn merge(&self, left: &[u64], right: &[u64]) -> Result<Vec<u64>>;

    /// Distinct tuples, found by a set of such a load; in any order.
    fn distinct(&self, tuples: &[u64], load: LoadFactor) -> Result<Vec<u64>>;

    /// All (x, z) of an (x, y) of the outer relation and a (y, z) of the inner, which is sorted, by an index of such a load;
    /// in any order.
    fn join(&self, outer: &[u64], inner: &[u64], load: LoadFactor) -> Result<Vec<u64>>;

    /// The same, timed where both relations are, and with what it makes left there. A device that cannot tell when the index was
    /// there counts it to the join.
    fn time_join(&self, outer: &[u64], inner: &[u64], load: LoadFactor) -> Result<TimedJoin> {
        let start = Instant::now();
        let n_joined = self.join(outer, inner, load)?.len() as u64;
        Ok(TimedJoin { n_joined, build: Duration::ZERO, join: start.elapsed() })
    }
}

/// What a join took.
#[derive(Clone, Copy, Debug)]
pub struct TimedJoin {
    /// Tuples that it made.
    pub n_joined: u64,
    /// To make the index of the inner relation.
    pub build: Duration,
    /// To count, and to write.
    pub join: Duration,
}

/// The whole of a word, in halves.
pub const ALL_BITS: [Range<u32>; 2] = [0..32, 32..64];

/// The bits that tell tuples of values below `n_values` apart.
pub fn bits_below(n_values: u32) -> [Range<u32>; 2] {
    let n = u32::BITS - n_values.saturating_sub(1).leading_zeros();
    [0..n, 32..32 + n]
}

/// The digits that a sort by some bits goes by, as alike in length as may be.
pub fn digits(bits: &[Range<u32>]) -> Vec<Digit> {
    let n_bits: u32 = bits.iter().map(|range| range.len() as u32).sum();
    if n_bits == 0 {
        return Vec::new();
    }
    let most = n_bits.div_ceil(n_bits.div_ceil(DIGIT_BITS));
    let mut digits = Vec::new();
    let mut lower: Option<(u32, u32)> = None;
    for range in bits {
        let mut from = range.start;
        while from < range.end {
            let before = lower.map_or(0, |(_, n)| n);
            let n = (range.end - from).min(most - before);
            let is_full = before + n == most;
            match lower.take() {
                Some(lower) => digits.push(Digit::new(lower, (from, n))),
                None if is_full => digits.push(Digit::new((from, n), (0, 0))),
                None => lower = Some((from, n)),
            }
            from += n;
        }
    }
    digits.extend(lower.map(|lower| Digit::new(lower, (0, 0))));
    digits
}

/// Complains of tuples that no set can hold.
pub fn check_for_set(tuples: &[u64]) -> Result<()> {
    match tuples.contains(&EMPTY) {
        true => {
            Err(Error::Job("a tuple of 4294967295 twice: numbers must be smaller in a set of tuples".into()))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_cover_their_bits() {
        let cases: [(&[Range<u32>], usize); 7] = [
            (&[], 0),
            (&[0..0, 32..32], 0),
            (&[0..1, 32..33], 1),
            (&[0..14, 32..46], 4),
            (&[0..18, 32..50], 5),
            (&ALL_BITS, 8),
            (&[3..4, 9..10, 20..21], 2),
        ];
        for (bits, n_digits) in cases {
            let digits = digits(bits);
            assert_eq!(digits.len(), n_digits, "{bits:?}");
            // Each bit of the ranges moves one digit, and no other bit moves any.
            for bit in 0..64 {
                let n_moved = digits.iter().filter(|digit| digit.of(1 << bit) != 0).count();
                let is_wanted = bits.iter().any(|range| range.contains(&bit));
                assert_eq!(n_moved, usize::from(is_wanted), "{bits:?}: bit {bit}");
            }
        }
    }

    #[test]
    fn bits_below_tell_all_values_apart() {
        assert_eq!(bits_below(0), [0..0, 32..32]);
        assert_eq!(bits_below(1), [0..0, 32..32]);
        assert_eq!(bits_below(2), [0..1, 32..33]);
        assert_eq!(bits_below(1 << 14), [0..14, 32..46]);
        assert_eq!(bits_below((1 << 14) + 1), [0..15, 32..47]);
    }

    #[test]
    fn load_factors_are_read_and_printed() {
        assert_eq!("0.5".parse(), Ok(LoadFactor::default()));
        assert_eq!("0.95".parse::<LoadFactor>().unwrap().to_string(), "0.95");
        for text in ["0", "1", "x", "-0.5", "NaN", "0.001"] {
            assert!(text.parse::<LoadFactor>().is_err(), "{text}");
        }
    }
}
