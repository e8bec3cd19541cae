//! Fellegi and Sunter's model: from a pattern of levels to the probability that two records match.
//!
//! Each level of each attribute is seen with probability m where records match, and u where they do not. Attributes are
//! taken to be independent, so the odds of a match, given a pattern, are the odds before times the product of m / u
//! (Fellegi and Sunter, *A theory for record linkage*, JASA 64, 1969; Winkler, *Using the EM algorithm for weight
//! computation in the Fellegi-Sunter model of record linkage*, 1988). What is missing says nothing.

use hyperblock_shared::score::{BITS_PER_LEVEL, ONE, level};

/// The places of an attribute's levels.
const PLACES: usize = 1 << BITS_PER_LEVEL;

/// The logarithms of odds, to base 2.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    prior: f64,
    /// By attribute and level. What is missing, and levels that are not there, weigh nothing.
    attributes: Vec<[f64; PLACES]>,
}

impl Model {
    /// From the probability that two records match before anything is known of them, and by attribute m and u of each
    /// level, the best first. All of them lie between 0 and 1, and none but m and u is 1.
    pub fn new<'a>(prior: f64, attributes: impl IntoIterator<Item = &'a [(f64, f64)]>) -> Self {
        let weights = |levels: &[(f64, f64)]| {
            let mut weights = [0.0; PLACES];
            for (weight, (m, u)) in weights.iter_mut().skip(1).zip(levels) {
                *weight = (m / u).log2();
            }
            weights
        };
        let attributes = attributes.into_iter().map(weights).collect();
        Self { prior: (prior / (1.0 - prior)).log2(), attributes }
    }

    /// The logarithm of the odds that a pair with this pattern matches.
    pub fn weight(&self, pattern: u64) -> f64 {
        let weights = (0..).zip(&self.attributes).map(|(nth, weights)| weights[level(pattern, nth) as usize]);
        self.prior + weights.sum::<f64>()
    }

    /// The probability that it matches, in billionths.
    pub fn score(&self, pattern: u64) -> u32 {
        let probability = 1.0 / (1.0 + (-self.weight(pattern)).exp2());
        (probability * f64::from(ONE) + 0.5) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_multiply() {
        let model = Model::new(0.2, [&[(0.9, 0.1), (0.1, 0.9)][..], &[(0.8, 0.4), (0.1, 0.2), (0.1, 0.4)]]);
        // Odds before are 1 : 4.
        let odds =
            |pattern| (f64::from(model.score(pattern)) / f64::from(ONE - model.score(pattern)) * 1e6).round();
        assert_eq!(odds(0x00), 250_000.0);
        assert_eq!(odds(0x01), 2_250_000.0);
        assert_eq!(odds(0x11), 4_500_000.0);
        assert_eq!(odds(0x32), 6_944.0);
        assert_eq!(model.score(0x11), 818_181_818);
        let sure = Model::new(0.5, [&[(1.0, 1e-12), (1e-12, 1.0)][..]]);
        assert_eq!((sure.score(1), sure.score(2), sure.score(0)), (ONE, 0, ONE / 2));
    }
}
