//! What follows from what: whether one predicate holds wherever another does, or never where another does.
//!
//! Nearly every predicate says that some *quantity* of a pair (its edit distance, the left value, the difference of two
//! numbers) lies in a range. Two predicates over one quantity exclude each other if their ranges are apart; and since
//! some quantities are never above others (no Damerau-Levenshtein distance is above the Levenshtein distance, no
//! Jaccard similarity above Dice's), what is known of one says something of the other. From equal texts it follows what
//! every measure of them is. `p` then implies `q` if it excludes `q`'s opposite *and* `q` has an outcome wherever `p`
//! holds: on a missing value, or a set without tokens, neither a predicate nor its opposite holds.
//!
//! All answers are safe, not complete: yes is always right, no may mean that it was not seen.

mod range;

use super::{Boost, Condition, Domain, EditDistance, Measure, Operand, Predicate, SetSimilarity, Side, Test};
use super::{Tokenizer, Transform};
use crate::base::decimal::Decimal;
use crate::read::table::days;
use range::{Point, Range, Ranges};

/// Whether `q` holds on every pair on which `p` does.
pub(super) fn implies(p: &Predicate, q: &Predicate) -> bool {
    let (p, q) = (Claim::from(p), Claim::from(q));
    let opposite = Claim { negated: !q.negated, ..q };
    share_a_column(p, q) && surely_has_an_outcome(p, q) && exclude_each_other(p, opposite)
}

/// Whether there is no pair on which both hold.
pub(super) fn excludes(p: &Predicate, q: &Predicate) -> bool {
    let (p, q) = (Claim::from(p), Claim::from(q));
    share_a_column(p, q) && exclude_each_other(p, q)
}

/// A predicate, or its opposite, without a copy of the test: in a long rule there are many pairs to look at.
#[derive(Clone, Copy)]
struct Claim<'a> {
    test: &'a Test,
    negated: bool,
}

impl<'a> From<&'a Predicate> for Claim<'a> {
    fn from(predicate: &'a Predicate) -> Self {
        Self { test: &predicate.test, negated: predicate.negated }
    }
}

fn exclude_each_other(p: Claim<'_>, q: Claim<'_>) -> bool {
    if p.test == q.test {
        return p.negated != q.negated;
    }
    lacks(p, q) || lacks(q, p) || lie_apart(p, q) || lie_apart(q, p)
}

/// A cheap necessary condition for one predicate to say anything of another.
fn share_a_column(p: Claim<'_>, q: Claim<'_>) -> bool {
    let columns = |claim: Claim<'_>| match claim.test {
        Test::Value { side: Side::Left, operand, .. } => (Some(operand.column), None),
        Test::Value { side: Side::Right, operand, .. } => (None, Some(operand.column)),
        Test::Compare { left, right, .. } => (Some(left.column), Some(right.column)),
    };
    let (p, q) = (columns(p), columns(q));
    (p.0.is_some() && p.0 == q.0) || (p.1.is_some() && p.1 == q.1)
}

/// A value that must be there, with its tokens if there is a tokenizer.
struct Need<'a> {
    side: Side,
    operand: &'a Operand,
    domain: Domain,
    tokenizer: Option<Tokenizer>,
}

/// What must be there for a test to have an outcome. Whether a value is missing has one in any case.
fn needs(test: &Test) -> [Option<Need<'_>>; 2] {
    match test {
        Test::Value { condition: Condition::Missing, .. } => [None, None],
        Test::Value { side, operand, domain, .. } => {
            [Some(Need { side: *side, operand, domain: *domain, tokenizer: None }), None]
        }
        Test::Compare { left, right, domain, measure } => {
            let tokenizer = match measure {
                Measure::Sets(tokenizer, ..) | Measure::CommonTokens(tokenizer, _) => Some(*tokenizer),
                _ => None,
            };
            let need = |side, operand| Some(Need { side, operand, domain: *domain, tokenizer });
            [need(Side::Left, left), need(Side::Right, right)]
        }
    }
}

/// What is there wherever a predicate holds.
fn there(claim: Claim<'_>) -> [Option<Need<'_>>; 2] {
    match claim.test {
        Test::Value { side, operand, domain, condition: Condition::Missing } if claim.negated => {
            [Some(Need { side: *side, operand, domain: *domain, tokenizer: None }), None]
        }
        test => needs(test),
    }
}

