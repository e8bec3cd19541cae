//! Fellegi and Sunter's model: from levels to a weight, and from a weight to the probability that two records match.
//!
//! Each level of each attribute is seen with probability m where records match, and u where they do not. Attributes are
//! taken to be independent, so the odds of a match, given the levels, are the odds before times the product of m / u
//! (Fellegi and Sunter, *A theory for record linkage*, JASA 64, 1969; Winkler, *Using the EM algorithm for weight
//! computation in the Fellegi-Sunter model of record linkage*, 1988). What is missing says nothing.
//!
//! Logarithms to base 2 are *bits*, and here whole millionths of them: sums are the same on every device and in every order.

use hyperblock_shared::score::{ONE, PLACES, level};

/// The millionths of a bit.
const MILLION: f64 = 1e6;
/// The most that a level or the prior weighs, in bits. With what values weigh of their own, sixteen attributes stay below
/// 2^31 millionths.
pub(super) const MOST_BITS: f64 = 60.0;
/// The most that a value weighs of its own.
const MOST_OF_A_VALUE: f64 = 32.0;

/// The logarithms of odds, in millionths of a bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    prior: i32,
    attributes: Vec<Weighing>,
}

/// What an attribute weighs.
#[derive(Clone, Debug, PartialEq)]
struct Weighing {
    /// By level. What is missing, and levels that are not there, weigh nothing.
    levels: [i32; PLACES],
    /// u of the best level.
    u: f64,
}

impl Model {
    /// From the probability that two records match before anything is known of them, and by attribute m and u of each
    /// level, the best first. All of them lie between 0 and 1, none but m and u is 1, and no odds are beyond 2^60.
    pub fn new<'a>(prior: f64, attributes: impl IntoIterator<Item = &'a [(f64, f64)]>) -> Self {
        let weighing = |levels: &[(f64, f64)]| {
            let mut millionths = [0; PLACES];
            for (weight, (m, u)) in millionths.iter_mut().skip(1).zip(levels) {
                *weight = rounded((m / u).log2(), MOST_BITS);
            }
            Weighing { levels: millionths, u: levels.first().map_or(1.0, |level| level.1) }
        };
        let attributes = attributes.into_iter().map(weighing).collect();
        Self { prior: rounded((prior / (1.0 - prior)).log2(), MOST_BITS), attributes }
    }

    /// What pairs weigh before anything is known of them.
    pub fn prior(&self) -> i32 {
        self.prior
    }

    /// What each level of an attribute weighs; 0 is what is missing, 1 the best.
    pub fn levels(&self, attribute: usize) -> &[i32; PLACES] {
        &self.attributes[attribute].levels
    }

    /// What a pair with this pattern weighs, whatever its values are.
    pub fn weight(&self, pattern: u64) -> i32 {
        let of = |(nth, attribute): (u32, &Weighing)| attribute.levels[level(pattern, nth) as usize];
        self.prior + (0..).zip(&self.attributes).map(of).sum::<i32>()
    }

    /// What a value weighs more than others, where both records have it: two records that do not match have a common one
    /// more often than a rare one.
    pub fn more(&self, attribute: usize, frequency: f64) -> i32 {
        rounded((self.attributes[attribute].u / frequency).log2(), MOST_OF_A_VALUE)
    }
}

/// Bits in millionths.
fn rounded(bits: f64, most: f64) -> i32 {
    (bits.clamp(-most, most) * MILLION).round() as i32
}

/// The probability that a pair of this weight matches.
pub(crate) fn chance(weight: i32) -> f64 {
    1.0 / (1.0 + (-f64::from(weight) / MILLION).exp2())
}

/// The same in billionths.
pub fn probability(weight: i32) -> u32 {
    (chance(weight) * f64::from(ONE) + 0.5) as u32
}

/// The least weight whose probability comes to so many billionths.
pub fn least_weight(least: u32) -> i32 {
    // Probabilities rise with weights, so it lies between one that is too low and one that is not.
    let (mut below, mut enough) = (i64::from(i32::MIN) - 1, i64::from(i32::MAX));
    while enough - below > 1 {
        let middle = i64::midpoint(below, enough);
        if probability(middle as i32) >= least { enough = middle } else { below = middle }
    }
    enough as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_multiply() {
        let model = Model::new(0.2, [&[(0.9, 0.1), (0.1, 0.9)][..], &[(0.8, 0.4), (0.1, 0.2), (0.1, 0.4)]]);
        // Odds before are 1 : 4.
        let odds = |pattern| {
            let probability = f64::from(probability(model.weight(pattern)));
            (probability / (f64::from(ONE) - probability) * 1e4).round()
        };
        assert_eq!(odds(0x00), 2_500.0);
        assert_eq!(odds(0x01), 22_500.0);
        assert_eq!(odds(0x11), 45_000.0);
        assert_eq!(odds(0x32), 69.0);
        assert_eq!(model.weight(0x11), -2_000_000 + 3_169_925 + 1_000_000);
        // A value that is half as frequent as two records have the same one weighs a bit more.
        assert_eq!((model.more(1, 0.4), model.more(1, 0.2)), (0, 1_000_000));
    }

    #[test]
    fn nothing_ties_that_weighs_differently() {
        let sure = Model::new(0.5, [&[(1.0, 1e-15), (1e-15, 1.0)][..], &[(0.9, 0.1), (0.1, 0.9)]]);
        assert_eq!((probability(sure.weight(0x11)), probability(sure.weight(0x21))), (ONE, ONE));
        assert!(sure.weight(0x11) > sure.weight(0x21));
        assert_eq!((probability(sure.weight(2)), probability(sure.weight(0))), (0, ONE / 2));
    }

    #[test]
    fn the_least_weight_is_the_first_that_is_enough() {
        for least in [1, 2, 500_000_000, 950_000_000, ONE - 1, ONE] {
            let weight = least_weight(least);
            assert!(probability(weight) >= least && probability(weight - 1) < least, "{least}");
        }
        assert_eq!((least_weight(ONE / 2), least_weight(0)), (0, i32::MIN));
    }
}
