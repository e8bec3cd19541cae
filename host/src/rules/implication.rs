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

use super::constant::{Point, point};
use super::measure::{By, Family, Row};
use super::{
    Asked, Column, Condition, Domain, Measure, OfTexts, Operand, Predicate, Side, Test, Tokenizer, Transform,
};
use crate::base::decimal::Decimal;
use range::{Range, Ranges};

/// What a predicate says, and what its opposite does, made once where it is compared with many.
pub(super) struct Said<'a> {
    holds: Sight<'a>,
    fails: Sight<'a>,
}

impl<'a> Said<'a> {
    pub(super) fn by(predicate: &'a Predicate) -> Self {
        let quantity = quantity(&predicate.test);
        let sight = |negated: bool| {
            let claim = Claim { test: &predicate.test, negated };
            Sight {
                claim,
                seen: quantity.map(|(quantity, range)| (quantity, claim.ranges(&quantity, range))),
            }
        };
        Self { holds: sight(predicate.negated), fails: sight(!predicate.negated) }
    }

    /// Whether the other holds on every pair on which this one does.
    pub(super) fn implies(&self, other: &Self) -> bool {
        let (p, q) = (self.holds.claim, other.holds.claim);
        share_a_column(p.test, q.test)
            && surely_has_an_outcome(p, q)
            && exclude_each_other(&self.holds, &other.fails)
    }

    /// Whether there is no pair on which both hold.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        share_a_column(self.holds.claim.test, other.holds.claim.test)
            && exclude_each_other(&self.holds, &other.holds)
    }
}

/// A predicate, or its opposite, without a copy of the test: in a long rule there are many pairs to look at.
#[derive(Clone, Copy)]
struct Claim<'a> {
    test: &'a Test,
    negated: bool,
}

/// A claim with the quantity that it is about, if there is one, and the ranges, ascending, in which that must lie.
struct Sight<'a> {
    claim: Claim<'a>,
    seen: Option<(Quantity<'a>, Ranges<'a>)>,
}

fn exclude_each_other(p: &Sight<'_>, q: &Sight<'_>) -> bool {
    if p.claim.test == q.claim.test {
        return p.claim.negated != q.claim.negated;
    }
    lie_apart(p, q)
        || lie_apart(q, p)
        || lacks(p.claim, q.claim)
        || lacks(q.claim, p.claim)
        || all_fail(p.claim, q.claim)
        || all_fail(q.claim, p.claim)
}

/// Whether `p` lists constants, or one, for a value, and none of them is what `q` asks of it.
fn all_fail(p: Claim<'_>, q: Claim<'_>) -> bool {
    let (Test::Value { side, operand, domain, condition }, Test::Value { condition: asked, .. }) =
        (p.test, q.test)
    else {
        return false;
    };
    let domain = *domain;
    let is_same = matches!(q.test, Test::Value { side: s, operand: o, domain: d, .. }
        if (s, o, *d) == (side, operand, domain));
    let listed = match condition {
        Condition::Is(constant) => std::slice::from_ref(constant),
        Condition::OneOf(constants) => constants,
        Condition::Missing | Condition::AtMost { .. } => return false,
    };
    let fails = |constant: &String| {
        let meets = match asked {
            Condition::Missing => return false,
            Condition::Is(other) => point(constant, domain) == point(other, domain),
            Condition::OneOf(others) => {
                let at = point(constant, domain);
                others.binary_search_by(|other| point(other, domain).cmp(&at)).is_ok()
            }
            Condition::AtMost { constant: most, strict } => {
                let order = point(constant, domain).cmp(&point(most, domain));
                if *strict { order.is_lt() } else { order.is_le() }
            }
        };
        meets == q.negated
    };
    is_same && !p.negated && listed.iter().all(fails)
}

