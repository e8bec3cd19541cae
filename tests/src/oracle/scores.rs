//! Scores, as the definitions say, in fractions of whole numbers.

use super::{measures, numbers::Fraction, outcome, values};
use hyperblock::rules::{Asked, Level, Measure, OfSets, Predicate, ScoreAttribute, Test};

/// A similarity of 1.
const ONE: i128 = 1_000_000_000;

/// The billionths of a similarity, rounded half up; `None` if a value is missing. Below the attribute's threshold it is 0.
pub fn similarity(
    attribute: &ScoreAttribute,
    left: &[Option<String>],
    right: &[Option<String>],
) -> Option<u32> {
    let rounded = match &attribute.conjunctions.first()?[0].test {
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

/// The same of two values, whatever the attribute's threshold.
pub(super) fn of_texts(measure: Measure, a: &str, b: &str) -> Option<i128> {
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

/// The weighted mean of the similarities of attributes that both records have, or where what is missing is nothing of all;
/// 0 if there are none.
pub fn mean(attributes: &[ScoreAttribute], similarities: &[Option<u32>], missing_is_zero: bool) -> u32 {
    let (mut sum, mut weights) = (0, 0);
    for (attribute, similarity) in attributes.iter().zip(similarities) {
        if similarity.is_some() || missing_is_zero {
            sum += i128::from(attribute.weight) * i128::from(similarity.unwrap_or(0));
            weights += i128::from(attribute.weight);
        }
    }
    if weights == 0 { 0 } else { ((2 * sum + weights) / (2 * weights)) as u32 }
}

/// The level of a pair: 0 if it is missing, else that of the first that is reached, and one.
pub fn level(attribute: &ScoreAttribute, left: &[Option<String>], right: &[Option<String>]) -> u32 {
    let similarity = similarity(attribute, left, right);
    let mut may_hold = false;
    for (nth, level) in (1..).zip(&attribute.levels) {
        let reached = match level {
            Level::AtLeast(least) => similarity.map(|similarity| similarity >= *least),
            Level::When(conjunctions) => {
                let all = |conjunction: &Vec<Predicate>| {
                    let outcomes: Vec<_> = conjunction.iter().map(|it| holds(it, left, right)).collect();
                    known(&outcomes, false)
                };
                known(&conjunctions.iter().map(all).collect::<Vec<_>>(), true)
            }
        };
        match reached {
            Some(true) => return nth,
            Some(false) => {}
            None => may_hold = true,
        }
    }
    if may_hold { 0 } else { attribute.levels.len() as u32 + 1 }
}

/// SQL's AND or OR of several outcomes: what decides it, if one of them is that; else whether all are known.
fn known(outcomes: &[Option<bool>], deciding: bool) -> Option<bool> {
    match outcomes.contains(&Some(deciding)) {
        true => Some(deciding),
        false if outcomes.contains(&None) => None,
        false => Some(!deciding),
    }
}

/// Whether a comparison holds in a level: similarities are compared in billionths, and what looks at one record alone is
/// never unknown.
fn holds(predicate: &Predicate, left: &[Option<String>], right: &[Option<String>]) -> Option<bool> {
    let (of_left, of_right, measure) = match &predicate.test {
        Test::Value { .. } => return Some(outcome(predicate, left, right) == Some(true)),
        Test::Compare { left, right, measure, .. } => (left, right, measure),
    };
    let (Measure::Texts(_, Asked::Similarity(bound)) | Measure::Sets(_, _, Asked::Similarity(bound))) =
        measure
    else {
        return outcome(predicate, left, right);
    };
    let similarity = of_texts(*measure, &values::value(of_left, left)?, &values::value(of_right, right)?)?;
    let least = bound.least.at_scale(9).expect("a bound has at most nine decimals");
    let is_reached = if bound.strict { similarity > least } else { similarity >= least };
    Some(is_reached != predicate.negated)
}

/// What pairs of this attribute's values have in common that decides how much they weigh: the value, if both have it.
pub fn agreed(
    attribute: &ScoreAttribute,
    left: &[Option<String>],
    right: &[Option<String>],
) -> Option<String> {
    let Test::Compare { left: of_left, right: of_right, .. } = &attribute.agreeing()?.test else {
        return None;
    };
    let (a, b) = (values::value(of_left, left)?, values::value(of_right, right)?);
    (a == b).then_some(a)
}

/// The values of an attribute that agrees by its value, on either side.
pub fn values_of<'a>(
    attribute: &'a ScoreAttribute,
    lefts: &'a [Vec<Option<String>>],
    rights: Option<&'a [Vec<Option<String>>]>,
) -> Vec<String> {
    let Some(Test::Compare { left, right, .. }) = attribute.agreeing().map(|predicate| &predicate.test)
    else {
        return Vec::new();
    };
    // Of one table a column counts once.
    let rights = match rights {
        Some(rights) => rights,
        None if left == right => &[],
        None => lefts,
    };
    let of_left = lefts.iter().filter_map(|row| values::value(left, row));
    of_left.chain(rights.iter().filter_map(|row| values::value(right, row))).collect()
}
