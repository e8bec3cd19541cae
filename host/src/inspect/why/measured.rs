//! What a measure comes to on two values, exactly.
//!
//! Predicates ask whether a bound is reached, and that is all that a scan ever computes. The numbers here are those that
//! scores are made of, as fractions.

use super::ratio::{Exact, Ratio};
use crate::base::sphere::distance_km;
use crate::encode::{Encoded, for_each_token, number, place};
use crate::rules::{Asked, Bound, Counted, Domain, Limit, Measure, OfSets, Predicate, Test, Tokenizer};
use hyperblock_shared::columns::Columns;
use hyperblock_shared::measure as shared;
use hyperblock_shared::predicate as lowered;
use std::collections::HashSet;

/// What a measure comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measured {
    /// So many edits, or symbols in common.
    Count(Counted, u32),
    /// A similarity of texts.
    Similarity(Ratio),
    /// What two sets have in common, and how alike that makes them, unless that is not asked or a set is empty.
    Sets(Common, Option<Ratio>),
    /// Left minus right, or its absolute value if that is asked for, as a decimal.
    Difference {
        /// As many digits as it takes; `None` if they are too many.
        decimal: Option<String>,
        /// Of dates, so in days.
        is_days: bool,
    },
    /// Kilometres on the sphere, as a decimal that is rounded to millimetres.
    Distance(String),
}

/// What two sets of tokens have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Common {
    /// The tokens of both, in the order in which they first stand in the left value.
    pub tokens: Vec<String>,
    /// How many different tokens the left value has.
    pub n_left: usize,
    /// How many the right one has.
    pub n_right: usize,
}

impl Measured {
    /// Whether a set is empty, which counts as missing.
    pub(super) fn is_of_nothing(&self) -> bool {
        matches!(self, Self::Sets(common, _) if common.n_left == 0 || common.n_right == 0)
    }
}

/// What the measure of the predicate at `ix` comes to on two values, which have these codes.
pub(super) fn measure(
    predicate: &Predicate,
    (left, right): (&str, &str),
    encoded: &Encoded,
    ix: usize,
    codes: Option<(u32, u32)>,
    scratch: &mut [u64],
) -> Option<Measured> {
    let Test::Compare { domain, measure, .. } = &predicate.test else { return None };
    Some(match *measure {
        Measure::Equal => return None,
        Measure::Texts(by, asked) => {
            let texts = match encoded.predicates.get(ix)?.test {
                lowered::Test::Compare { measure: shared::Measure::Texts { texts, .. }, .. } => {
                    Columns::texts(encoded, texts)
                }
                _ => return None,
            };
            let (left, right) = codes?;
            let shared::Exact { count, similarity: (numerator, denominator) } =
                by.exact(texts, left, right, scratch);
            match asked {
                Asked::Count(_) => Measured::Count(measure.row()?.count?.1, count?),
                Asked::Similarity(bound) => {
                    Measured::Similarity(Ratio::new(Exact::Fraction { numerator, denominator }, bound.least))
                }
            }
        }
        Measure::Sets(tokenizer, by, asked) => {
            let common = Common::of(left, right, tokenizer);
            let ratio = match asked {
                Asked::Count(_) => None,
                Asked::Similarity(Bound { least, .. }) => {
                    common.exact(by).map(|exact| Ratio::new(exact, least))
                }
            };
            Measured::Sets(common, ratio)
        }
        Measure::Difference { least, most } => Measured::Difference {
            decimal: difference(left, right, *domain, is_absolute(least, most)),
            is_days: *domain == Domain::Date,
        },
        Measure::Near(_) => Measured::Distance(format!("{:.6}", distance_km(place(left)?, place(right)?))),
    })
}

impl Common {
    fn of(left: &str, right: &str, tokenizer: Tokenizer) -> Self {
        let distinct = |value: &str| {
            let (mut seen, mut tokens) = (HashSet::new(), Vec::new());
            for_each_token(value, tokenizer, |token| {
                if seen.insert(token.to_owned()) {
                    tokens.push(token.to_owned());
                }
            });
            (seen, tokens)
        };
        let ((_, mut tokens), (right, _)) = (distinct(left), distinct(right));
        let (n_left, n_right) = (tokens.len(), right.len());
        tokens.retain(|token| right.contains(token));
        Self { tokens, n_left, n_right }
    }

    /// How alike the sets are; `None` if one is empty.
    fn exact(&self, by: OfSets) -> Option<Exact> {
        let [common, left, right] = [self.tokens.len(), self.n_left, self.n_right].map(|n| n as u32);
        (left > 0 && right > 0).then(|| match by.is_over_root() {
            true => Exact::OverRoot { numerator: common.into(), factors: (left.into(), right.into()) },
            false => {
                let (numerator, denominator) = by.fraction(left, right, common);
                Exact::Fraction { numerator: numerator.into(), denominator: denominator.into() }
            }
        })
    }
}

/// Whether `abs(l.x - r.x)` is what the bounds ask for, and is what the rule shows.
fn is_absolute(least: Option<Limit>, most: Option<Limit>) -> bool {
    matches!((least, most), (Some(least), Some(most))
        if least.at == most.at.negated() && least.strict == most.strict)
}

/// Left minus right, in full; `None` if that takes more digits than can be computed with.
fn difference(left: &str, right: &str, domain: Domain, is_absolute: bool) -> Option<String> {
    let (left, right) = (number(left, domain)?, number(right, domain)?);
    let scale = left.scale().max(right.scale());
    let difference = left.at_scale(scale)?.checked_sub(right.at_scale(scale)?)?;
    let sign = if difference < 0 && !is_absolute { "-" } else { "" };
    let unit = 10u128.checked_pow(scale)?;
    let (whole, fraction) = (difference.unsigned_abs() / unit, difference.unsigned_abs() % unit);
    let fraction = format!("{fraction:0width$}", width = scale as usize);
    let fraction = if scale == 0 { "" } else { fraction.trim_end_matches('0') };
    Some(format!("{sign}{whole}{}{fraction}", if fraction.is_empty() { "" } else { "." }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_exact() {
        for (left, right, domain, is_absolute, want) in [
            ("1.3", "1.2", Domain::Number, false, Some("0.1")),
            ("1.2", "1.30", Domain::Number, false, Some("-0.1")),
            ("1.2", "1.3", Domain::Number, true, Some("0.1")),
            ("1e3", "0.25", Domain::Number, false, Some("999.75")),
            ("7", "7.0", Domain::Number, false, Some("0")),
            ("0.05", "0.1", Domain::Number, false, Some("-0.05")),
            ("2020-03-01", "2020-02-28", Domain::Date, false, Some("2")),
            ("2020-02-28", "2020-03-01", Domain::Date, false, Some("-2")),
            ("1e35", "0.000000000000000000000000000000000001", Domain::Number, false, None),
        ] {
            assert_eq!(difference(left, right, domain, is_absolute).as_deref(), want, "{left} {right}");
        }
    }

    #[test]
    fn tokens_in_common_are_a_set() {
        let common = Common::of("to be or not to be", "be that to be", Tokenizer::Words);
        assert_eq!((common.n_left, common.n_right), (4, 3));
        assert_eq!(common.tokens, ["to", "be"]);
    }
}