impl Need<'_> {
    /// Whether the other is there wherever this one is.
    fn entails(&self, other: &Need<'_>) -> bool {
        let (has, asked) = (&self.operand.transforms, &other.operand.transforms);
        if self.side != other.side || self.operand.column != other.operand.column {
            return false;
        }
        match (other.tokenizer, other.domain) {
            // Every text has characters, but not words, or as many characters as a q-gram.
            (Some(tokens), _) if tokens != Tokenizer::Qgrams(1) => {
                has == asked && self.tokenizer.is_some_and(|own| has_tokens(own, tokens))
            }
            // Transforms apply to what is there and may leave nothing, but for changes of case.
            (_, Domain::Text) => {
                let case = |transform: &Transform| matches!(transform, Transform::Lower | Transform::Upper);
                let upto = asked.iter().rposition(|transform| !case(transform)).map_or(0, |last| last + 1);
                has.starts_with(&asked[..upto])
            }
            // A text may be there that is no number.
            (_, domain) => self.domain == domain && has == asked,
        }
    }
}

/// Whether a value that has tokens of the one kind has some of the other.
fn has_tokens(own: Tokenizer, other: Tokenizer) -> bool {
    match (own, other) {
        (Tokenizer::Qgrams(own), Tokenizer::Qgrams(other)) => other <= own,
        (own, other) => own == other,
    }
}

fn surely_has_an_outcome(p: Claim<'_>, q: Claim<'_>) -> bool {
    let there = there(p);
    needs(q.test).iter().flatten().all(|need| there.iter().flatten().any(|value| value.entails(need)))
}

/// Whether `p` asks that a value be missing that `q` needs.
fn lacks(p: Claim<'_>, q: Claim<'_>) -> bool {
    match p.test {
        Test::Value { side, operand, domain, condition: Condition::Missing } if !p.negated => {
            let missing = Need { side: *side, operand, domain: *domain, tokenizer: None };
            there(q).iter().flatten().any(|value| value.entails(&missing))
        }
        _ => false,
    }
}

/// A number, or a value, that a pair of records has.
#[derive(PartialEq)]
struct Quantity<'a> {
    of: Of<'a>,
    domain: Domain,
    scale: Scale,
    /// Quantities that differ in nothing but rank ascend with it, whatever the pair.
    rank: u8,
}

#[derive(PartialEq)]
enum Of<'a> {
    Value(Side, &'a Operand),
    Pair(&'a Operand, &'a Operand),
}

#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Value,
    Edits,
    EditSimilarity,
    Jaro,
    Sets(Tokenizer),
    CommonTokens(Tokenizer),
    Difference,
}

impl Quantity<'_> {
    /// Whether it is a whole number of something.
    fn is_whole(&self) -> bool {
        match self.scale {
            Scale::Edits | Scale::CommonTokens(_) => true,
            Scale::Value | Scale::Difference => self.domain == Domain::Date,
            Scale::EditSimilarity | Scale::Jaro | Scale::Sets(_) => false,
        }
    }
}

/// Which quantity a predicate is about, and the ranges, ascending, in which it must lie.
fn sight(claim: Claim<'_>) -> Option<(Quantity<'_>, Ranges<'_>)> {
    let (quantity, range) = quantity(claim.test)?;
    let ranges = if claim.negated { range.outside() } else { [Some(range), None] };
    let is_whole = quantity.is_whole();
    let ranges = ranges.map(|range| if is_whole { range.map(Range::whole) } else { range });
    Some((quantity, ranges))
}