/// A cheap necessary condition for one predicate to say anything of another.
pub(super) fn share_a_column(p: &Test, q: &Test) -> bool {
    fn columns(test: &Test) -> [&[Column]; 2] {
        match test {
            Test::Value { side: Side::Left, operand, .. } => [&operand.columns, &[]],
            Test::Value { side: Side::Right, operand, .. } => [&[], &operand.columns],
            Test::Compare { left, right, .. } => [&left.columns, &right.columns],
        }
    }
    let (p, q) = (columns(p), columns(q));
    p.iter().zip(q).any(|(p, q)| p.iter().any(|column| q.contains(column)))
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
            let tokenizer = tokenizer(measure);
            let need = |side, operand| Some(Need { side, operand, domain: *domain, tokenizer });
            [need(Side::Left, left), need(Side::Right, right)]
        }
    }
}

/// What it makes sets of values by, if it does.
fn tokenizer(measure: &Measure) -> Option<Tokenizer> {
    match measure {
        Measure::Sets(tokenizer, ..) => Some(*tokenizer),
        Measure::Equal | Measure::Texts(..) | Measure::Difference { .. } | Measure::Near(_) => None,
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
        if self.side != other.side || !self.operand.is_made_alike(other.operand) {
            return false;
        }
        match (other.tokenizer, other.domain) {
            // Every text has characters, and every list elements, but not words, or as many characters as a q-gram.
            (Some(tokens), _) if !matches!(tokens, Tokenizer::Qgrams(1) | Tokenizer::Elements) => {
                has == asked && self.tokenizer.is_some_and(|own| has_tokens(own, tokens))
            }
            // Transforms apply to what is there, and some may leave nothing.
            (_, Domain::Text) => {
                let upto = asked.iter().rposition(|transform| !transform.keeps_values());
                let upto = upto.map_or(0, |last| last + 1);
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
        (Tokenizer::Shingles(own), Tokenizer::Shingles(other)) => other <= own,
        (Tokenizer::Shingles(_), Tokenizer::Words) => true,
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
#[derive(Clone, Copy, PartialEq)]
struct Quantity<'a> {
    of: Of<'a>,
    domain: Domain,
    scale: Scale,
    /// Quantities that differ in nothing but rank ascend with it, whatever the pair.
    rank: u8,
}

#[derive(Clone, Copy, PartialEq)]
enum Of<'a> {
    Value(Side, &'a Operand),
    Pair(&'a Operand, &'a Operand),
}

#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Value,
    Difference,
    /// The square of a chord.
    Chord,
    /// A number of edits.
    Distance,
    /// A number of symbols, or of tokens, in common.
    Common(Option<Tokenizer>),
    Similarity(Family, Option<Tokenizer>),
}

impl Quantity<'_> {
    /// Whether it is a whole number of something.
    fn is_whole(&self) -> bool {
        match self.scale {
            Scale::Distance | Scale::Common(_) | Scale::Chord => true,
            Scale::Value | Scale::Difference => self.domain == Domain::Date,
            Scale::Similarity(..) => false,
        }
    }
}

impl<'a> Claim<'a> {
    /// The ranges, ascending, in which the quantity that its test is about must lie, given that of the test.
    fn ranges(self, quantity: &Quantity<'_>, range: Range<'a>) -> Ranges<'a> {
        let ranges = match self.test {
            // What is none of some constants may still lie between them.
            Test::Value { condition: Condition::OneOf(_), .. } if self.negated => [Some(Range::ALL), None],
            _ if self.negated => range.outside(),
            _ => [Some(range), None],
        };
        let is_whole = quantity.is_whole();
        ranges.map(|range| if is_whole { range.map(Range::whole) } else { range })
    }
}

