//! Fixed costs: guesses that know neither the machine nor how many pairs the heads decide.
//!
//! They are what `static` stands for: nothing to train, nothing to measure, the same everywhere. The numbers are
//! nanoseconds of one core of about 2020 on texts of ten symbols or sets of ten tokens; only their ratios count.

use super::features::{FEATURES, Features, Kind};
use crate::encode::Encoded;

/// The length that the table is about.
const USUAL_LENGTH: f64 = 10.0;

/// The cost of each predicate of an encoding, by measure and length alone.
pub fn static_costs(encoded: &Encoded) -> Vec<f64> {
    let left = FEATURES.iter().position(|name| *name == "length_left").unwrap_or_default();
    encoded
        .predicates
        .iter()
        .map(|predicate| {
            let Features(features) = Features::of(encoded, predicate);
            // Features hold log2(1 + mean length); the longer side decides, as work grows with it at least.
            let length = features[left].max(features[left + 1]).exp2() - 1.0;
            let scale = (length / USUAL_LENGTH).max(0.1);
            match Kind::of(predicate) {
                // A bit of a word that is at hand.
                Kind::Mark => 1.0,
                // Two codes.
                Kind::Equal => 2.0,
                // Two codes and a range.
                Kind::Within => 2.5,
                // Two heads at least, whatever follows; Hamming's distance goes a word at a time.
                Kind::Hamming => 5.0 + scale,
                Kind::Sets => 5.0 + 10.0 * scale,
                Kind::Levenshtein => 5.0 + 15.0 * scale,
                Kind::Damerau => 5.0 + 20.0 * scale,
                Kind::Jaro => 5.0 + 25.0 * scale,
            }
        })
        .collect()
}