fn quantity(test: &Test) -> Option<(Quantity<'_>, Range<'_>)> {
    match test {
        Test::Value { side, operand, domain, condition } => {
            let quantity =
                Quantity { of: Of::Value(*side, operand), domain: *domain, scale: Scale::Value, rank: 0 };
            let range = match condition {
                Condition::Missing => return None,
                Condition::Is(constant) => Range::only(point(constant, *domain)?),
                Condition::AtMost { constant, strict } => Range::upto(point(constant, *domain)?, *strict),
            };
            Some((quantity, range))
        }
        Test::Compare { left, right, domain, measure } => {
            let at_least = |bound: &super::Bound| Range::from(Point::Number(bound.least), bound.strict);
            let (scale, rank, range) = match measure {
                // Equal texts are those with no edits between them, equal numbers those with no difference.
                Measure::Equal => match domain {
                    Domain::Text => (Scale::Edits, LEVENSHTEIN, Range::only(whole(0)?)),
                    Domain::Number | Domain::Date => (Scale::Difference, 0, Range::only(whole(0)?)),
                },
                Measure::Edits(distance, most) => {
                    let rank = match distance {
                        EditDistance::Damerau => 0,
                        EditDistance::Levenshtein => LEVENSHTEIN,
                        EditDistance::Hamming => 2,
                    };
                    (Scale::Edits, rank, Range::upto(whole((*most).into())?, false))
                }
                Measure::EditSimilarity(distance, bound) => {
                    let rank = match distance {
                        EditDistance::Hamming => 0,
                        EditDistance::Levenshtein => 1,
                        EditDistance::Damerau => 2,
                    };
                    (Scale::EditSimilarity, rank, at_least(bound))
                }
                Measure::Jaro(boost, bound) => {
                    let rank = match boost {
                        Boost::None => 0,
                        Boost::Winkler => 1,
                    };
                    (Scale::Jaro, rank, at_least(bound))
                }
                Measure::Sets(tokenizer, similarity, bound) => {
                    let rank = match similarity {
                        SetSimilarity::Jaccard => 0,
                        SetSimilarity::Dice => 1,
                        SetSimilarity::Cosine => 2,
                        SetSimilarity::Overlap => 3,
                    };
                    (Scale::Sets(*tokenizer), rank, at_least(bound))
                }
                Measure::CommonTokens(tokenizer, least) => {
                    (Scale::CommonTokens(*tokenizer), 0, Range::from(whole((*least).into())?, false))
                }
                Measure::Difference { least, most } => (Scale::Difference, 0, Range::within(*least, *most)),
            };
            Some((Quantity { of: Of::Pair(left, right), domain: *domain, scale, rank }, range))
        }
    }
}

const LEVENSHTEIN: u8 = 1;

fn whole<'a>(number: i128) -> Option<Point<'a>> {
    Decimal::new(number, 0).map(Point::Number)
}

/// A constant, in the order of its domain.
fn point(constant: &str, domain: Domain) -> Option<Point<'_>> {
    match domain {
        Domain::Text => Some(Point::Text(constant)),
        Domain::Number => Decimal::parse(constant).map(Point::Number),
        Domain::Date => whole(days(constant)?.into()),
    }
}

/// Whether what `p` says of the quantity that `q` is about contradicts `q`.
fn lie_apart(p: Claim<'_>, q: Claim<'_>) -> bool {
    let Some((quantity, wanted)) = sight(q) else { return false };
    let Some(said) = of_equal_texts(p, &quantity).or_else(|| says(p, &quantity)) else { return false };
    said.iter().flatten().all(|range| wanted.iter().flatten().all(|other| range.is_apart_from(other)))
}

/// Where a quantity lies, if it is there at all, wherever a predicate about it or one like it holds.
fn says<'a>(claim: Claim<'a>, quantity: &Quantity<'_>) -> Option<Ranges<'a>> {
    let (own, ranges) = sight(claim)?;
    if own.of != quantity.of || own.domain != quantity.domain || own.scale != quantity.scale {
        return None;
    }
    if own.rank == quantity.rank {
        return Some(ranges);
    }
    let all = ranges.iter().flatten();
    let (least, most) = (all.clone().next()?.least, all.last()?.most);
    let range = match own.rank < quantity.rank {
        true => Range { least, most: None },
        false => Range { least: None, most },
    };
    Some([Some(range), None])
}

/// The same for a predicate that asks whether two texts are equal: the measures of equal texts are known, and so are
/// those of what the same transforms make of them; and what is not equal after the same transforms was not before.
fn of_equal_texts<'a>(claim: Claim<'_>, quantity: &Quantity<'_>) -> Option<Ranges<'a>> {
    let Test::Compare { left, right, domain: Domain::Text, measure: Measure::Equal } = claim.test else {
        return None;
    };
    let Of::Pair(l, r) = quantity.of else { return None };
    let (zero, one) = (whole(0)?, whole(1)?);
    let range = if claim.negated {
        (further(l, left)? == further(r, right)?).then_some(())?;
        match quantity.scale {
            Scale::Edits => Range::from(one, false),
            Scale::EditSimilarity | Scale::Jaro => Range::upto(one, true),
            _ => return None,
        }
    } else {
        (further(left, l)? == further(right, r)?).then_some(())?;
        match quantity.scale {
            Scale::Edits | Scale::Difference => Range::only(zero),
            Scale::EditSimilarity | Scale::Jaro | Scale::Sets(_) => Range::only(one),
            Scale::CommonTokens(_) => Range::from(one, false),
            Scale::Value => return None,
        }
    };
    Some([Some(range), None])
}

/// The transforms that lead from one operand to another of the same column.
fn further<'a>(from: &Operand, to: &'a Operand) -> Option<&'a [Transform]> {
    (from.column == to.column).then(|| to.transforms.strip_prefix(from.transforms.as_slice())).flatten()
}