/// Which quantity a test is about, and the range in which it must lie.
fn quantity(test: &Test) -> Option<(Quantity<'_>, Range<'_>)> {
    match test {
        Test::Value { side, operand, domain, condition } => {
            let quantity =
                Quantity { of: Of::Value(*side, operand), domain: *domain, scale: Scale::Value, rank: 0 };
            let range = match condition {
                Condition::Missing => return None,
                Condition::Is(constant) => Range::only(point(constant, *domain)?),
                Condition::OneOf(constants) => {
                    let (least, most) = (constants.first()?, constants.last()?);
                    Range::between(point(least, *domain)?, point(most, *domain)?)
                }
                Condition::AtMost { constant, strict } => Range::upto(point(constant, *domain)?, *strict),
            };
            Some((quantity, range))
        }
        Test::Compare { left, right, domain, measure } => {
            let (scale, rank, range) = match measure {
                // Equal texts are those with no edits between them, equal numbers those with no difference.
                Measure::Equal => match domain {
                    Domain::Text => {
                        let rank = Row::of(By::Texts(OfTexts::Levenshtein))?.rank_of_distance();
                        (Scale::Distance, rank, Range::only(whole(0)?))
                    }
                    Domain::Number | Domain::Date => (Scale::Difference, 0, Range::only(whole(0)?)),
                    Domain::Point => (Scale::Chord, 0, Range::only(whole(0)?)),
                },
                Measure::Texts(_, asked) | Measure::Sets(_, _, asked) => {
                    measured(measure.row()?, tokenizer(measure), *asked)?
                }
                Measure::Difference { least, most } => (Scale::Difference, 0, Range::within(*least, *most)),
                // In whole steps, as it is decided: kilometres that differ by less than that ask for the same.
                Measure::Near(limit) => {
                    let most = i128::try_from(limit.chord()?.get()).ok()?;
                    (Scale::Chord, 0, Range::upto(whole(most)?, false))
                }
            };
            Some((Quantity { of: Of::Pair(left, right), domain: *domain, scale, rank }, range))
        }
    }
}

/// The scale and rank of what is asked of a measure, and the range in which that must lie.
fn measured<'a>(
    row: &Row,
    tokenizer: Option<Tokenizer>,
    asked: Asked<super::Bound>,
) -> Option<(Scale, u8, Range<'a>)> {
    Some(match asked {
        Asked::Count(number) => {
            let (_, counted) = row.count?;
            let number = whole(number.into())?;
            match counted.is_distance() {
                true => (Scale::Distance, row.rank_of_distance(), Range::upto(number, false)),
                false => (Scale::Common(tokenizer), row.rank, Range::from(number, false)),
            }
        }
        Asked::Similarity(bound) => {
            let range = Range::from(Point::Number(bound.least), bound.strict);
            (Scale::Similarity(row.family, tokenizer), row.rank, range)
        }
    })
}

fn whole<'a>(number: i128) -> Option<Point<'a>> {
    Decimal::new(number, 0).map(Point::Number)
}

/// Whether what `p` says of the quantity that `q` is about contradicts `q`.
fn lie_apart(p: &Sight<'_>, q: &Sight<'_>) -> bool {
    let Some((quantity, wanted)) = &q.seen else { return false };
    let Some(said) = of_equal_texts(p.claim, quantity).or_else(|| says(p, quantity)) else { return false };
    said.iter().flatten().all(|range| wanted.iter().flatten().all(|other| range.is_apart_from(other)))
}

/// Where a quantity lies, if it is there at all, wherever a predicate about it or one like it holds.
fn says<'a>(claim: &Sight<'a>, quantity: &Quantity<'_>) -> Option<Ranges<'a>> {
    let (own, ranges) = claim.seen.as_ref()?;
    if own.of != quantity.of || own.domain != quantity.domain || own.scale != quantity.scale {
        return None;
    }
    if own.rank == quantity.rank {
        return Some(*ranges);
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
            Scale::Distance => Range::from(one, false),
            Scale::Similarity(_, None) => Range::upto(one, true),
            _ => return None,
        }
    } else {
        (further(left, l)? == further(right, r)?).then_some(())?;
        match quantity.scale {
            Scale::Distance | Scale::Difference => Range::only(zero),
            Scale::Similarity(..) => Range::only(one),
            Scale::Common(_) => Range::from(one, false),
            Scale::Value | Scale::Chord => return None,
        }
    };
    Some([Some(range), None])
}

/// The transforms that lead from one operand to another that is made alike.
fn further<'a>(from: &Operand, to: &'a Operand) -> Option<&'a [Transform]> {
    from.is_made_alike(to).then(|| to.transforms.strip_prefix(from.transforms.as_slice())).flatten()
}
