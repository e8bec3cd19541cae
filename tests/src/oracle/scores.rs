//! Scores, as the definitions say, in fractions of whole numbers.

use super::{measures, numbers::Fraction, outcome, values};
use hyperblock::rules::{Measure, OfSets, Predicate, ScoreAttribute, Test};

/// A similarity of 1.
const ONE: i128 = 1_000_000_000;

/// The billionths of a similarity, rounded half up; `None` if a value is missing. Below the attribute's threshold it is 0.
pub fn similarity(
    attribute: &ScoreAttribute,
    left: &[Option<String>],
    right: &[Option<String>],
) -> Option<u32> {
    let rounded = match &attribute.conjunctions[0][0].test {
        Test::Compare { left: of_left, right: of_right, measure, .. } if attribute.is_similarity => {
            let (a, b) = (values::value(of_left, left)?, values::value(of_right, right)?);
            of_texts(*measure, &a, &b)?
        }
        _ => {
            // All predicates look at the same values, so all of them are missing, or none.
            outcome(&attribute.conjunctions[0][0], left, right)?;
            let holds = |predicate: &Predicate| outcome(predicate, left, right) == Some(true);
            i128::from(attribute.conjunctions.iter().any(|all| all.iter().all(holds))) * ONE
        }
    };
    Some(if rounded < i128::from(attribute.threshold) { 0 } else { rounded as u32 })
}

fn of_texts(measure: Measure, a: &str, b: &str) -> Option<i128> {
    Some(match measure {
        Measure::Texts(by, _) => rounded(measures::of_texts(by, a, b)),
        Measure::Sets(tokenizer, by, _) => {
            let fraction = measures::of_sets(by, measures::common(a, b, tokenizer)?);
            match by {
                // Twice the billionths, cut off, and half of that rounded up.
                OfSets::Cosine => ((4 * ONE * ONE * fraction.0 / fraction.1).isqrt() + 1) / 2,
                _ => rounded(fraction),
            }
        }
        other => panic!("{other:?} is no similarity"),
    })
}

fn rounded((numerator, denominator): Fraction) -> i128 {
    (2 * ONE * numerator + denominator) / (2 * denominator)
}

/// The weighted mean of the similarities of attributes that both records have; 0 if there are none.
pub fn mean(attributes: &[ScoreAttribute], similarities: &[Option<u32>]) -> u32 {
    let (mut sum, mut weights) = (0, 0);
    for (attribute, similarity) in attributes.iter().zip(similarities) {
        if let Some(similarity) = similarity {
            sum += i128::from(attribute.weight) * i128::from(*similarity);
            weights += i128::from(attribute.weight);
        }
    }
    if weights == 0 { 0 } else { ((2 * sum + weights) / (2 * weights)) as u32 }
}

/// The levels: 0 where an attribute is missing, else how many levels it misses, and one.
pub fn pattern(attributes: &[ScoreAttribute], similarities: &[Option<u32>]) -> u64 {
    let level = |(attribute, similarity): (&ScoreAttribute, &Option<u32>)| match similarity {
        None => 0,
        Some(similarity) => {
            let reached = attribute.levels.iter().position(|level| similarity >= level);
            reached.unwrap_or(attribute.levels.len()) as u64 + 1
        }
    };
    attributes.iter().zip(similarities).rev().fold(0, |pattern, attribute| pattern << 4 | level(attribute))
}
