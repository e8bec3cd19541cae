//! What a measure comes to on two values, exactly.
//!
//! Predicates ask whether a bound is reached, and that is all that a scan ever computes. The numbers here are those that
//! scores are made of, as fractions.

use super::ratio::{Exact, Ratio};
use crate::encode::{Encoded, for_each_token, number};
use crate::rules::{Boost, Domain, EditDistance, Limit, Measure, Predicate, SetSimilarity, Test, Tokenizer};
use hyperblock_shared::columns::{Columns, Head, Texts};
use hyperblock_shared::predicate as lowered;
use hyperblock_shared::{damerau, hamming, jaro, levenshtein};
use std::collections::HashSet;

/// What a measure comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measured {
    /// So many edits.
    Edits(u32),
    /// A similarity by edits or by Jaro.
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
    let texts = || {
        let texts = match encoded.predicates.get(ix)?.test {
            lowered::Test::Compare {
                measure:
                    lowered::Measure::Edits { texts, .. }
                    | lowered::Measure::EditSimilarity { texts, .. }
                    | lowered::Measure::Jaro { texts, .. },
                ..
            } => Columns::texts(encoded, texts),
            _ => return None,
        };
        let (left, right) = codes?;
        Some(TwoTexts { texts, a: *texts.heads.get(left as usize)?, b: *texts.heads.get(right as usize)? })
    };
    Some(match *measure {
        Measure::Equal => return None,
        Measure::Edits(distance, _) => Measured::Edits(texts()?.edits(distance, scratch)),
        Measure::EditSimilarity(distance, bound) => {
            let texts = texts()?;
            let len = texts.a.len.max(texts.b.len);
            let same = u128::from(len - texts.edits(distance, scratch));
            let exact = Exact::Fraction { numerator: same, denominator: len.into() };
            Measured::Similarity(Ratio::new(exact, bound.least))
        }
        Measure::Jaro(boost, bound) => {
            let (numerator, denominator) = texts()?.jaro(boost, scratch);
            Measured::Similarity(Ratio::new(Exact::lowest(numerator, denominator), bound.least))
        }
        Measure::Sets(tokenizer, similarity, bound) => {
            let common = Common::of(left, right, tokenizer);
            let ratio = common.exact(similarity).map(|exact| Ratio::new(exact, bound.least));
            Measured::Sets(common, ratio)
        }
        Measure::CommonTokens(tokenizer, _) => Measured::Sets(Common::of(left, right, tokenizer), None),
        Measure::Difference { least, most } => Measured::Difference {
            decimal: difference(left, right, *domain, is_absolute(least, most)),
            is_days: *domain == Domain::Date,
        },
    })
}

/// Two values of one domain, packed.
struct TwoTexts<'a> {
    texts: Texts<'a>,
    a: Head,
    b: Head,
}

impl TwoTexts<'_> {
    fn edits(&self, distance: EditDistance, scratch: &mut [u64]) -> u32 {
        match self.texts.bits {
            8 => self.edits_in::<8>(distance, scratch),
            16 => self.edits_in::<16>(distance, scratch),
            _ => self.edits_in::<32>(distance, scratch),
        }
    }

    fn edits_in<const BITS: u32>(&self, distance: EditDistance, scratch: &mut [u64]) -> u32 {
        let (a, b) = (self.texts.text::<BITS>(&self.a), self.texts.text::<BITS>(&self.b));
        // Never more than the longer one has symbols.
        let most = a.len().max(b.len());
        let edits = match distance {
            EditDistance::Levenshtein => levenshtein::distance(a, b, most, scratch),
            EditDistance::Damerau => damerau::distance(a, b, most, scratch),
            EditDistance::Hamming => hamming::distance(a, b, most),
        };
        edits.unwrap_or(most)
    }

    fn jaro(&self, boost: Boost, scratch: &mut [u64]) -> (u128, u128) {
        let Self { texts, a, b } = self;
        match texts.bits {
            8 => jaro::similarity(texts.text::<8>(a), texts.text::<8>(b), boost, scratch),
            16 => jaro::similarity(texts.text::<16>(a), texts.text::<16>(b), boost, scratch),
            _ => jaro::similarity(texts.text::<32>(a), texts.text::<32>(b), boost, scratch),
        }
    }
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
    fn exact(&self, similarity: SetSimilarity) -> Option<Exact> {
        let (common, left, right) = (self.tokens.len() as u128, self.n_left as u128, self.n_right as u128);
        let fraction = |numerator, denominator| Exact::Fraction { numerator, denominator };
        (left > 0 && right > 0).then(|| match similarity {
            SetSimilarity::Jaccard => fraction(common, left + right - common),
            SetSimilarity::Dice => fraction(2 * common, left + right),
            SetSimilarity::Overlap => fraction(common, left.min(right)),
            SetSimilarity::Cosine => Exact::OverRoot { numerator: common, factors: (left, right) },
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
